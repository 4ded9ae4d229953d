#include "state/byte_writer.h"

namespace neardup {

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
