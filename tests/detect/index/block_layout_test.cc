#include "detect/index/block_layout.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

namespace neardup {
namespace {

std::vector<BlockLayout> LayoutsOfThreeBits() {
  std::vector<BlockLayout> layouts = {BlockLayout::FourBlocks(), BlockLayout::FourBlocks(8),
                                      BlockLayout::FourBlocks(1)};
  for (int bits = BlockLayout::kBucketBitsMin; bits <= BlockLayout::kBucketBitsMax; ++bits) {
    layouts.push_back(BlockLayout::SixTables(bits));
  }
  return layouts;
}

int TagErrors(const BlockLayout& layout, uint64_t a, uint64_t b, size_t table) {
  return std::popcount(static_cast<unsigned>(layout.TagOf(a, table) ^ layout.TagOf(b, table)));
}

bool Meets(const BlockLayout& layout, uint64_t a, uint64_t b) {
  if (layout.is_coarse() && !BlockLayout::HasHalf(a, b)) return false;
  for (size_t table = 0; table < layout.tables(); ++table) {
    const bool same_bucket = layout.BucketOf(a, table) == layout.BucketOf(b, table);
    if (same_bucket && TagErrors(layout, a, b, table) <= 1) return true;
  }
  return false;
}

/// What a look-up with neighbours meets: up to 3 errors in the tag, or one in the bucket and 2 in
/// the tag.
bool MeetsWithNeighbours(const BlockLayout& layout, uint64_t a, uint64_t b) {
  for (size_t table = 0; table < layout.tables(); ++table) {
    const int bucket_errors = std::popcount(layout.BucketOf(a, table) ^ layout.BucketOf(b, table));
    if (bucket_errors <= 1 && TagErrors(layout, a, b, table) <= 3 - bucket_errors) return true;
  }
  return false;
}

TEST(BlockLayout, EveryPairWithinThreeBitsMeets) {
  std::mt19937_64 random(21);
  for (const BlockLayout& layout : LayoutsOfThreeBits()) {
    const uint64_t code = random();
    for (int i = 0; i < 64; ++i) {
      for (int j = i; j < 64; ++j) {
        for (int k = j; k < 64; ++k) {  // equal indices give fewer than three errors
          const uint64_t errors = uint64_t{1} << i | uint64_t{1} << j | uint64_t{1} << k;
          ASSERT_TRUE(Meets(layout, code, code ^ errors))
              << layout.tables() << " tables of " << layout.buckets() << ": " << errors;
        }
      }
    }
  }
}

TEST(BlockLayout, WithNeighboursOfTheFourBlocksEveryPairWithinSevenBitsMeets) {
  std::mt19937_64 random(22);
  const BlockLayout layout = BlockLayout::FourBlocks();
  for (int round = 0; round < 300'000; ++round) {
    const uint64_t code = random();
    uint64_t near = code;
    for (int flips = 0; flips < 7; ++flips) near ^= uint64_t{1} << random() % 64;
    ASSERT_TRUE(MeetsWithNeighbours(layout, code, near)) << code << " and " << near;
  }
}

TEST(BlockLayout, BucketAndTagTogetherHoldAllBitsOfAHalf) {
  std::mt19937_64 random(23);
  for (const BlockLayout& layout : LayoutsOfThreeBits()) {
    if (layout.is_coarse()) continue;
    for (int round = 0; round < 1000; ++round) {
      const uint64_t code = random();
      const uint64_t flipped = code ^ uint64_t { 1 } << random() % 64;
      size_t changed = 0;
      for (size_t table = 0; table < layout.tables(); ++table) {
        ASSERT_LT(layout.BucketOf(code, table), layout.buckets());
        changed += layout.BucketOf(code, table) != layout.BucketOf(flipped, table) ||
                   TagErrors(layout, code, flipped, table) != 0;
      }
      ASSERT_EQ(changed, layout.tables() / 2) << "the tables of the half the bit is in";
    }
  }
}

TEST(BlockLayout, EveryLayoutMeetsTheSamePairs) {
  std::mt19937_64 random(24);
  size_t met = 0;
  for (int round = 0; round < 200'000; ++round) {
    const uint64_t code = random();
    uint64_t other = code;
    for (uint64_t flips = random() % 12; flips > 0; --flips) other ^= uint64_t{1} << random() % 64;
    const bool meets = Meets(BlockLayout::FourBlocks(), code, other);
    met += meets ? 1 : 0;
    for (const BlockLayout& layout : LayoutsOfThreeBits()) {
      ASSERT_EQ(Meets(layout, code, other), meets) << code << " and " << other;
    }
  }
  EXPECT_GT(met, 50'000U);
  EXPECT_LT(met, 150'000U);
}

TEST(BlockLayout, IsChosenByCapacityAndMatchOptions) {
  const auto shape = [](const MatchOptions& match, uint64_t entries_max) {
    const BlockLayout layout = BlockLayout::For(match, entries_max);
    return std::pair(layout.tables(), layout.buckets());
  };
  using Shape = std::pair<size_t, size_t>;
  EXPECT_EQ(shape({}, BlockLayout::kFew), Shape(4, 256));
  EXPECT_EQ(shape({}, BlockLayout::kFew + 1), Shape(4, 65'536));
  EXPECT_EQ(shape({.neighbours = true}, 1), Shape(4, 65'536));
  EXPECT_EQ(shape({}, BlockLayout::kSixFrom - 1), Shape(4, 65'536));
  EXPECT_EQ(shape({}, BlockLayout::kSixFrom), Shape(6, 1'048'576));
  EXPECT_EQ(shape({}, 50'000'000), Shape(6, 2'097'152));
  EXPECT_EQ(shape({}, 1'000'000'000), Shape(6, 2'097'152));
  EXPECT_EQ(shape({.neighbours = true}, 50'000'000), Shape(4, 65'536));
  EXPECT_EQ(shape({.distance_max = 0}, 50'000'000), Shape(1, 65'536));
}

}  // namespace
}  // namespace neardup
