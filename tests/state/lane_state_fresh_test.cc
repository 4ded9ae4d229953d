// A lane that begins anew under other settings, and whether a changelog still holds all that is
// live.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdint>
#include <fstream>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "state/lane_history.h"
#include "state/lane_state.h"
#include "state/live_range.h"

namespace neardup {
namespace {

/// A lane that took over the progress of the history's newest delta, and remembers `seeds` records.
std::unique_ptr<LaneState> BegunAnew(const FilterOptions& options, const Delta& last,
                                     size_t seeds) {
  auto state = MakeLane(options);
  const Result<void> begun = state->BeginAnew(last);
  EXPECT_TRUE(begun.ok()) << begun.error().text;
  const int64_t time_ms = last.inputs.front().time_ms;
  for (size_t i = 0; i < seeds; ++i) {
    const Position position{0, static_cast<int64_t>(i)};
    state->filter().Decide(MakeRecord(options, position, time_ms, Mix64(i + 1)));
    state->Seed();
  }
  return state;
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
  auto anew = BegunAnew(options, last, 20);
  EXPECT_EQ(anew->seq(), last.seq_last);
  EXPECT_EQ(anew->epoch(), last.epoch);
  EXPECT_EQ(anew->inputs(), last.inputs);
  EXPECT_EQ(anew->settings_seq(), last.seq_last + 1);
  const std::vector<Delta> deltas = anew->Uncommitted();
  ASSERT_EQ(deltas.size(), 1U);
  EXPECT_TRUE(deltas[0].fresh);
  EXPECT_EQ(deltas[0].entries_live, 20U);
  anew->Commit();
  EXPECT_FALSE(anew->Uncommitted().front().fresh);

  const auto follower = Folded(options, history.changelog(), 0, history.changelog().size());
  ASSERT_NE(follower->filter().entries(), 20U);
  ApplyAll(*follower, deltas);
  ExpectSameProgress(*anew, *follower);
  EXPECT_EQ(follower->settings_seq(), last.seq_last + 1);
  EXPECT_EQ(follower->entries_missing(), 0U);
  ExpectSameVerdicts(*anew, *follower, options, history.changelog(), history.changelog().size());
}

TEST(FreshDelta, ManySeedsAreCutIntoDeltasOfWhichOnlyTheFirstIsFresh) {
  FilterOptions options = SnapshotTestOptions();
  options.window.entries_max = 20'000;
  LaneHistory history(options, 4);
  history.Commit(100);
  const Delta last = history.changelog().back().delta;
  auto anew = BegunAnew(options, last, 9000);
  const std::vector<Delta> deltas = anew->Uncommitted();
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
  anew->Commit();
  EXPECT_EQ(entries, anew->filter().entries());
  auto follower = MakeLane(options);
  ApplyAll(*follower, deltas);
  ExpectSameProgress(*anew, *follower);

  // The next records are decided as always.
  const Position position{0, last.inputs[0].next_offset};
  anew->filter().Decide(MakeRecord(options, position, last.inputs[0].time_ms, 12345));
  EXPECT_EQ(anew->Advance(position), last.seq_last + 1);
  ApplyAll(*follower, anew->Uncommitted());
  anew->Commit();
  ExpectSameProgress(*anew, *follower);
}

TEST(FreshDelta, SeedsMergeWithTheRecordsBehindThem) {
  const FilterOptions options = SnapshotTestOptions();
  LaneHistory history(options, 5);
  history.Commit(50);
  const Delta last = history.changelog().back().delta;
  auto anew = BegunAnew(options, last, 30);
  Delta merged = anew->Uncommitted().front();
  anew->Commit();
  const Position position{0, last.inputs[0].next_offset};
  anew->filter().Decide(MakeRecord(options, position, last.inputs[0].time_ms, 12345));
  anew->Advance(position);
  Delta next = anew->Uncommitted().front();
  anew->Commit();
  ASSERT_TRUE(CanMerge(merged, next));
  Merge(merged, std::move(next));
  ASSERT_EQ(merged.entries.size(), 31U);
  auto follower = MakeLane(options);
  ApplyAll(*follower, {merged});
  ExpectSameProgress(*anew, *follower);
}

TEST(FreshDelta, TooManyEntriesBehindTheSeedsAreRefused) {
  const FilterOptions options = SnapshotTestOptions();
  LaneHistory history(options, 5);
  history.Commit(50);
  auto anew = BegunAnew(options, history.changelog().back().delta, 30);
  Delta delta = anew->Uncommitted().front();
  anew->Commit();
  delta.fresh = false;
  delta.seq_first = delta.seq_last = delta.settings_seq;
  ASSERT_TRUE(anew->Apply(delta).ok()) << "may be merged with the seeds";
  ++delta.seq_first;
  ++delta.seq_last;
  const Result<void> applied = anew->Apply(delta);
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

/// The address space of this process grows by `bytes` at most while this lives.
class GrowthLimit {
 public:
  explicit GrowthLimit(uint64_t bytes) {
    uint64_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    EXPECT_GT(pages, 0U);
    EXPECT_EQ(getrlimit(RLIMIT_AS, &before_), 0);
    rlimit limit = before_;
    limit.rlim_cur = pages * static_cast<uint64_t>(sysconf(_SC_PAGESIZE)) + bytes;
    EXPECT_EQ(setrlimit(RLIMIT_AS, &limit), 0);
  }
  ~GrowthLimit() { setrlimit(RLIMIT_AS, &before_); }
  GrowthLimit(const GrowthLimit&) = delete;
  GrowthLimit& operator=(const GrowthLimit&) = delete;

 private:
  rlimit before_ = {};
};

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
