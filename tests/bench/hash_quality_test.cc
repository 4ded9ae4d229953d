#include "bench/hash_quality.h"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace neardup {
namespace {

TEST(Collisions, AgreesWithASet) {
  constexpr uint64_t kSeed = 7;
  std::mt19937_64 random(kSeed);
  std::vector<Digest> digests;
  for (int i = 0; i < 3000; ++i) digests.push_back({random(), random()});
  for (const int bits : {1, 8, 12, 20}) {
    std::set<uint64_t> known;
    for (const Digest& digest : digests) known.insert(digest.low % (uint64_t{1} << bits));
    EXPECT_EQ(Collisions(digests, bits), digests.size() - known.size()) << bits << " bits";
  }
}

TEST(Collisions, ComparesAllBitsAskedFor) {
  const std::vector<Digest> digests = {
      {0, 0}, {1, 0}, {uint64_t{1} << 63, 0}, {0, 1}, {0, uint64_t{1} << 63}, {0, 0}};
  EXPECT_EQ(Collisions(digests, 1), 4u);
  EXPECT_EQ(Collisions(digests, 63), 4u);
  EXPECT_EQ(Collisions(digests, 64), 3u);
  EXPECT_EQ(Collisions(digests, 65), 2u);
  EXPECT_EQ(Collisions(digests, 127), 2u);
  EXPECT_EQ(Collisions(digests, 128), 1u);
}

TEST(ExpectedCollisions, IsTheNumberOfPairsOverTheNumberOfValues) {
  EXPECT_DOUBLE_EQ(ExpectedCollisions(0, 32), 0);
  EXPECT_DOUBLE_EQ(ExpectedCollisions(2, 1), 0.5);
  EXPECT_NEAR(ExpectedCollisions(1'000'000, 32), 116.4, 0.05);
  EXPECT_NEAR(ExpectedCollisions(45'484, 32), 0.241, 0.001);
}

TEST(BitsInUse, CountsBitsThatChange) {
  EXPECT_EQ(BitsInUse(std::vector<Digest>{{0xF, 0}, {0x9, 0}}), 2);
  EXPECT_EQ(BitsInUse(std::vector<Digest>{{0, ~uint64_t{0}}, {1, 0}}), 65);
  EXPECT_EQ(BitsInUse(std::vector<Digest>{{5, 5}}), 0);
}

TEST(BiasMax, IsTheBiasOfTheWorstBit) {
  // Bit 0 is set in 2 of 4, bit 1 in 1 of 4, bit 2 in all.
  const std::vector<Digest> digests = {{4, 0}, {5, 0}, {6, 0}, {5, 0}};
  EXPECT_DOUBLE_EQ(BiasMax(digests, 1), 0);
  EXPECT_DOUBLE_EQ(BiasMax(digests, 2), 0.25);
  EXPECT_DOUBLE_EQ(BiasMax(digests, 3), 0.5);
}

TEST(BiasMax, LooksAtTheLow64BitsOnly) {
  const uint64_t top = uint64_t{1} << 63;
  const std::vector<Digest> fair = {{0, 0}, {~uint64_t{0}, 0}, {~top, 0}, {top, 0}};
  EXPECT_DOUBLE_EQ(BiasMax(fair, 128), 0);
  const std::vector<Digest> unfair = {{0, 0}, {~uint64_t{0}, 0}, {~top, 0}, {0, 0}};
  EXPECT_DOUBLE_EQ(BiasMax(unfair, 64), 0.25);
}

Digest Constant(std::string_view) { return {5, 5}; }

/// The exclusive or of all bytes: a flipped bit flips one of 8 bits.
Digest Xor(std::string_view bytes) {
  Digest digest;
  for (const char byte : bytes) digest.low ^= static_cast<unsigned char>(byte);
  return digest;
}

/// The parity of all bits, in each of 128 bits.
Digest AllOrNothing(std::string_view bytes) {
  uint64_t ones = Xor(bytes).low;
  for (const int shift : {4, 2, 1}) ones ^= ones >> shift;
  const uint64_t word = (ones & 1) != 0 ? ~uint64_t{0} : 0;
  return {word, word};
}

TEST(AvalancheShare, IsTheShareOfBitsThatChangeAfterAFlip) {
  const std::vector<std::string_view> texts = {"", "a", "some text", "another text"};
  EXPECT_DOUBLE_EQ(AvalancheShare(Constant, 64, texts, 1), 0);
  EXPECT_DOUBLE_EQ(AvalancheShare(Xor, 8, texts, 1), 0.125);
  EXPECT_DOUBLE_EQ(AvalancheShare(Xor, 32, texts, 1), 1.0 / 32);
  EXPECT_DOUBLE_EQ(AvalancheShare(AllOrNothing, 128, texts, 1), 1);
  EXPECT_DOUBLE_EQ(AvalancheShare(AllOrNothing, 28, texts, 1), 1);
}

TEST(AvalancheShare, IsZeroForEmptyTexts) {
  const std::vector<std::string_view> texts = {""};
  EXPECT_DOUBLE_EQ(AvalancheShare(Xor, 8, texts, 1), 0);
}

}  // namespace
}  // namespace neardup
