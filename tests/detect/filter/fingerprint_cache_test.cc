// The fingerprints of the last records, by their exact hashes.
#include <gtest/gtest.h>

#include "detect/filter/fingerprint_pool.h"

namespace neardup {
namespace {

constexpr uint64_t kSlots = FingerprintCache::kSlots;
constexpr uint64_t kExact = uint64_t{0x1234} << 48 | 7;

KnownFingerprint Known(uint64_t exact) {
  KnownFingerprint known;
  known.fingerprint = {exact + 1, exact + 2, exact, exact + 3};
  known.features = static_cast<uint32_t>(exact);
  return known;
}

TEST(FingerprintCache, FindsWhatItKeeps) {
  FingerprintCache cache;
  EXPECT_EQ(cache.Find(kExact), nullptr);
  cache.Keep(Known(kExact));
  ASSERT_NE(cache.Find(kExact), nullptr);
  EXPECT_EQ(cache.Find(kExact)->fingerprint, Known(kExact).fingerprint);
  EXPECT_EQ(cache.Find(kExact)->features, Known(kExact).features);
}

TEST(FingerprintCache, ComparesAllBitsOfTheHash) {
  FingerprintCache cache;
  cache.Keep(Known(kExact));
  for (int bit = 0; bit < 64; ++bit) {
    EXPECT_EQ(cache.Find(kExact ^ uint64_t{1} << bit), nullptr) << bit;
  }
}

TEST(FingerprintCache, KeepsTheLastOfASlot) {
  FingerprintCache cache;
  cache.Keep(Known(kExact));
  cache.Keep(Known(kExact + kSlots));
  cache.Keep(Known(kExact + 1));
  EXPECT_EQ(cache.Find(kExact), nullptr);
  EXPECT_NE(cache.Find(kExact + kSlots), nullptr);
  EXPECT_NE(cache.Find(kExact + 1), nullptr);
}

TEST(FingerprintCache, FindsNothingWhileItIsEmpty) {
  const FingerprintCache cache;
  EXPECT_EQ(cache.Find(0), nullptr);
  EXPECT_EQ(cache.Find(1), nullptr);
  EXPECT_EQ(cache.Find(~uint64_t{0}), nullptr);
}

}  // namespace
}  // namespace neardup
