#include "learn/calibration.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

#include "learn/synthetic_streams.h"

namespace neardup {
namespace {

using ::testing::HasSubstr;

constexpr uint64_t kSeed = 20261121;
constexpr size_t kRecords = 700;

Calibration CalibrationOf(const std::vector<std::string>& payloads, uint64_t hash_seed = 0,
                          const CalibrationOptions& options = {}) {
  return Calibrate(SampleOf(payloads, CalibrationSeeds(hash_seed)), options);
}

void ExpectEqual(const Calibration& a, const Calibration& b) {
  EXPECT_EQ(a.mode, b.mode);
  EXPECT_EQ(a.distance_max, b.distance_max);
  EXPECT_EQ(a.widen, b.widen);
  EXPECT_EQ(a.reason, b.reason);
  EXPECT_EQ(a.neighbours.nearest, b.neighbours.nearest);
  EXPECT_EQ(a.neighbours.with_neighbour, b.neighbours.with_neighbour);
  EXPECT_EQ(a.valley.middle, b.valley.middle);
  EXPECT_EQ(a.false_match_rates, b.false_match_rates);
}

TEST(Calibrate, PutsTheDistanceBetweenCopiesAndUnrelatedTexts) {
  const Calibration found = CalibrationOf(TextStream(kSeed, kRecords, 80, 3));
  EXPECT_EQ(found.mode, MatchMode::kNear) << found.reason;
  EXPECT_TRUE(found.widen);
  // Changing 3 of 60 words changes about 4 bits. The nearest unrelated texts are beyond 14 bits.
  EXPECT_GE(found.distance_max, 5);
  EXPECT_LE(found.distance_max, 12);
  EXPECT_LT(found.valley.ratio_to_unrelated, 0.06);
  EXPECT_GT(found.valley.near_share, 0.05);
  EXPECT_LT(found.valley.near_share, 0.11);
  EXPECT_THAT(found.reason, HasSubstr("clearly closer"));
}

TEST(Calibrate, ChoosesExactForEventsThatDifferByANumber) {
  const Calibration found = CalibrationOf(SeriesStream(kSeed, kRecords));
  EXPECT_EQ(found.mode, MatchMode::kExact) << found.reason;
  EXPECT_EQ(found.distance_max, 0);
  EXPECT_FALSE(found.widen);
  EXPECT_GT(found.neighbours.neighbours_mean, 10);
  EXPECT_THAT(found.reason, HasSubstr("only equal records are joined"));
}

TEST(Calibrate, StaysBelowTheDistancesOfASampleWithoutCopies) {
  const Calibration found = CalibrationOf(TextStream(kSeed, kRecords, 0, 0));
  EXPECT_EQ(found.mode, MatchMode::kNear) << found.reason;
  EXPECT_FALSE(found.widen) << "nothing is known of copies";
  EXPECT_GE(found.distance_max, 3);
  EXPECT_LE(found.distance_max, 8);
  int nearest = 0;
  while (found.neighbours.nearest[static_cast<size_t>(nearest)] == 0) ++nearest;
  EXPECT_LT(found.distance_max, nearest);
  EXPECT_THAT(found.reason, HasSubstr("almost no copies"));
}

TEST(Calibrate, IsUnclearWithTooFewWordsOrRecords) {
  SeededRandom random(kSeed);
  std::vector<std::string> short_payloads;
  for (size_t i = 0; i < kRecords; ++i)
    short_payloads.push_back(TextRecord(RandomWords(random, 8)));
  for (const std::vector<std::string>& payloads :
       {short_payloads, TextStream(kSeed, 49, 100, 3), std::vector<std::string>{}}) {
    const Calibration found = CalibrationOf(payloads);
    EXPECT_EQ(found.mode, MatchMode::kUnclear) << found.reason;
    EXPECT_EQ(found.distance_max, 3);
    EXPECT_FALSE(found.widen);
    EXPECT_THAT(found.reason, HasSubstr("too few records"));
  }
}

// Each text is a draft with some or most words of the previous draft replaced. The histogram then
// has no valley.
TEST(Calibrate, IsUnclearWhenCopiesOverlapWithOtherRecords) {
  SeededRandom random(kSeed);
  std::vector<std::string> payloads;
  std::vector<std::string> words;
  while (payloads.size() < kRecords) {
    if (payloads.size() % 10 == 0) words = RandomWords(random, 60);
    payloads.push_back(TextRecord(words));
    for (uint64_t changed = 1 + random.Below(60); changed > 0; --changed) {
      words[random.Below(words.size())] = RandomWords(random, 1)[0];
    }
  }
  const Calibration found = CalibrationOf(payloads);
  EXPECT_EQ(found.mode, MatchMode::kUnclear) << found.reason;
  EXPECT_EQ(found.distance_max, 3);
  EXPECT_THAT(found.reason, HasSubstr("overlap"));
}

TEST(Calibrate, DoesNotDependOnTheHashSeed) {
  const std::vector<std::string> payloads = TextStream(kSeed, 400, 80, 3);
  const Calibration first = CalibrationOf(payloads);
  ExpectEqual(CalibrationOf(payloads), first);
  for (const uint64_t hash_seed : {uint64_t{1}, uint64_t{77}, UINT64_MAX}) {
    ExpectEqual(CalibrationOf(payloads, hash_seed), first);
  }
}

TEST(Calibrate, AgreesBetweenSamplesOfOneStream) {
  const std::vector<std::string> stream = TextStream(kSeed, 2 * kRecords, 80, 3);
  const auto middle = stream.begin() + kRecords;
  const Calibration a = CalibrationOf({stream.begin(), middle});
  const Calibration b = CalibrationOf({middle, stream.end()});
  EXPECT_EQ(a.mode, b.mode);
  EXPECT_NEAR(a.distance_max, b.distance_max, 1);
}

TEST(Calibrate, NeverAllowsALargerDistanceInALargerWindow) {
  const std::vector<std::string> payloads = TextStream(kSeed, 400, 80, 3);
  int before = 12;
  for (const uint64_t window : {1000U, 1'000'000U, 1'000'000'000U}) {
    const Calibration found = CalibrationOf(payloads, 0, {.window_entries = window});
    EXPECT_LE(found.window_distance_max, before);
    ASSERT_EQ(found.false_match_rates.size(), 13U);
    const auto distance = static_cast<size_t>(found.window_distance_max);
    EXPECT_EQ(found.false_match_rate, distance == 0 ? 0 : found.false_match_rates[distance]);
    EXPECT_LE(found.false_match_rate, 0.0001) << "at any window";
    before = found.window_distance_max;
  }
}

TEST(Calibrate, TakesTheWidestDistanceWhereProseSaysWhatRecordsAre) {
  const CalibrationOptions options = {.window_entries = 1000, .prose = true};
  for (const uint64_t copies_per_mille : {0U, 80U}) {
    const std::vector<std::string> texts = TextStream(kSeed, kRecords, copies_per_mille, 3);
    const Calibration found = CalibrationOf(texts, 0, options);
    EXPECT_EQ(found.mode, MatchMode::kNear) << found.reason;
    EXPECT_EQ(found.distance_max, 12);
    EXPECT_TRUE(found.widen);
    EXPECT_THAT(found.reason, HasSubstr("prose"));
  }
}

TEST(Calibrate, JoinsOnlyEqualEventsOfASeriesEvenIfTheyAreProse) {
  const std::vector<std::string> series = SeriesStream(kSeed, kRecords);
  const Calibration found = CalibrationOf(series, 0, {.window_entries = 1000, .prose = true});
  EXPECT_EQ(found.mode, MatchMode::kExact) << found.reason;
  EXPECT_EQ(found.distance_max, 0);
  EXPECT_FALSE(found.widen);
  EXPECT_THAT(found.reason, HasSubstr("series of events"));
}

TEST(Calibrate, CountsEveryRecordButTheFirstInTheHistogram) {
  const Calibration found = CalibrationOf(TextStream(kSeed, 200, 80, 3));
  const std::vector<uint32_t>& nearest = found.neighbours.nearest;
  EXPECT_EQ(found.comparable, 200U);
  EXPECT_EQ(std::accumulate(nearest.begin(), nearest.end(), 0U), 199U);
}

}  // namespace
}  // namespace neardup
