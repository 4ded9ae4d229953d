#include "presence/presence_watch.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <utility>

namespace neardup {
namespace {

constexpr int kAnswerMs = 3000;
/// Between two attempts. A process that ends closes its connections a moment before its listener,
/// so the first wait is short.
constexpr int kPauseMs = 5;
constexpr int kPauseMaxMs = 1000;
constexpr auto kSteadyAfter = std::chrono::seconds(1);

}  // namespace

PresenceWatch::PresenceWatch()
    : changed_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)), thread_([this] { Run(); }) {}

PresenceWatch::~PresenceWatch() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  Watch({});
  thread_.join();
}

void PresenceWatch::Watch(const std::string& endpoint) {
  {
    const std::lock_guard lock(mutex_);
    wish_ = ParseEndpoint(endpoint);
    has_ended_ = false;
    ++number_;
    const uint64_t one = 1;
    [[maybe_unused]] const ssize_t written = write(changed_.get(), &one, sizeof(one));
  }
  wished_.notify_one();
}

bool PresenceWatch::HasEnded() const {
  const std::lock_guard lock(mutex_);
  return has_ended_;
}

void PresenceWatch::Run() {
  while (const std::optional<Endpoint> endpoint = Await()) Follow(*endpoint);
}

std::optional<Endpoint> PresenceWatch::Await() {
  std::unique_lock lock(mutex_);
  wished_.wait(lock, [this] { return stopping_ || (wish_ && number_ != taken_up_); });
  if (stopping_) return {};
  uint64_t count = 0;
  [[maybe_unused]] const ssize_t bytes = read(changed_.get(), &count, sizeof(count));
  taken_up_ = number_;
  return wish_;
}

void PresenceWatch::Follow(const Endpoint& endpoint) {
  bool believes = !network_.empty() && endpoint.network == network_;
  int pause_ms = kPauseMs;
  while (true) {
    const auto began = std::chrono::steady_clock::now();
    const Sight sight = Visit(endpoint);
    if (sight == Sight::kStopped) return;
    believes = believes || sight == Sight::kAlive;
    if (sight == Sight::kGone && believes) {
      const std::lock_guard lock(mutex_);
      has_ended_ = number_ == taken_up_;
      return;
    }
    const bool was_steady = std::chrono::steady_clock::now() - began >= kSteadyAfter;
    if (sight == Sight::kAlive && was_steady) pause_ms = kPauseMs;
    if (AwaitReady(-1, 0, pause_ms) == Sight::kStopped) return;
    pause_ms = std::min(2 * pause_ms, kPauseMaxMs);
  }
}

PresenceWatch::Sight PresenceWatch::Visit(const Endpoint& endpoint) const {
  Descriptor connection;
  if (const Sight connected = Connect(endpoint, connection); connected != Sight::kAlive) {
    return connected;
  }
  const std::string expected = endpoint.process + "\n";
  std::string heard;
  while (heard.size() < expected.size()) {
    const Sight ready = AwaitReady(connection.get(), POLLIN, kAnswerMs);
    if (ready != Sight::kAlive) return ready;
    std::array<char, 32> part{};
    const ssize_t bytes = recv(connection.get(), part.data(),
                               std::min(part.size(), expected.size() - heard.size()), 0);
    if (bytes <= 0) return Sight::kUnclear;
    heard.append(part.data(), static_cast<size_t>(bytes));
  }
  if (heard != expected) return Sight::kGone;
  return AwaitReady(connection.get(), POLLIN, -1);
}

PresenceWatch::Sight PresenceWatch::Connect(const Endpoint& endpoint,
                                            Descriptor& connection) const {
  const AddressList address = FindAddresses(endpoint.host.c_str(), endpoint.port, SOCK_STREAM,
                                            AI_NUMERICHOST | AI_NUMERICSERV);
  if (!address) return Sight::kUnclear;
  connection =
      Descriptor(socket(address->ai_family, address->ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK,
                        address->ai_protocol));
  if (connection.get() < 0) return Sight::kUnclear;
  if (connect(connection.get(), address->ai_addr, address->ai_addrlen) == 0) return Sight::kAlive;
  if (errno == ECONNREFUSED) return Sight::kGone;
  if (errno != EINPROGRESS) return Sight::kUnclear;
  const Sight ready = AwaitReady(connection.get(), POLLOUT, kAnswerMs);
  if (ready != Sight::kAlive) return ready;
  int error = 0;
  socklen_t bytes = sizeof(error);
  if (getsockopt(connection.get(), SOL_SOCKET, SO_ERROR, &error, &bytes) != 0) {
    return Sight::kUnclear;
  }
  if (error == 0) return Sight::kAlive;
  return error == ECONNREFUSED ? Sight::kGone : Sight::kUnclear;
}

/// kAlive: it is ready. A descriptor of -1 is never ready.
PresenceWatch::Sight PresenceWatch::AwaitReady(int descriptor, short events, int timeout_ms) const {
  std::array<pollfd, 2> watched = {{{changed_.get(), POLLIN, 0}, {descriptor, events, 0}}};
  while (poll(watched.data(), watched.size(), timeout_ms) < 0 && errno == EINTR) {
  }
  if (watched[0].revents != 0) return Sight::kStopped;
  return watched[1].revents != 0 ? Sight::kAlive : Sight::kUnclear;
}

}  // namespace neardup
