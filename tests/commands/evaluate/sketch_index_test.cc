// SketchIndex: its rules one by one, and then a comparison with a full scan of a vector.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "commands/evaluate/scheme_run.h"

namespace neardup {
namespace {

constexpr int kDistanceMax = 6;

/// A sketch is one number, and the distance is the difference. Keys are the number's ten and,
/// shifted by five, the ten around it, so that any two numbers within 5 share a key.
class NumberScheme : public Scheme {
 public:
  explicit NumberScheme(bool scans_all) : scans_all_(scans_all) {}

  bool scans_all() const override { return scans_all_; }
  void Compute(std::span<const SchemeText>, Sketch& sketch) const override { sketch = {}; }
  std::optional<int> Distance(std::span<const uint64_t> earlier,
                              std::span<const uint64_t> later) const override {
    const auto [low, high] = std::minmax(earlier[0], later[0]);
    if (high - low > kDistanceMax) return std::nullopt;
    return static_cast<int>(high - low);
  }

 private:
  bool scans_all_;
};

SketchedRecord Make(uint64_t number, int64_t offset, int64_t time_ms = 0) {
  return {.sketch = {.words = {number}, .keys = {number / 10, 1'000'000 + (number + 5) / 10}},
          .time_ms = time_ms,
          .origin = {0, offset},
          .exact = number};
}

using Found = std::optional<Match>;

Found At(int64_t offset, int distance, uint64_t number) {
  const MatchKind kind = distance == 0 ? MatchKind::kExact : MatchKind::kNear;
  return Match{{0, offset}, 0, distance, kind, false, number};
}

TEST(SketchIndex, FindsTheNearestThenTheOldest) {
  const NumberScheme scheme(false);
  SketchIndex index(scheme);
  EXPECT_EQ(index.FindNearest(Make(40, 9), INT64_MAX), std::nullopt);
  for (const uint64_t number : {44, 42, 38, 42}) {
    index.Insert(Make(number, static_cast<int64_t>(index.size())));
  }
  EXPECT_EQ(index.FindNearest(Make(40, 9), INT64_MAX), At(1, 2, 1));
  EXPECT_EQ(index.FindNearest(Make(43, 9), INT64_MAX), At(0, 1, 0));
  EXPECT_EQ(index.FindNearest(Make(42, 9), INT64_MAX), At(1, 0, 1));
  EXPECT_EQ(index.FindNearest(Make(90, 9), INT64_MAX), std::nullopt);
}

TEST(SketchIndex, MeetsOnlyRecordsThatShareAKeyUnlessItScansAll) {
  const NumberScheme by_key(false);
  const NumberScheme scanned(true);
  SketchIndex index(by_key);
  SketchIndex scanned_index(scanned);
  index.Insert(Make(39, 1));
  scanned_index.Insert(Make(39, 1));
  EXPECT_EQ(index.FindNearest(Make(45, 2), INT64_MAX), std::nullopt);
  EXPECT_EQ(scanned_index.FindNearest(Make(45, 2), INT64_MAX), At(1, 6, 0));
  EXPECT_LT(scanned_index.bytes(), index.bytes()) << "it keeps no keys";
}

TEST(SketchIndex, TheWindowIsInclusiveAndReachesBothWays) {
  const NumberScheme scheme(false);
  SketchIndex index(scheme);
  index.Insert(Make(40, 1, 1000));
  for (const int64_t time_ms : {900, 1100}) {
    EXPECT_TRUE(index.FindNearest(Make(40, 2, time_ms), 100));
    EXPECT_FALSE(index.FindNearest(Make(40, 2, time_ms), 99));
  }
}

class SketchIndexModel : public testing::TestWithParam<bool> {};

TEST_P(SketchIndexModel, AnswersAsAFullScanDoes) {
  constexpr uint32_t kSeed = 20260204;
  SCOPED_TRACE("seed " + std::to_string(kSeed));
  std::mt19937_64 random(kSeed);
  const NumberScheme scheme(GetParam());
  SketchIndex index(scheme);
  std::vector<SketchedRecord> records;
  size_t matches = 0;
  for (int64_t step = 0; step < 4'000; ++step) {
    const SketchedRecord sought = Make(random() % 4000, step, static_cast<int64_t>(random() % 50));
    const auto window_ms = static_cast<int64_t>(random() % 50);
    Found expected;
    for (size_t i = 0; i < records.size(); ++i) {
      const SketchedRecord& record = records[i];
      const bool met = GetParam() || record.sketch.keys[0] == sought.sketch.keys[0] ||
                       record.sketch.keys[1] == sought.sketch.keys[1];
      const auto distance = scheme.Distance(record.sketch.words, sought.sketch.words);
      if (!met || !distance || std::abs(record.time_ms - sought.time_ms) > window_ms) continue;
      if (expected && expected->distance <= *distance) continue;
      expected = At(record.origin.offset, *distance, i);
      expected->time_ms = record.time_ms;
    }
    ASSERT_EQ(index.FindNearest(sought, window_ms), expected) << "step " << step;
    matches += expected.has_value();
    if (random() % 2 == 0) continue;
    index.Insert(sought);
    records.push_back(sought);
  }
  EXPECT_GT(matches, 500U);
}

INSTANTIATE_TEST_SUITE_P(ByKeysAndWhole, SketchIndexModel, testing::Bool());

}  // namespace
}  // namespace neardup
