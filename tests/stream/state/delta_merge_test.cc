// Folding a merged delta is folding its parts.
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "stream/state/delta.h"
#include "stream/state/lane_history.h"

namespace neardup {
namespace {

/// A lane whose window and capacity are its own.
FilterOptions ReaderOptions(const FilterOptions& writer, std::mt19937_64& random) {
  FilterOptions options = writer;
  options.window.window_ms = writer.window.window_ms * 2 >> random() % 3;
  options.window.entries_max = 1000 + random() % 2 * 700;
  return options;
}

TEST(DeltaMerge, ApplyingTheMergedDeltaIsApplyingBoth) {
  FilterOptions written = SnapshotTestOptions();
  written.window.entries_max = 1200;
  uint64_t evicted = 0;
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    LaneHistory history(written, seed);
    for (int step = 0; step < 100; ++step) history.Step();
    const Changelog& changelog = history.changelog();
    std::mt19937_64& random = history.random();
    const FilterOptions options = seed == 1 ? written : ReaderOptions(written, random);
    const auto one_by_one = Folded(options, changelog, 0, 0);
    const auto merged = Folded(options, changelog, 0, 0);
    size_t merges = 0;
    for (size_t at = 0; at < changelog.size();) {
      Delta delta = changelog[at].delta;
      ASSERT_TRUE(one_by_one->Apply(changelog[at++].delta).ok());
      for (uint64_t more = random() % 40; more > 0 && at < changelog.size(); --more) {
        if (!CanMerge(delta, changelog[at].delta)) break;
        Merge(delta, Delta(changelog[at].delta));
        ASSERT_TRUE(one_by_one->Apply(changelog[at++].delta).ok());
        ++merges;
      }
      const Result<Delta> read = DecodeDelta(Encode(delta));
      ASSERT_TRUE(read.ok());
      ASSERT_TRUE(merged->Apply(*read).ok());
      ExpectSameProgress(*one_by_one, *merged);
      if (random() % 4 == 0) ExpectSameVerdicts(*one_by_one, *merged, changelog, at);
      if (HasFailure()) return;
    }
    EXPECT_GT(merges, changelog.size() / 2);
    EXPECT_GT(merged->filter().entries_expired(), 100U);
    evicted += merged->filter().entries_evicted();
  }
  EXPECT_GT(evicted, 500U);
}

/// Two deltas that can be merged.
struct Pair {
  Delta delta;
  Delta next;
};
Pair Mergeable() {
  LaneHistory history(SnapshotTestOptions(), 1);
  history.Commit(10);
  history.Commit(10);
  const size_t count = history.changelog().size();
  return {history.changelog()[count - 2].delta, history.changelog()[count - 1].delta};
}

TEST(DeltaMerge, MergesDeltasThatFollowEachOther) {
  Pair pair = Mergeable();
  EXPECT_TRUE(CanMerge(pair.delta, pair.next));
  pair.next.inputs.push_back({{"later", 5}, 1, INT64_MIN});
  EXPECT_TRUE(CanMerge(pair.delta, pair.next)) << "an input that has appeared";
}

TEST(DeltaMerge, RefusesGapsAndRepetitions) {
  Pair pair = Mergeable();
  EXPECT_FALSE(CanMerge(pair.next, pair.delta));
  EXPECT_FALSE(CanMerge(pair.delta, pair.delta));
  ++pair.next.seq_first;
  EXPECT_FALSE(CanMerge(pair.delta, pair.next));
}

TEST(DeltaMerge, RefusesInputsInOtherPlaces) {
  Pair pair = Mergeable();
  std::swap(pair.next.inputs[0], pair.next.inputs[1]);
  EXPECT_FALSE(CanMerge(pair.delta, pair.next));
  std::swap(pair.next.inputs[0], pair.next.inputs[1]);
  pair.next.inputs.pop_back();
  EXPECT_FALSE(CanMerge(pair.delta, pair.next));
}

TEST(DeltaMerge, RefusesAnotherLaneAndAnotherSpec) {
  Pair pair = Mergeable();
  pair.next.lane = 1;
  EXPECT_FALSE(CanMerge(pair.delta, pair.next));
  pair = Mergeable();
  pair.next.spec += " ";
  EXPECT_FALSE(CanMerge(pair.delta, pair.next));
}

TEST(DeltaMerge, AFreshDeltaTakesInWhatFollowsAndIsNotTakenInItself) {
  Pair pair = Mergeable();
  pair.next.fresh = true;
  EXPECT_FALSE(CanMerge(pair.delta, pair.next));
  pair = Mergeable();
  pair.delta.fresh = true;
  const uint64_t entries_live = pair.next.entries_live;
  ASSERT_TRUE(CanMerge(pair.delta, pair.next));
  Merge(pair.delta, std::move(pair.next));
  EXPECT_TRUE(pair.delta.fresh);
  EXPECT_EQ(pair.delta.entries_live, entries_live);
}

TEST(DeltaMerge, RefusesAResultThatIsTooLarge) {
  Pair pair = Mergeable();
  pair.delta.entries.resize(2000, pair.delta.entries.front());
  pair.next.entries.resize(600, pair.next.entries.front());
  EXPECT_TRUE(CanMerge(pair.delta, pair.next));
  pair.next.entries.resize(1100, pair.next.entries.front());
  EXPECT_FALSE(CanMerge(pair.delta, pair.next));
}

}  // namespace
}  // namespace neardup
