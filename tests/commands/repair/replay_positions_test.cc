#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "commands/repair/replay.h"

namespace neardup {
namespace {

const std::vector<Reason> kMissing = {Reason::kMissingField};
const std::vector<Reason> kParse = {Reason::kParse};

ReplayPositions Parsed(const GroupOffset& committed, int64_t begin = 0) {
  const auto parsed = ReplayPositions::Parse(committed, begin);
  EXPECT_TRUE(parsed.ok());
  return *parsed;
}

TEST(ReplayPositions, WithoutACommitEverythingFromTheBeginningIsDue) {
  const ReplayPositions positions = Parsed({}, 7);
  EXPECT_TRUE(positions.IsDue(Reason::kParse, 7));
  EXPECT_EQ(positions.First(kParse), 7);
  EXPECT_EQ(positions.ToCommit().offset, 7);
}

TEST(ReplayPositions, AReasonThatIsReplayedLeavesTheOthersDue) {
  ReplayPositions positions = Parsed({10, ""});
  positions.MoveTo(kMissing, 50);
  const GroupOffset commit = positions.ToCommit();
  EXPECT_EQ(commit.offset, 10);
  EXPECT_EQ(commit.note, "missing_field=50");
  const ReplayPositions again = Parsed(commit);
  EXPECT_FALSE(again.IsDue(Reason::kMissingField, 49));
  EXPECT_TRUE(again.IsDue(Reason::kMissingField, 50));
  EXPECT_TRUE(again.IsDue(Reason::kParse, 10));
  EXPECT_EQ(again.First(kParse), 10);
  EXPECT_EQ(again.First(kMissing), 50);
}

TEST(ReplayPositions, SeveralReasonsAreRead) {
  ReplayPositions positions = Parsed({10, ""});
  positions.MoveTo(kMissing, 50);
  positions.MoveTo(kParse, 40);
  const ReplayPositions again = Parsed(positions.ToCommit());
  EXPECT_EQ(again.First(kParse), 40);
  EXPECT_EQ(again.First(kMissing), 50);
}

TEST(ReplayPositions, WhenAllReasonsAreReplayedOnlyTheOffsetIsCommitted) {
  ReplayPositions positions = Parsed({10, "parse=40"});
  std::vector<Reason> all;
  for (int i = 1; i < kReasonCount; ++i) all.push_back(static_cast<Reason>(i));
  positions.MoveTo(all, 60);
  EXPECT_EQ(positions.ToCommit().offset, 60);
  EXPECT_EQ(positions.ToCommit().note, "");
}

TEST(ReplayPositions, WhatIsDeletedIsNotDue) {
  const ReplayPositions positions = Parsed({10, "parse=40"}, 45);
  EXPECT_EQ(positions.First(kParse), 45);
  EXPECT_EQ(positions.First(kMissing), 45);
}

TEST(ReplayPositions, ANoteOfSomebodyElseIsRefused) {
  for (const char* note : {"x", "parse", "parse=", "parse=1x", "nothing=1"}) {
    const auto parsed = ReplayPositions::Parse({10, note}, 0);
    ASSERT_FALSE(parsed.ok()) << note;
    EXPECT_EQ(parsed.error().code, ErrorCode::kCorrupt);
    EXPECT_THAT(parsed.error().text, testing::HasSubstr(note));
  }
}

}  // namespace
}  // namespace neardup
