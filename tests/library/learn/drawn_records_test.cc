#include "learn/drawn_records.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "learn/synthetic_streams.h"

namespace neardup {
namespace {

constexpr uint64_t kSeed = 20261124;

std::set<size_t> Chosen(const DrawnRecords& drawn) {
  std::set<size_t> chosen;
  for (const DrawnRecords::Drawn& record : drawn.records) chosen.insert(record.record);
  return chosen;
}

TEST(DrawnRecords, AreAllOfASmallSampleWithoutRepeatsAndDeadLetters) {
  std::vector<std::string> payloads = TextStream(kSeed, 300, 100, 3);
  payloads.insert(payloads.begin(), "{broken");
  payloads.push_back(payloads.back());
  const DrawnRecords drawn = DrawRecords(ViewsOf(payloads), TextOptions());
  EXPECT_EQ(drawn.dead_letters, 1U);
  EXPECT_GE(drawn.repeats, 1U);
  EXPECT_EQ(drawn.records.size(), drawn.distinct);
  EXPECT_EQ(drawn.distinct + drawn.repeats + drawn.dead_letters, payloads.size());
  EXPECT_TRUE(std::all_of(drawn.records.begin(), drawn.records.end(),
                          [](const auto& record) { return record.at_random; }));
}

TEST(DrawnRecords, HoldTheCopiesOfALargeSampleHoweverFarAwayTheyAre) {
  SeededRandom random(kSeed);
  std::vector<std::string> payloads;
  for (int i = 0; i < 5000; ++i) payloads.push_back(RecordOf({{"text", Phrase(random, 40)}}));
  for (int i = 0; i < 5000; ++i) {
    payloads.push_back(payloads[static_cast<size_t>(i)]);
    payloads.back().insert(9, "another ");
  }
  const DrawnRecords drawn = DrawRecords(ViewsOf(payloads), TextOptions());
  EXPECT_LE(drawn.records.size(), 4000U);
  EXPECT_EQ(drawn.distinct, 10'000U);
  const std::set<size_t> chosen = Chosen(drawn);
  size_t at_random = 0;
  size_t with_copy = 0;
  for (const DrawnRecords::Drawn& record : drawn.records) {
    if (!record.at_random) continue;
    ++at_random;
    with_copy += chosen.count((record.record + 5000) % 10'000);
  }
  EXPECT_EQ(at_random, 1000U);
  EXPECT_GT(with_copy, 950U);
}

TEST(DrawnRecords, AreInTheOrderOfTheSample) {
  const std::vector<std::string> payloads = TextStream(kSeed, 4000, 50, 3);
  const DrawnRecords drawn = DrawRecords(ViewsOf(payloads), TextOptions());
  EXPECT_TRUE(std::is_sorted(drawn.records.begin(), drawn.records.end(),
                             [](const auto& a, const auto& b) { return a.record < b.record; }));
  EXPECT_EQ(Chosen(drawn).size(), drawn.records.size());
}

TEST(EvenPart, TakesRecordsFromTheWholeLength) {
  const std::vector<std::string> payloads(10'000, "{}");
  const std::vector<RecordView> part = EvenPart(ViewsOf(payloads));
  EXPECT_EQ(part.size(), kStudiedMax);
  EXPECT_EQ(part.front().position.offset, 0);
  EXPECT_GT(part.back().position.offset, 9990);
  EXPECT_EQ(EvenPart(ViewsOf({"{}", "{}"})).size(), 2U);
}

}  // namespace
}  // namespace neardup
