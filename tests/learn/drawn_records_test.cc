#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "learn/sample.h"
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

TEST(DrawnRecords, AreTheSameInExactMode) {
  const std::vector<std::string> payloads = TextStream(kSeed, 10'000, 3000, 3);
  FilterOptions exact = TextOptions();
  exact.match.distance_max = 0;
  const DrawnRecords drawn = DrawRecords(ViewsOf(payloads), exact);
  EXPECT_EQ(Chosen(drawn), Chosen(DrawRecords(ViewsOf(payloads), TextOptions())));
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

/// The records that were drawn, by their payloads.
std::set<std::string> Drawn(const std::vector<std::string>& payloads) {
  std::set<std::string> drawn;
  for (const auto& record : DrawRecords(ViewsOf(payloads), TextOptions()).records) {
    if (record.at_random) drawn.insert(payloads[record.record]);
  }
  return drawn;
}

TEST(DrawnRecords, AreTheSameInEveryOrderOfTheSample) {
  std::vector<std::string> payloads = TextStream(kSeed, 8000, 50, 3);
  const std::set<std::string> drawn = Drawn(payloads);
  EXPECT_EQ(drawn.size(), 1000U);
  std::sort(payloads.begin(), payloads.end());
  EXPECT_EQ(Drawn(payloads), drawn);
  std::reverse(payloads.begin(), payloads.end());
  EXPECT_EQ(Drawn(payloads), drawn);
}

TEST(RandomPart, IsTheSameInEveryOrderOfTheSample) {
  std::vector<std::string> payloads = TextStream(kSeed, 8000, 50, 3);
  payloads.insert(payloads.end(), 4000, R"({"text":"the same"})");
  const auto part = [&] {
    std::multiset<std::string> values;
    for (const RecordView& record : RandomPart(ViewsOf(payloads))) {
      values.insert(std::string(*record.value));
    }
    return values;
  };
  const std::multiset<std::string> before = part();
  EXPECT_EQ(before.size(), kStudiedMax);
  EXPECT_NEAR(static_cast<double>(before.count(payloads.back())), 1000, 150)
      << "a third of the records are equal, and so is a third of the part";
  std::sort(payloads.begin(), payloads.end());
  EXPECT_EQ(part(), before);
}

TEST(ShuffledPart, IsTheSameListForEveryOrderOfTheSample) {
  std::vector<std::string> payloads = TextStream(kSeed, 3000, 50, 3);
  const auto part = [&] {
    std::vector<std::string> values;
    for (const RecordView& record : ShuffledPart(ViewsOf(payloads), 1000)) {
      values.emplace_back(*record.value);
    }
    return values;
  };
  const std::vector<std::string> before = part();
  EXPECT_EQ(before.size(), 1000U);
  std::reverse(payloads.begin(), payloads.end());
  EXPECT_EQ(part(), before);
}

TEST(RandomPart, KeepsTheOrderOfTheRecords) {
  const std::vector<std::string> payloads = TextStream(kSeed, 8000, 50, 3);
  const std::vector<RecordView> part = RandomPart(ViewsOf(payloads));
  EXPECT_TRUE(std::is_sorted(part.begin(), part.end(),
                             [](const auto& a, const auto& b) { return a.position < b.position; }));
  EXPECT_EQ(RandomPart(ViewsOf({"{}", "{}"})).size(), 2U);
}

}  // namespace
}  // namespace neardup
