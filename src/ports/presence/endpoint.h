// Where other machines can see whether a process runs.
//
// FORMAT of the text: HOST:PORT/PROCESS or HOST:PORT/PROCESS/NETWORK, such as
// `10.0.3.7:40123/9f86d081884c7d65/2c26b46b68ffc68f`. An IPv6 address stands in brackets.
#pragma once

#include <netdb.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/descriptor.h"

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
/// addresses of this machine. `flags` as those of getaddrinfo.
AddressList FindAddresses(const char* host, const std::string& port, int socket_type, int flags);

/// 64 bits as 16 digits.
std::string HexDigits(uint64_t number);

}  // namespace neardup
