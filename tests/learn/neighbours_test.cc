#include "learn/neighbours.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "learn/calibration.h"
#include "learn/synthetic_streams.h"

namespace neardup {
namespace {

constexpr uint64_t kSeed = 7;

/// Index into the fingerprints by offset of the record.
std::map<int64_t, size_t> IndicesByOffset(const Sample& sample,
                                          const SampleFingerprints& fingerprints) {
  std::map<int64_t, size_t> indices;
  for (size_t index = 0; index < fingerprints.size(); ++index) {
    indices[sample.records()[fingerprints.record(index)].position.offset] = index;
  }
  return indices;
}

TEST(SamplePairs, AreEachRecordWithTheNearestEarlierOne) {
  std::vector<std::string> payloads = TextStream(kSeed, 300, 200, 4);
  payloads.insert(payloads.begin(), R"({"text":"too short to be compared"})");
  payloads.insert(payloads.begin() + 9, "{broken");
  const Sample sample = SampleOf(payloads, CalibrationSeeds(0));
  const SampleFingerprints fingerprints(sample);
  const std::map<int64_t, size_t> indices = IndicesByOffset(sample, fingerprints);
  const auto pairs = FindSamplePairs(sample, fingerprints, 16, 5);
  ASSERT_EQ(pairs.size(), 17U);
  size_t found = 0;
  for (size_t distance = 0; distance < pairs.size(); ++distance) {
    EXPECT_LE(pairs[distance].size(), 5U);
    for (const SamplePair& pair : pairs[distance]) {
      ASSERT_LT(pair.earlier.offset, pair.later.offset);
      const size_t later = indices.at(pair.later.offset);
      const int sum = fingerprints.DistanceSum(later, indices.at(pair.earlier.offset));
      EXPECT_EQ(static_cast<size_t>(sum) / fingerprints.seeds(), distance);
      for (size_t other = 0; other < later; ++other) {
        ASSERT_GE(fingerprints.DistanceSum(later, other), sum);
      }
      ++found;
    }
  }
  EXPECT_GT(found, 10U);
}

TEST(SamplePairs, HoldEachRecordOnceAtEachDistance) {
  const Sample sample = SampleOf(TextStream(kSeed, 200, 200, 4), CalibrationSeeds(0));
  const SampleFingerprints fingerprints(sample);
  const Calibration calibration = Calibrate(sample, {});
  const auto pairs = FindSamplePairs(sample, fingerprints, 64, 1000);
  for (size_t distance = 0; distance < pairs.size(); ++distance) {
    EXPECT_LE(pairs[distance].size(), calibration.neighbours.nearest[distance]);
    EXPECT_EQ(pairs[distance].empty(), calibration.neighbours.nearest[distance] == 0);
    std::set<int64_t> shown;
    for (const SamplePair& pair : pairs[distance]) {
      EXPECT_TRUE(shown.insert(pair.earlier.offset).second) << distance;
      EXPECT_TRUE(shown.insert(pair.later.offset).second) << distance;
    }
  }
}

TEST(SamplePairs, AreNotAllOfOneSeries) {
  const Sample sample = SampleOf(SeriesStream(kSeed, 100), CalibrationSeeds(0));
  std::set<int64_t> earlier;
  size_t pairs = 0;
  for (const auto& at_distance : FindSamplePairs(sample, SampleFingerprints(sample), 16, 5)) {
    for (const SamplePair& pair : at_distance) earlier.insert(pair.earlier.offset);
    pairs = std::max(pairs, at_distance.size());
  }
  EXPECT_EQ(pairs, 5U);
  EXPECT_GE(earlier.size(), 5U);
}

TEST(SamplePairs, AreNoneWithoutComparableRecords) {
  const Sample sample = SampleOf({R"({"text":"short"})"}, CalibrationSeeds(0));
  for (const auto& at_distance : FindSamplePairs(sample, SampleFingerprints(sample), 16, 5)) {
    EXPECT_TRUE(at_distance.empty());
  }
}

}  // namespace
}  // namespace neardup
