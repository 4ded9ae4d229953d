// Which deltas a lane's state takes, and what it is afterwards; a refused one leaves it as it was.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "detect/base/hash.h"
#include "detect/base/random.h"
#include "stream/state/lane_history.h"
#include "stream/state/lane_state.h"

namespace neardup {
namespace {

using testing::HasSubstr;

/// A delta of one record for a lane of SnapshotTestOptions().
Delta NextDelta(uint64_t seq) {
  const FilterOptions options = SnapshotTestOptions();
  auto state = MakeLane(options);
  EXPECT_TRUE(state->AddInput({"news", 0}, 0).ok());
  state->filter().Decide(MakeRecord({0, 0}, 5000, Mix64(seq)));
  state->Advance({0, 0});
  Delta delta = state->Uncommitted().front();
  delta.seq_first = delta.seq_last = seq;
  return delta;
}

TEST(LaneState, RollbackReturnsToTheLastAppliedDelta) {
  const FilterOptions options = SnapshotTestOptions();
  auto state = MakeLane(options);
  EXPECT_TRUE(state->AddInput({"news", 0}, 99).ok());  // a start that the changelog knows better
  Delta delta = NextDelta(1);
  delta.inputs[0].next_offset = 12;
  ASSERT_TRUE(state->Apply(delta).ok());
  state->filter().Decide(MakeRecord({0, 20}, 6000, 4711));
  state->Advance({0, 20});
  EXPECT_EQ(state->inputs()[0], (InputProgress{{"news", 0}, 21, 6000}));
  state->Rollback();
  EXPECT_EQ(state->inputs()[0], (InputProgress{{"news", 0}, 12, 5000}));
  EXPECT_EQ(state->seq(), 1U);
}

TEST(LaneState, CountsExpiredAndEvictedEntriesAsTheLaneDidThatDecidedThem) {
  const FilterOptions options = SnapshotTestOptions();
  const WindowOptions& window = options.window;
  auto decided = MakeLane(options);
  EXPECT_TRUE(decided->AddInput({"news", 0}, 0).ok());
  // The first ten are too old at the commit, and as many are too many.
  const auto records = static_cast<int64_t>(window.entries_max) + 10;
  for (int64_t offset = 0; offset < records; ++offset) {
    const int64_t time_ms = offset < 10 ? 5000 : 5001 + window.window_ms + window.lateness_ms;
    decided->filter().Decide(
        MakeRecord({0, offset}, time_ms, Mix64(static_cast<uint64_t>(offset))));
    decided->Advance({0, offset});
  }
  const std::vector<Delta> deltas = decided->Uncommitted();
  decided->Commit();
  auto folded = MakeLane(options);
  for (const Delta& delta : deltas) ASSERT_TRUE(folded->Apply(delta).ok());
  EXPECT_EQ(decided->filter().entries_expired(), 10U);
  EXPECT_EQ(decided->filter().entries_evicted(), 0U);
  EXPECT_EQ(folded->filter().entries_expired(), 10U);
  EXPECT_EQ(folded->filter().entries_evicted(), 0U);
}

TEST(LaneState, RefusesOneInputTooManyAndChangesNothing) {
  auto state = MakeLane(SnapshotTestOptions());
  for (int32_t partition = 0; partition <= static_cast<int32_t>(kInputMax); ++partition) {
    ASSERT_TRUE(state->AddInput({"many", partition}, 0).ok());
  }
  EXPECT_EQ(state->AddInput({"many", 7}, 0).value(), 7U);
  const Result<uint32_t> refused = state->AddInput({"news", 0}, 0);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kExhausted);
  EXPECT_TRUE(refused.error().fatal);
  EXPECT_THAT(refused.error().text, HasSubstr("news/0 would be input partition 65537"));
  const Result<void> applied = state->Apply(NextDelta(1));
  ASSERT_FALSE(applied.ok());
  EXPECT_EQ(applied.error().code, ErrorCode::kExhausted);
  EXPECT_EQ(state->inputs().size(), kInputMax + 1U);
  EXPECT_TRUE(state->empty());
}

TEST(LaneState, RefusesOffsetsThatThePositionCannotHold) {
  auto state = MakeLane(SnapshotTestOptions());
  EXPECT_EQ(state->AddInput({"news", 0}, kOffsetMax).value(), 0U);
  EXPECT_TRUE(state->CheckPosition({0, kOffsetMax}).ok());
  const Result<void> position = state->CheckPosition({0, kOffsetMax + 1});
  ASSERT_FALSE(position.ok());
  EXPECT_EQ(position.error().code, ErrorCode::kExhausted);
  EXPECT_THAT(position.error().text, HasSubstr("news/0 is at offset 281474976710656"));
  EXPECT_FALSE(state->AddInput({"news", 1}, kOffsetMax + 1).ok());
  Delta delta = NextDelta(1);
  delta.entries[0].origin.offset = kOffsetMax + 1;
  EXPECT_FALSE(state->Apply(delta).ok());
  delta = NextDelta(1);
  delta.inputs[0].next_offset = kOffsetMax + 2;
  EXPECT_FALSE(state->Apply(delta).ok());
  EXPECT_TRUE(state->empty());
  EXPECT_EQ(state->inputs()[0].next_offset, kOffsetMax);
}

/// Applies a delta that must be refused, and checks that nothing has changed.
Error Refused(LaneState& state, const Delta& delta) {
  const uint64_t seq = state.seq();
  const std::vector<InputProgress> inputs = state.inputs();
  const uint64_t entries = state.filter().entries();
  const Result<void> applied = state.Apply(delta);
  EXPECT_FALSE(applied.ok());
  EXPECT_EQ(state.seq(), seq);
  EXPECT_EQ(state.inputs(), inputs);
  EXPECT_EQ(state.filter().entries(), entries);
  return applied.ok() ? Error{} : applied.error();
}

TEST(LaneState, TheFirstDeltaMayStartAtAnySeqButNoHoleMayFollow) {
  auto state = MakeLane(SnapshotTestOptions());
  ASSERT_TRUE(state->Apply(NextDelta(40)).ok());
  ASSERT_TRUE(state->Apply(NextDelta(41)).ok());
  const Error hole = Refused(*state, NextDelta(43));
  EXPECT_EQ(hole.code, ErrorCode::kCorrupt);
  EXPECT_THAT(hole.text, HasSubstr("hole: expected a delta with seq_first 42, found 43"));
  EXPECT_EQ(Refused(*state, NextDelta(41)).code, ErrorCode::kCorrupt);
  EXPECT_TRUE(state->Apply(NextDelta(42)).ok());
}

TEST(LaneState, RefusesADeltaThatContradictsItself) {
  auto state = MakeLane(SnapshotTestOptions());
  Delta backwards = NextDelta(40);
  backwards.seq_last = 30;
  EXPECT_EQ(Refused(*state, backwards).code, ErrorCode::kCorrupt);
  Delta crowded = NextDelta(40);
  crowded.entries.push_back(crowded.entries.front());
  EXPECT_EQ(Refused(*state, crowded).code, ErrorCode::kCorrupt);
  Delta zero = NextDelta(40);
  zero.seq_first = 0;
  EXPECT_EQ(Refused(*state, zero).code, ErrorCode::kCorrupt);
}

TEST(LaneState, RefusesADeltaOfAnotherLane) {
  auto state = MakeLane(SnapshotTestOptions(), 5);
  const Error error = Refused(*state, NextDelta(1));
  EXPECT_EQ(error.code, ErrorCode::kMismatch);
  EXPECT_THAT(error.text, HasSubstr("belongs to lane 0, this is lane 5"));
}

TEST(LaneState, RefusesOtherFingerprintSettingsAndNamesThem) {
  FilterOptions options = SnapshotTestOptions();
  options.feature.features_min = 77;
  auto state = MakeLane(options);
  const Error error = Refused(*state, NextDelta(1));
  EXPECT_EQ(error.code, ErrorCode::kMismatch);
  EXPECT_THAT(error.text, HasSubstr("feature.features_min: configured 77, changelog 12"));
  EXPECT_THAT(error.text, HasSubstr("run `neardup reindex`"));
}

TEST(LaneState, DistanceWindowAndCapacityMayChange) {
  FilterOptions options = SnapshotTestOptions();
  options.match = {.similarity = 0.8,
                   .distance_max = 6,
                   .distance_sum_max = 12,
                   .distance_chance_max = 4,
                   .features_per_bit = 0,
                   .widen = true,
                   .text_keys = true,
                   .neighbours = true};
  options.window.window_ms *= 2;
  options.window.entries_max = 5000;
  auto state = MakeLane(options);
  EXPECT_TRUE(state->Apply(NextDelta(1)).ok());
}

TEST(LaneState, TheLargestEpochCounts) {
  auto state = MakeLane(SnapshotTestOptions());
  Delta delta = NextDelta(1);
  delta.epoch = 9;
  ASSERT_TRUE(state->Apply(delta).ok());
  delta = NextDelta(2);
  delta.epoch = 4;
  ASSERT_TRUE(state->Apply(delta).ok());
  EXPECT_EQ(state->epoch(), 9U);
  state->StartEpoch(DrawId());
  EXPECT_EQ(state->Uncommitted().front().epoch, 10U);
}

TEST(LaneState, IdleInputsOfAnEarlierPromotionDoNotMoveTheHorizonOfAStandby) {
  auto state = MakeLane(SnapshotTestOptions());
  EXPECT_TRUE(state->AddInput({"news", 0}, 0).ok());
  state->filter().SetIdle(0, true);
  Delta delta = NextDelta(1);
  delta.inputs = {{{"news", 0}, 1, 5000}, {{"news", 1}, 1, 900'000}};
  ASSERT_TRUE(state->Apply(delta).ok());
  state->filter().SetIdle(0, false);
  state->Commit();
  EXPECT_EQ(state->filter().horizon_ms(), 5000 - 62'000);
}

}  // namespace
}  // namespace neardup
