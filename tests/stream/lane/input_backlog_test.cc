// The records that wait, according to the changelog and the ends of the inputs.
#include <gtest/gtest.h>

#include <set>
#include <utility>
#include <vector>

#include "stream/lane/changelog_keeper.h"

namespace neardup {
namespace {

Delta At(std::vector<InputProgress> inputs) {
  Delta delta;
  delta.inputs = std::move(inputs);
  delta.pipeline = {{"a", "b"}, "u", "d", "x"};
  return delta;
}

TEST(InputBacklog, CountsTheRecordsBetweenTheNewestDeltaAndTheEnds) {
  InputBacklog backlog;
  EXPECT_EQ(backlog.inputs(), 0U);
  backlog.Follow(At({{{"a", 0}, 10, 0}, {{"a", 1}, 5, 0}, {{"b", 0}, 0, 0}, {{"left", 0}, 0, 0}}));
  EXPECT_EQ(backlog.inputs(), 3U) << "an input that the lane has left does not count";
  backlog.SetEnd({"a", 0}, 12);
  EXPECT_EQ(backlog.undecided("a"), 2) << "the end of a/1 is not known";
  backlog.SetEnd({"a", 1}, 105);
  backlog.SetEnd({"b", 0}, 3);
  EXPECT_EQ(backlog.undecided("a"), 102);
  EXPECT_EQ(backlog.undecided("b"), 3);
  backlog.Follow(At({{{"a", 0}, 12, 0}, {{"a", 1}, 110, 0}, {{"b", 0}, 1, 0}}));
  EXPECT_EQ(backlog.undecided("a"), 0) << "decided since the end was asked for";
  EXPECT_EQ(backlog.undecided("b"), 2);
}

TEST(InputBacklog, NamesAllInputsInTurn) {
  InputBacklog backlog;
  backlog.Follow(At({{{"a", 0}, 0, 0}, {{"a", 1}, 0, 0}, {{"b", 7}, 0, 0}}));
  std::set<InputPartition> asked;
  for (int i = 0; i < 3; ++i) asked.insert(backlog.NextToAsk());
  EXPECT_EQ(asked.size(), 3U);
  EXPECT_EQ(backlog.NextToAsk(), (InputPartition{"a", 0}));
  backlog.Follow(At({{{"b", 7}, 0, 0}}));
  EXPECT_EQ(backlog.NextToAsk(), (InputPartition{"b", 7}));
}

}  // namespace
}  // namespace neardup
