#include "stream/state/byte_stream.h"

#include <fmt/format.h>

namespace neardup {

int64_t ByteReader::Zigzag(const char* what) {
  const uint64_t value = Varint(what);
  return static_cast<int64_t>((value >> 1) ^ (0 - (value & 1)));
}

std::string_view ByteReader::Text(const char* what) {
  return Raw(VarintUpTo(remaining(), what), what);
}

std::string_view ByteReader::Raw(size_t size, const char* what) {
  if (size > remaining()) Missing(size, what);
  if (!ok()) return {};
  const std::string_view raw = bytes_.substr(offset_, size);
  offset_ += size;
  return raw;
}

uint64_t ByteReader::VarintUpTo(uint64_t max, const char* what) {
  const uint64_t value = Varint(what);
  if (value <= max) return value;
  Fail(what, fmt::format("at most {}, found {}", max, value));
  return 0;
}

size_t ByteReader::Count(size_t item_bytes_min, const char* what) {
  return VarintUpTo(remaining() / item_bytes_min, what);
}

void ByteReader::Fail(const char* what, const std::string& expected) {
  if (!ok()) return;
  error_ = fmt::format("byte {} of {}, {}: expected {}", offset_, bytes_.size(), what, expected);
  bytes_ = bytes_.substr(0, offset_);
}

uint64_t ByteReader::LongVarint(const char* what) {
  uint64_t value = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    const uint64_t byte = U8(what);
    if (!ok()) return 0;
    if (shift == 63 && byte > 1) break;
    value |= (byte & 0x7f) << shift;
    if (byte < 0x80) return value;
  }
  Fail(what, "a varint of at most 64 bits");
  return 0;
}

uint64_t ByteReader::Missing(size_t size, const char* what) {
  Fail(what, fmt::format("{} more bytes", size));
  return 0;
}

void ByteWriter::Varint(uint64_t value) {
  for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>(value | 0x80);
  bytes_ += static_cast<char>(value);
}

void ByteWriter::Zigzag(int64_t value) {
  Varint((static_cast<uint64_t>(value) << 1) ^ static_cast<uint64_t>(value >> 63));
}

void ByteWriter::Text(std::string_view text) {
  Varint(text.size());
  bytes_ += text;
}

void ByteWriter::Little(uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) bytes_ += static_cast<char>(value >> (8 * i));
}

}  // namespace neardup
