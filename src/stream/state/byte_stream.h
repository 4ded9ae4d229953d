// The primitives of the binary formats: the delta (stream/state/delta.h) and the snapshot segment.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "neardup/result.h"

namespace neardup {

/// Reads bytes that may be anything, from front to back and never outside. It keeps the first
/// failure; from then on everything reads as zero or empty, so that a caller may check once at the
/// end of a section. Only loops over a count need care: Count() refuses a count that the remaining
/// bytes cannot hold. `what` names the value in the error text.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : bytes_(bytes) {}

  uint8_t U8(const char* what) { return static_cast<uint8_t>(Little<1>(what)); }
  uint16_t U16(const char* what) { return static_cast<uint16_t>(Little<2>(what)); }
  uint32_t U32(const char* what) { return static_cast<uint32_t>(Little<4>(what)); }
  uint64_t U64(const char* what) { return Little<8>(what); }
  int64_t I64(const char* what) { return static_cast<int64_t>(Little<8>(what)); }
  uint64_t Varint(const char* what) {
    if (remaining() > 0 && Byte(offset_) < 0x80) return Byte(offset_++);  // most are
    return LongVarint(what);
  }
  int64_t Zigzag(const char* what);
  std::string_view Text(const char* what);
  std::string_view Raw(size_t size, const char* what);

  /// A varint that must be at most `max`.
  uint64_t VarintUpTo(uint64_t max, const char* what);
  /// The number of items that follow, each of at least `item_bytes_min` bytes.
  size_t Count(size_t item_bytes_min, const char* what);

  /// Fails at the byte that is read next, unless it failed before.
  void Fail(const char* what, const std::string& expected);
  bool ok() const { return error_.empty(); }
  /// kCorrupt with the byte offset of the first failure.
  Error error() const { return {ErrorCode::kCorrupt, error_}; }
  size_t offset() const { return offset_; }
  size_t remaining() const { return bytes_.size() - offset_; }

 private:
  /// In the header to be inlined: a start calls it millions of times.
  template <size_t kBytes>
  uint64_t Little(const char* what) {
    if (remaining() < kBytes) return Missing(kBytes, what);
    uint64_t value = 0;
    for (size_t i = 0; i < kBytes; ++i) value |= Byte(offset_ + i) << (8 * i);
    offset_ += kBytes;
    return value;
  }
  uint64_t Byte(size_t at) const { return static_cast<uint8_t>(bytes_[at]); }
  uint64_t LongVarint(const char* what);
  /// Fails and returns 0.
  uint64_t Missing(size_t size, const char* what);

  /// Cut off at the first failure, so that nothing is left to read.
  std::string_view bytes_;
  size_t offset_ = 0;
  std::string error_;
};

/// Appends to a string.
class ByteWriter {
 public:
  void U8(uint8_t value) { Little(value, 1); }
  void U16(uint16_t value) { Little(value, 2); }
  void U32(uint32_t value) { Little(value, 4); }
  void U64(uint64_t value) { Little(value, 8); }
  void I64(int64_t value) { U64(static_cast<uint64_t>(value)); }
  void Varint(uint64_t value);
  void Zigzag(int64_t value);
  void Text(std::string_view text);
  void Raw(std::string_view bytes) { bytes_ += bytes; }

  const std::string& bytes() const { return bytes_; }
  std::string Take() { return std::move(bytes_); }

 private:
  void Little(uint64_t value, int bytes);

  std::string bytes_;
};

}  // namespace neardup
