#include "bench/classic_hash.h"

namespace neardup {
namespace {

constexpr uint32_t kUpperFourBits = 0xF0000000;

uint32_t Value(char byte) { return static_cast<unsigned char>(byte); }

}  // namespace

uint32_t RsHash(std::string_view bytes) {
  uint32_t hash = 0;
  uint32_t factor = 63689;
  for (const char byte : bytes) {
    hash = hash * factor + Value(byte);
    factor *= 378551;
  }
  return hash;
}

uint32_t JsHash(std::string_view bytes) {
  uint32_t hash = 1315423911;
  for (const char byte : bytes) hash ^= (hash << 5) + Value(byte) + (hash >> 2);
  return hash;
}

uint32_t PjwHash(std::string_view bytes) {
  uint32_t hash = 0;
  for (const char byte : bytes) {
    hash = (hash << 4) + Value(byte);
    const uint32_t upper = hash & kUpperFourBits;
    if (upper != 0) hash = (hash ^ (upper >> 24)) & ~kUpperFourBits;
  }
  return hash;
}

uint32_t ElfHash(std::string_view bytes) {
  uint32_t hash = 0;
  for (const char byte : bytes) {
    hash = (hash << 4) + Value(byte);
    const uint32_t upper = hash & kUpperFourBits;
    hash ^= upper >> 24;
    hash &= ~upper;
  }
  return hash;
}

uint32_t BkdrHash(std::string_view bytes) {
  uint32_t hash = 0;
  for (const char byte : bytes) hash = hash * 131 + Value(byte);
  return hash;
}

uint32_t SdbmHash(std::string_view bytes) {
  uint32_t hash = 0;
  for (const char byte : bytes) hash = Value(byte) + (hash << 6) + (hash << 16) - hash;
  return hash;
}

uint32_t DjbHash(std::string_view bytes) {
  uint32_t hash = 5381;
  for (const char byte : bytes) hash = (hash << 5) + hash + Value(byte);
  return hash;
}

uint32_t ApHash(std::string_view bytes) {
  uint32_t hash = 0xAAAAAAAA;
  bool even = true;
  for (const char byte : bytes) {
    hash ^= even ? (hash << 7) ^ (Value(byte) * (hash >> 3))
                 : ~((hash << 11) + (Value(byte) ^ (hash >> 5)));
    even = !even;
  }
  return hash;
}

}  // namespace neardup
