// Against a list of all entries, one by one: nothing that a lane may still need is called dead, and
// what is dead is not kept for long.
#include "stream/state/live_range.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <random>
#include <string>

#include "detect/filter/watermark.h"
#include "stream/state/lane_history.h"

namespace neardup {
namespace {

/// Rows hold that many entries or records of the changelog, at most.
constexpr size_t kRow = 4096;

/// What a lane of these options remembers after the deltas.
class ListedEntries {
 public:
  explicit ListedEntries(const WindowOptions& window) : window_(window) {}

  void Add(int64_t changelog_offset, const Delta& delta) {
    for (const Entry& entry : delta.entries) held_.push_back({changelog_offset, entry.time_ms});
    horizon_ms_ = std::max({horizon_ms_, delta.horizon_ms, HorizonAt(delta.watermark_ms, window_)});
    while (held_.size() > window_.entries_max) held_.pop_front();
    while (!held_.empty() && held_.front().time_ms < horizon_ms_) held_.pop_front();
  }

  size_t size() const { return held_.size(); }
  /// Changelog offset of the oldest entry.
  int64_t begin_offset() const {
    return held_.empty() ? INT64_MAX : held_.front().changelog_offset;
  }

 private:
  struct Held {
    int64_t changelog_offset = 0;
    int64_t time_ms = 0;
  };
  WindowOptions window_;
  int64_t horizon_ms_ = INT64_MIN;
  std::deque<Held> held_;
};

/// Deltas of all sizes, at all paces, in stretches.
class RandomDeltas {
 public:
  RandomDeltas(uint64_t seed, const WindowOptions& window) : random_(seed), window_(window) {}

  Delta Next() {
    if (random_() % 50 == 0) entries_max_ = random_() % 4 == 0 ? 1 : 1 + random_() % 3000;
    if (random_() % 50 == 0) pace_ms_ = 5 + static_cast<int64_t>(random_() % 40);
    Delta delta;
    delta.window_ms = window_.window_ms;
    delta.entries_max = window_.entries_max;
    delta.horizon_ms = horizon_ms_;
    delta.entries.resize(random_() % entries_max_);
    for (Entry& entry : delta.entries) {
      time_ms_ += static_cast<int64_t>(random_() % static_cast<uint64_t>(pace_ms_));
      entry.time_ms = time_ms_ - static_cast<int64_t>(random_() % 2000);
    }
    delta.watermark_ms = time_ms_ - static_cast<int64_t>(random_() % 1000);
    if (random_() % 3 > 0) {  // else another delta of the transaction follows
      horizon_ms_ = std::max(horizon_ms_, HorizonAt(delta.watermark_ms, window_));
    }
    offset_ += 1 + static_cast<int64_t>(random_() % 3);
    return delta;
  }
  int64_t offset() const { return offset_; }

