#include "index/block_cover.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace neardup {
namespace {

std::vector<Cover> CoversOfThreeBits() {
  std::vector<Cover> covers = {Cover::FourBlocks()};
  for (int bits = Cover::kBucketBitsMin; bits <= Cover::kBucketBitsMax; ++bits) {
    covers.push_back(Cover::SixTables(bits));
  }
  return covers;
}

int TagErrors(const Cover& cover, uint64_t a, uint64_t b, size_t table) {
  return std::popcount(static_cast<unsigned>(cover.TagOf(a, table) ^ cover.TagOf(b, table)));
}

bool Meets(const Cover& cover, uint64_t a, uint64_t b) {
  for (size_t table = 0; table < cover.tables(); ++table) {
    const bool same_bucket = cover.BucketOf(a, table) == cover.BucketOf(b, table);
    if (same_bucket && TagErrors(cover, a, b, table) <= 1) return true;
  }
  return false;
}

/// As a look-up with neighbours reads it: up to 3 errors in the tag, or one of them in the bucket.
bool MeetsWithNeighbours(const Cover& cover, uint64_t a, uint64_t b) {
  for (size_t table = 0; table < cover.tables(); ++table) {
    const int bucket_errors = std::popcount(cover.BucketOf(a, table) ^ cover.BucketOf(b, table));
    if (bucket_errors <= 1 && TagErrors(cover, a, b, table) <= 3 - bucket_errors) return true;
  }
  return false;
}

TEST(Cover, EveryPairWithinThreeBitsMeets) {
  std::mt19937_64 random(21);
  for (const Cover& cover : CoversOfThreeBits()) {
    const uint64_t code = random();
    for (int i = 0; i < 64; ++i) {
      for (int j = i; j < 64; ++j) {
        for (int k = j; k < 64; ++k) {  // also fewer than three, where they are the same
          const uint64_t errors = uint64_t{1} << i | uint64_t{1} << j | uint64_t{1} << k;
          ASSERT_TRUE(Meets(cover, code, code ^ errors))
              << cover.tables() << " tables of " << cover.buckets() << ": " << errors;
        }
      }
    }
  }
}

TEST(Cover, WithNeighboursOfTheFourBlocksEveryPairWithinSevenBitsMeets) {
  std::mt19937_64 random(22);
  const Cover cover = Cover::FourBlocks();
  for (int round = 0; round < 300'000; ++round) {
    const uint64_t code = random();
    uint64_t near = code;
    for (int flips = 0; flips < 7; ++flips) near ^= uint64_t{1} << random() % 64;
    ASSERT_TRUE(MeetsWithNeighbours(cover, code, near)) << code << " and " << near;
  }
}

TEST(Cover, BucketAndTagAreAllBitsOfAHalf) {
  std::mt19937_64 random(23);
  for (const Cover& cover : CoversOfThreeBits()) {
    for (int round = 0; round < 1000; ++round) {
      const uint64_t code = random();
      const uint64_t flipped = code ^ uint64_t { 1 } << random() % 64;
      size_t changed = 0;
      for (size_t table = 0; table < cover.tables(); ++table) {
        ASSERT_LT(cover.BucketOf(code, table), cover.buckets());
        changed += cover.BucketOf(code, table) != cover.BucketOf(flipped, table) ||
                   TagErrors(cover, code, flipped, table) != 0;
      }
      ASSERT_EQ(changed, cover.tables() / 2) << "the tables of the half the bit is in";
    }
  }
}

TEST(Cover, AllMeetTheSame) {
  std::mt19937_64 random(24);
  size_t met = 0;
  for (int round = 0; round < 200'000; ++round) {
    const uint64_t code = random();
    uint64_t other = code;
    for (uint64_t flips = random() % 12; flips > 0; --flips) other ^= uint64_t{1} << random() % 64;
    const bool meets = Meets(Cover::FourBlocks(), code, other);
    met += meets ? 1 : 0;
    for (const Cover& cover : CoversOfThreeBits()) {
      ASSERT_EQ(Meets(cover, code, other), meets) << code << " and " << other;
    }
  }
  EXPECT_GT(met, 50'000U);
  EXPECT_LT(met, 150'000U);
}

TEST(Cover, FollowsFromTheCapacity) {
  const auto shape = [](const MatchOptions& match, uint64_t entries_max) {
    const Cover cover = Cover::For(match, entries_max);
    return std::pair(cover.tables(), cover.buckets());
  };
  using Shape = std::pair<size_t, size_t>;
  EXPECT_EQ(shape({}, 1), Shape(4, 65'536));
  EXPECT_EQ(shape({}, Cover::kSixFrom - 1), Shape(4, 65'536));
  EXPECT_EQ(shape({}, Cover::kSixFrom), Shape(6, 1'048'576));
  EXPECT_EQ(shape({}, 50'000'000), Shape(6, 2'097'152));
  EXPECT_EQ(shape({}, 1'000'000'000), Shape(6, 2'097'152));
  EXPECT_EQ(shape({.neighbours = true}, 50'000'000), Shape(4, 65'536));
  EXPECT_EQ(shape({.distance_max = 0}, 50'000'000), Shape(1, 65'536));
}

}  // namespace
}  // namespace neardup
