#include "learn/mode_choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

#include "learn/calibration.h"
#include "learn/record_streams.h"
#include "learn/text_stream.h"

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

VotedChoice VoteOn(const FilterOptions& options, const std::vector<std::string>& payloads) {
  const Sample sample = SampleUnder(options, payloads);
  const SampledCodes codes(sample);
  std::vector<size_t> all(codes.size());
  std::iota(all.begin(), all.end(), size_t{0});
  return VoteMode(codes, all);
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

TEST(ModeChoice, ManyCopiesInWhichNoFieldAlwaysDiffersAreNear) {
  const VotedChoice found = VoteOn(OptionsOf(kPaperFields), CitationStream(kSeed, kRecords));
  EXPECT_GT(found.structure.neighbours_mean, 2) << "as many as in a series";
  EXPECT_LT(ShareToldApart(found.structure), 0.8);
  EXPECT_EQ(found.choice.mode, MatchMode::kNear) << found.choice.reason;
  EXPECT_TRUE(found.choice.copies);
  EXPECT_THAT(found.choice.reason, HasSubstr("written differently"));
}

TEST(ModeChoice, AFieldThatAlwaysDiffersMakesTheSameRecordsASeries) {
  std::vector<std::string> fields = kPaperFields;
  fields.emplace_back("page");
  const VotedChoice found =
      VoteOn(OptionsOf(fields), With(CitationStream(kSeed, kRecords), "page", Names(kRecords)));
  EXPECT_GT(ShareToldApart(found.structure), 0.9);
  EXPECT_EQ(found.choice.mode, MatchMode::kExact) << found.choice.reason;
}

// Prices of which now this one changes and now that one: neither differs always, both together do.
TEST(ModeChoice, FieldsOfNumbersTellEventsApartTogether) {
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
  const VotedChoice found = VoteOn(OptionsOf({"product", "low", "mean", "high"}), payloads);
  ASSERT_EQ(found.structure.differing.size(), 2U) << "the product, and the numbers as one";
  EXPECT_EQ(found.choice.mode, MatchMode::kExact) << found.choice.reason;
}

TEST(ModeChoice, RecordsOfOneFieldGiveNoSuchEvidence) {
  const VotedChoice found = VoteOn(TextOptions(), SeriesStream(kSeed, kRecords));
  EXPECT_EQ(ShareToldApart(found.structure), 1);
  EXPECT_EQ(found.choice.mode, MatchMode::kExact) << found.choice.reason;
}

/// Texts of 40 words, a third of them an earlier one with a few to half of its words replaced: each
/// original has one copy at most.
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

TEST(ModeChoice, RewrittenCopiesThatMakeAModeOfTheirOwnAreNear) {
  const VotedChoice found = VoteOn(TextOptions(), RewrittenStream());
  const Gap gap = FindGap(found.structure);
  EXPECT_GT(gap.depth, 0.06) << "not clear";
  EXPECT_LE(gap.depth_of_lower, 0.5);
  EXPECT_LT(found.structure.neighbours_mean, 1.5);
  EXPECT_EQ(found.choice.mode, MatchMode::kNear) << found.choice.reason;
  EXPECT_THAT(found.choice.reason, HasSubstr("a mode of their own"));
}

TEST(ModeChoice, AskedOfSomeRecordsItSeesNoOthers) {
  const std::vector<std::string> payloads = TextStream(kSeed, 200, 100, 3);
  const Sample sample = SampleOf(payloads, CalibrationSeeds(0));
  const SampledCodes codes(sample);
  std::vector<size_t> numbers(100);
  std::iota(numbers.begin(), numbers.end(), size_t{0});
  const VotedChoice part = VoteMode(codes, numbers);
  EXPECT_EQ(part.structure.records, 100U);
  EXPECT_EQ(part.votes, 12);
}

}  // namespace
}  // namespace neardup
