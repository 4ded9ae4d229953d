// The hash function that all of the project uses.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

namespace neardup {

/// XXH3, 64 bits (https://github.com/Cyan4973/xxHash, stable since version 0.8.0). FORMAT: never
/// changes, because fingerprints and the checksums of stored state are computed with it;
/// tests/detect/base/hash_test.cc checks it against the published test vectors. Not for secrets:
/// anyone can construct collisions.
uint64_t Hash64(std::string_view bytes, uint64_t seed = 0);

struct Digest128 {
  uint64_t low = 0;
  uint64_t high = 0;

  bool operator==(const Digest128&) const = default;
};

/// XXH3, 128 bits. FORMAT, as Hash64, and not for secrets either.
Digest128 Hash128(std::string_view bytes);

/// Hash64 with seed 0 of bytes that arrive in pieces.
class StreamedHash64 {
 public:
  StreamedHash64();
  ~StreamedHash64();
  StreamedHash64(StreamedHash64&&) noexcept;
  StreamedHash64& operator=(StreamedHash64&&) noexcept;

  void Add(std::string_view bytes);
  /// The hash of all bytes added so far. More may be added afterwards.
  uint64_t value() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// A bijection of 64-bit values in which every bit of the result depends on every bit of `value`:
/// the finaliser of SplitMix64 (Stafford's variant 13). FORMAT: never changes, as Hash64.
constexpr uint64_t Mix64(uint64_t value) {
  value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9;
  value = (value ^ (value >> 27)) * 0x94D049BB133111EB;
  return value ^ (value >> 31);
}

}  // namespace neardup
