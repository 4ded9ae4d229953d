// Presence: how instances on other machines see whether a process runs, and when it ends.
//
// FORMAT of an endpoint: HOST:PORT/PROCESS or HOST:PORT/PROCESS/NETWORK, such as
// `10.0.3.7:40123/9f86d081884c7d65/2c26b46b68ffc68f`. An IPv6 address stands in brackets.
#pragma once

#include <netdb.h>

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "detect/base/file.h"
#include "neardup/result.h"
#include "stream/lane/ports.h"

namespace neardup {

struct Endpoint {
  std::string host;     ///< a numeric address
  std::string port;     ///< decimal
  std::string process;  ///< drawn at random by the process; the listener sends it to who connects
  /// Equal for two processes only if both use the interfaces and ports of one running machine or
  /// container, so that a refusal at `host` comes from the system itself. Empty: not known.
  std::string network;

  bool operator==(const Endpoint&) const = default;
};

std::string TextOf(const Endpoint& endpoint);
/// nullopt: the text is not of this form.
std::optional<Endpoint> ParseEndpoint(std::string_view text);

/// Endpoint::network of this process.
std::string ThisNetwork();

/// The address from which this machine reaches one of these servers (HOST:PORT, separated by
/// commas); empty if no name can be resolved. May wait for a name server; sends nothing else.
std::string AddressTowards(std::string_view servers);

/// The local address of a socket, with host and port only; nullopt if it has none.
std::optional<Endpoint> LocalEnd(const Descriptor& socket);

struct FreeAddresses {
  void operator()(addrinfo* list) const { freeaddrinfo(list); }
};
/// Never empty, but may be null.
using AddressList = std::unique_ptr<addrinfo, FreeAddresses>;
/// The addresses of a host, for sockets of this type; null if there are none. `host` null: all
/// addresses of this machine. `flags`: as for getaddrinfo.
AddressList FindAddresses(const char* host, const std::string& port, int socket_type, int flags);

/// 64 bits as 16 digits.
std::string HexDigits(uint64_t number);

// Shows other instances that this process runs: it accepts connections, and keeps them open until
// the process ends. The system then closes them, however the process ends.

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
  /// An address that was given may belong to a translator before this machine: then it listens on
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

// Sees another process end, within milliseconds: it keeps a connection to the listener of that
// process. When the connection ends, it tries again. A refused connection shows that nobody listens
// there any more, and another name that another process does. Everything else shows nothing: a
// machine that is cut off from the network is silent, and its process goes on.

/// It believes a refusal only if it has reached the process earlier, or the system of this machine
/// refuses: an address may never have been one of that process as this machine sees it. It has a
/// thread of its own; any thread may call it.
class PresenceWatch {
 public:
  PresenceWatch();
  ~PresenceWatch();
  PresenceWatch(const PresenceWatch&) = delete;
  PresenceWatch& operator=(const PresenceWatch&) = delete;

  /// Watches this endpoint (TextOf), instead of the earlier one. A text of another form, and an
  /// empty one: nothing.
  void Watch(const std::string& endpoint);
  /// True if the watched process has ended.
  bool HasEnded() const;

 private:
  enum class Sight : uint8_t {
    kAlive,    ///< the process has answered, and the connection has ended since
    kGone,     ///< nobody is there, or another process
    kUnclear,  ///< no answer
    kStopped,  ///< another one is to be watched
  };

  void Run();
  /// The next endpoint to watch; nullopt at the end.
  std::optional<Endpoint> Await();
  /// Returns when the process has ended, or another one is to be watched.
  void Follow(const Endpoint& endpoint);
  /// Stays as long as the connection does.
  Sight Visit(const Endpoint& endpoint) const;
  Sight Connect(const Endpoint& endpoint, Descriptor& connection) const;
  /// True if the descriptor is ready for `events` in time.
  Sight AwaitReady(int descriptor, short events, int timeout_ms) const;

  const std::string network_ = ThisNetwork();
  Descriptor changed_;  ///< readable when wish_ has changed

  mutable std::mutex mutex_;
  std::condition_variable wished_;
  bool stopping_ = false;         ///< guarded by mutex_
  uint64_t number_ = 0;           ///< guarded by mutex_; of the wish
  uint64_t taken_up_ = 0;         ///< guarded by mutex_; the number that the thread follows
  std::optional<Endpoint> wish_;  ///< guarded by mutex_
  bool has_ended_ = false;        ///< guarded by mutex_; wish_ has

  std::thread thread_;  ///< the last member, because it uses the others
};

// A lease whose candidates also see each other's processes end.

/// Adds endpoint, Watch and WatchedHasEnded to a lease that has none.
class WatchedLease : public Lease {
 public:
  WatchedLease(std::unique_ptr<Lease> lease, std::unique_ptr<PresenceListener> listener);

  void Join() override { lease_->Join(); }
  void Leave() override { lease_->Leave(); }
  Result<bool> Held() override { return lease_->Held(); }
  bool brokers_answer() const override { return lease_->brokers_answer(); }
  /// Standbys see it at once, and need not wait until the lease is given up.
  void Release() override;

  std::string endpoint() const override { return endpoint_; }
  void Watch(const std::string& endpoint) override { watch_.Watch(endpoint); }
  bool WatchedHasEnded() override { return watch_.HasEnded(); }

 private:
  std::unique_ptr<Lease> lease_;
  std::unique_ptr<PresenceListener> listener_;
  const std::string endpoint_;
  PresenceWatch watch_;
};

}  // namespace neardup
