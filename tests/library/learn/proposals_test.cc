// Tests of what `tune` proposes besides a distance: masks, key fields, short records, a smaller
// window.
#include "learn/proposals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

#include "feature/mask.h"
#include "learn/synthetic_streams.h"
#include "learn/tuning.h"
#include "neardup/filter.h"

namespace neardup {
namespace {

using ::testing::HasSubstr;

constexpr uint64_t kSeed = 7;
const std::vector<std::string> kEditFields = {"user", "comment", "page"};

Tuning TuningOf(const std::vector<std::string>& payloads, const FilterOptions& filter,
                const CalibrationOptions& calibration = {}) {
  Result<Tuning> tuning = Tune(ViewsOf(payloads), {.filter = filter, .calibration = calibration});
  EXPECT_TRUE(tuning.ok()) << tuning.error().text;
  EXPECT_TRUE(CheckOptions(tuning->proposed).ok());
  return std::move(tuning).value();
}

std::vector<Verdict> VerdictsOf(const std::vector<std::string>& payloads,
                                const FilterOptions& options) {
  const auto filter = Filter::New(options);
  EXPECT_TRUE(filter.ok()) << filter.error().text;
  Fingerprinter fingerprinter(options);
  std::vector<Verdict> verdicts;
  for (const RecordView& record : ViewsOf(payloads)) {
    verdicts.push_back((*filter)->Decide(fingerprinter.Compute(record)));
  }
  return verdicts;
}

std::vector<std::string> LogStream(size_t records, bool priced = false) {
  SeededRandom random(kSeed);
  std::vector<std::string> payloads;
  while (payloads.size() < records) {
    Fields line = LogLine(random);
    if (priced) line.push_back({"price", std::to_string(random.Below(100'000))});
    payloads.push_back(RecordOf(line));
  }
  return payloads;
}

TEST(Masks, AreProposedForMessagesOfPrograms) {
  const std::vector<std::string> payloads = LogStream(400);
  const Tuning tuning = TuningOf(payloads, OptionsOf({"component", "content"}));
  EXPECT_EQ(tuning.proposed.feature.masks, kAllMasks);
  EXPECT_EQ(tuning.calibration.mode, MatchMode::kExact);
  EXPECT_EQ(tuning.distinct, 12U);
  EXPECT_THAT(tuning.masks_reason, HasSubstr("has 0 new texts instead of 2"));
  size_t uniques = 0;
  for (const Verdict& verdict : VerdictsOf(payloads, tuning.proposed)) {
    uniques += verdict.decision == Decision::kUnique ? 1 : 0;
  }
  EXPECT_EQ(uniques, 12U);
}

TEST(Masks, AreNotProposedIfAFieldIsNumeric) {
  const Tuning tuning =
      TuningOf(LogStream(400, true), OptionsOf({"component", "content", "price"}));
  EXPECT_FALSE(tuning.proposed.feature.masks.any());
  EXPECT_EQ(tuning.masks_reason, "");
}

TEST(Masks, AreNotProposedIfNewTextsKeepComing) {
  // Each record has a number, and a page that no other record has.
  std::vector<std::string> payloads = EditStream(kSeed, 400, 0);
  for (size_t i = 0; i < payloads.size(); ++i) {
    payloads[i].insert(payloads[i].size() - 2, " revision " + std::to_string(i));
  }
  const Tuning tuning = TuningOf(payloads, OptionsOf(kEditFields));
  EXPECT_EQ(tuning.calibration.mode, MatchMode::kExact);
  EXPECT_FALSE(tuning.proposed.feature.masks.any());
}

TEST(Masks, AreProposedForTimesAloneIfRecordsDifferInNothingElse) {
  std::vector<std::string> payloads = EditStream(kSeed, 400, 0);
  for (size_t i = 0; i < payloads.size(); ++i) {
    if (i % 5 == 4) payloads[i] = payloads[i - 1].substr(0, payloads[i - 1].find(" at 1")) + "\"}";
    payloads[i].insert(payloads[i].size() - 2, " at 1" + std::to_string(i % 10) + ":10:" +
                                                   std::to_string(10 + i / 10) + " o clock");
  }
  const Tuning tuning = TuningOf(payloads, OptionsOf(kEditFields));
  Masks times;
  times.time = true;
  EXPECT_EQ(tuning.proposed.feature.masks, times) << tuning.calibration.reason;
  EXPECT_THAT(tuning.masks_reason, HasSubstr("20 % of the distinct records"));
  EXPECT_EQ(tuning.repeats, 80U);
}

TEST(Masks, AreKeptIfTheyWereGiven) {
  FilterOptions given = OptionsOf({"component", "content"});
  given.feature.masks.uuid = true;
  const Tuning tuning = TuningOf(LogStream(400), given);
  EXPECT_EQ(tuning.proposed.feature.masks, given.feature.masks);
  EXPECT_EQ(tuning.masks_reason, "");
}

TEST(Keys, TellEventsOfASeriesFromEditedCopies) {
  const std::vector<std::string> payloads = EditStream(kSeed, 800, 60);
  const Tuning tuning = TuningOf(payloads, OptionsOf(kEditFields));
  EXPECT_EQ(tuning.proposed.record.fields,
            (std::vector<FieldSelector>{{"user", 1.0, true}, {"comment"}, {"page", 1.0, true}}));
  EXPECT_EQ(tuning.calibration.mode, MatchMode::kNear);
  EXPECT_THAT(tuning.keys_reason, HasSubstr("series differ in page"));
  const std::vector<Verdict> verdicts = VerdictsOf(payloads, tuning.proposed);
  size_t copies = 0;
  size_t found = 0;
  for (size_t i = 0; i < payloads.size(); ++i) {
    const bool is_copy = payloads[i].find("edited") != std::string::npos;
    const bool joined = verdicts[i].decision == Decision::kDuplicate;
    copies += is_copy ? 1 : 0;
    found += is_copy && joined ? 1 : 0;
    EXPECT_TRUE(is_copy || !joined) << payloads[i];
  }
  EXPECT_GT(copies, 30U);
  EXPECT_GE(100 * found, 95 * copies);
}

TEST(Keys, AreNotProposedIfTheyFindNoCopies) {
  const Tuning tuning = TuningOf(EditStream(kSeed, 800, 0), OptionsOf(kEditFields));
  EXPECT_EQ(tuning.calibration.mode, MatchMode::kExact) << tuning.calibration.reason;
  EXPECT_EQ(tuning.proposed.record.fields, OptionsOf(kEditFields).record.fields);
  EXPECT_EQ(tuning.keys_reason, "");
  EXPECT_THAT(tuning.question, HasSubstr("is page part of what makes two records the same?"));
}

KeyProposal KeysOf(const std::vector<std::string>& payloads, const FilterOptions& options) {
  Sample sample(options, CalibrationSeeds(0));
  FieldStudy study;
  for (const RecordView& view : ViewsOf(payloads)) {
    sample.Add(view);
    study.Add(*view.value);
  }
  const SampleFingerprints fingerprints(sample);
  std::vector<size_t> all(fingerprints.size());
  std::iota(all.begin(), all.end(), size_t{0});
  return ProposeKeys(options.record.fields, study.Finish(), sample,
                     FindNeighbours(fingerprints, all, all));
}

TEST(Keys, AreAllFieldsButTheLongestTextUnlessTheTextTellsEventsApart) {
  FilterOptions options = OptionsOf(kEditFields);
  const std::vector<std::string> edits = EditStream(kSeed, 200, 0);
  EXPECT_EQ(KeysOf(edits, options).fields,
            (std::vector<FieldSelector>{{"user", 1.0, true}, {"comment"}, {"page", 1.0, true}}));
  SeededRandom random(kSeed);
  std::vector<std::string> messages;
  for (uint64_t i = 0; i < 200; ++i) {
    SeededRandom kind(random.Below(12));
    messages.push_back(RecordOf({{"component", Phrase(kind, 2)},
                                 {"content", Phrase(kind, 16) + " by " + LetterWord(5000 + i)}}));
  }
  EXPECT_TRUE(KeysOf(messages, OptionsOf({"component", "content"})).fields.empty());
  options.record.fields[0].key = true;
  EXPECT_TRUE(KeysOf(edits, options).fields.empty()) << "keys were given";
}

/// Two of three records have 9 words, one has 60. A copy with one word replaced follows
/// `copies_per_mille` of the short and 100 per mille of the long records.
std::vector<std::string> ShortAndLongStream(uint64_t copies_per_mille) {
  SeededRandom random(kSeed);
  std::vector<std::string> payloads;
  while (payloads.size() < 900) {
    const bool is_short = random.Below(3) > 0;
    std::vector<std::string> words = RandomWords(random, is_short ? 9 : 60);
    payloads.push_back(TextRecord(words));
    if (!random.Chance(is_short ? copies_per_mille : 100)) continue;
    words[random.Below(words.size())] = "edited";
    payloads.push_back(TextRecord(words));
  }
  return payloads;
}

TEST(ShortRecords, AreComparedByDistanceIfTheirCopiesStandApart) {
  const std::vector<std::string> payloads = ShortAndLongStream(150);
  const Tuning tuning = TuningOf(payloads, TextOptions());
  EXPECT_EQ(tuning.proposed.feature.features_min, 4U) << tuning.calibration.reason;
  EXPECT_THAT(tuning.short_reason, HasSubstr("fewer than 12 distinct tokens"));
  size_t copies = 0;
  size_t found = 0;
  const std::vector<Verdict> verdicts = VerdictsOf(payloads, tuning.proposed);
  for (size_t i = 0; i < payloads.size(); ++i) {
    if (payloads[i].size() > 100 || payloads[i].find("edited") == std::string::npos) continue;
    ++copies;
    found += verdicts[i].decision == Decision::kDuplicate ? 1 : 0;
  }
  EXPECT_GT(copies, 40U);
  EXPECT_GT(2 * found, copies);
}

TEST(ShortRecords, AreComparedForEqualityIfTheyHaveNoCopies) {
  const Tuning tuning = TuningOf(ShortAndLongStream(0), TextOptions());
  EXPECT_EQ(tuning.proposed.feature.features_min, 12U);
  EXPECT_EQ(tuning.short_reason, "");
}

TEST(Window, IsSmallerIfChanceMatchesWouldHideTheCopies) {
  const std::vector<std::string> payloads = CitationStream(kSeed, 700);
  const FilterOptions options = OptionsOf({"title", "author", "venue", "publisher"});
  const Tuning fixed = TuningOf(payloads, options, {.window_entries = 1'000'000'000});
  EXPECT_EQ(fixed.proposed.window.entries_max, 1'000'000'000U);
  EXPECT_FALSE(fixed.window_smaller);
  ASSERT_LE(2 * fixed.proposed.match.distance_max, 12);
  const CalibrationOptions free = {.window_entries = 1'000'000'000, .window_entries_min = 1000};
  const Tuning smaller = TuningOf(payloads, options, free);
  EXPECT_TRUE(smaller.window_smaller);
  EXPECT_LT(smaller.proposed.window.entries_max, free.window_entries);
  EXPECT_GT(smaller.proposed.match.distance_max, fixed.proposed.match.distance_max);
  EXPECT_LE(smaller.calibration.false_match_rate, 0.01);
  const Tuning bounded = TuningOf(payloads, options,
                                  {.window_entries = free.window_entries,
                                   .window_entries_min = smaller.proposed.window.entries_max + 1});
  EXPECT_EQ(bounded.proposed.match, fixed.proposed.match)
      << "the smaller window is below the bound";
}

}  // namespace
}  // namespace neardup
