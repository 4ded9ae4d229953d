#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "learn/calibration.h"
#include "learn/near_structure.h"
#include "learn/text_stream.h"

namespace neardup {
namespace {

constexpr uint64_t kSeed = 7;

/// Number of a record's codes by its offset.
std::map<int64_t, size_t> NumbersByOffset(const Sample& sample, const SampledCodes& codes) {
  std::map<int64_t, size_t> numbers;
  for (size_t number = 0; number < codes.size(); ++number) {
    numbers[sample.records()[codes.record(number)].position.offset] = number;
  }
  return numbers;
}

TEST(SamplePairs, EachIsTheNearestBeforeAtItsDistance) {
  std::vector<std::string> payloads = TextStream(kSeed, 300, 200, 4);
  payloads.insert(payloads.begin(), R"({"text":"too short to be compared"})");
  payloads.insert(payloads.begin() + 9, "{broken");
  const Sample sample = SampleOf(payloads, CalibrationSeeds(0));
  const SampledCodes codes(sample);
  const std::map<int64_t, size_t> numbers = NumbersByOffset(sample, codes);
  const auto pairs = FindSamplePairs(sample, codes, 16, 5);
  ASSERT_EQ(pairs.size(), 17U);
  size_t found = 0;
  for (size_t distance = 0; distance < pairs.size(); ++distance) {
    EXPECT_LE(pairs[distance].size(), 5U);
    for (const SamplePair& pair : pairs[distance]) {
      ASSERT_LT(pair.earlier.offset, pair.later.offset);
      const size_t later = numbers.at(pair.later.offset);
      const int sum = codes.DistanceSum(later, numbers.at(pair.earlier.offset));
      EXPECT_EQ(static_cast<size_t>(sum) / codes.seeds(), distance);
      for (size_t other = 0; other < later; ++other) {
        ASSERT_GE(codes.DistanceSum(later, other), sum);
      }
      ++found;
    }
  }
  EXPECT_GT(found, 10U);
}

TEST(SamplePairs, AsManyAsTheHistogramHoldsUnlessARecordWouldStandTwice) {
  const Sample sample = SampleOf(TextStream(kSeed, 200, 200, 4), CalibrationSeeds(0));
  const SampledCodes codes(sample);
  const Calibration calibration = Calibrate(sample, {});
  const auto pairs = FindSamplePairs(sample, codes, 64, 1000);
  for (size_t distance = 0; distance < pairs.size(); ++distance) {
    EXPECT_LE(pairs[distance].size(), calibration.structure.nearest[distance]);
    EXPECT_EQ(pairs[distance].empty(), calibration.structure.nearest[distance] == 0);
    std::set<int64_t> shown;
    for (const SamplePair& pair : pairs[distance]) {
      EXPECT_TRUE(shown.insert(pair.earlier.offset).second) << distance;
      EXPECT_TRUE(shown.insert(pair.later.offset).second) << distance;
    }
  }
}

TEST(SamplePairs, OneSeriesDoesNotFillADistance) {
  const Sample sample = SampleOf(SeriesStream(kSeed, 100), CalibrationSeeds(0));
  std::set<int64_t> earlier;
  size_t pairs = 0;
  for (const auto& at_distance : FindSamplePairs(sample, SampledCodes(sample), 16, 5)) {
    for (const SamplePair& pair : at_distance) earlier.insert(pair.earlier.offset);
    pairs = std::max(pairs, at_distance.size());
  }
  EXPECT_EQ(pairs, 5U);
  EXPECT_GE(earlier.size(), 5U);
}

TEST(SamplePairs, NoneInASampleWithNothingToCompare) {
  const Sample sample = SampleOf({R"({"text":"short"})"}, CalibrationSeeds(0));
  for (const auto& at_distance : FindSamplePairs(sample, SampledCodes(sample), 16, 5)) {
    EXPECT_TRUE(at_distance.empty());
  }
}

}  // namespace
}  // namespace neardup
