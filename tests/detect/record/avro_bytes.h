// Encodes Avro as the specification says, one value after the other.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace neardup {

inline std::string AvroLong(int64_t number) {
  uint64_t bits = static_cast<uint64_t>(number) << 1 ^ static_cast<uint64_t>(number >> 63);
  std::string bytes;
  for (; bits >= 0x80; bits >>= 7) bytes += static_cast<char>(bits | 0x80);
  return bytes + static_cast<char>(bits);
}
inline std::string AvroText(std::string_view text) {
  return AvroLong(static_cast<int64_t>(text.size())) + std::string(text);
}
template <class Real>
std::string AvroReal(Real value) {
  std::string bytes(sizeof(value), ' ');
  std::memcpy(bytes.data(), &value, sizeof(value));
  return bytes;
}

}  // namespace neardup
