// MD5, for the schemes whose method is built on it.
#pragma once

#include <cstdint>
#include <string_view>

namespace neardup {

/// The 16 bytes of RFC 1321, each half read little-endian.
struct Md5Digest {
  uint64_t first = 0;
  uint64_t last = 0;

  bool operator==(const Md5Digest&) const = default;
};

/// Whether OpenSSL offers MD5 here: not in FIPS mode. Md5 wants it.
bool Md5IsOffered();

Md5Digest Md5(std::string_view bytes);

}  // namespace neardup
