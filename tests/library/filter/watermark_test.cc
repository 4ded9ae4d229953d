#include "filter/watermark.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <random>
#include <set>

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
  watermark.Observe(1, 10);
  EXPECT_EQ(watermark.value_ms(), 1000);
  watermark.Observe(0, 2000);
  EXPECT_EQ(watermark.value_ms(), 1000);
  watermark.Observe(1, 1500);
  EXPECT_EQ(watermark.value_ms(), 1500);
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
  std::map<uint32_t, int64_t> times;
  std::map<uint32_t, bool> idle;
  std::set<uint32_t> awaited;  ///< became busy without a time, and nothing was observed since
  int64_t value_ms = INT64_MIN;

  void SetIdle(uint32_t input, bool now_idle) {
    if (idle[input] == now_idle) return;
    idle[input] = now_idle;
    if (!now_idle && !times.contains(input)) awaited.insert(input);
    if (now_idle) awaited.erase(input);
  }

  int64_t Now() const {
    int64_t low = INT64_MAX;
    int64_t high = INT64_MIN;
    for (const auto& [input, time_ms] : times) {
      high = std::max(high, time_ms);
      if (!idle.contains(input) || !idle.at(input)) low = std::min(low, time_ms);
    }
    if (!awaited.empty()) low = INT64_MIN;
    return std::max(value_ms, low == INT64_MAX ? high : low);
  }
};

TEST(Watermark, EqualsARecomputationAfterAnySteps) {
  for (uint64_t seed = 1; seed <= 30; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    Watermark watermark;
    PlainWatermark plain;
    PlainWatermark committed;
    std::optional<PlainWatermark> committing;
    for (int step = 0; step < 2000; ++step) {
      const auto input = static_cast<uint32_t>(random() % 4);
      const uint64_t dice = random() % 100;
      if (dice < 80) {
        const auto time_ms = static_cast<int64_t>(step * 5 + random() % 300);
        watermark.Observe(input, time_ms);
        plain.times.try_emplace(input, time_ms);
        plain.awaited.erase(input);
        plain.times[input] = std::max(plain.times[input], time_ms);
        plain.value_ms = plain.Now();
      } else if (dice < 90) {
        const bool idle = random() % 2 == 0;
        watermark.SetIdle(input, idle);
        plain.SetIdle(input, idle);
      } else if (dice < 93) {
        watermark.BeginCommit();
        plain.value_ms = plain.Now();
        committing = plain;
      } else if (dice < 96) {
        watermark.Commit();
        if (!committing) {
          plain.value_ms = plain.Now();
          committing = plain;
        }
        committed = *committing;
        committing.reset();
      } else {
        watermark.Rollback();
        committing.reset();
        plain.times = committed.times;
        plain.value_ms = committed.value_ms;
      }
      ASSERT_EQ(watermark.value_ms(), plain.Now()) << "step " << step;
    }
  }
}

}  // namespace
}  // namespace neardup
