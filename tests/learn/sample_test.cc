#include "learn/sample.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "neardup/filter.h"

namespace neardup {
namespace {

constexpr uint32_t kSeed = 20260131;

FilterOptions Options(uint64_t hash_seed = 0) {
  FilterOptions options;
  options.record.fields = {{"title", 2.5}, {"text", 1.0}};
  options.feature.features_min = 6;
  options.model.hash_seed = hash_seed;
  return options;
}

/// Texts of up to 60 words, most with the same sentence in front. Low word numbers are frequent.
std::vector<std::string> Payloads(size_t count) {
  std::mt19937_64 random(kSeed);
  std::vector<std::string> payloads;
  for (size_t i = 0; i < count; ++i) {
    std::string text = random() % 5 == 0 ? "" : "read more of this on our pages every single day ";
    for (uint64_t words = random() % 60; words > 0; --words) {
      text += "w" + std::to_string(random() % (1 + random() % 3000)) + " ";
    }
    payloads.push_back(R"({"title":"t)" + std::to_string(random() % 500) + R"( story","text":")" +
                       text + R"("})");
  }
  return payloads;
}

Sample SampleOf(const std::vector<std::string>& payloads,
                const std::vector<uint64_t>& hash_seeds = {0}) {
  Sample sample(Options(), hash_seeds);
  for (const std::string& payload : payloads) sample.Add({{}, 0, payload});
  return sample;
}

TEST(Sample, CountsRepeatsAndDeadLettersAndKeepsTheRestInOrder) {
  Sample sample(Options(), {0, 5, 9});
  sample.Add({{3, 4}, 0, R"({"text":"one two three four five six seven"})"});
  sample.Add({{}, 0, R"({"text":"One, two three four five six - seven!"})"});
  sample.Add({{}, 0, "{broken"});
  sample.Add({{}, 0, std::nullopt});
  sample.Add({{}, 0, R"({"text":"short"})"});
  EXPECT_EQ(sample.seen(), 5U);
  EXPECT_EQ(sample.repeats(), 1U);
  EXPECT_EQ(sample.dead_letters(), 2U);
  ASSERT_EQ(sample.records().size(), 2U);
  EXPECT_EQ(sample.records()[0].position, (Position{3, 4}));
  EXPECT_EQ(sample.records()[0].features, 7U);
  EXPECT_EQ(sample.records()[0].fingerprints.size(), 3U);
  EXPECT_FALSE(sample.records()[0].exact_only);
  EXPECT_EQ(sample.records()[0].triples.size(), 5U);
  EXPECT_TRUE(sample.records()[1].exact_only);
  EXPECT_TRUE(sample.records()[1].triples.empty());
  EXPECT_TRUE(sample.records()[1].fingerprints.empty());
}

