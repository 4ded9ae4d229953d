// Tests of samples with key fields.
#include <gtest/gtest.h>

#include <bit>
#include <random>
#include <string>
#include <vector>

#include "learn/neighbours.h"
#include "learn/sample.h"
#include "neardup/filter.h"

namespace neardup {
namespace {

constexpr uint32_t kSeed = 20260131;
const std::vector<uint64_t> kHashSeeds = {0, 77, 78};

FilterOptions Options(bool keyed) {
  FilterOptions options;
  options.record.fields = {{"text"}};
  if (keyed) options.record.fields.push_back({"user", 1.0, true});
  return options;
}

/// A few texts in many edited versions, each by one of three users.
std::vector<std::string> Payloads() {
  std::mt19937 random(kSeed);
  std::vector<std::string> payloads;
  for (int i = 0; i < 300; ++i) {
    std::string text = "number" + std::to_string(i) + " ";
    const auto base = random() % 6;
    for (int word = 0; word < 30; ++word) {
      text += "w" + std::to_string(100 * base + (random() % 30 == 0 ? random() % 90 : 0)) +
              std::to_string(word) + " ";
    }
    payloads.push_back(R"({"user":"u)" + std::to_string(i % 3) + R"(","text":")" + text + R"("})");
  }
  return payloads;
}

Sample SampleOf(const std::vector<std::string>& payloads, bool keyed) {
  Sample sample(Options(keyed), kHashSeeds);
  for (const std::string& payload : payloads) sample.Add({{}, 0, payload});
  return sample;
}

TEST(KeyedSample, LearnsTheCentreWithoutTheKeys) {
  const std::vector<std::string> payloads = Payloads();
  const Sample keyed = SampleOf(payloads, true);
  const Sample plain = SampleOf(payloads, false);
  ASSERT_EQ(keyed.records().size(), plain.records().size());
  for (size_t seed = 0; seed < kHashSeeds.size(); ++seed) {
    EXPECT_EQ(CentreOf(keyed, seed), CentreOf(plain, seed));
  }
  EXPECT_EQ(LearnModel(keyed).centre, LearnModel(plain).centre);
}

TEST(KeyedSample, MeasuresTheDistancesThatTheFilterMeasures) {
  const std::vector<std::string> payloads = Payloads();
  const Sample sample = SampleOf(payloads, true);
  const SampleFingerprints fingerprints(sample);
  ASSERT_EQ(fingerprints.size(), payloads.size());
  for (size_t seed = 0; seed < fingerprints.seeds(); ++seed) {
    FilterOptions options = Options(true);
    options.model.hash_seed = kHashSeeds[seed + 1];
    options.model.centre = CentreOf(sample, seed + 1);
    Fingerprinter fingerprinter(options);
    std::vector<Fingerprint> prints;
    for (const std::string& payload : payloads) {
      prints.push_back(fingerprinter.Compute({{}, 0, payload}).fingerprint);
    }
    for (size_t i = 0; i < prints.size(); ++i) {
      for (size_t j = 0; j < i; ++j) {
        ASSERT_EQ(fingerprints.SimhashDistance(seed, i, j),
                  std::popcount(prints[i].simhash ^ prints[j].simhash));
        ASSERT_EQ(fingerprints.OrderDistance(seed, i, j),
                  std::popcount(prints[i].order ^ prints[j].order));
      }
    }
  }
}

TEST(KeyedSample, CountsTriplesOfEachKeyByThemselves) {
  std::vector<std::string> payloads;
  for (int i = 0; i < 300; ++i) {
    std::string text = "terms and conditions";
    for (int word = 0; word < 12; ++word) text += " r" + std::to_string(12 * i + word);
    payloads.push_back(R"({"user":"u)" + std::to_string(i) + R"(","text":")" + text + R"("})");
  }
  EXPECT_EQ(LearnModel(SampleOf(payloads, false)).common.size(), 1U);
  EXPECT_TRUE(LearnModel(SampleOf(payloads, true)).common.empty());
}

}  // namespace
}  // namespace neardup
