#include "index/near_tags.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <random>
#include <string>
#include <vector>

namespace neardup {
namespace {

/// The definition of FindNearTags, tag by tag.
uint64_t Expected(const std::vector<uint16_t>& tags, size_t count, uint16_t sought, int bits) {
  uint64_t mask = 0;
  for (size_t i = 0; i < count; ++i) {
    if (std::popcount(static_cast<unsigned>(tags[i] ^ sought)) <= bits) mask |= uint64_t{1} << i;
  }
  return mask;
}

uint64_t FirstRow(const TagsFilter& filter, const std::vector<uint16_t>& tags, size_t count,
                  uint16_t sought, int bits) {
  return filter.find(tags.data(), 0, count, sought, bits).mask;
}

class NearTagsOf : public testing::TestWithParam<TagsFilter> {};

TEST_P(NearTagsOf, FindsNearTagsForEveryCountAndNumberOfBits) {
  if (!GetParam().runs_here) return;
  std::mt19937_64 random(11);
  std::vector<uint16_t> tags(kTagsPerMask + kTagsReadBeyond);
  for (size_t count = 0; count <= kTagsPerMask; ++count) {
    for (int bits = 0; bits <= 3; ++bits) {
      for (int round = 0; round < 50; ++round) {
        const auto sought = static_cast<uint16_t>(random());
        for (uint16_t& tag : tags) {  // tags beyond the last one are near too
          tag = sought;
          for (uint64_t flips = random() % 6; flips > 0; --flips) {
            tag = static_cast<uint16_t>(tag ^ 1U << random() % 16);
          }
        }
        ASSERT_EQ(FirstRow(GetParam(), tags, count, sought, bits),
                  Expected(tags, count, sought, bits))
            << count << " tags, " << bits << " bits";
      }
    }
  }
}

TEST_P(NearTagsOf, JudgesEveryDifferenceByItsNumberOfBits) {
  if (!GetParam().runs_here) return;
  std::vector<uint16_t> tags(kTagsPerMask + kTagsReadBeyond);
  for (uint32_t first = 0; first < 65536; first += kTagsPerMask) {
    for (uint32_t i = 0; i < kTagsPerMask; ++i) tags[i] = static_cast<uint16_t>(first + i);
    for (const int pattern : {0x0000, 0xffff, 0x8001, 0x5aa5}) {
      const auto sought = static_cast<uint16_t>(pattern);
      for (int bits = 0; bits <= 3; ++bits) {
        ASSERT_EQ(FirstRow(GetParam(), tags, kTagsPerMask, sought, bits),
                  Expected(tags, kTagsPerMask, sought, bits));
      }
    }
  }
}

TEST_P(NearTagsOf, SkipsRowsWithoutANearTag) {
  if (!GetParam().runs_here) return;
  std::mt19937_64 random(14);
  for (int round = 0; round < 3000; ++round) {
    const size_t end = random() % 400;
    std::vector<uint16_t> tags(end + kTagsPerMask + kTagsReadBeyond, 0xffff);
    for (size_t i = 0; i < end; ++i) {
      if (random() % 200 == 0) tags[i] = static_cast<uint16_t>(1U << random() % 16);
    }
    std::fill(tags.begin() + static_cast<int64_t>(end), tags.end(), 0);  // near, but beyond the end
    const size_t begin = end == 0 ? 0 : random() % end;
    size_t row = begin;
    uint64_t mask = 0;
    for (; row < end; row += kTagsPerMask) {
      const size_t count = std::min(kTagsPerMask, end - row);
      mask = Expected({tags.begin() + static_cast<int64_t>(row), tags.end()}, count, 0, 1);
      if (mask != 0) break;
    }
    const NearTags found = GetParam().find(tags.data(), begin, end, 0, 1);
    ASSERT_EQ(found.mask, mask) << begin << " to " << end;
    ASSERT_EQ(found.begin, row) << begin << " to " << end;
  }
}

INSTANTIATE_TEST_SUITE_P(OnThisProcessor, NearTagsOf, testing::ValuesIn(TagsFilters()),
                         [](const auto& of) { return std::string(of.param.name); });

TEST(NearTags, JudgesTheFirstTagsOfALineLikeTheOthers) {
  std::mt19937_64 random(12);
  alignas(64) std::array<uint16_t, 32> line;
  for (int round = 0; round < 20'000; ++round) {
    const auto sought = static_cast<uint16_t>(random());
    for (uint16_t& tag : line) {  // the bytes after the tags look near too
      tag = sought;
      for (uint64_t flips = random() % 6; flips > 0; --flips) {
        tag = static_cast<uint16_t>(tag ^ 1U << random() % 16);
      }
    }
    const int bits = static_cast<int>(random() % 4);
    ASSERT_EQ(NearFirstTags(line.data(), sought, bits),
              Expected({line.begin(), line.end()}, kFirstTags, sought, bits));
  }
}

TEST(NearTags, UsesAnImplementationThatRunsHere) {
  const std::vector<uint16_t> tags(1 + kTagsReadBeyond, 7);
  EXPECT_EQ(FindNearTags(tags.data(), 0, 1, 6, 1).mask, 1U);
  EXPECT_EQ(FindNearTags(tags.data(), 0, 1, 6, 0).mask, 0U);
  EXPECT_TRUE(TagsFilters().back().runs_here) << "the portable one always does";
}

}  // namespace
}  // namespace neardup
