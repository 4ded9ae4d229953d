#include "detect/filter/watermark.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace neardup {
namespace {

TEST(Watermark, IsTheSmallestOfTheInputsLargestTimes) {
  Watermark watermark;
  EXPECT_EQ(watermark.value_ms(), INT64_MIN);
  watermark.Observe(0, 100);
  EXPECT_EQ(watermark.value_ms(), 100);
  watermark.Observe(0, 50);
  EXPECT_EQ(watermark.time_ms(0), 100);
  watermark.Observe(0, 300);
  watermark.Observe(5, 310);
  EXPECT_EQ(watermark.value_ms(), 300);
  watermark.Observe(0, 400);
  EXPECT_EQ(watermark.value_ms(), 310);
  EXPECT_EQ(watermark.time_ms(9), INT64_MIN);
}

TEST(Watermark, NeverGoesBackWhenASlowerInputAppears) {
  Watermark watermark;
  watermark.Observe(0, 1000);
  watermark.Commit();
  watermark.Observe(1, 10);
  EXPECT_EQ(watermark.value_ms(), 1000);
  watermark.Observe(0, 2000);
  EXPECT_EQ(watermark.value_ms(), 1000);
  watermark.Observe(1, 1500);
  EXPECT_EQ(watermark.value_ms(), 1500);
}

/// Observes `count` times, 1 ms apart, up to `last_ms`.
void ObserveSeries(Watermark& watermark, size_t count, int64_t last_ms) {
  for (size_t i = count; i > 0; --i) watermark.Observe(0, last_ms - static_cast<int64_t>(i) + 1);
}

TEST(Watermark, AFewRecordsFarAheadOfTheOthersDoNotMoveIt) {
  Watermark watermark(100);
  for (int64_t commit = 0; commit < 5; ++commit) {
    ObserveSeries(watermark, 50, 1000 + 50 * commit);
    for (int64_t i = 1; i < 10; ++i) watermark.Observe(0, 1'000'000'000 * i);
    watermark.Commit();
    EXPECT_EQ(watermark.value_ms(), 1000 + 50 * commit);
  }
  watermark.Observe(0, 1340);
  ObserveSeries(watermark, 50, 1250);
  EXPECT_EQ(watermark.value_ms(), 1340)
      << "a record may be a jump ahead of a time that others reached";
}

TEST(Watermark, AStreamThatJumpsIsFollowed) {
  Watermark watermark(100);
  ObserveSeries(watermark, 50, 1000);
  watermark.Commit();
  ObserveSeries(watermark, 10, 500'000);
  watermark.Observe(0, 900'000);
  EXPECT_EQ(watermark.value_ms(), 500'000);
  watermark.Commit();
  watermark.Observe(0, 900'000);
  EXPECT_EQ(watermark.value_ms(), 900'000) << "too few records to tell who is right";
  watermark.Rollback();
  EXPECT_EQ(watermark.value_ms(), 500'000);
}

TEST(Watermark, TimesAtTheEndsOfTheRangeAreSafe) {
  Watermark watermark(100);
  for (int i = 0; i < 10; ++i) watermark.Observe(0, INT64_MIN + 1 + i);
  watermark.Observe(0, INT64_MAX);
  EXPECT_EQ(watermark.value_ms(), INT64_MIN + 10);
}

TEST(Watermark, IdleInputsDoNotHoldItBack) {
  Watermark watermark;
  watermark.Observe(0, 10);
  watermark.Observe(1, 1000);
  watermark.SetIdle(2, false);  // the input is known, but has no time
  EXPECT_EQ(watermark.value_ms(), 10);
  watermark.SetIdle(0, true);
  EXPECT_EQ(watermark.value_ms(), 1000);
  watermark.SetIdle(1, true);
  EXPECT_EQ(watermark.value_ms(), 1000);
}

TEST(Watermark, AnInputOfWhichNothingWasDecidedYetHoldsIt) {
  Watermark watermark;
  for (const uint32_t input : {0U, 1U}) {
    watermark.SetIdle(input, true);
    watermark.SetIdle(input, false);
  }
  watermark.Observe(0, 1000);
  watermark.Commit();
  EXPECT_EQ(watermark.value_ms(), INT64_MIN);  // what waits in input 1 may be older
  watermark.Observe(1, 10);
  EXPECT_EQ(watermark.value_ms(), 10);
}

TEST(Watermark, AnInputWhoseRecordsHaveNoTimeDoesNotHoldIt) {
  Watermark watermark;
  for (const uint32_t input : {0U, 1U, 2U}) {
    watermark.SetIdle(input, true);
    watermark.SetIdle(input, false);
  }
  watermark.Observe(0, 1000);
  watermark.Observe(1, INT64_MIN);
  EXPECT_EQ(watermark.value_ms(), INT64_MIN);
  watermark.SetIdle(2, true);  // read to its end, and nothing came
  EXPECT_EQ(watermark.value_ms(), 1000);
}

TEST(Watermark, IfAllInputsAreIdleTheLargestTimeCounts) {
  Watermark watermark;
  watermark.Observe(0, 10);
  watermark.Observe(1, 1000);
  watermark.SetIdle(1, true);
  EXPECT_EQ(watermark.value_ms(), 10);
  watermark.SetIdle(0, true);
  EXPECT_EQ(watermark.value_ms(), 1000);
}

TEST(Watermark, AnInputThatIsIdleForAMomentLeavesNoTrace) {
  Watermark watermark;
  watermark.Observe(0, 10);
  watermark.Observe(1, 1000);
  for (uint32_t input : {0, 1}) watermark.SetIdle(input, true);
  for (uint32_t input : {0, 1}) watermark.SetIdle(input, false);
  watermark.Commit();
  EXPECT_EQ(watermark.value_ms(), 10);
}

TEST(Watermark, RestoredTimesGiveTheValueTheyHadTogether) {
  Watermark watermark;
  watermark.RestoreTime(0, 1000);
  watermark.RestoreTime(1, 10);
  watermark.Commit();
  EXPECT_EQ(watermark.value_ms(), 10);
  watermark.Observe(1, 20);
  watermark.Rollback();
  EXPECT_EQ(watermark.value_ms(), 10);
  EXPECT_EQ(watermark.time_ms(1), 10);
}

TEST(Watermark, RollbackRestoresTimesAndValue) {
  Watermark watermark;
  watermark.Observe(0, 10);
  watermark.Commit();
  watermark.Observe(0, 500);
  watermark.Observe(1, 600);
  watermark.Rollback();
  EXPECT_EQ(watermark.value_ms(), 10);
  EXPECT_EQ(watermark.time_ms(0), 10);
  EXPECT_EQ(watermark.time_ms(1), INT64_MIN);
  watermark.Observe(1, 20);
  EXPECT_EQ(watermark.value_ms(), 10);
}

TEST(Watermark, TheHorizonIsWindowAndLatenessEarlierAndSaturates) {
  WindowOptions options;
  options.window_ms = 1000;
  options.lateness_ms = 50;
  EXPECT_EQ(HorizonAt(5000, options), 3950);
  EXPECT_EQ(HorizonAt(-1, options), -1051);
  EXPECT_EQ(HorizonAt(INT64_MIN, options), INT64_MIN);
  EXPECT_EQ(HorizonAt(INT64_MIN + 1049, options), INT64_MIN);
  EXPECT_EQ(HorizonAt(INT64_MIN + 1051, options), INT64_MIN + 1);
  EXPECT_EQ(HorizonAt(INT64_MAX, options), INT64_MAX - 1050);
}

/// The reference: recomputes everything after each step.
struct PlainWatermark {
  int64_t jump_max_ms = 0;
  std::map<uint32_t, int64_t> times;
  std::map<uint32_t, std::vector<int64_t>> seen;  ///< since a commit has begun
  std::map<uint32_t, bool> idle;
  std::set<uint32_t> awaited;  ///< became busy without a time, and nothing was observed since
  int64_t value_ms = INT64_MIN;

  void SetIdle(uint32_t input, bool now_idle) {
    if (idle[input] == now_idle) return;
    idle[input] = now_idle;
    if (!now_idle && !TimeOf(input)) awaited.insert(input);
    if (now_idle) awaited.erase(input);
  }

  std::optional<int64_t> TimeOf(uint32_t input) const {
    std::optional<int64_t> time_ms;
    if (times.contains(input)) time_ms = times.at(input);
    if (!seen.contains(input)) return time_ms;
    std::vector<int64_t> sorted = seen.at(input);
    std::sort(sorted.rbegin(), sorted.rend());
    for (const int64_t each : sorted) {
      const bool few = sorted.size() < Watermark::kWitnesses;
      if (few || each <= std::max(time_ms.value_or(INT64_MIN), sorted[9]) + jump_max_ms) {
        return std::max(each, time_ms.value_or(INT64_MIN));
      }
    }
    return time_ms;
  }

  int64_t Now() const {
    int64_t low = INT64_MAX;
    int64_t high = INT64_MIN;
    for (uint32_t input = 0; input < 4; ++input) {
      const std::optional<int64_t> time_ms = TimeOf(input);
      if (!time_ms) continue;
      high = std::max(high, *time_ms);
      if (!idle.contains(input) || !idle.at(input)) low = std::min(low, *time_ms);
    }
    if (!awaited.empty()) low = INT64_MIN;
    return std::max(value_ms, low == INT64_MAX ? high : low);
  }

  void BeginCommit() {
    value_ms = Now();
    for (const auto& [input, unused] : seen) times[input] = *TimeOf(input);
    seen.clear();
  }
};

TEST(Watermark, EqualsARecomputationAfterAnySteps) {
  for (uint64_t seed = 1; seed <= 30; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    constexpr int64_t kJumpMaxMs = 50;
    Watermark watermark(kJumpMaxMs);
    PlainWatermark plain;
    plain.jump_max_ms = kJumpMaxMs;
    PlainWatermark committed;
    std::optional<PlainWatermark> committing;
    for (int step = 0; step < 2000; ++step) {
      const auto input = static_cast<uint32_t>(random() % 4);
      const uint64_t dice = random() % 100;
      if (dice < 80) {
        const auto time_ms = static_cast<int64_t>(step * 5 + random() % 300);
        watermark.Observe(input, time_ms);
        plain.awaited.erase(input);
        plain.seen[input].push_back(time_ms);
      } else if (dice < 90) {
        const bool idle = random() % 2 == 0;
        watermark.SetIdle(input, idle);
        plain.SetIdle(input, idle);
      } else if (dice < 93) {
        watermark.BeginCommit();
        plain.BeginCommit();
        committing = plain;
      } else if (dice < 96) {
        watermark.Commit();
        if (!committing) {
          plain.BeginCommit();
          committing = plain;
        }
        committed = *committing;
        committing.reset();
      } else {
        watermark.Rollback();
        committing.reset();
        plain.times = committed.times;
        plain.seen.clear();
        plain.value_ms = committed.value_ms;
      }
      ASSERT_EQ(watermark.value_ms(), plain.Now()) << "step " << step;
    }
  }
}

}  // namespace
}  // namespace neardup