TEST(Sample, HoldsTheFingerprintsThatTheFilterComputesUnderAnyModel) {
  std::mt19937_64 random(kSeed);
  const std::vector<std::string> payloads = Payloads(1500);
  const std::vector<uint64_t> hash_seeds = {77, 0, UINT64_MAX};
  const Sample sample = SampleOf(payloads, hash_seeds);
  ASSERT_EQ(sample.hash_seeds(), hash_seeds);
  for (size_t seed = 0; seed < hash_seeds.size(); ++seed) {
    std::array<int32_t, 64> wild{};
    for (int32_t& value : wild) value = static_cast<int32_t>(random() % 20'001) - 10'000;
    for (const auto& centre : {std::array<int32_t, 64>{}, CentreOf(sample, seed), wild}) {
      FilterOptions options = Options();
      options.model = {hash_seeds[seed], centre, {}, {}};
      Fingerprinter fingerprinter(options);
      std::map<uint64_t, Fingerprint> by_exact;
      for (const std::string& payload : payloads) {
        const Fingerprint fingerprint = fingerprinter.Compute({{}, 0, payload}).fingerprint;
        by_exact[fingerprint.exact] = fingerprint;
      }
      ASSERT_EQ(by_exact.size(), sample.records().size());
      size_t comparable = 0;
      for (const SampledRecord& record : sample.records()) {
        const Fingerprint& fingerprint = by_exact.at(record.exact);
        if (record.exact_only) continue;
        ++comparable;
        ASSERT_EQ(SimhashOf(record.fingerprints[seed], centre), fingerprint.simhash);
        ASSERT_EQ(record.fingerprints[seed].order, fingerprint.order);
      }
      EXPECT_GT(comparable, 1000U);
    }
  }
}

TEST(Sample, HoldsTheTriplesOfTheFirstHashSeed) {
  const std::vector<std::string> payloads = Payloads(50);
  const Sample both = SampleOf(payloads, {4, 8});
  const Sample first = SampleOf(payloads, {4});
  const Sample second = SampleOf(payloads, {8});
  ASSERT_EQ(both.records().size(), first.records().size());
  size_t different = 0;
  for (size_t i = 0; i < both.records().size(); ++i) {
    ASSERT_EQ(both.records()[i].triples, first.records()[i].triples);
    different += both.records()[i].triples != second.records()[i].triples ? 1 : 0;
  }
  EXPECT_GT(different, 30U);
}

TEST(LearnModel, TakesTheMeanOfTheScaledSumsAsCentre) {
  const std::vector<std::string> payloads = Payloads(800);
  const FilterOptions options = Options();
  const Model model = LearnModel(SampleOf(payloads));
  // The definition of the centre, in floating point.
  RecordFeatureReader reader(options);
  std::array<double, 64> total{};
  std::map<uint64_t, int> seen;
  double count = 0;
  for (const std::string& payload : payloads) {
    const uint64_t exact = reader.Read({{}, 0, payload}).exact;
    const RecordFeatures& features = reader.Count();
    if (features.exact_only || seen[exact]++ > 0) continue;
    double squares = 0;
    for (const int64_t sum : features.sums) {
      squares += static_cast<double>(sum) * static_cast<double>(sum);
    }
    const double root = std::floor(std::sqrt(squares / 64));
    for (size_t bit = 0; bit < 64; ++bit) {
      total[bit] += 4096.0 * static_cast<double>(features.sums[bit]) / root;
    }
    ++count;
  }
  double largest = 0;
  for (size_t bit = 0; bit < 64; ++bit) {
    // Sums are rounded up and the mean to a whole number.
    EXPECT_NEAR(model.centre[bit], total[bit] / count, 2.0) << bit;
    largest = std::max(largest, std::abs(total[bit] / count));
  }
  EXPECT_GT(largest, 500) << "what most texts share moves the centre";
}

TEST(LearnModel, TakesTriplesOfMoreThanOnePercentAndTenRecordsAsCommon) {
  const auto learned = [](size_t records, size_t with_phrase) {
    Sample sample(Options(), {0});
    for (size_t i = 0; i < records; ++i) {
      std::string text;
      for (int word = 0; word < 9; ++word) text += "r" + std::to_string(i * 9 + word) + " ";
      if (i < with_phrase) text += "terms and conditions";
      sample.Add({{}, 0, R"({"text":")" + text + R"("})"});
    }
    EXPECT_EQ(sample.records().size(), records);
    return LearnModel(sample).common.size();
  };
  EXPECT_EQ(learned(2000, 20), 0U);
  EXPECT_EQ(learned(2000, 21), 1U);  // the three words; any other triple has a word of its own
  EXPECT_EQ(learned(500, 10), 0U);
  EXPECT_EQ(learned(500, 11), 1U);
}

TEST(LearnModel, GivesCommonTriplesNoTextKeys) {
  const std::vector<std::string> payloads = Payloads(1500);
  FilterOptions options = Options();
  const Model model = LearnModel(SampleOf(payloads));
  ASSERT_GT(model.common.size(), 5U);
  ASSERT_TRUE(std::is_sorted(model.common.begin(), model.common.end()));
  const std::string shared = R"({"text":"read more of this on our pages every single day"})";
  EXPECT_FALSE(Fingerprinter(options).Compute({{}, 0, shared}).text_keys.keys().empty());
  options.model = model;
  EXPECT_TRUE(Fingerprinter(options).Compute({{}, 0, shared}).text_keys.keys().empty());
}

TEST(LearnModel, MovesUnrelatedRecordsApart) {
  const Sample sample = SampleOf(Payloads(600));
  const auto mean_distance = [&](const std::array<int32_t, 64>& centre) {
    std::vector<uint64_t> simhashes;
    for (const SampledRecord& record : sample.records()) {
      if (!record.exact_only) simhashes.push_back(SimhashOf(record.fingerprints[0], centre));
    }
    double sum = 0;
    for (size_t i = 1; i < simhashes.size(); ++i) {
      sum += std::popcount(simhashes[i - 1] ^ simhashes[i]);
    }
    return sum / static_cast<double>(simhashes.size() - 1);
  };
  const double plain = mean_distance({});
  const double centred = mean_distance(LearnModel(sample).centre);
  EXPECT_GT(centred, plain + 2);
}

TEST(LearnModel, UsesTheFirstHashSeed) {
  const std::vector<std::string> payloads = Payloads(300);
  const Model model = LearnModel(SampleOf(payloads, {5, 6}));
  EXPECT_EQ(model.hash_seed, 5U);
  EXPECT_EQ(model, LearnModel(SampleOf(payloads, {5})));
  EXPECT_NE(model.centre, LearnModel(SampleOf(payloads, {6})).centre);
}

TEST(LearnModel, LearnsNoCentreFromFewRecords) {
  Model expected;
  expected.hash_seed = 5;
  EXPECT_EQ(LearnModel(SampleOf(Payloads(90), {5})), expected);
}

}  // namespace
}  // namespace neardup
