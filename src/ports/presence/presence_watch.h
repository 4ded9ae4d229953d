// Sees another process end, within milliseconds: it keeps a connection to the listener of that
// process. When the connection ends, it tries again. A refused connection shows that nobody listens
// there any more, and another name that another process does. Everything else shows nothing: a
// machine that is cut off from the network is silent, and its process goes on.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "base/descriptor.h"
#include "presence/endpoint.h"

namespace neardup {

/// It believes a refusal only if it has reached the process before, or the system of this machine
/// refuses: an address may never have been one of that process as this machine sees it. It has a
/// thread of its own; any thread may call it.
class PresenceWatch {
 public:
  PresenceWatch();
  ~PresenceWatch();
  PresenceWatch(const PresenceWatch&) = delete;
  PresenceWatch& operator=(const PresenceWatch&) = delete;

  /// Watches this endpoint (TextOf), in place of the one before. A text of another form, and an
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

}  // namespace neardup
