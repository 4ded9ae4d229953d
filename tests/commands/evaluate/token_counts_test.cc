#include <gtest/gtest.h>

#include <algorithm>

#include "commands/evaluate/scheme.h"
#include "commands/evaluate/scheme_record.h"
#include "detect/base/hash.h"

namespace neardup {
namespace {

using Tokens = std::vector<uint64_t>;

TEST(TokenCounts, AreOfAllTextsTogether) {
  const SchemeRecord record{"b a b", "", "a b"};
  const auto counts = CountTokens(record.texts());
  ASSERT_EQ(counts.size(), 2U);
  for (const TokenCount& count : counts) {
    EXPECT_EQ(count.count, count.token == Hash64("a") ? 2U : 3U);
  }
  Tokens expected = {Hash64("a"), Hash64("b")};
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(DistinctTokens(record.texts()), expected);
}

TEST(DocumentFrequencies, CountsRecordsNotOccurrences) {
  DocumentFrequencies frequencies;
  frequencies.Add(Tokens{1, 2});
  frequencies.Add(Tokens{2});
  frequencies.Add(Tokens{});
  EXPECT_EQ(frequencies.records(), 3U);
  EXPECT_EQ(frequencies.Of(1), 1U);
  EXPECT_EQ(frequencies.Of(2), 2U);
  EXPECT_EQ(frequencies.Of(3), 0U);
}

TEST(DocumentFrequencies, NamesTheCommonestTokens) {
  DocumentFrequencies frequencies;
  frequencies.Add(Tokens{9, 5, 4});
  frequencies.Add(Tokens{9, 4, 5});
  frequencies.Add(Tokens{9, 7});
  EXPECT_EQ(frequencies.Commonest(1), (Tokens{9}));
  EXPECT_EQ(frequencies.Commonest(2), (Tokens{4, 9}));
  EXPECT_EQ(frequencies.Commonest(100), (Tokens{4, 5, 7, 9}));
}

}  // namespace
}  // namespace neardup
