#include "detect/fingerprint/simhash.h"

#include <gtest/gtest.h>

#include <random>
#include <utility>
#include <vector>

#include "detect/base/simd_levels.h"

namespace neardup {
namespace {

constexpr uint32_t kSeed = 20260131;
constexpr std::array<int32_t, 64> kNoCentre{};

uint64_t SimhashOf(const std::vector<Feature>& features) { return Simhash(SumBits(features)); }

TEST(Simhash, IsTheHashOfASingleFeature) {
  EXPECT_EQ(SimhashOf({{0x0123456789ABCDEF, 16}}), 0x0123456789ABCDEFU);
}

TEST(Simhash, IsZeroForNoFeatures) {
  EXPECT_EQ(SimhashOf({}), 0U);
  EXPECT_EQ(CentredSimhash(BitSums{}, kNoCentre), 0U);
}

TEST(Simhash, TakesTheHeavierSideOfEachBit) {
  // Bit 0: 3 for, 2 + 2 against. Bit 1: 3 + 2 for, 2 against. Bit 2: none for, all against.
  const std::vector<Feature> features = {{0b011, 3}, {0b010, 2}, {0b000, 2}};
  const BitSums sums = SumBits(features);
  EXPECT_EQ(sums[0], -1);
  EXPECT_EQ(sums[1], 3);
  EXPECT_EQ(sums[63], -7);
  EXPECT_EQ(Simhash(sums), 0b010U);
}

TEST(Simhash, LeavesABitUnsetInATie) { EXPECT_EQ(SimhashOf({{1, 5}, {0, 5}}), 0U); }

BitSums ModelSums(const std::vector<Feature>& features) {
  BitSums sums{};
  for (int bit = 0; bit < 64; ++bit) {
    for (const Feature& feature : features) {
      const auto weight = static_cast<int64_t>(feature.weight);
      sums[bit] += (feature.hash >> bit & 1) != 0 ? weight : -weight;
    }
  }
  return sums;
}

uint64_t Model(const std::vector<Feature>& features) {
  uint64_t simhash = 0;
  const BitSums sums = ModelSums(features);
  for (int bit = 0; bit < 64; ++bit) simhash |= uint64_t{sums[bit] > 0} << bit;
  return simhash;
}

TEST(Simhash, AgreesWithItsDefinition) {
  AtEachSimdLevel([] {
    std::mt19937_64 random(kSeed);
    for (int round = 0; round < 300; ++round) {
      std::vector<Feature> features(random() % 60);
      for (Feature& feature : features) feature = {random(), 1 + random() % 131'200};
      ASSERT_EQ(SumBits(features), ModelSums(features)) << "seed " << kSeed << " round " << round;
      ASSERT_EQ(SimhashOf(features), Model(features)) << "seed " << kSeed << " round " << round;
    }
  });
}

TEST(Simhash, AgreesWithItsDefinitionForEveryNumberOfHashes) {
  AtEachSimdLevel([] {
    std::mt19937_64 random(kSeed);
    std::vector<uint64_t> hashes;
    std::vector<Feature> features;
    for (int count = 0; count <= 1100; ++count) {
      ASSERT_EQ(SumBits(hashes), ModelSums(features)) << count << " hashes, seed " << kSeed;
      hashes.push_back(random() | 1);  // the lowest sum is the largest there can be
      features.push_back({hashes.back(), 1});
    }
  });
}

TEST(Simhash, AddsWhatTokensWeighMore) {
  AtEachSimdLevel([] {
    std::mt19937_64 random(kSeed);
    for (int round = 0; round < 100; ++round) {
      std::vector<uint64_t> tokens(random() % 300);
      std::vector<Feature> more;
      std::vector<Feature> whole;
      for (uint64_t& token : tokens) {
        token = random();
        whole.push_back({token, 256});
        if (random() % 3 == 0) more.push_back({token, random() % 1000});
      }
      whole.insert(whole.end(), more.begin(), more.end());
      ASSERT_EQ(SumBits(Features{tokens, 256, more}), ModelSums(whole)) << "seed " << kSeed;
    }
  });
}

TEST(Simhash, DoesNotOverflowWithManyHeavyFeatures) {
  std::mt19937_64 random(kSeed);
  std::vector<Feature> features(100'000);
  for (Feature& feature : features) feature = {random() | 1, (uint64_t{1} << 18) - 1};
  AtEachSimdLevel([&] {
    EXPECT_EQ(SumBits(features), ModelSums(features)) << "seed " << kSeed;
    EXPECT_EQ(SimhashOf(features), Model(features)) << "seed " << kSeed;
  });
}

/// The documented rule in 128-bit integers; the root is found by bisection.
uint64_t CentredModel(BitSums sums, const std::array<int32_t, 64>& centre) {
  __extension__ typedef __int128 Big;
  const auto too_large = [&] {
    for (const int64_t sum : sums) {
      if (std::llabs(sum) >= int64_t{1} << 28) return true;
    }
    return false;
  };
  const BitSums given = sums;
  for (int64_t divisor = 2; too_large(); divisor *= 2) {
    for (int bit = 0; bit < 64; ++bit) sums[bit] = given[bit] / divisor;
  }
  Big squares = 0;
  for (const int64_t sum : sums) squares += Big{sum} * sum;
  Big low = 0;  // 64 low^2 <= squares < 64 high^2
  Big high = Big{1} << 40;
  while (high - low > 1) {
    const Big middle = (low + high) / 2;
    (64 * middle * middle <= squares ? low : high) = middle;
  }
  const Big root = low == 0 ? 1 : low;
  uint64_t simhash = 0;
  for (int bit = 0; bit < 64; ++bit) {
    simhash |= uint64_t{Big{4096} * sums[bit] > root * centre[bit]} << bit;
  }
  return simhash;
}

void ExpectCentredAsDefined() {
  std::mt19937_64 random(kSeed);
  for (int round = 0; round < 4000; ++round) {
    const int width =
        static_cast<int>(random() % 45);  // the widest sums that 2^27 features can reach
    BitSums sums{};
    for (int64_t& sum : sums) {
      sum = static_cast<int64_t>(random() & ((uint64_t{2} << width) - 1)) - (int64_t{1} << width);
    }
    std::array<int32_t, 64> centre{};
    const int32_t reach = round % 3 == 0 ? 65'536 : 6000;
    for (int32_t& value : centre) value = static_cast<int32_t>(random() % (2 * reach + 1)) - reach;
    if (round % 5 == 0) centre = kNoCentre;
    ASSERT_EQ(CentredSimhash(sums, centre), CentredModel(sums, centre))
        << "seed " << kSeed << " round " << round;
  }
}

TEST(CentredSimhash, AgreesWithItsDefinitionAtEverySize) {
  AtEachSimdLevel(ExpectCentredAsDefined);
}

TEST(CentredSimhash, IsSafeAtTheLargestSumsAndCentres) {
  for (const int64_t sum : {int64_t{1} << 28, (int64_t{1} << 28) - 1, int64_t{1} << 44}) {
    BitSums sums{};
    for (int bit = 0; bit < 64; ++bit) sums[bit] = bit % 2 == 0 ? sum : -sum;
    for (const int32_t value : {65'536, -65'536, 4096, 4095, -4096, -4097}) {
      std::array<int32_t, 64> centre{};
      centre.fill(value);
      EXPECT_EQ(CentredSimhash(sums, centre), CentredModel(sums, centre)) << sum << " " << value;
    }
  }
}

TEST(CentredSimhash, DividesSumsOnlyFromTwoToThe28On) {
  constexpr int64_t kEnd = int64_t{1} << 28;
  for (const auto& [given, used] : std::vector<std::pair<int64_t, int64_t>>{
           {kEnd - 1, kEnd - 1}, {kEnd, kEnd / 2}, {-2 * kEnd - 1, -kEnd / 2}}) {
    BitSums sums{};
    sums.fill(3);
    sums[5] = given;
    RootMeanSquare(sums);
    EXPECT_EQ(sums[5], used);
    EXPECT_EQ(sums[6], 3 / (given / used));
  }
}

TEST(CentredSimhash, SetsABitOnlyAboveItsCentre) {
  BitSums sums{};
  sums.fill(-3);
  for (int bit = 0; bit < 32; ++bit) sums[bit] = 3;  // root mean square 3, so each is +-4096
  std::array<int32_t, 64> centre{};
  centre[0] = 4095;
  centre[1] = 4096;
  centre[40] = -4097;
  centre[41] = -4096;
  EXPECT_EQ(CentredSimhash(sums, centre), 0x1'00'FFFFFFFDU);
}

}  // namespace
}  // namespace neardup
