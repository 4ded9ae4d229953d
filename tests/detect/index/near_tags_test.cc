#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <random>
#include <vector>

#include "detect/base/simd_levels.h"
#include "detect/index/block_table.h"

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

uint64_t FirstRow(const std::vector<uint16_t>& tags, size_t count, uint16_t sought, int bits) {
  return FindNearTags(tags.data(), 0, count, sought, bits).mask;
}

TEST(NearTags, FindsNearTagsForEveryCountAndNumberOfBits) {
  AtEachSimdLevel([] {
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
          ASSERT_EQ(FirstRow(tags, count, sought, bits), Expected(tags, count, sought, bits))
              << count << " tags, " << bits << " bits";
        }
      }
    }
  });
}

TEST(NearTags, JudgesEveryDifferenceByItsNumberOfBits) {
  AtEachSimdLevel([] {
    std::vector<uint16_t> tags(kTagsPerMask + kTagsReadBeyond);
    for (uint32_t first = 0; first < 65536; first += kTagsPerMask) {
      for (uint32_t i = 0; i < kTagsPerMask; ++i) tags[i] = static_cast<uint16_t>(first + i);
      for (const int pattern : {0x0000, 0xffff, 0x8001, 0x5aa5}) {
        const auto sought = static_cast<uint16_t>(pattern);
        for (int bits = 0; bits <= 3; ++bits) {
          ASSERT_EQ(FirstRow(tags, kTagsPerMask, sought, bits),
                    Expected(tags, kTagsPerMask, sought, bits));
        }
      }
    }
  });
}

TEST(NearTags, SkipsRowsWithoutANearTag) {
  AtEachSimdLevel([] {
    std::mt19937_64 random(14);
    for (int round = 0; round < 3000; ++round) {
      const size_t end = random() % 400;
      std::vector<uint16_t> tags(end + kTagsPerMask + kTagsReadBeyond, 0xffff);
      for (size_t i = 0; i < end; ++i) {
        if (random() % 200 == 0) tags[i] = static_cast<uint16_t>(1U << random() % 16);
      }
      // Near, but beyond the end.
      std::fill(tags.begin() + static_cast<int64_t>(end), tags.end(), 0);
      const size_t begin = end == 0 ? 0 : random() % end;
      size_t row = begin;
      uint64_t mask = 0;
      for (; row < end; row += kTagsPerMask) {
        const size_t count = std::min(kTagsPerMask, end - row);
        mask = Expected({tags.begin() + static_cast<int64_t>(row), tags.end()}, count, 0, 1);
        if (mask != 0) break;
      }
      const NearTags found = FindNearTags(tags.data(), begin, end, 0, 1);
      ASSERT_EQ(found.mask, mask) << begin << " to " << end;
      ASSERT_EQ(found.begin, row) << begin << " to " << end;
    }
  });
}

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

}  // namespace
}  // namespace neardup
