#include <gtest/gtest.h>

#include "schemes/token_counts.h"

namespace neardup {
namespace {

using Tokens = std::vector<uint64_t>;

TEST(DocumentFrequencies, CountsRecordsNotPlaces) {
  DocumentFrequencies frequencies;
  frequencies.Add(Tokens{1, 2});
  frequencies.Add(Tokens{2});
  frequencies.Add(Tokens{});
  EXPECT_EQ(frequencies.records(), 3U);
  EXPECT_EQ(frequencies.Of(1), 1U);
  EXPECT_EQ(frequencies.Of(2), 2U);
  EXPECT_EQ(frequencies.Of(3), 0U);
}

TEST(DocumentFrequencies, NamesTheCommonest) {
  DocumentFrequencies frequencies;
  frequencies.Add(Tokens{9, 5, 4});
  frequencies.Add(Tokens{9, 4, 5});
  frequencies.Add(Tokens{9, 7});
  EXPECT_EQ(frequencies.Commonest(1), (Tokens{9}));
  EXPECT_EQ(frequencies.Commonest(2), (Tokens{4, 9}));
  EXPECT_EQ(frequencies.Commonest(100), (Tokens{4, 5, 7, 9}));
}

TEST(DocumentFrequencies, HashKnowsTheContentOnly) {
  DocumentFrequencies a;
  a.Add(Tokens{1, 2});
  a.Add(Tokens{2});
  DocumentFrequencies b;
  b.Add(Tokens{2});
  b.Add(Tokens{2, 1});
  EXPECT_EQ(a.hash(), b.hash());
  b.Add(Tokens{});
  EXPECT_NE(a.hash(), b.hash());
  a.Add(Tokens{2});
  EXPECT_NE(a.hash(), b.hash());
}

}  // namespace
}  // namespace neardup
