// SketchIndex: its rules one by one, and then a comparison with a full scan of a vector, under
// insertions, expiry and rollbacks in random order. Number and distance must be the same.
#include "index/sketch_index.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace neardup {
namespace {

constexpr int kDistanceMax = 6;

/// A sketch is one number, and the distance is the difference. Keys are the number's ten and,
/// shifted by five, the ten around it, so that any two numbers within 5 share a key.
class NumberScheme : public Scheme {
 public:
  explicit NumberScheme(bool scans_all) : scans_all_(scans_all) {}

  std::string_view name() const override { return "number"; }
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

Entry Make(uint64_t number, int64_t offset = -1, int64_t time_ms = 0) {
  return {
      .fingerprint = {},
      .time_ms = time_ms,
      .origin = {0, offset},
      .text_keys = {},
      .sketch = Sketch{.words = {number}, .keys = {number / 10, 1'000'000 + (number + 5) / 10}}};
}

using Found = std::optional<EntryMatch>;

TEST(SketchIndex, FindsTheNearestThenTheOldest) {
  const NumberScheme scheme(false);
  SketchIndex index(scheme, 100);
  EXPECT_EQ(index.FindNearest(Make(40)), std::nullopt);
  for (const uint64_t number : {44, 42, 38, 42}) index.Insert(Make(number, 1));
  EXPECT_EQ(index.FindNearest(Make(40)), (Found{{101, 2}}));
  EXPECT_EQ(index.FindNearest(Make(43)), (Found{{100, 1}}));
  EXPECT_EQ(index.FindNearest(Make(42)), (Found{{101, 0}}));
  EXPECT_EQ(index.FindNearest(Make(90)), std::nullopt);
}

TEST(SketchIndex, MeetsOnlyEntriesThatShareAKeyUnlessItScansAll) {
  const NumberScheme by_key(false);
  const NumberScheme scanned(true);
  SketchIndex index(by_key);
  SketchIndex scanned_index(scanned);
  index.Insert(Make(39, 1));
  scanned_index.Insert(Make(39, 1));
  EXPECT_EQ(index.FindNearest(Make(45)), std::nullopt);
  EXPECT_EQ(index.candidates(), 0U);
  EXPECT_EQ(scanned_index.FindNearest(Make(45)), (Found{{0, 6}}));
  EXPECT_EQ(scanned_index.candidates(), 1U);
}

TEST(SketchIndex, ARecordNeverMatchesItsOwnPosition) {
  const NumberScheme scheme(false);
  SketchIndex index(scheme);
  index.Insert(Make(40, 1));
  EXPECT_EQ(index.FindNearest(Make(40, 1)), std::nullopt);
  index.Insert(Make(41, 2));
  EXPECT_EQ(index.FindNearest(Make(40, 1)), (Found{{1, 1}}));
}

TEST(SketchIndex, TheWindowIsInclusiveAndReachesBothWays) {
  const NumberScheme scheme(false);
  SketchIndex index(scheme);
  index.Insert(Make(40, 1, 1000));
  for (const int64_t time_ms : {900, 1100}) {
    EXPECT_TRUE(index.FindNearest(Make(40, 2, time_ms), 100));
    EXPECT_FALSE(index.FindNearest(Make(40, 2, time_ms), 99));
  }
  EXPECT_TRUE(index.FindNearest(Make(40, 2, INT64_MAX)));
  EXPECT_FALSE(index.FindNearest(Make(40, 2, INT64_MIN), INT64_MAX - 1));
}

TEST(SketchIndex, NumbersEntriesAndDescribesMatches) {
  const NumberScheme scheme(false);
  SketchIndex index(scheme, 7);
  EXPECT_EQ(index.Insert(Make(1, 5, 9)), 7U);
  EXPECT_EQ(index.Insert(Make(2, 6, 8)), 8U);
  EXPECT_EQ(index.MatchOf({.id = 8, .distance = 3}), (Match{{0, 6}, 8, 3, MatchKind::kExact}));
  EXPECT_EQ(index.time_ms(8), 8);
  EXPECT_EQ(index.size(), 2U);
  index.Rollback(8);
  EXPECT_EQ(index.Insert(Make(3, 7, 7)), 8U);
  EXPECT_EQ(index.time_ms(8), 7);
}

TEST(SketchIndex, ReturnsTheMemoryOfForgottenEntries) {
  const NumberScheme scheme(false);
  SketchIndex expired(scheme);
  SketchIndex rolled_back(scheme);
  for (uint64_t i = 0; i < 1000; ++i) {
    expired.Insert(Make(20 * i, 1));
    rolled_back.Insert(Make(20 * i, 1));
  }
  const uint64_t bytes_full = expired.bytes();
  EXPECT_GE(bytes_full, 1000 * (3 + 2) * sizeof(uint64_t));
  expired.Expire(1000);
  EXPECT_LT(expired.bytes(), bytes_full / 5);  // the hash table keeps its buckets
  EXPECT_EQ(expired.FindNearest(Make(20)), std::nullopt);
  rolled_back.Rollback(0);
  EXPECT_LT(rolled_back.bytes(), bytes_full / 5);
  EXPECT_EQ(rolled_back.FindNearest(Make(20)), std::nullopt);
}

TEST(SketchIndex, ReturnsTheMemoryOfAHotKey) {
  const NumberScheme scheme(false);
  SketchIndex index(scheme);
  for (int i = 0; i < 1000; ++i) index.Insert(Make(20, 1));
  const uint64_t bytes_full = index.bytes();
  index.Expire(990);
  EXPECT_LT(index.bytes(), bytes_full / 10);
  EXPECT_EQ(index.FindNearest(Make(20)), (Found{{990, 0}}));
}

/// The contract in its simplest form.
struct ScannedIndex {
  uint64_t begin_id = 0;
  std::vector<Entry> entries;

