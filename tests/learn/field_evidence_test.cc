#include "learn/field_evidence.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "learn/synthetic_streams.h"

namespace neardup {
namespace {

TEST(CompareValues, KnowsAbbreviationsAndAddedWords) {
  EXPECT_EQ(CompareValues("", ""), Agreement::kNone);
  EXPECT_EQ(CompareValues("a ", ""), Agreement::kMissing);
  EXPECT_EQ(CompareValues("journal of applied physics ", "journal of applied physics "),
            Agreement::kEqual);
  EXPECT_EQ(CompareValues("journal of applied physics ", "j appl phys "), Agreement::kSimilar);
  EXPECT_EQ(CompareValues("anna smith boris evans ", "a smith b evans "), Agreement::kSimilar);
  EXPECT_EQ(CompareValues("harbour opens ", "breaking harbour opens "), Agreement::kSimilar);
  EXPECT_EQ(CompareValues("2338 2349 ", "2338 49 "), Agreement::kSimilar);
  EXPECT_EQ(CompareValues("harbour opens at noon ", "harbor opens at noon "), Agreement::kSimilar);
  EXPECT_EQ(CompareValues("users the harbour opens ", "dev the harbour opens "),
            Agreement::kSimilar);
  EXPECT_EQ(CompareValues("how to enable mail alerts ", "how to disable mail alerts "),
            Agreement::kReworded);
}

TEST(CompareValues, TakesOtherNumbersAndOtherWordsAsOtherValues) {
  EXPECT_EQ(CompareValues("history of ferries volume 3 ", "history of ferries volume 4 "),
            Agreement::kDiffers);
  EXPECT_EQ(CompareValues("red ", "blue "), Agreement::kDiffers);
  EXPECT_EQ(CompareValues("arden uk ", "kelso uk "), Agreement::kDiffers)
      << "half of the words is not most of them";
}

std::vector<StudiedField> FieldsOf(const std::vector<std::string>& payloads) {
  FieldStudy study;
  for (const std::string& payload : payloads) study.Add(payload);
  return study.Finish();
}

std::string Record(const std::string& text, const std::string& shop) {
  return RecordOf({{"shop", shop}, {"text", text}});
}

TEST(TextPairs, AreRecordsThatShareMostOfTheirTextAndNoConflictingNumbers) {
  SeededRandom random(3);
  std::vector<std::string> payloads;
  for (int i = 0; i < 150; ++i) payloads.push_back(Record(Phrase(random, 30), "north"));
  const std::string text = Phrase(random, 30);
  payloads.push_back(Record(text, "north"));                    // 150
  payloads.push_back(Record(text + " and one more", "south"));  // 151: a copy
  payloads.push_back(Record(text + " for 17 euros", "north"));  // 152: a copy, a number more
  payloads.push_back(Record(Phrase(random, 30), "south"));
  const auto fields = FieldsOf(payloads);
  const std::vector<size_t> texts = {1};
  const std::vector<TextPair> pairs = FindTextPairs(ViewsOf(payloads), fields, texts, {}).pairs;
  ASSERT_EQ(pairs.size(), 2U);
  for (const TextPair& pair : pairs) {
    EXPECT_GE(pair.earlier, 150U);
    EXPECT_EQ(pair.group, 3U);
    EXPECT_EQ(pair.fields[0], pair.later == 151 ? Agreement::kDiffers : Agreement::kEqual);
  }
}

TEST(TextPairs, DoNotHoldTextsOfOtherNumbers) {
  SeededRandom random(4);
  std::vector<std::string> payloads;
  for (int i = 0; i < 150; ++i) payloads.push_back(Record(Phrase(random, 30), "north"));
  const std::string text = Phrase(random, 30);
  for (const char* number : {"11", "12", "13"})
    payloads.push_back(Record(text + " " + number, "x"));
  const std::vector<size_t> texts = {1};
  EXPECT_TRUE(FindTextPairs(ViewsOf(payloads), FieldsOf(payloads), texts, {}).pairs.empty());
}

TEST(TextPairs, OfStandingTextsAreNoEvidenceUnlessTheRecordsShareATitleToo) {
  SeededRandom random(5);
  std::vector<std::string> texts;
  for (int i = 0; i < 10; ++i) texts.push_back(Phrase(random, 20));
  // Each record has one of `titles` titles. Every tenth comes again in another shop.
  const auto find = [&](size_t titles, bool copies_alone) {
    std::vector<std::string> payloads;
    for (size_t i = 0; i < 300; ++i) {
      const size_t thing = copies_alone ? i % 10 : i;
      const std::string title = "thing " + LetterWord(thing % titles) + " of the house";
      const auto record = [&](const char* shop) {
        return RecordOf({{"shop", shop},
                         {"size", LetterWord(50 + thing / 10 % 7)},
                         {"colour", LetterWord(thing / 10 % 5)},
                         {"text", texts[thing % 10]},
                         {"title", title}});
      };
      payloads.push_back(record("north"));
      if (i % 10 == 0) payloads.push_back(record("south"));
    }
    const std::vector<size_t> text = {3};
    const std::vector<size_t> title = {4};
    return FindTextPairs(ViewsOf(payloads), FieldsOf(payloads), text, title);
  };
  EXPECT_TRUE(find(50, false).standing) << "different records have each title";
  EXPECT_FALSE(find(50, true).standing) << "copies alone share a text";
  const TextPairs found = find(1000, false);
  EXPECT_FALSE(found.standing);
  EXPECT_EQ(found.pairs.size(), 30U);
  for (const TextPair& pair : found.pairs) EXPECT_EQ(pair.group, 2U);
}

}  // namespace
}  // namespace neardup