 private:
  std::mt19937_64 random_;
  WindowOptions window_;
  uint64_t entries_max_ = 100;
  int64_t pace_ms_ = 5;
  int64_t offset_ = 1000;
  int64_t time_ms_ = 1'700'000'000'000;
  int64_t horizon_ms_ = INT64_MIN;
};

TEST(LiveRange, KeepsEveryEntryThatALaneRemembersAndSoonDropsTheOthers) {
  const WindowOptions written = {
      .window_ms = 100'000, .lateness_ms = 1000, .ahead_max_ms = 0, .entries_max = 20'000};
  WindowOptions longer = written;
  longer.window_ms *= 2;
  longer.entries_max *= 2;
  WindowOptions shorter = written;
  shorter.window_ms /= 2;
  shorter.entries_max /= 2;
  for (uint64_t seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const WindowOptions& own = seed % 3 == 0 ? longer : seed % 3 == 1 ? written : shorter;
    const WindowOptions& most = seed % 3 == 0 ? longer : written;
    RandomDeltas deltas(seed, written);
    LiveRange range(own);
    ListedEntries here(own);
    ListedEntries needed(most);
    std::deque<std::pair<int64_t, size_t>> kept;  // offsets and entries from begin_offset on
    size_t kept_entries = 0;
    int64_t begin_before = range.begin_offset();
    EXPECT_EQ(begin_before, 0);
    for (int i = 0; i < 3000; ++i) {
      const Delta delta = deltas.Next();
      range.Add(deltas.offset(), delta);
      here.Add(deltas.offset(), delta);
      needed.Add(deltas.offset(), delta);
      ASSERT_LE(range.begin_offset(), here.begin_offset());
      ASSERT_LE(range.begin_offset(), needed.begin_offset());
      ASSERT_LE(begin_before, range.begin_offset());
      begin_before = range.begin_offset();
      kept.emplace_back(deltas.offset(), delta.entries.size());
      kept_entries += delta.entries.size();
      for (; kept.front().first < range.begin_offset(); kept.pop_front()) {
        kept_entries -= kept.front().second;
      }
      // A row in part, the last delta's own commit, and entries after one that came late. What
      // a longer window of one's own keeps is bounded by capacity.
      const size_t needed_entries = &own == &longer ? longer.entries_max : needed.size();
      ASSERT_LE(kept_entries, needed_entries + 5 * kRow);
    }
    EXPECT_GT(begin_before, 1000 + 3000);
  }
}

TEST(LiveRange, AdvancesOverDeltasWithoutEntries) {
  const WindowOptions window = {
      .window_ms = 10'000, .lateness_ms = 0, .ahead_max_ms = 0, .entries_max = 1000};
  LiveRange range(window);
  Delta delta;
  delta.entries_max = window.entries_max;
  delta.entries.resize(1);
  delta.entries[0].time_ms = 1'000'000;
  range.Add(5, delta);
  delta.entries.clear();
  for (int64_t offset = 6; offset < 100'000; ++offset) {
    delta.watermark_ms = 1'000'000 + offset;
    delta.horizon_ms = HorizonAt(delta.watermark_ms, window);
    range.Add(offset, delta);
    if (offset < 10'000) {
      ASSERT_EQ(range.begin_offset(), 5);
    }
  }
  EXPECT_GT(range.begin_offset(), 90'000);
  EXPECT_LT(range.begin_offset(), 100'000);
}

TEST(LiveRange, KeepsAnEntryWhoseTimeIsExactlyTheHorizon) {
  const WindowOptions window;
  Delta delta;
  delta.entries_max = window.entries_max;
  delta.entries.resize(1);
  delta.entries[0].time_ms = 5000;
  LiveRange range(window);
  range.Add(7, delta);
  delta.entries[0].time_ms = 9000;
  range.Add(8, delta);
  delta.entries.clear();
  delta.watermark_ms = 5000 + window.window_ms + window.lateness_ms;
  delta.horizon_ms = 5000;
  range.Add(9, delta);
  EXPECT_EQ(range.begin_offset(), 7);
  ++delta.watermark_ms;
  ++delta.horizon_ms;
  range.Add(10, delta);
  EXPECT_EQ(range.begin_offset(), 8);
}

TEST(LiveRange, KeepsEverythingWhileThereIsNoHorizon) {
  LiveRange range(WindowOptions{});
  for (int64_t offset = 7; offset < 50'000; offset += 10) range.Add(offset, Delta());
  EXPECT_EQ(range.begin_offset(), 7);
}

TEST(LiveRange, KeepsEntriesWhoseTimesAreOutsideTheRangeOfTheIndex) {
  constexpr int64_t kLongAgoMs = -60'000'000'000'000;  // about the year 68; kept as 1080
  FilterOptions options = SnapshotTestOptions();
  const auto lane = Folded(options, {}, 0, 0);
  LiveRange range(options.window);
  LaneHistory history(options, 1);
  Delta delta = history.changelog().front().delta;
  delta.inputs = {{{"news", 0}, 100'000, INT64_MIN}};
  for (int64_t i = 0; i < 20; ++i) {
    const int64_t time_ms = kLongAgoMs + i * 100'000;
    delta.seq_first = delta.seq_last + 1;
    delta.seq_last += 10;
    delta.inputs[0].time_ms = delta.watermark_ms = time_ms;
    delta.horizon_ms = HorizonAt(time_ms, options.window);
    delta.entries.resize(10);
    for (Entry& entry : delta.entries) entry.time_ms = time_ms;
    range.Add(5000 * i, delta);
    ASSERT_TRUE(lane->Apply(delta).ok());
    const auto live_deltas = static_cast<int64_t>(lane->filter().entries() / 10);
    EXPECT_LE(range.begin_offset(), 5000 * (i + 1 - live_deltas));
  }
}

TEST(LiveRange, ApplyingTheLiveDeltasGivesTheLaneThatApplyingAllGives) {
  const FilterOptions written = SnapshotTestOptions();
  for (uint64_t seed = 1; seed <= 2; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    FilterOptions options = written;
    if (seed == 2) {
      options.window.window_ms += 5000;
      options.window.entries_max += 100;
    }
    LaneHistory history(written, seed);
    const Changelog& changelog = history.changelog();
    LiveRange range(options.window);
    const auto from_all = Folded(options, changelog, 0, 0);
    size_t added = 0;
    size_t left_out = 0;
    for (int step = 0; step < 160; ++step) {
      history.Step();
      for (; added < changelog.size(); ++added) {
        range.Add(changelog[added].mark.offset, changelog[added].delta);
        ASSERT_TRUE(from_all->Apply(changelog[added].delta).ok());
      }
      if (history.random()() % 30 != 0) continue;
      const size_t begin = CountUpTo(changelog, range.begin_offset() - 1);
      left_out = std::max(left_out, begin);
      const auto from_live = Folded(options, changelog, begin, added);
      ExpectSameProgress(*from_all, *from_live);
      ExpectSameVerdicts(*from_all, *from_live, changelog, added);
      if (HasFailure()) return;
    }
    EXPECT_GT(left_out, added / 2);
  }
}

TEST(LiveRange, AFreshDeltaNeedsNothingBeforeIt) {
  const WindowOptions window = {
      .window_ms = 100'000, .lateness_ms = 1000, .ahead_max_ms = 0, .entries_max = 20'000};
  RandomDeltas deltas(1, window);
  LiveRange live(window);
  for (int i = 0; i < 100; ++i) {
    const Delta delta = deltas.Next();
    live.Add(deltas.offset(), delta);
  }
  Delta fresh = deltas.Next();
  fresh.fresh = true;
  ASSERT_LT(live.begin_offset(), deltas.offset());
  live.Add(deltas.offset(), fresh);
  EXPECT_EQ(live.begin_offset(), deltas.offset());
}

}  // namespace
}  // namespace neardup
