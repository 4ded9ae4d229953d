#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

#include "learn/calibration.h"
#include "learn/synthetic_streams.h"

namespace neardup {
namespace {

using ::testing::HasSubstr;

constexpr uint64_t kSeed = 20261121;
constexpr size_t kRecords = 700;
const std::vector<std::string> kPaperFields = {"title", "author", "venue", "publisher"};

Sample SampleUnder(const FilterOptions& options, const std::vector<std::string>& payloads) {
  Sample sample(options, CalibrationSeeds(0));
  for (const RecordView& view : ViewsOf(payloads)) sample.Add(view);
  return sample;
}

struct Found {
  NeighbourStatistics neighbours;
  ModeChoice choice;
};

Found ChoiceOn(const FilterOptions& options, const std::vector<std::string>& payloads) {
  const Sample sample = SampleUnder(options, payloads);
  const SampleFingerprints fingerprints(sample);
  const std::vector<size_t>& all = fingerprints.drawn();
  const NeighbourStatistics neighbours = FindNeighbours(fingerprints, all, all);
  return {neighbours, ChooseMode(neighbours)};
}

/// The payloads with one more field at their end.
std::vector<std::string> With(std::vector<std::string> payloads, const std::string& name,
                              const std::vector<std::string>& values) {
  for (size_t i = 0; i < payloads.size(); ++i) {
    payloads[i].pop_back();
    payloads[i] += ",\"" + name + R"(":")" + values[i % values.size()] + "\"}";
  }
  return payloads;
}

std::vector<std::string> Names(size_t count) {
  std::vector<std::string> names;
  for (size_t i = 0; i < count; ++i) names.push_back(LetterWord(7 * i));
  return names;
}

TEST(ModeChoice, TakesManyCopiesAsNearIfNoFieldAlwaysDiffers) {
  const Found found = ChoiceOn(OptionsOf(kPaperFields), CitationStream(kSeed, kRecords));
  EXPECT_GT(found.neighbours.neighbours_mean, 2) << "as many neighbours as in a series";
  EXPECT_LT(LargestDifferingShare(found.neighbours), 0.8);
  EXPECT_EQ(found.choice.mode, MatchMode::kNear) << found.choice.reason;
  EXPECT_TRUE(found.choice.copies);
  EXPECT_THAT(found.choice.reason, HasSubstr("written differently"));
}

TEST(ModeChoice, TakesManyCopiesAsASeriesIfAFieldAlwaysDiffers) {
  std::vector<std::string> fields = kPaperFields;
  fields.emplace_back("page");
  const Found found =
      ChoiceOn(OptionsOf(fields), With(CitationStream(kSeed, kRecords), "page", Names(kRecords)));
  EXPECT_GT(LargestDifferingShare(found.neighbours), 0.9);
  EXPECT_EQ(found.choice.mode, MatchMode::kExact) << found.choice.reason;
}

// Now one price changes and now another. No single price always differs, but all together do.
TEST(ModeChoice, TakesAllNumericFieldsAsOne) {
  SeededRandom random(kSeed);
  std::vector<Fields> kinds;
  for (int i = 0; i < 20; ++i) kinds.push_back({{"product", Phrase(random, 14)}});
  std::vector<std::string> payloads;
  while (payloads.size() < kRecords) {
    Fields event = random.Pick(kinds);
    for (const char* name : {"low", "mean", "high"}) {
      event.push_back({name, std::to_string(random.Below(4))});
    }
    payloads.push_back(RecordOf(event));
  }
  const Found found = ChoiceOn(OptionsOf({"product", "low", "mean", "high"}), payloads);
  ASSERT_EQ(found.neighbours.differing.size(), 2U)
      << "the product is one part, all prices are the other";
  EXPECT_EQ(found.choice.mode, MatchMode::kExact) << found.choice.reason;
}

TEST(ModeChoice, TakesNearRecordsOfOneFieldAsASeries) {
  const Found found = ChoiceOn(TextOptions(), SeriesStream(kSeed, kRecords));
  EXPECT_EQ(LargestDifferingShare(found.neighbours), 1);
  EXPECT_EQ(found.choice.mode, MatchMode::kExact) << found.choice.reason;
}

/// Texts of 40 words. A third are copies of an earlier text, with a few to half of the words
/// replaced. Each original has at most one copy.
std::vector<std::string> RewrittenStream() {
  SeededRandom random(kSeed);
  std::vector<std::vector<std::string>> originals;
  std::vector<std::string> payloads;
  while (payloads.size() < 2 * kRecords) {
    std::vector<std::string> words = RandomWords(random, 40);
    if (!originals.empty() && random.Chance(330)) {
      words = originals.back();
      originals.pop_back();
      for (uint64_t changed = 4 + random.Below(12) + random.Below(24); changed > 0; --changed) {
        words[random.Below(words.size())] = RandomWords(random, 1)[0];
      }
    } else {
      originals.push_back(words);
    }
    payloads.push_back(TextRecord(words));
  }
  return payloads;
}

TEST(ModeChoice, TakesRewrittenCopiesWithAPeakOfTheirOwnAsNear) {
  const Found found = ChoiceOn(TextOptions(), RewrittenStream());
  const Valley valley = FindValley(found.neighbours);
  EXPECT_GT(valley.ratio_to_unrelated, 0.06) << "the valley is not clear";
  EXPECT_LE(valley.ratio_to_lower_peak, 0.5);
  EXPECT_LT(found.neighbours.neighbours_mean, 1.5);
  EXPECT_EQ(found.choice.mode, MatchMode::kNear) << found.choice.reason;
  EXPECT_THAT(found.choice.reason, HasSubstr("a peak of their own"));
}

TEST(ModeChoice, LooksOnlyAtTheGivenRecords) {
  const std::vector<std::string> payloads = TextStream(kSeed, 200, 100, 3);
  const Sample sample = SampleOf(payloads, CalibrationSeeds(0));
  const SampleFingerprints fingerprints(sample);
  std::vector<size_t> among(100);
  std::iota(among.begin(), among.end(), size_t{0});
  const std::vector<size_t> drawn(among.begin() + 50, among.end());
  const NeighbourStatistics part = FindNeighbours(fingerprints, drawn, among);
  EXPECT_EQ(part.records, 50U);
  EXPECT_EQ(std::accumulate(part.nearest.begin(), part.nearest.end(), 0U), 50U);
}

}  // namespace
}  // namespace neardup
