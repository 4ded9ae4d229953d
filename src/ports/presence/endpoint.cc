#include "presence/endpoint.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <fstream>

#include "base/hash.h"

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
  Endpoint endpoint;
  endpoint.host = host;
  endpoint.port = text.substr(colon + 1);
  return endpoint;
}

std::optional<Endpoint> Numeric(const sockaddr_storage& address, socklen_t bytes) {
  std::array<char, NI_MAXHOST> host{};
  std::array<char, NI_MAXSERV> port{};
  if (getnameinfo(reinterpret_cast<const sockaddr*>(&address), bytes, host.data(), host.size(),
                  port.data(), port.size(), NI_NUMERICHOST | NI_NUMERICSERV) != 0) {
    return {};
  }
  Endpoint endpoint;
  endpoint.host = host.data();
  endpoint.port = port.data();
  return endpoint;
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

}  // namespace neardup
