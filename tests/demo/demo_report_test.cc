// The demo's numbers and its sample pairs, from hand-made ground truth and verdicts.
#include "demo/demo_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace neardup {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

SyntheticRecord Original(std::string payload = "{}") {
  return {.key = "o", .payload = std::move(payload), .original = {}};
}

SyntheticRecord Copy(size_t original, SyntheticKind kind, std::string payload = "{}") {
  return {.key = "c", .payload = std::move(payload), .kind = kind, .original = original};
}

SampleVerdict Unique() { return {.original = {}, .place = "articles/0/1"}; }

SampleVerdict Duplicate(size_t original, MatchKind match = MatchKind::kNear) {
  return {.decision = Decision::kDuplicate,
          .original = original,
          .distance = match == MatchKind::kNear ? 2 : 0,
          .match = match,
          .place = "articles/1/7"};
}

SampleVerdict Dead(Reason reason) {
  return {.decision = Decision::kDeadLetter, .reason = reason, .original = {}, .place = {}};
}

PlantedCopies Of(const DemoCounts& counts, SyntheticKind kind) {
  return counts.copies[static_cast<size_t>(kind)];
}

TEST(DemoCounts, EveryRecordIsCountedOnce) {
  const std::vector<SyntheticRecord> records(6, Original());
  const std::vector<SampleVerdict> verdicts = {Unique(),
                                               Duplicate(0, MatchKind::kExact),
                                               Duplicate(0),
                                               Dead(Reason::kParse),
                                               Dead(Reason::kParse),
                                               Dead(Reason::kMissingField)};
  const DemoCounts counts = CountVerdicts(records, verdicts);
  EXPECT_EQ(counts.records, 6U);
  EXPECT_EQ(counts.unique, 1U);
  EXPECT_EQ(counts.exact_duplicates, 1U);
  EXPECT_EQ(counts.near_duplicates, 1U);
  EXPECT_EQ(counts.dead_letters[static_cast<size_t>(Reason::kParse)], 2U);
  EXPECT_EQ(counts.dead(), 3U);
}

TEST(DemoCounts, AMissedCopyCountsAsPlantedOnly) {
  const std::vector<SyntheticRecord> records = {Original(), Copy(0, SyntheticKind::kExactCopy),
                                                Copy(0, SyntheticKind::kExactCopy),
                                                Copy(0, SyntheticKind::kReordered)};
  const DemoCounts counts = CountVerdicts(
      records, std::vector<SampleVerdict>{Unique(), Duplicate(0), Unique(), Duplicate(0)});
  EXPECT_EQ(Of(counts, SyntheticKind::kExactCopy).planted, 2U);
  EXPECT_EQ(Of(counts, SyntheticKind::kExactCopy).found, 1U);
  EXPECT_EQ(Of(counts, SyntheticKind::kReordered).found, 1U);
  EXPECT_EQ(counts.all_copies().planted, 3U);
  EXPECT_EQ(counts.all_copies().found, 2U);
  EXPECT_EQ(counts.false_matches, 0U);
}

TEST(DemoCounts, ACopyOfTheSameOriginalIsAsGoodAsTheOriginal) {
  const std::vector<SyntheticRecord> records = {Original(), Copy(0, SyntheticKind::kWordInserted),
                                                Copy(0, SyntheticKind::kWordInserted)};
  const DemoCounts counts =
      CountVerdicts(records, std::vector<SampleVerdict>{Unique(), Unique(), Duplicate(1)});
  EXPECT_EQ(Of(counts, SyntheticKind::kWordInserted).found, 1U);
  EXPECT_EQ(counts.false_matches, 0U);
}

TEST(DemoCounts, AnOriginalReadAfterItsCopyFindsTheCopy) {
  const std::vector<SyntheticRecord> records = {Original(), Copy(0, SyntheticKind::kExactCopy)};
  const DemoCounts counts =
      CountVerdicts(records, std::vector<SampleVerdict>{Duplicate(1), Unique()});
  EXPECT_EQ(Of(counts, SyntheticKind::kExactCopy).found, 1U);
  EXPECT_EQ(counts.false_matches, 0U);
}

TEST(DemoCounts, AMatchWithAStrangerIsFalseAndFindsNothing) {
  const std::vector<SyntheticRecord> records = {Original(), Original(),
                                                Copy(0, SyntheticKind::kExactCopy)};
  const DemoCounts counts =
      CountVerdicts(records, std::vector<SampleVerdict>{Unique(), Duplicate(0), Duplicate(1)});
  EXPECT_EQ(counts.false_matches, 2U);
  EXPECT_EQ(counts.all_copies().found, 0U);
}

