#include "presence/presence_listener.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/random_id.h"

namespace neardup {
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

}  // namespace neardup
