// The one hash of the project.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

namespace neardup {

/// XXH3, 64 bits (https://github.com/Cyan4973/xxHash, stable since version 0.8.0). FORMAT:
/// fingerprints and the checksums of stored state are made of it, so it never changes;
/// tests/base/hash_test.cc holds it against the published vectors. Not for secrets: collisions can
/// be made on purpose.
uint64_t Hash64(std::string_view bytes, uint64_t seed = 0);

struct Digest128 {
  uint64_t low = 0;
  uint64_t high = 0;

  bool operator==(const Digest128&) const = default;
};

/// XXH3, 128 bits. FORMAT, as Hash64, and not for secrets either.
Digest128 Hash128(std::string_view bytes);

/// Hash64 of bytes that come in pieces.
class StreamedHash64 {
 public:
  StreamedHash64();
  ~StreamedHash64();
  StreamedHash64(StreamedHash64&&) noexcept;
  StreamedHash64& operator=(StreamedHash64&&) noexcept;

  void Add(std::string_view bytes);
  /// Of all bytes added so far; more may follow.
  uint64_t value() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// A bijection of 64 bits in which every bit of the result depends on every bit of `value`: the
/// finaliser of SplitMix64 (Stafford's variant 13). FORMAT, as Hash64.
constexpr uint64_t Mix64(uint64_t value) {
  value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9;
  value = (value ^ (value >> 27)) * 0x94D049BB133111EB;
  return value ^ (value >> 31);
}

}  // namespace neardup
