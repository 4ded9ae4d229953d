// Memory is returned when entries are forgotten. index_bytes_test.cc checks the bound of the whole.
#include <gtest/gtest.h>

#include <cstdint>
#include <random>

#include "detect/index/index.h"

namespace neardup {
namespace {

constexpr uint64_t kCode = 0x0123456789abcdef;

IndexOptions ThreeBits() { return {.match = {.distance_max = 3, .text_keys = false}}; }

Entry EntryOf(uint64_t simhash) { return {{simhash, 0, 1}, 0, {7, 0}, {}}; }

TEST(IndexMemory, DoesNotGrowOverManyWindows) {
  // A round of sweeping takes 524,288 insertions, so memory is constant from the seventh window on.
  std::mt19937_64 random(1);
  Index index(ThreeBits());
  constexpr uint64_t kWindow = 100'000;
  uint64_t bytes_level = 0;
  for (int window = 1; window <= 14; ++window) {
    for (uint64_t i = 0; i < kWindow; ++i) {
      index.Insert(EntryOf(random()));
      if (index.size() > kWindow) index.Expire(index.end_id() - kWindow);
    }
    if (window == 7) bytes_level = index.bytes();
  }
  EXPECT_LT(index.bytes(), bytes_level + bytes_level / 20);
  EXPECT_EQ(index.size(), kWindow);
}

TEST(IndexMemory, AHotBucketDropsItsDeadBeforeItGrows) {
  Index index(ThreeBits());
  const uint64_t bytes_empty = index.bytes();
  for (int i = 0; i < 100'000; ++i) {  // much less than a round of sweeping
    index.Insert(EntryOf(kCode));
    if (index.size() > 100) index.Expire(index.end_id() - 100);
  }
  EXPECT_LE(index.bytes(),
            bytes_empty + 2 * EntryStore::ChunkBytes(true) + 2 * LineHeap::kChunkBytes);
}

TEST(IndexMemory, AHotBucketReturnsItsMemory) {
  Index index(ThreeBits());
  std::mt19937_64 random(2);
  const auto round_of_sweeping = [&] {
    for (int i = 0; i < 600'000; ++i) {
      index.Insert(EntryOf(random()));
      index.Expire(index.end_id());
    }
  };
  for (int i = 0; i < 3; ++i) round_of_sweeping();
  const uint64_t bytes_level = index.bytes();
  for (int i = 0; i < 1'000'000; ++i) index.Insert(EntryOf(kCode));  // 24 MB of postings
  index.Expire(index.end_id());
  round_of_sweeping();
  EXPECT_LE(index.bytes(), bytes_level + 5'000'000);
  EXPECT_EQ(index.size(), 0U);
}

}  // namespace
}  // namespace neardup
