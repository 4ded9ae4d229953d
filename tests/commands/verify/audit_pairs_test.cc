// Compares ForEachNearPair with a scan of all pairs, on random and clustered fingerprints.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <map>
#include <random>
#include <utility>

#include "commands/verify/completeness.h"

namespace neardup {
namespace {

using Pairs = std::map<std::pair<uint32_t, uint32_t>, int>;

Pairs Found(const std::vector<PairRecord>& records, int distance_max, uint32_t window_ms) {
  Pairs pairs;
  ForEachNearPair(records, distance_max, window_ms,
                  [&](uint32_t a, uint32_t b) { ++pairs[std::minmax(a, b)]; });
  return pairs;
}

Pairs AllPairs(const std::vector<PairRecord>& records, int distance_max, int64_t window_ms) {
  Pairs pairs;
  for (uint32_t a = 0; a < records.size(); ++a) {
    for (uint32_t b = a + 1; b < records.size(); ++b) {
      const bool near = std::popcount(records[a].simhash ^ records[b].simhash) <= distance_max &&
                        std::llabs(int64_t{records[a].time} - records[b].time) <= window_ms;
      if (near) ++pairs[{a, b}];
    }
  }
  return pairs;
}

std::vector<PairRecord> Clustered(uint64_t seed, uint32_t count) {
  std::mt19937_64 random(seed);
  std::vector<PairRecord> records;
  for (uint32_t i = 0; i < count; ++i) {
    uint64_t simhash = random();
    if (i > 0 && random() % 2 == 0) {
      simhash = records[random() % i].simhash;
      for (uint64_t flips = random() % 10; flips > 0; --flips) {
        simhash ^= uint64_t{1} << (random() % 64);
      }
    }
    records.push_back({simhash, static_cast<uint32_t>(random() % 1000), i});
  }
  return records;
}

TEST(AuditPairs, VisitsEachPairOfAFullScanOnce) {
  constexpr uint64_t kSeed = 7;
  const auto records = Clustered(kSeed, 800);
  for (int distance_max = 0; distance_max <= 7; ++distance_max) {
    for (const uint32_t window_ms : {0U, 1U, 100U, 1000U}) {
      SCOPED_TRACE(testing::Message() << "seed " << kSeed << " distance_max " << distance_max
                                      << " window " << window_ms);
      const Pairs expected = AllPairs(records, distance_max, window_ms);
      if (window_ms >= 100) {
        EXPECT_FALSE(expected.empty());
      }
      EXPECT_EQ(Found(records, distance_max, window_ms), expected);
    }
  }
}

TEST(AuditPairs, FindsPairsWhoseDifferingBitsStandAnywhere) {
  // Adjacent differing bits, starting at every place and wrapping around.
  for (int distance = 1; distance <= 7; ++distance) {
    for (int place = 0; place < 64; ++place) {
      const uint64_t flips = std::rotl((uint64_t{1} << distance) - 1, place);
      const std::vector<PairRecord> records{{0x0123456789abcdef, 0, 0},
                                            {0x0123456789abcdef ^ flips, 0, 1}};
      EXPECT_EQ(Found(records, distance, 0).size(), 1u);
      EXPECT_TRUE(Found(records, distance - 1, 0).empty());
    }
  }
}

TEST(AuditPairs, CoarseTimesNeverPartTwoTimesInsideTheWindow) {
  std::mt19937_64 random(3);
  const std::pair<int64_t, int64_t> spans[] = {
      {0, 1000}, {-5, UINT32_MAX}, {0, int64_t{100} << 32}, {INT64_MIN, INT64_MAX}};
  for (const auto& [first_ms, last_ms] : spans) {
    const CoarseTimes times(first_ms, last_ms);
    const auto span = static_cast<uint64_t>(last_ms) - static_cast<uint64_t>(first_ms);
    EXPECT_EQ(times.Of(first_ms), 0u);
    for (int i = 0; i < 20'000; ++i) {
      const uint64_t offset = span == UINT64_MAX ? random() : random() % (span + 1);
      const uint64_t apart =
          std::min<uint64_t>({random() >> (random() % 63 + 1), span - offset, INT64_MAX});
      const auto early = static_cast<int64_t>(static_cast<uint64_t>(first_ms) + offset);
      const auto late = static_cast<int64_t>(static_cast<uint64_t>(early) + apart);
      ASSERT_GE(times.Of(late), times.Of(early));
      ASSERT_LE(times.Of(late) - times.Of(early), times.Window(static_cast<int64_t>(apart)))
          << first_ms << ' ' << last_ms << ' ' << early << ' ' << late;
    }
  }
}

TEST(AuditPairs, TimesAtBothEndsOfTheRangeAreFarApart) {
  const CoarseTimes times(INT64_MIN, INT64_MAX);
  const std::vector<PairRecord> records{{5, times.Of(INT64_MIN), 0}, {5, times.Of(INT64_MAX), 1}};
  EXPECT_TRUE(Found(records, 3, times.Window(315'360'000'000)).empty());
}

}  // namespace
}  // namespace neardup
