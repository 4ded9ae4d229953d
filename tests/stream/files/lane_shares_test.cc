// What several lanes would miss, against groups that are counted by hand.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>
#include <string>

#include "detect/base/hash.h"
#include "stream/files/local_ports.h"

namespace neardup {
namespace {

Verdict Unique() { return {}; }

Verdict DuplicateOf(int64_t line) {
  Verdict verdict;
  verdict.decision = Decision::kDuplicate;
  verdict.match.original = {0, line};
  return verdict;
}

std::string Site(const std::string& site) { return fmt::format(R"({{"site":"{}"}})", site); }

TEST(LaneShares, LosesNothingWhereCopiesHaveTheKeyOfTheirOriginal) {
  LaneShares shares(4, "site");
  for (int64_t line = 0; line < 40; ++line) {
    const int64_t original = line % 10;
    shares.Add(line < 10 ? Unique() : DuplicateOf(original), line,
               Site(fmt::format("s{}", original)));
  }
  EXPECT_EQ(shares.duplicates(), 30U);
  EXPECT_EQ(shares.lost(), 0U);
}

TEST(LaneShares, CountsTheFirstCopyOfAGroupInEachOtherLane) {
  constexpr int kLanes = 5;
  std::mt19937 random(3);
  LaneShares shares(kLanes, "/site");
  std::map<int64_t, std::set<uint64_t>> lanes_of;  // by original
  std::map<uint64_t, uint64_t> records;
  uint64_t lost = 0;
  for (int64_t line = 0; line < 2000; ++line) {
    const std::string site = fmt::format("s{}", random() % 50);
    const uint64_t lane = Hash64(site) % kLanes;
    ++records[lane];
    const bool is_copy = line >= 100;
    const int64_t original = is_copy ? static_cast<int64_t>(random() % 100) : line;
    const bool is_first = lanes_of[original].insert(lane).second;
    lost += is_copy && is_first ? 1 : 0;
    shares.Add(is_copy ? DuplicateOf(original) : Unique(), line, Site(site));
  }
  EXPECT_EQ(shares.lost(), lost);
  EXPECT_GT(lost, 100U);
  uint64_t most = 0;
  for (const auto& [lane, count] : records) most = std::max(most, count);
  EXPECT_DOUBLE_EQ(shares.LargestShare(), static_cast<double>(most) / 2000);
}

TEST(LaneShares, RecordsWithoutTheFieldGoToAnyLane) {
  LaneShares shares(2, "site");
  for (int64_t line = 0; line < 1000; ++line) shares.Add(Unique(), line, R"({"title":"a"})");
  EXPECT_LT(shares.LargestShare(), 0.6);
}

}  // namespace
}  // namespace neardup
