// A lane that begins from nothing under other settings, and whether a changelog still holds all
// that is live.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "detect/base/growth_limit.h"
#include "detect/base/hash.h"
#include "stream/state/fresh_deltas.h"
#include "stream/state/lane_history.h"
#include "stream/state/lane_state.h"
#include "stream/state/live_range.h"

namespace neardup {
namespace {

/// The deltas that begin a lane from nothing after `last`, with `count` different records.
std::vector<Delta> Fresh(const FilterOptions& options, const Delta& last, size_t count) {
  const int64_t time_ms = last.inputs.front().time_ms;
  std::vector<FingerprintedRecord> records;
  for (size_t i = 0; i < count; ++i) {
    records.push_back(MakeRecord({0, static_cast<int64_t>(i)}, time_ms, Mix64(i + 1)));
  }
  Result<std::vector<Delta>> deltas = FreshDeltas(options, last, records);
  EXPECT_TRUE(deltas.ok()) << deltas.error().text;
  return std::move(*deltas);
}

void ApplyAll(LaneState& state, const std::vector<Delta>& deltas) {
  for (const Delta& delta : deltas) {
    const Result<Delta> read = DecodeDelta(Encode(delta));
    ASSERT_TRUE(read.ok()) << read.error().text;
    const Result<void> applied = state.Apply(*read);
    ASSERT_TRUE(applied.ok()) << applied.error().text;
  }
}

TEST(FreshDelta, ReplacesAllThatALaneHasAndKeepsItsProgress) {
  const FilterOptions options = SnapshotTestOptions();
  LaneHistory history(options, 3);
  for (int step = 0; step < 40; ++step) history.Step();
  history.Commit(10);
  const Delta last = history.changelog().back().delta;
  const std::vector<Delta> deltas = Fresh(options, last, 20);
  ASSERT_EQ(deltas.size(), 1U);
  EXPECT_TRUE(deltas[0].fresh);
  EXPECT_EQ(deltas[0].entries_live, 20U);

  const auto follower = Folded(options, history.changelog(), 0, history.changelog().size());
  ASSERT_NE(follower->filter().entries(), 20U);
  ApplyAll(*follower, deltas);
  EXPECT_EQ(follower->seq(), last.seq_last);
  EXPECT_EQ(follower->epoch(), last.epoch + 1);
  EXPECT_EQ(follower->inputs(), last.inputs);
  EXPECT_EQ(follower->settings_seq(), last.seq_last + 1);
  EXPECT_EQ(follower->filter().entries(), 20U);
  EXPECT_EQ(follower->entries_missing(), 0U);
  EXPECT_FALSE(follower->Uncommitted().front().fresh);

  const auto newcomer = MakeLane(options);
  ApplyAll(*newcomer, deltas);
  ExpectSameProgress(*newcomer, *follower);
  ExpectSameVerdicts(*newcomer, *follower, history.changelog(), history.changelog().size());
}

TEST(FreshDelta, BringsTheGroupsOfItsRecords) {
  const FilterOptions options = SnapshotTestOptions();
  LaneHistory history(options, 3);
  history.Commit(10);
  const Delta last = history.changelog().back().delta;
  const int64_t time_ms = last.inputs.front().time_ms;
  std::vector<FingerprintedRecord> records;
  std::vector<NumberedGroup> groups;
  constexpr size_t kRecords = 900;  // of one delta or many: its groups fill several
  for (size_t i = 0; i < kRecords; ++i) {
    const Position position{0, static_cast<int64_t>(i)};
    records.push_back(MakeRecord(position, time_ms, Mix64(i + 1)));
    const Position newest{1, static_cast<int64_t>(i)};
    for (int copies = 0; copies < 5 && i % 3 == 0; ++copies) {
      groups.push_back({{position, time_ms, i + 1, newest, time_ms + 9, newest, time_ms + 9}, i});
    }
  }
  const Result<std::vector<Delta>> deltas = FreshDeltas(options, last, records, groups);
  ASSERT_TRUE(deltas.ok()) << deltas.error().text;
  const auto lane = MakeLane(options);
  ApplyAll(*lane, *deltas);
  EXPECT_EQ(lane->groups().size(), kRecords / 3);
  for (size_t i = 0; i < kRecords; ++i) {
    const FingerprintedRecord copy =
        MakeRecord({1, static_cast<int64_t>(10'000 + i)}, time_ms + 5, Mix64(i + 1));
    const Verdict verdict = lane->filter().Decide(copy);
    ASSERT_EQ(verdict.decision, Decision::kDuplicate);
    const JoinedGroup joined = lane->Join(verdict, copy.position, Keep::kNewest);
    EXPECT_EQ(joined.replaces, i % 3 != 0) << "the newest of the others is later";
  }
}

TEST(FreshDelta, BringsBackNothingThatTheLaneHasForgotten) {
  WindowOptions window;
  window.window_ms = 1000;
  window.lateness_ms = 100;
  Delta last;
  last.window_ms = 1000;
  last.watermark_ms = 10'000;
  last.horizon_ms = 8'900;
  EXPECT_EQ(HorizonAfter(last, window), 8'900);
  last.watermark_ms = 9'000;  // a restart has forgotten which inputs were idle
  EXPECT_EQ(HorizonAfter(last, window), 8'900);
  last.watermark_ms = INT64_MIN;
  EXPECT_EQ(HorizonAfter(last, window), 8'900);
  window.window_ms = 3000;
  EXPECT_EQ(HorizonAfter(last, window), 6'900);
  last.horizon_ms = INT64_MIN;
  EXPECT_EQ(HorizonAfter(last, window), INT64_MIN);
}

TEST(FreshDelta, ManyRecordsAreCutIntoDeltasOfWhichOnlyTheFirstIsFresh) {
  FilterOptions options = SnapshotTestOptions();
  options.window.entries_max = 20'000;
  LaneHistory history(options, 4);
  history.Commit(100);
  const Delta last = history.changelog().back().delta;
  const std::vector<Delta> deltas = Fresh(options, last, 9000);
  ASSERT_GE(deltas.size(), 3U);
  size_t entries = 0;
  for (const Delta& delta : deltas) {
    EXPECT_LE(Encode(delta).size(), kDeltaBytesTarget + 1000);
    EXPECT_EQ(delta.fresh, &delta == &deltas.front());
    EXPECT_EQ(delta.seq_first, last.seq_last + 1);
    EXPECT_EQ(delta.seq_last, last.seq_last) << "no record is decided";
    entries += delta.entries.size();
    EXPECT_EQ(delta.entries_live, entries);
  }
  EXPECT_EQ(entries, 9000U);
  auto lane = MakeLane(options);
  ApplyAll(*lane, deltas);
  EXPECT_EQ(lane->filter().entries(), 9000U);

  // The next records are decided as always.
  auto follower = MakeLane(options);
  ApplyAll(*follower, deltas);
  const Position position{0, last.inputs[0].next_offset};
  lane->filter().Decide(MakeRecord(position, last.inputs[0].time_ms, 12345));
  EXPECT_EQ(lane->Advance(position), last.seq_last + 1);
  ApplyAll(*follower, lane->Uncommitted());
  lane->Commit();
  ExpectSameProgress(*lane, *follower);
}

TEST(FreshDelta, ForgetsWhatTheLaneHadLearnedBefore) {
  FilterOptions options = SnapshotTestOptions();
  options.window.entries_max = 20'000;
  LaneHistory history(options, 4);
  history.Commit(100);
  Delta last = history.changelog().back().delta;
  last.learned = "old settings";  // as the first delta after a start
  std::vector<Delta> deltas = Fresh(options, last, 9000);
  ASSERT_GE(deltas.size(), 2U);
  for (const Delta& delta : deltas) EXPECT_EQ(delta.learned, "");
  deltas.front().learned = "new settings";
  auto lane = MakeLane(options);
  lane->SetLearned("new settings");
  ApplyAll(*lane, deltas);
}

TEST(FreshDelta, MergesWithTheRecordsThatFollow) {
  const FilterOptions options = SnapshotTestOptions();
  LaneHistory history(options, 5);
  history.Commit(50);
  const Delta last = history.changelog().back().delta;
  Delta merged = Fresh(options, last, 30).front();
  auto lane = MakeLane(options);
  ApplyAll(*lane, {merged});
  const Position position{0, last.inputs[0].next_offset};
  lane->filter().Decide(MakeRecord(position, last.inputs[0].time_ms, 12345));
  lane->Advance(position);
  Delta next = lane->Uncommitted().front();
  lane->Commit();
  ASSERT_TRUE(CanMerge(merged, next));
  Merge(merged, std::move(next));
  ASSERT_EQ(merged.entries.size(), 31U);
  auto follower = MakeLane(options);
  ApplyAll(*follower, {merged});
  ExpectSameProgress(*lane, *follower);
}

TEST(FreshDelta, TooManyEntriesAfterItAreRefused) {
  const FilterOptions options = SnapshotTestOptions();
  LaneHistory history(options, 5);
  history.Commit(50);
  Delta delta = Fresh(options, history.changelog().back().delta, 30).front();
  auto lane = MakeLane(options);
  ApplyAll(*lane, {delta});
  delta.fresh = false;
  delta.seq_first = delta.seq_last = delta.settings_seq;
  ASSERT_TRUE(lane->Apply(delta).ok()) << "may be merged with the fresh one";
  ++delta.seq_first;
  ++delta.seq_last;
  const Result<void> applied = lane->Apply(delta);
  ASSERT_FALSE(applied.ok());
  EXPECT_EQ(applied.error().code, ErrorCode::kCorrupt);
}

TEST(LaneState, ClearLeavesANewLane) {
  const FilterOptions options = SnapshotTestOptions();
  LaneHistory history(options, 6);
  history.Commit(50);
  const auto state = Folded(options, history.changelog(), 0, history.changelog().size());
  ASSERT_TRUE(state->Clear().ok());
  ExpectSameProgress(*state, *MakeLane(options));
  for (const ChangelogRecord& record : history.changelog()) {
    ASSERT_TRUE(state->Apply(record.delta).ok());
  }
  ExpectSameProgress(*state, history.state());
}

TEST(LaneState, ClearFreesTheOldIndexBeforeItMakesTheNewOne) {
  FilterOptions options = SnapshotTestOptions();
  options.window.entries_max = 2'000'000;
  const auto state = MakeLane(options);
  const uint64_t bytes = state->filter().bytes();
  ASSERT_GT(bytes, 50'000'000U) << "the test needs an index that is large from the start";
  const GrowthLimit limit(bytes / 2);
  ASSERT_TRUE(state->Clear().ok());
  EXPECT_EQ(state->filter().bytes(), bytes);
}

/// Index of the delta that holds the oldest of the newest `entries` entries.
size_t DeltaOfOldest(const Changelog& changelog, uint64_t entries) {
  size_t at = changelog.size();
  for (uint64_t held = 0; held < entries;) held += changelog[--at].delta.entries.size();
  return at;
}

TEST(LaneState, KnowsWhetherTheChangelogThatItReadStillHeldAllLiveEntries) {
  FilterOptions written = SnapshotTestOptions();
  written.window.entries_max = 1200;
  size_t purged = 0;
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    LaneHistory history(written, seed);
    LiveRange live(written.window);
    const Changelog& changelog = history.changelog();
    size_t added = 0;
    for (int step = 0; step < 120; ++step) {
      history.Step();
      for (; added < changelog.size(); ++added) {
        live.Add(changelog[added].mark.offset, changelog[added].delta);
      }
      if (step % 10 != 0) continue;
      SCOPED_TRACE("seed " + std::to_string(seed) + ", step " + std::to_string(step));
      // A reader with a window and a capacity of its own is as sure as the writer.
      FilterOptions reader = written;
      reader.window.window_ms = written.window.window_ms * 2 >> step % 3;
      reader.window.lateness_ms = written.window.lateness_ms * 2 >> step % 4;
      reader.window.entries_max = 1000 + step % 2 * 700;
      const size_t begin = CountUpTo(changelog, live.begin_offset() - 1);
      purged += begin;
      EXPECT_EQ(Folded(reader, changelog, begin, changelog.size())->entries_missing(), 0U);
      const uint64_t entries = changelog.back().delta.entries_live;
      if (entries == 0) continue;
      const size_t oldest = DeltaOfOldest(changelog, entries);
      EXPECT_GE(oldest, begin);
      if (oldest + 1 == changelog.size()) continue;
      const auto beheaded = Folded(reader, changelog, oldest + 1, changelog.size());
      EXPECT_GT(beheaded->entries_missing(), 0U);
      EXPECT_LE(beheaded->entries_missing(), changelog[oldest].delta.entries.size());
      EXPECT_EQ(beheaded->seq_first(), changelog[oldest + 1].delta.seq_first);
    }
  }
  EXPECT_GT(purged, 100U);
}

TEST(LaneState, ADeltaOfVersion2DoesNotSayWhetherEntriesAreMissing) {
  const FilterOptions options = SnapshotTestOptions();
  LaneHistory history(options, 8);
  history.Commit(50);
  history.Commit(50);
  Delta delta = history.changelog().back().delta;
  const auto state = MakeLane(options);
  ASSERT_TRUE(state->Apply(delta).ok());
  EXPECT_GT(state->entries_missing(), 0U);
  delta.entries_live = kEntriesUnknown;
  const auto older = MakeLane(options);
  ASSERT_TRUE(older->Apply(delta).ok());
  EXPECT_EQ(older->entries_missing(), std::nullopt);
}

}  // namespace
}  // namespace neardup
