#include "detect/feature/text_features.h"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <vector>

#include "detect/base/hash.h"
#include "detect/base/simd_levels.h"

namespace neardup {
namespace {

using Hashes = std::vector<uint64_t>;

Hashes Pairs(const Hashes& tokens) {
  Hashes pairs;
  AppendPairs(tokens, pairs);
  return pairs;
}

Hashes Triples(const Hashes& tokens) {
  Hashes triples;
  AppendTriples(tokens, Pairs(tokens), triples);
  return triples;
}

uint64_t Pair(uint64_t a, uint64_t b) { return Mix64(Mix64(a) + b); }

uint64_t Triple(uint64_t a, uint64_t b, uint64_t c) { return Mix64(Mix64(Mix64(a) + b) + c); }

TEST(TextFeatures, HashPairsOfNeighboursInTheirOrder) {
  EXPECT_EQ(Pairs({5, 6, 7, 6}), (Hashes{Pair(5, 6), Pair(6, 7), Pair(7, 6)}));
  EXPECT_NE(Pair(6, 7), Pair(7, 6));
}

TEST(TextFeatures, AgreeWithTheirDefinitionForEveryNumberOfTokens) {
  AtEachSimdLevel([] {
    std::mt19937_64 random(20260131);
    for (size_t count = 3; count <= 100; ++count) {
      Hashes tokens(count);
      for (uint64_t& token : tokens) token = random();
      Hashes pairs;
      Hashes triples;
      for (size_t i = 0; i + 1 < count; ++i) pairs.push_back(Pair(tokens[i], tokens[i + 1]));
      for (size_t i = 0; i + 2 < count; ++i) {
        triples.push_back(Triple(tokens[i], tokens[i + 1], tokens[i + 2]));
      }
      EXPECT_EQ(Pairs(tokens), pairs);
      EXPECT_EQ(Triples(tokens), triples);
    }
  });
}

TEST(TextFeatures, PairASingleTokenWithZero) {
  EXPECT_EQ(Pairs({5}), (Hashes{Mix64(Mix64(5))}));
  EXPECT_TRUE(Pairs({}).empty());
}

TEST(TextFeatures, HashTriplesOfNeighboursInTheirOrder) {
  EXPECT_EQ(Triples({5, 6, 7, 5, 6}), (Hashes{Triple(5, 6, 7), Triple(6, 7, 5), Triple(7, 5, 6)}));
}

TEST(TextFeatures, GiveOneTripleForAShortText) {
  EXPECT_EQ(Triples({5, 6}), (Hashes{Mix64(Pair(5, 6))}));
  EXPECT_EQ(Triples({5}), (Hashes{Mix64(Mix64(Mix64(5)))}));
  EXPECT_TRUE(Triples({}).empty());
}

TEST(TextFeatures, AreAppended) {
  Hashes all = {1};
  AppendPairs(Hashes{5, 6}, all);
  AppendTriples(Hashes{5, 6, 7}, Pairs({5, 6, 7}), all);
  EXPECT_EQ(all, (Hashes{1, Pair(5, 6), Triple(5, 6, 7)}));
}

TEST(TextFeatures, DifferForEveryOrderOfTokens) {
  std::set<uint64_t> triples;
  for (uint64_t a = 0; a < 12; ++a) {
    for (uint64_t b = 0; b < 12; ++b) {
      for (uint64_t c = 0; c < 12; ++c) triples.insert(Triples({a, b, c}).front());
    }
  }
  EXPECT_EQ(triples.size(), 12U * 12 * 12);
}

}  // namespace
}  // namespace neardup
