#include "learn/claim.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "learn/synthetic_streams.h"
#include "learn/tuning.h"
#include "neardup/filter.h"

namespace neardup {
namespace {

using ::testing::HasSubstr;

constexpr uint64_t kSeed = 20261124;

FilterOptions NearOptions() {
  FilterOptions options = TextOptions();
  options.match.distance_max = 12;
  options.match.distance_sum_max = 28;
  options.match.features_per_bit = 0;
  options.match.widen = true;
  return options;
}

std::vector<std::string> Texts(size_t records, size_t words) {
  SeededRandom random(kSeed);
  std::vector<std::string> payloads;
  while (payloads.size() < records) {
    payloads.push_back(RecordOf({{"text", Phrase(random, words) + ". " + Phrase(random, words)}}));
  }
  return payloads;
}

TEST(Claim, SaysThatWideSettingsFindSmallChanges) {
  const std::vector<std::string> payloads = Texts(500, 30);
  PlantedSample planted(ViewsOf(payloads), TextOptions().record);
  const Claim near = planted.Measure(NearOptions());
  ASSERT_TRUE(near.measured());
  ASSERT_EQ(near.edits.size(), 8U);
  for (const ClaimedEdit& edit : near.edits) EXPECT_GT(edit.planted, 90U) << Name(edit.edit);
  EXPECT_GT(near.recall(), 0.95);
  EXPECT_EQ(near.unique, 500U);
  EXPECT_EQ(near.joined.unlike, 0U);
  EXPECT_EQ(ClaimDoubt(near), "");
  EXPECT_THAT(ClaimText(near), HasSubstr("of those with one word changed"));
}

TEST(Claim, PlantsFewCopiesOfVeryLargeRecords) {
  SeededRandom random(kSeed);
  std::string text;
  while (text.size() < size_t{2} << 20) text += Phrase(random, 100) + ". ";
  const std::vector<std::string> payloads = {RecordOf({{"text", text}})};
  PlantedSample planted(ViewsOf(payloads), TextOptions().record);
  for (const ClaimedEdit& edit : planted.Measure(NearOptions()).edits) {
    EXPECT_GT(edit.planted, 0U) << Name(edit.edit);
    EXPECT_LT(edit.planted, 10U) << Name(edit.edit);
  }
}

TEST(Claim, SaysThatEqualityFindsNoChanges) {
  const std::vector<std::string> payloads = Texts(300, 30);
  PlantedSample planted(ViewsOf(payloads), TextOptions().record);
  FilterOptions exact = TextOptions();
  exact.match.distance_max = 0;
  const Claim claim = planted.Measure(exact);
  EXPECT_EQ(claim.recall(), 0);
  EXPECT_EQ(claim.joined.near, 0U);
  EXPECT_THAT(ClaimDoubt(claim), HasSubstr("are missed"));
}

TEST(Claim, CountsRecordsThatAreJoinedAlthoughTheyShareNoPhrases) {
  // The same words in another order: the words are near, and the phrases differ.
  SeededRandom random(kSeed);
  std::vector<std::string> words;
  for (uint64_t i = 0; i < 40; ++i) words.push_back(LetterWord(500 + i));
  std::vector<std::string> payloads;
  for (int i = 0; i < 100; ++i) {
    random.Shuffle(words);
    payloads.push_back(TextRecord(words));
  }
  FilterOptions loose = NearOptions();
  loose.match.similarity = 0;
  loose.match.distance_sum_max = 128;
  PlantedSample planted(ViewsOf(payloads), TextOptions().record);
  const Claim claim = planted.Measure(loose);
  EXPECT_GT(claim.joined.near, 90U);
  EXPECT_EQ(claim.joined.unlike, claim.joined.near);
  EXPECT_EQ(claim.joined.doubtful, claim.joined.near) << "what is unlike is doubtful, too";
  EXPECT_THAT(ClaimText(claim), HasSubstr("100 % share less than 60 % of their phrases"));
  EXPECT_THAT(ClaimDoubt(claim), HasSubstr("share little text"));
}

TEST(Claim, SaysWhatDiffersInRecordsThatItJoinsAsEqual) {
  SeededRandom random(kSeed);
  std::vector<std::string> payloads;
  for (int i = 0; i < 100; ++i) {
    const std::string text = Phrase(random, 20);
    const auto record = [&](const std::string& time, const std::string& source) {
      const std::string id = std::to_string(random.Below(1'000'000'000));
      return RecordOf({{"text", text + " at " + time}, {"source", source}, {"id", id}});
    };
    payloads.push_back(record("2026-01-31T10:00:00Z", "one"));
    payloads.push_back(record("2026-01-31T10:00:00Z", i < 60 ? "two" : "one"));
    if (i < 25) payloads.push_back(record("2026-01-31T11:22:33Z", "one"));
  }
  FilterOptions options = NearOptions();
  options.record.fields = {{.path = "text"}, {.path = "source", .free = true}};
  options.record.exclude = {"id"};
  options.feature.masks.timestamp = true;
  const Claim claim = PlantedSample(ViewsOf(payloads), options.record).Measure(options);
  EXPECT_EQ(claim.exact, 125U);
  // The order of the records is drawn: any record of a group may be the first one.
  EXPECT_EQ(claim.other_fields + claim.masked, 85U);
  EXPECT_GE(claim.other_fields, 60U);
  EXPECT_GE(claim.masked, 10U);
  EXPECT_THAT(
      ClaimText(claim),
      HasSubstr(fmt::format("; it joins 125 records as equal, of which {} differ in a field "
                            "that may differ and {} differ only in what masks hide",
                            claim.other_fields, claim.masked)));
}

TEST(Claim, IsTheSameForTheSameSample) {
  const std::vector<std::string> payloads = Texts(300, 15);
  const auto text = [&] {
    return ClaimText(PlantedSample(ViewsOf(payloads), TextOptions().record).Measure(NearOptions()));
  };
  EXPECT_EQ(text(), text());
}

TEST(Claim, OfRecordsWithoutWordsSaysSo) {
  std::vector<std::string> payloads;
  for (int i = 0; i < 50; ++i) payloads.push_back(R"({"text":)" + std::to_string(i) + "}");
  PlantedSample planted(ViewsOf(payloads), TextOptions().record);
  const Claim claim = planted.Measure(NearOptions());
  EXPECT_FALSE(claim.measured());
  EXPECT_THAT(ClaimText(claim), HasSubstr("no copies could be planted"));
  EXPECT_EQ(ClaimDoubt(claim), "");
}

// The claim is about the own sample: a filter with the chosen settings finds as much of copies that
// somebody else made.
TEST(Claim, AgreesWithWhatTheFilterFinds) {
  std::vector<std::string> payloads = Texts(600, 12);
  const Result<Tuning> tuning = Tune(ViewsOf(payloads), {});
  ASSERT_TRUE(tuning.ok()) << tuning.error().text;
  SeededRandom random(kSeed + 1);
  const size_t originals = payloads.size();
  for (size_t i = 0; i < 300; ++i) {
    std::string copy = payloads[random.Below(originals)];
    const size_t begin = copy.find(' ', 9 + random.Below(60)) + 1;
    copy.replace(begin, copy.find(' ', begin) - begin, "somethingelse");
    payloads.push_back(copy);
  }
  const auto filter = Filter::New(tuning->proposed);
  ASSERT_TRUE(filter.ok());
  Fingerprinter fingerprinter(tuning->proposed);
  size_t found = 0;
  for (const RecordView& record : ViewsOf(payloads)) {
    const Verdict verdict = (*filter)->Decide(fingerprinter.Compute(record));
    const bool copy = static_cast<size_t>(record.position.offset) >= originals;
    found += copy && verdict.decision == Decision::kDuplicate ? 1 : 0;
  }
  EXPECT_NEAR(static_cast<double>(found) / 300, tuning->claim.edits[0].share(), 0.05);
}

}  // namespace
}  // namespace neardup
