#include "kafka/presence.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <utility>

#include "detect/base/hash.h"
#include "detect/base/random.h"

namespace neardup {
namespace {

constexpr size_t kIdDigits = 16;

bool IsId(std::string_view text) {
  return text.size() == kIdDigits &&
         std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isxdigit(c); });
}

/// Splits HOST:PORT at its last colon, and takes the brackets from an IPv6 address.
std::optional<Endpoint> ParseHostAndPort(std::string_view text) {
  const size_t colon = text.rfind(':');
  if (colon == text.npos || colon == 0 || colon + 1 == text.size()) return {};
  std::string_view host = text.substr(0, colon);
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') {
    host = host.substr(1, host.size() - 2);
  }
  return Endpoint{std::string(host), std::string(text.substr(colon + 1)), {}, {}};
}

std::optional<Endpoint> Numeric(const sockaddr_storage& address, socklen_t bytes) {
  std::array<char, NI_MAXHOST> host{};
  std::array<char, NI_MAXSERV> port{};
  if (getnameinfo(reinterpret_cast<const sockaddr*>(&address), bytes, host.data(), host.size(),
                  port.data(), port.size(), NI_NUMERICHOST | NI_NUMERICSERV) != 0) {
    return {};
  }
  return Endpoint{host.data(), port.data(), {}, {}};
}

/// A datagram socket finds the route without sending anything.
std::optional<std::string> AddressTowards(const Endpoint& server) {
  const AddressList list = FindAddresses(server.host.c_str(), server.port, SOCK_DGRAM, 0);
  for (const addrinfo* each = list.get(); each != nullptr; each = each->ai_next) {
    const Descriptor socket_to(
        socket(each->ai_family, each->ai_socktype | SOCK_CLOEXEC, each->ai_protocol));
    if (socket_to.get() < 0) continue;
    if (connect(socket_to.get(), each->ai_addr, each->ai_addrlen) != 0) continue;
    if (const std::optional<Endpoint> local = LocalEnd(socket_to)) return local->host;
  }
  return {};
}

}  // namespace

std::string TextOf(const Endpoint& endpoint) {
  const bool is_v6 = endpoint.host.find(':') != std::string::npos;
  std::string text = fmt::format("{}{}{}:{}/{}", is_v6 ? "[" : "", endpoint.host, is_v6 ? "]" : "",
                                 endpoint.port, endpoint.process);
  if (!endpoint.network.empty()) text += "/" + endpoint.network;
  return text;
}

std::optional<Endpoint> ParseEndpoint(std::string_view text) {
  const size_t slash = text.find('/');
  if (slash == text.npos) return {};
  std::optional<Endpoint> endpoint = ParseHostAndPort(text.substr(0, slash));
  if (!endpoint) return {};
  const std::string_view ids = text.substr(slash + 1);
  const std::string_view process = ids.substr(0, ids.find('/'));
  if (!IsId(process)) return {};
  endpoint->process = process;
  if (process.size() == ids.size()) return endpoint;
  const std::string_view network = ids.substr(process.size() + 1);
  if (!IsId(network)) return {};
  endpoint->network = network;
  return endpoint;
}

std::string ThisNetwork() {
  std::string boot;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
  std::array<char, 64> space{};
  const ssize_t bytes = readlink("/proc/self/ns/net", space.data(), space.size());
  if (boot.empty() || bytes <= 0) return {};
  return HexDigits(Hash64(boot.append(space.data(), static_cast<size_t>(bytes))));
}

std::string AddressTowards(std::string_view servers) {
  while (!servers.empty()) {
    const size_t comma = std::min(servers.find(','), servers.size());
    std::string_view server = servers.substr(0, comma);
    servers.remove_prefix(std::min(comma + 1, servers.size()));
    const size_t protocol = server.find("://");
    if (protocol != server.npos) server.remove_prefix(protocol + 3);
    while (!server.empty() && server.front() == ' ') server.remove_prefix(1);
    const std::optional<Endpoint> named = ParseHostAndPort(server);
    if (!named) continue;
    if (const std::optional<std::string> address = AddressTowards(*named)) return *address;
  }
  return {};
}

std::optional<Endpoint> LocalEnd(const Descriptor& socket) {
  sockaddr_storage address{};
  socklen_t bytes = sizeof(address);
  if (getsockname(socket.get(), reinterpret_cast<sockaddr*>(&address), &bytes) != 0) return {};
  return Numeric(address, bytes);
}

AddressList FindAddresses(const char* host, const std::string& port, int socket_type, int flags) {
  addrinfo hints{};
  hints.ai_socktype = socket_type;
  hints.ai_flags = flags;
  addrinfo* list = nullptr;
  return AddressList(getaddrinfo(host, port.c_str(), &hints, &list) == 0 ? list : nullptr);
}

