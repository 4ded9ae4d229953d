#include "detect/fingerprint/text_keys.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <vector>

#include "detect/base/hash.h"
#include "detect/base/simd_levels.h"

namespace neardup {
namespace {

constexpr uint32_t kSeed = 20260131;

std::vector<uint32_t> Chosen(const std::vector<uint64_t>& triples, const Model& model = {}) {
  const ProbedKeys keys = ChooseTextKeys(triples, model);
  return {keys.keys().begin(), keys.keys().end()};
}

/// The documented rule in its plainest form: sort all ranks, take eight.
std::vector<uint32_t> Defined(const std::vector<uint64_t>& triples, const Model& model = {}) {
  std::map<uint64_t, uint64_t> by_rank;
  for (const uint64_t triple : triples) {
    if (std::count(model.common.begin(), model.common.end(), triple) == 0) {
      by_rank[Mix64(triple + 2)] = triple;
    }
  }
  std::vector<uint32_t> keys;
  size_t ranks = 0;
  for (const auto& [rank, triple] : by_rank) {
    if (++ranks > 8) break;
    const auto key = std::max<uint32_t>(static_cast<uint32_t>(Mix64(rank) >> 32), 1);
    if (std::count(keys.begin(), keys.end(), key) == 0) keys.push_back(key);
  }
  return keys;
}

/// The argument for which Mix64 gives `value`: the steps of Mix64 backwards.
uint64_t Unmix(uint64_t value) {
  const auto inverse =
      [](uint64_t odd) {  // the multiplicative inverse modulo 2^64, by Newton's method
        uint64_t result = odd;
        for (int step = 0; step < 6; ++step) result *= 2 - odd * result;
        return result;
      };
  value = value ^ (value >> 31) ^ (value >> 62);
  value *= inverse(0x94D049BB133111EB);
  value = value ^ (value >> 27) ^ (value >> 54);
  value *= inverse(0xBF58476D1CE4E5B9);
  return value ^ (value >> 30) ^ (value >> 60);
}

/// The triple whose key is taken from the 64 bits `mixed`.
uint64_t TripleOf(uint64_t mixed) { return Unmix(Unmix(mixed)) - 2; }

TEST(TextKeys, TakesTheSmallestRanksInAscendingOrder) {
  AtEachSimdLevel([] {
    std::mt19937_64 random(kSeed);
    for (int round = 0; round < 2000; ++round) {
      std::vector<uint64_t> triples(random() % (round % 10 == 0 ? 500 : 60));
      const uint64_t few = 1 + random() % 30;
      for (uint64_t& triple : triples) triple = random() % 2 == 0 ? random() : random() % few;
      // Many repeats: fewer different ranks than keys.
      if (round % 4 == 0)
        std::replace_if(
            triples.begin(), triples.end(), [&](uint64_t triple) { return triple > few; }, few);
      Model model;
      for (const uint64_t triple : triples) {
        if (random() % 4 == 0) model.common.push_back(triple);
      }
      std::sort(model.common.begin(), model.common.end());
      ASSERT_EQ(Chosen(triples), Defined(triples)) << "seed " << kSeed << " round " << round;
      ASSERT_EQ(Chosen(triples, model), Defined(triples, model)) << "seed " << kSeed;
    }
  });
}

TEST(TextKeys, FindsNoKeysWithoutUncommonTriples) {
  EXPECT_TRUE(Chosen({}).empty());
  Model model;
  model.common = {3, 7};
  EXPECT_TRUE(Chosen({7, 3, 7}, model).empty());
  EXPECT_EQ(Chosen({7, 3, 5}, model), Chosen({5}));
}

TEST(TextKeys, ReplacesTheKeyZeroByOne) { EXPECT_EQ(Chosen({TripleOf(5)}), (std::vector{1U})); }

TEST(TextKeys, TakesEqualKeysOnce) {
  const uint64_t upper = uint64_t{0xABCD1234} << 32;
  EXPECT_EQ(Chosen({TripleOf(upper | 1), TripleOf(upper | 2)}), (std::vector{0xABCD1234U}));
  const std::vector<uint32_t> zero_and_one = Chosen({TripleOf(5), TripleOf((uint64_t{1} << 32))});
  EXPECT_EQ(zero_and_one, (std::vector{1U}));
}

TEST(TextKeys, FindsMostKeysSharedIfMostTriplesAreShared) {
  std::mt19937_64 random(kSeed);
  size_t shared = 0;
  for (int round = 0; round < 500; ++round) {
    std::vector<uint64_t> triples(100);
    for (uint64_t& triple : triples) triple = random();
    const std::vector<uint32_t> before = Chosen(triples);
    for (size_t i = 0; i < 10; ++i) triples[i] = random();
    const std::vector<uint32_t> after = Chosen(triples);
    for (const uint32_t key : after) shared += std::count(before.begin(), before.end(), key);
  }
  // The Jaccard coefficient is 90 / 110, so a little more than that share of the 8 keys is shared.
  EXPECT_GT(shared, 500U * 6);
  EXPECT_LT(shared, 500U * 8);
}

}  // namespace
}  // namespace neardup
