// UTF-8 one character at a time, for text already known to be valid.
#pragma once

#include <cstddef>
#include <cstdint>

namespace neardup {

/// The code point at `bytes`, which must begin a whole valid character; moves past it.
inline uint32_t DecodeUtf8(const char*& bytes) {
  const auto byte = [&bytes](int i) { return uint32_t{static_cast<unsigned char>(bytes[i])}; };
  const uint32_t lead = byte(0);
  if (lead < 0x80) {
    bytes += 1;
    return lead;
  }
  if (lead < 0xE0) {
    const uint32_t code_point = (lead & 0x1F) << 6 | (byte(1) & 0x3F);
    bytes += 2;
    return code_point;
  }
  if (lead < 0xF0) {
    const uint32_t code_point = (lead & 0x0F) << 12 | (byte(1) & 0x3F) << 6 | (byte(2) & 0x3F);
    bytes += 3;
    return code_point;
  }
  const uint32_t code_point =
      (lead & 0x07) << 18 | (byte(1) & 0x3F) << 12 | (byte(2) & 0x3F) << 6 | (byte(3) & 0x3F);
  bytes += 4;
  return code_point;
}

/// Writes 1 to 4 bytes and returns how many.
inline size_t EncodeUtf8(uint32_t code_point, char* out) {
  const auto tail = [code_point](int shift) {
    return static_cast<char>(0x80 | (code_point >> shift & 0x3F));
  };
  if (code_point < 0x80) {
    out[0] = static_cast<char>(code_point);
    return 1;
  }
  if (code_point < 0x800) {
    out[0] = static_cast<char>(0xC0 | code_point >> 6);
    out[1] = tail(0);
    return 2;
  }
  if (code_point < 0x10000) {
    out[0] = static_cast<char>(0xE0 | code_point >> 12);
    out[1] = tail(6);
    out[2] = tail(0);
    return 3;
  }
  out[0] = static_cast<char>(0xF0 | code_point >> 18);
  out[1] = tail(12);
  out[2] = tail(6);
  out[3] = tail(0);
  return 4;
}

}  // namespace neardup
