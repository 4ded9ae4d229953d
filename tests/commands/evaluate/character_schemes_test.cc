#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

#include "commands/evaluate/scheme.h"
#include "commands/evaluate/scheme_record.h"
#include "detect/base/hash.h"

namespace neardup {
namespace {

constexpr uint64_t kHeaven = 0x5929;
constexpr uint64_t kEarth = 0x5730;

SharedFrequencies Learn(const std::vector<std::string>& records) {
  auto frequencies = std::make_shared<DocumentFrequencies>();
  for (const std::string& text : records) {
    frequencies->Add(DistinctTokens(SchemeRecord{text}.texts()));
  }
  return frequencies;
}

std::unique_ptr<Scheme> CharVector(double dictionary, double similarity_min,
                                   SharedFrequencies frequencies) {
  return Made("char-vector", {{"dictionary", dictionary}, {"similarity_min", similarity_min}},
              std::move(frequencies));
}

std::unique_ptr<Scheme> CharVectorCode(double buckets) {
  return Made("char-vector-code", {{"buckets", buckets}, {"similarity_min", 0.9}});
}

/// `shingles` or `minhash`.
std::unique_ptr<Scheme> OfShingles(std::string_view name, double length, double similarity_min) {
  return Made(name, {{"shingle_length", length}, {"similarity_min", similarity_min}});
}

TEST(CharVector, CountsTheCommonestCharacters) {
  const auto scheme = CharVector(2, 0.9, Learn({"天地", "天地人", "天地"}));
  EXPECT_EQ(SketchOf(*scheme, {"天地，天 人", "天 sky 1"}).words,
            (std::vector<uint64_t>{10, kEarth << 32 | 1, kHeaven << 32 | 3}));
}

TEST(CharVector, ComparesByTheTanimotoCoefficient) {
  const auto frequencies = Learn({"天地"});
  // {2, 1} and {1, 1}: 3 / (5 + 2 - 3).
  EXPECT_EQ(DistanceOf(*CharVector(9, 0.75, frequencies), {"天天地"}, {"地天"}), 250);
  EXPECT_EQ(DistanceOf(*CharVector(9, 0.76, frequencies), {"天天地"}, {"地天"}), std::nullopt);
  EXPECT_EQ(DistanceOf(*CharVector(9, 0.76, frequencies), {"天天地"}, {"地天天"}), 0);
  EXPECT_TRUE(CharVector(9, 0.9, frequencies)->scans_all());
}

TEST(CharVector, ComparesRecordsWithoutSuchACharacterForEqualityOnly) {
  const auto scheme = CharVector(9, 0.5, Learn({"天地 sky a"}));
  EXPECT_EQ(DistanceOf(*scheme, {"the sky"}, {"The sky!"}), 0);
  EXPECT_EQ(DistanceOf(*scheme, {"a sky"}, {"a sea"}), std::nullopt);
  EXPECT_EQ(DistanceOf(*scheme, {"天"}, {"the sky"}), std::nullopt);
}

TEST(CharVectorCode, CountsByCodePoint) {
  const auto scheme = CharVectorCode(0x100);
  EXPECT_EQ(SketchOf(*scheme, {"天 Baa"}).words,
            (std::vector<uint64_t>{6, uint64_t{kHeaven % 0x100} << 32 | 1, uint64_t{'a'} << 32 | 2,
                                   uint64_t{'b'} << 32 | 1}));
}

TEST(CharVectorCode, CountsCharactersOfOnePlaceTogether) {
  EXPECT_EQ(DistanceOf(*CharVectorCode(16), {"aq"}, {"qq"}), 0);  // 0x61 and 0x71
  EXPECT_EQ(DistanceOf(*CharVectorCode(65'536), {"aq"}, {"qq"}), std::nullopt);
}

std::vector<uint64_t> HashesOf(const std::vector<std::string>& texts) {
  std::vector<uint64_t> hashes;
  for (const std::string& text : texts) hashes.push_back(Hash64(text));
  std::sort(hashes.begin(), hashes.end());
  return hashes;
}

std::vector<uint64_t> Shingles(const SchemeRecord& record, size_t length) {
  return SketchOf(*OfShingles("shingles", static_cast<double>(length), 0.7), record).words;
}

TEST(Shingles, RunOverSpacesAndTexts) {
  const SchemeRecord record{"Ab, c", "d天e"};
  EXPECT_EQ(Shingles(record, 5), HashesOf({"abcd天", "bcd天e"}));
  EXPECT_EQ(Shingles(record, 6), HashesOf({"abcd天e"}));
  EXPECT_EQ(Shingles(record, 7), HashesOf({"abcd天e"}));
  EXPECT_TRUE(Shingles({"", " "}, 5).empty());
  EXPECT_EQ(Shingles({"aaaaaaa"}, 5), HashesOf({"aaaaa"}));
}

TEST(Shingles, AreComparedByTheJaccardCoefficient) {
  // ab bc cd de against ab bc cd dx: 3 of 5.
  EXPECT_EQ(DistanceOf(*OfShingles("shingles", 2, 0.6), {"abcde"}, {"ab cdx"}), 400);
  EXPECT_EQ(DistanceOf(*OfShingles("shingles", 2, 0.61), {"abcde"}, {"ab cdx"}), std::nullopt);
  EXPECT_EQ(DistanceOf(*OfShingles("shingles", 2, 0.61), {"abcde"}, {"AB-CDE"}), 0);
}

TEST(MinHash, OfOneShingleHasThePermutationsOfItsHash) {
  const auto scheme = OfShingles("minhash", 5, 0.7);
  const Sketch sketch = SketchOf(*scheme, {"abc"});
  const uint64_t shingle = Hash64("abc");
  ASSERT_EQ(sketch.words.size(), 64U);
  std::vector<uint64_t> minima;
  for (uint64_t i = 0; i < 128; ++i) {
    minima.push_back((shingle * (Mix64(2 * i + 1) | 1) + Mix64(2 * i + 2)) >> 32);
    EXPECT_EQ(sketch.words[i / 2] >> (32 * (i % 2)) & UINT32_MAX, minima.back());
  }
  ASSERT_EQ(sketch.keys.size(), 25U);
  const std::vector<uint64_t> last_band = {24,          minima[120], minima[121],
                                           minima[122], minima[123], minima[124]};
  EXPECT_EQ(sketch.keys.back(), HashWords(last_band));
}

TEST(MinHash, CountsTheMinimaThatDiffer) {
  const auto scheme = OfShingles("minhash", 5, 0.7);
  std::vector<uint64_t> a(64);
  std::vector<uint64_t> b(64);
  EXPECT_EQ(scheme->Distance(a, b), 0);
  for (int i = 0; i < 19; ++i) b[i] = uint64_t{1} << 32 | 1;
  EXPECT_EQ(scheme->Distance(a, b), 38);  // 90 of 128 are equal
  b[40] = 1;
  EXPECT_EQ(scheme->Distance(a, b), std::nullopt);
  b[40] = uint64_t{1} << 32;
  b[0] = 0;
  EXPECT_EQ(scheme->Distance(a, b), 37);
}

std::string RandomText(std::mt19937_64& random, size_t length) {
  std::string text;
  while (text.size() < length) text += static_cast<char>('a' + random() % 26);
  return text;
}

TEST(MinHash, EstimatesTheJaccardCoefficient) {
  constexpr uint32_t kSeed = 20260202;
  std::mt19937_64 random(kSeed);
  const auto exact = OfShingles("shingles", 5, 0.01);
  const auto estimate = OfShingles("minhash", 5, 0.01);
  double error_sum = 0;
  constexpr int kRounds = 200;
  for (int round = 0; round < kRounds; ++round) {
    const std::string text = RandomText(random, 300);
    std::string other = text;
    for (size_t begin = random() % 250; begin < 250 && random() % 8 != 0; begin = random() % 300) {
      other[begin] = '0';
    }
    const double truth = 1 - *DistanceOf(*exact, {text}, {other}) / 1000.0;
    const double found = 1 - *DistanceOf(*estimate, {text}, {other}) / 128.0;
    ASSERT_NEAR(found, truth, 0.2) << "seed " << kSeed << " round " << round;
    error_sum += found - truth;
  }
  EXPECT_NEAR(error_sum / kRounds, 0, 0.01) << "seed " << kSeed;
}

}  // namespace
}  // namespace neardup
