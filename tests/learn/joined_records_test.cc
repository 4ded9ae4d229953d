#include <gtest/gtest.h>

#include <vector>

#include "learn/neighbours.h"

namespace neardup {
namespace {

std::vector<uint64_t> Hashes(uint64_t first, size_t count) {
  std::vector<uint64_t> hashes;
  for (uint64_t i = 0; i < count; ++i) hashes.push_back((first + i) * 0x9e3779b97f4a7c15U);
  return hashes;
}

TEST(SharedPhrases, IsTheShareOfTheShorterRecord) {
  const Phrases four = PhrasesOf(std::vector<uint64_t>{9, 1, 5, 5, 7});
  EXPECT_EQ(four.hashes, (std::vector<uint64_t>{1, 5, 7, 9}));
  EXPECT_EQ(SharedPhrases(four, PhrasesOf(std::vector<uint64_t>{5, 7})), 1);
  EXPECT_EQ(SharedPhrases(four, PhrasesOf(std::vector<uint64_t>{5, 6, 8, 9, 10, 11})), 0.5);
  EXPECT_EQ(SharedPhrases(four, Phrases{}), 0);
}

TEST(SharedPhrases, OfASampleIsNearThatOfAllPhrases) {
  for (const uint64_t begin : {100U, 400U, 700U}) {  // the second record has 1,000 - begin of them
    const double all = SharedPhrases(PhrasesOf(Hashes(0, 1000)), PhrasesOf(Hashes(begin, 1000)));
    EXPECT_DOUBLE_EQ(all, static_cast<double>(1000 - begin) / 1000);
    for (const size_t most : {256U, 2000U}) {
      const double some =
          SharedPhrases(PhrasesOf(Hashes(0, 1000), 256), PhrasesOf(Hashes(begin, 1000), most));
      EXPECT_NEAR(some, all, 0.1);
    }
  }
}

TEST(JoinedRecords, AreTooManyBeyondAShareAndWhatMayBeChance) {
  JoinedRecords good;
  for (int i = 0; i < 1000; ++i) good.Add(i < 100 ? 0.5 : 0.9);
  EXPECT_EQ(good, (JoinedRecords{1000, 0, 100}));
  EXPECT_LT(good.Excess(), 1);
  JoinedRecords doubtful = good;
  doubtful.doubtful = 200;
  EXPECT_GT(doubtful.Excess(), 1);
  JoinedRecords unlike = good;
  unlike.unlike = 30;
  EXPECT_GT(unlike.Excess(), 1);
  EXPECT_LT((JoinedRecords{3, 0, 1}).Excess(), 1) << "one of three may be chance";
  EXPECT_EQ(JoinedRecords{}.Excess(), 0);
}

}  // namespace
}  // namespace neardup