TEST(DemoTable, SaysWhatWasCounted) {
  DemoCounts counts;
  counts.records = 20'000;
  counts.unique = 15'000;
  counts.dead_letters[static_cast<size_t>(Reason::kParse)] = 3;
  counts.dead_letters[static_cast<size_t>(Reason::kEncoding)] = 1;
  counts.copies[static_cast<size_t>(SyntheticKind::kReordered)] = {1200, 1199};
  counts.false_matches = 7;
  const std::string table = DemoTable(counts, {2.0, 10'000.4});
  EXPECT_THAT(table, HasSubstr("20,000 records in 2.0 s, 10,000 records/s\n"));
  EXPECT_THAT(table, HasSubstr("  unique                  15,000    75.0 %\n"));
  EXPECT_THAT(table, HasSubstr("   parse 3, encoding 1\n"));
  EXPECT_THAT(table, HasSubstr("  reordered                1,200     1,199    99.9 %\n"));
  EXPECT_THAT(table, HasSubstr("  false matches                7"));
  EXPECT_THAT(table, Not(HasSubstr("sentence dropped"))) << "none was planted";
}

TEST(MarkDifference, StandsAroundTheWordsThatDiffer) {
  const MarkedTexts texts =
      MarkDifference("the old harbour is closed", "the new harbour is closed");
  EXPECT_EQ(texts.first, "the [old] harbour is closed");
  EXPECT_EQ(texts.second, "the [new] harbour is closed");
}

TEST(MarkDifference, MarksWholeWords) {
  const MarkedTexts texts = MarkDifference("a harbour b", "a harvest b");
  EXPECT_EQ(texts.first, "a [harbour] b");
  EXPECT_EQ(texts.second, "a [harvest] b");
}

TEST(MarkDifference, AnInsertedWordStandsAgainstNothing) {
  const MarkedTexts texts = MarkDifference("one three", "one two three");
  EXPECT_EQ(texts.first, "one []three");
  EXPECT_EQ(texts.second, "one [two ]three");
}

TEST(MarkDifference, NeverCutsInsideACharacter) {
  // U+6E2F and U+6E30 share their first two bytes, U+6E2F and U+6F2F the last.
  const MarkedTexts texts = MarkDifference("海港城", "海渰城");
  EXPECT_EQ(texts.first, "海[港]城");
  EXPECT_EQ(texts.second, "海[渰]城");
  const MarkedTexts tails = MarkDifference("海\u6E2F城", "海\u6F2F城");
  EXPECT_EQ(tails.first, "海[\u6E2F]城");
  EXPECT_EQ(tails.second, "海[\u6F2F]城");
}

TEST(MarkDifference, LongTextsAreCutAtCharactersOnBothSides) {
  std::string long_text;
  for (int i = 0; i < 100; ++i) long_text += "港";
  const MarkedTexts texts =
      MarkDifference(long_text + "a" + long_text, long_text + "b" + long_text);
  std::string shown;
  for (int i = 0; i < 15; ++i) shown += "港";
  EXPECT_EQ(texts.first, "..." + shown + "[a]" + shown + "...");
  EXPECT_EQ(texts.second, "..." + shown + "[b]" + shown + "...");
}

TEST(MarkDifference, EqualTextsShowTheirBeginning) {
  EXPECT_EQ(MarkDifference("same", "same").second, "same");
  const std::string text = MarkDifference(std::string(101, ' '), std::string(101, ' ')).first;
  EXPECT_EQ(text, std::string(100, ' ') + "...");
}

TEST(PickDuplicates, OneOfEachShapeAndTheMostTelling) {
  const std::string english = R"({"title":"News","body":"b"})";
  const std::string chinese = R"({"title":"港","body":"b"})";
  const std::string product = R"({"name":"Pan","description":"d"})";
  const std::vector<SyntheticRecord> records = {Original(english),
                                                Copy(0, SyntheticKind::kExactCopy, english),
                                                Copy(0, SyntheticKind::kReordered, english),
                                                Copy(0, SyntheticKind::kWordInserted, english),
                                                Copy(0, SyntheticKind::kWordInserted, english),
                                                Copy(0, SyntheticKind::kExactCopy, product),
                                                Copy(0, SyntheticKind::kWordsReplaced, chinese)};
  std::vector<SampleVerdict> verdicts(7, Duplicate(0));
  verdicts[0] = Unique();
  verdicts[1] = Duplicate(0, MatchKind::kExact);
  verdicts[5] = Duplicate(0, MatchKind::kExact);
  EXPECT_THAT(PickDuplicates(records, verdicts), ElementsAre(3, 6, 5));
  verdicts[6] = Unique();
  EXPECT_THAT(PickDuplicates(records, verdicts), ElementsAre(3, 5));
}

TEST(DuplicateText, NamesBothPlacesDistanceAndKinds) {
  const std::vector<SyntheticRecord> records = {
      Original(R"({"id":"1","title":"Old news","body":"b"})"),
      Copy(0, SyntheticKind::kWordsReplaced, R"({"id":"2","title":"New news","body":"b"})")};
  const std::vector<SampleVerdict> verdicts = {Unique(), Duplicate(0)};
  EXPECT_EQ(DuplicateText(records, verdicts, 1),
            "  near, distance 2 (planted: words replaced)\n"
            "    original   articles/0/1\n"
            "      [Old] news | b\n"
            "    duplicate  articles/1/7\n"
            "      [New] news | b\n");
}

}  // namespace
}  // namespace neardup
