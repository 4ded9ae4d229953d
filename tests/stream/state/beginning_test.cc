// A lane that begins with entries of records that it has not decided.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "detect/base/hash.h"
#include "stream/state/delta.h"
#include "stream/state/fresh_deltas.h"
#include "stream/state/lane_history.h"
#include "stream/state/lane_state.h"

namespace neardup {
namespace {

using testing::HasSubstr;

constexpr int64_t kTimeMs = 1'700'000'000'000;

/// What an import writes: entries for records 0 to 9 of a partition, and then the end.
std::vector<Delta> History(const FilterOptions& options) {
  Delta empty;
  empty.spec = FingerprintSpec(options);
  empty.writer = empty.log_id = 7;
  empty.inputs = {{{"news", 0}, 10, kTimeMs}};
  empty.beginning = {BeganWith::kHistory, true, 1, kTimeMs - 1000};
  empty.horizon_ms = kTimeMs - 1000;
  empty.entries_max = options.window.entries_max;
  Delta end = empty;
  std::vector<Delta> deltas;
  FreshDeltaCutter cutter(std::move(empty), 0, [&deltas](Delta&& delta) -> Result<void> {
    deltas.push_back(std::move(delta));
    return {};
  });
  for (int64_t i = 0; i < 10; ++i) {
    Entry entry;
    entry.fingerprint = MakeRecord({0, i}, kTimeMs, Mix64(static_cast<uint64_t>(i))).fingerprint;
    entry.time_ms = kTimeMs;
    entry.origin = {0, i};
    EXPECT_TRUE(cutter.Add(entry).ok());
  }
  EXPECT_TRUE(cutter.Close().ok());
  end.entries_live = cutter.entries();
  deltas.push_back(EndOfBeginning(std::move(end)));
  return deltas;
}

TEST(Beginning, ALaneFindsCopiesOfTheHistoryThatItWasGiven) {
  const FilterOptions options = SnapshotTestOptions();
  auto lane = MakeLane(options);
  for (const Delta& delta : History(options)) {
    ASSERT_TRUE(lane->Apply(DecodeDelta(Encode(delta)).value()).ok());
  }
  EXPECT_FALSE(lane->beginning().unfinished);
  EXPECT_EQ(lane->entries_missing(), 0U);
  EXPECT_EQ(lane->seq(), 0U);
  EXPECT_EQ(lane->inputs()[0].next_offset, 10);
  for (uint64_t i = 0; i < 12; ++i) {
    const Position position{0, 10 + static_cast<int64_t>(i)};
    const Verdict verdict = lane->filter().Decide(MakeRecord(position, kTimeMs, Mix64(i)));
    EXPECT_EQ(lane->Advance(position), i + 1);
    if (i < 10) {
      EXPECT_EQ(verdict.match.original, (Position{0, static_cast<int64_t>(i)}));
    } else {
      EXPECT_EQ(verdict.decision, Decision::kUnique);
    }
  }
  const Delta next = lane->Uncommitted().front();
  EXPECT_EQ(next.beginning, History(options).back().beginning) << "every delta says it";
}

TEST(Beginning, IsUnfinishedUntilTheLastDelta) {
  const FilterOptions options = SnapshotTestOptions();
  const std::vector<Delta> deltas = History(options);
  ASSERT_EQ(deltas.size(), 2U);
  auto lane = MakeLane(options);
  ASSERT_TRUE(lane->Apply(deltas[0]).ok());
  EXPECT_TRUE(lane->beginning().unfinished);
  Delta merged = deltas[0];
  ASSERT_TRUE(CanMerge(merged, deltas[1]));
  Merge(merged, Delta(deltas[1]));
  EXPECT_TRUE(merged.fresh);
  EXPECT_FALSE(merged.beginning.unfinished);
  EXPECT_EQ(merged.entries.size(), 10U);
}

TEST(Beginning, AHistoryOfOtherSettingsIsRefusedBeforeTheFirstDecision) {
  const FilterOptions options = SnapshotTestOptions();
  FilterOptions others = options;
  others.feature.features_min += 1;
  const Result<void> applied = MakeLane(others)->Apply(History(options).front());
  ASSERT_FALSE(applied.ok());
  EXPECT_EQ(applied.error().code, ErrorCode::kMismatch);
  EXPECT_THAT(applied.error().text, HasSubstr("feature.features_min"));
}

TEST(Beginning, TheErrorNamesTheCommandThatWasInterrupted) {
  const Beginning history{BeganWith::kHistory, true, 1, 0};
  EXPECT_THAT(BeginningIsUnfinished(history, 4, "app-changelog/0").text,
              HasSubstr("`neardup import --history FOLDER --execute` was interrupted"));
  const Beginning lanes{BeganWith::kLanes, true, 9, 0};
  const Error error = BeginningIsUnfinished(lanes, 4, "app-changelog/2");
  EXPECT_THAT(error.text, HasSubstr("`neardup lanes migrate --lanes 4 --execute` was interrupted"));
  EXPECT_THAT(error.text, HasSubstr("changelog app-changelog/2"));
  EXPECT_TRUE(error.fatal);
}

}  // namespace
}  // namespace neardup