std::string HexDigits(uint64_t number) { return fmt::format("{:016x}", number); }

namespace {

/// A lane has a few standbys. Those that find no room wait for the lease.
constexpr size_t kConnectionsMax = 64;

/// An invalid descriptor, and errno, if it cannot. `host` is null for all addresses.
Descriptor Listen(const char* host, uint16_t port) {
  errno = EADDRNOTAVAIL;
  const AddressList list = FindAddresses(host, std::to_string(port), SOCK_STREAM,
                                         AI_PASSIVE | AI_NUMERICHOST | AI_NUMERICSERV);
  for (const addrinfo* each = list.get(); each != nullptr; each = each->ai_next) {
    Descriptor listening(socket(each->ai_family, each->ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK,
                                each->ai_protocol));
    const int yes = 1;
    if (listening.get() >= 0 &&
        setsockopt(listening.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes)) == 0 &&
        bind(listening.get(), each->ai_addr, each->ai_addrlen) == 0 &&
        listen(listening.get(), SOMAXCONN) == 0) {
      return listening;
    }
  }
  return Descriptor();
}

}  // namespace

Result<std::unique_ptr<PresenceListener>> PresenceListener::New(const PresenceOptions& options,
                                                                const std::string& servers) {
  const bool given = !options.address.empty();
  const std::string address = given ? options.address : AddressTowards(servers);
  if (address.empty()) {
    return Error{ErrorCode::kConfig,
                 fmt::format("cannot find out from which address this machine reaches {}; set "
                             "lease.listen_address",
                             servers)};
  }
  Descriptor listening = Listen(address.c_str(), options.port);
  const bool is_own = listening.get() >= 0;
  if (!is_own && given && errno == EADDRNOTAVAIL) listening = Listen(nullptr, options.port);
  Descriptor stop(eventfd(0, EFD_CLOEXEC));
  const std::optional<Endpoint> local =
      listening.get() < 0 || stop.get() < 0 ? std::nullopt : LocalEnd(listening);
  if (!local) {
    return Error{ErrorCode::kConfig,
                 fmt::format("cannot listen on {}:{}: {}; set lease.listen_address and "
                             "lease.listen_port to an address that is free, or lease.listen to "
                             "false",
                             address, options.port, std::strerror(errno))};
  }
  Endpoint endpoint{address, local->port, HexDigits(DrawId()), is_own ? ThisNetwork() : ""};
  return std::unique_ptr<PresenceListener>(
      new PresenceListener(std::move(endpoint), std::move(listening), std::move(stop)));
}

PresenceListener::PresenceListener(Endpoint endpoint, Descriptor listening, Descriptor stop)
    : endpoint_(std::move(endpoint)),
      listening_(std::move(listening)),
      stop_(std::move(stop)),
      thread_([this] { Run(); }) {}

PresenceListener::~PresenceListener() {
  const uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = write(stop_.get(), &one, sizeof(one));
  thread_.join();
}

void PresenceListener::Run() {
  std::vector<pollfd> watched;
  while (true) {
    watched.assign({{stop_.get(), POLLIN, 0}, {listening_.get(), POLLIN, 0}});
    for (const Descriptor& each : connections_) watched.push_back({each.get(), POLLIN, 0});
    if (poll(watched.data(), watched.size(), -1) < 0) continue;
    if (watched[0].revents != 0) return;
    // A standby sends nothing, so that what can be read is its end.
    for (size_t i = watched.size(); i-- > 2;) {
      if (watched[i].revents == 0) continue;
      std::swap(connections_[i - 2], connections_.back());
      connections_.pop_back();
    }
    if (watched[1].revents != 0) Accept();
  }
}

void PresenceListener::Accept() {
  Descriptor connection(accept4(listening_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (connection.get() < 0 || connections_.size() >= kConnectionsMax) return;
  const std::string greeting = endpoint_.process + "\n";
  const ssize_t sent = send(connection.get(), greeting.data(), greeting.size(), MSG_NOSIGNAL);
  if (sent == static_cast<ssize_t>(greeting.size())) connections_.push_back(std::move(connection));
}

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

WatchedLease::WatchedLease(std::unique_ptr<Lease> lease, std::unique_ptr<PresenceListener> listener)
    : lease_(std::move(lease)),
      listener_(std::move(listener)),
      endpoint_(TextOf(listener_->endpoint())) {}

void WatchedLease::Release() {
  listener_.reset();
  lease_->Release();
}

}  // namespace neardup
