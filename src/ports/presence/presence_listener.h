// Shows other instances that this process runs: it accepts connections, and keeps them open until
// the process ends. The system then closes them, however the process ends.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/descriptor.h"
#include "neardup/result.h"
#include "presence/endpoint.h"

namespace neardup {

struct PresenceOptions {
  bool listen = true;
  /// A numeric address under which other instances reach this process. Empty: the one from which it
  /// reaches the brokers.
  std::string address;
  uint16_t port = 0;  ///< 0: any free one
};

/// Sends Endpoint::process and a line feed to everybody who connects, and reads nothing. It has a
/// thread of its own; one owner thread calls it.
class PresenceListener {
 public:
  /// An address that was given may be that of a translator before this machine: then it listens on
  /// all addresses. kConfig: it cannot listen there. `servers`: see AddressTowards.
  static Result<std::unique_ptr<PresenceListener>> New(const PresenceOptions& options,
                                                       const std::string& servers);
  ~PresenceListener();
  PresenceListener(const PresenceListener&) = delete;
  PresenceListener& operator=(const PresenceListener&) = delete;

  const Endpoint& endpoint() const { return endpoint_; }

 private:
  PresenceListener(Endpoint endpoint, Descriptor listening, Descriptor stop);

  void Run();
  void Accept();

  const Endpoint endpoint_;
  Descriptor listening_;
  Descriptor stop_;
  std::vector<Descriptor> connections_;  ///< of the thread
  std::thread thread_;                   ///< the last member, because it uses the others
};

}  // namespace neardup
