// Which learned settings a changelog puts in force.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "service/topics/lane_learning.h"

namespace neardup {
namespace {

Delta Decided(uint64_t seq_first, uint64_t seq_last, const std::string& learned = "") {
  Delta delta;
  delta.seq_first = seq_first;
  delta.seq_last = seq_last;
  delta.learned = learned;
  return delta;
}

/// Decides nothing: the first delta of an owner.
Delta Opening(uint64_t seq_next, const std::string& learned = "") {
  return Decided(seq_next, seq_next - 1, learned);
}

/// What `neardup reindex` writes.
Delta Fresh(uint64_t seq_next, const std::string& learned) {
  Delta delta = Opening(seq_next, learned);
  delta.fresh = true;
  delta.settings_seq = seq_next;
  return delta;
}

struct Found {
  LearnedState state;
  size_t seen = 0;
};

/// Searches deltas, of which the newest has this settings_seq.
Found Search(const std::vector<Delta>& deltas, uint64_t settings_seq) {
  Found found;
  LearnedSearch search(settings_seq);
  for (const Delta& delta : deltas) {
    ++found.seen;
    if (!search.Add(delta)) break;
  }
  found.state = search.state();
  return found;
}

TEST(LearnedSearch, FindsNothingInAnEmptyChangelog) {
  const Found found = Search({}, 1);
  EXPECT_FALSE(found.state.begun);
  EXPECT_EQ(found.state.learned, "");
}

TEST(LearnedSearch, TakesTheOpeningDeltaOfALaneAndReadsLittleMore) {
  const Found found =
      Search({Opening(1, "a"), Decided(1, 10), Decided(11, 20), Decided(21, 30, "a")}, 1);
  EXPECT_TRUE(found.state.begun);
  EXPECT_EQ(found.state.learned, "a");
  EXPECT_EQ(found.seen, 2U);
}

TEST(LearnedSearch, TakesTheFirstDeltaThatAPurgeLeft) {
  const Found found = Search({Decided(500, 600, "a"), Decided(601, 700)}, 1);
  EXPECT_EQ(found.state.learned, "a");
  EXPECT_EQ(found.seen, 1U);
}

TEST(LearnedSearch, ALaneThatBeganWithoutLearningHasLearnedNothing) {
  const Found found = Search({Opening(1), Decided(1, 10)}, 1);
  EXPECT_TRUE(found.state.begun);
  EXPECT_EQ(found.state.learned, "");
}

TEST(LearnedSearch, AReindexReplacesWhatWasLearnedBefore) {
  const Found found = Search(
      {Opening(1, "a"), Decided(1, 10), Decided(11, 20, "a"), Fresh(21, "b"), Decided(21, 30)}, 21);
  EXPECT_EQ(found.state.learned, "b");
}

TEST(LearnedSearch, OfTwoReindexesWithoutARecordBetweenThemTheSecondCounts) {
  const Found found = Search({Opening(1, "a"), Decided(1, 20), Fresh(21, "b"), Opening(21),
                              Fresh(21, "c"), Decided(21, 30)},
                             21);
  EXPECT_EQ(found.state.learned, "c");
}

TEST(LearnedSearch, AReindexMayDropWhatWasLearned) {
  const Found found = Search({Opening(1, "a"), Decided(1, 20), Fresh(21, ""), Decided(21, 30)}, 21);
  EXPECT_TRUE(found.state.begun);
  EXPECT_EQ(found.state.learned, "");
}

}  // namespace
}  // namespace neardup
