// The primitives of the delta's format, appended to a string.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace neardup {

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