  Found FindNearest(const Scheme& scheme, const Entry& sought, int64_t window_ms) const {
    Found best;
    for (size_t i = 0; i < entries.size(); ++i) {
      const Entry& entry = entries[i];
      const bool met = scheme.scans_all() || entry.sketch->keys[0] == sought.sketch->keys[0] ||
                       entry.sketch->keys[1] == sought.sketch->keys[1];
      const auto distance = scheme.Distance(entry.sketch->words, sought.sketch->words);
      if (!met || !distance || entry.origin == sought.origin) continue;
      if (std::abs(entry.time_ms - sought.time_ms) > window_ms) continue;
      if (!best || *distance < best->distance) best = {{begin_id + i, *distance}};
    }
    return best;
  }
};

class SketchIndexModel : public testing::TestWithParam<bool> {};

TEST_P(SketchIndexModel, AnswersAsAFullScanDoes) {
  constexpr uint32_t kSeed = 20260204;
  SCOPED_TRACE("seed " + std::to_string(kSeed));
  std::mt19937_64 random(kSeed);
  const NumberScheme scheme(GetParam());
  SketchIndex index(scheme, 1000);
  ScannedIndex model{1000, {}};
  size_t matches = 0;
  for (int step = 0; step < 20'000; ++step) {
    const uint64_t dice = random() % 1000;
    const Entry entry = Make(random() % 400, static_cast<int64_t>(random() % 20),
                             static_cast<int64_t>(random() % 50));
    if (dice < 400) {
      ASSERT_EQ(index.Insert(entry), model.begin_id + model.entries.size());
      model.entries.push_back(entry);
    } else if (dice < 980) {
      const auto window_ms = static_cast<int64_t>(random() % 50);
      const Found found = index.FindNearest(entry, window_ms);
      matches += found.has_value();
      ASSERT_EQ(found, model.FindNearest(scheme, entry, window_ms)) << "step " << step;
    } else {
      const auto count =
          static_cast<int64_t>(random() % (std::min<uint64_t>(model.entries.size(), 100) + 1));
      if (dice < 988) {
        index.Rollback(index.end_id() - static_cast<uint64_t>(count));
        model.entries.erase(model.entries.end() - count, model.entries.end());
      } else {
        index.Expire(index.begin_id() + static_cast<uint64_t>(count));
        model.entries.erase(model.entries.begin(), model.entries.begin() + count);
        model.begin_id += static_cast<uint64_t>(count);
      }
    }
    ASSERT_EQ(index.begin_id(), model.begin_id);
    ASSERT_EQ(index.size(), model.entries.size());
  }
  EXPECT_GT(matches, 1000U);
}

INSTANTIATE_TEST_SUITE_P(ByKeysAndWhole, SketchIndexModel, testing::Bool());

}  // namespace
}  // namespace neardup
