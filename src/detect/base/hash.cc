#include "detect/base/hash.h"

// Most calls hash one token of a few bytes. Inlining spares them a second call.
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace neardup {

uint64_t Hash64(std::string_view bytes, uint64_t seed) {
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed);
}

Digest128 Hash128(std::string_view bytes) {
  const XXH128_hash_t digest = XXH3_128bits(bytes.data(), bytes.size());
  return {digest.low64, digest.high64};
}

struct StreamedHash64::State {
  XXH3_state_t xxh3;
};

StreamedHash64::StreamedHash64() : state_(std::make_unique<State>()) {
  XXH3_64bits_reset(&state_->xxh3);
}
StreamedHash64::~StreamedHash64() = default;
StreamedHash64::StreamedHash64(StreamedHash64&&) noexcept = default;
StreamedHash64& StreamedHash64::operator=(StreamedHash64&&) noexcept = default;

void StreamedHash64::Add(std::string_view bytes) {
  XXH3_64bits_update(&state_->xxh3, bytes.data(), bytes.size());
}

uint64_t StreamedHash64::value() const { return XXH3_64bits_digest(&state_->xxh3); }

}  // namespace neardup
