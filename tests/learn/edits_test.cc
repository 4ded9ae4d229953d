#include "learn/edits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "learn/words.h"

namespace neardup {
namespace {

using testing::AnyOf;
using testing::ElementsAre;

constexpr std::string_view kEnglish =
    "The council approved the old bridge, which cost 3.5 million. Work begins in May! Will it end?";
constexpr std::string_view kChinese =
    "市政府批准了新桥的预算，共三百万元。工程五月开始！什么时候结束？";
constexpr int kSeeds = 200;

Vocabulary Words() {
  Vocabulary vocabulary(1);
  vocabulary.Add("harbour tunnel museum orchard falcon 港隧博果鹰");
  return vocabulary;
}

std::vector<std::string> WordsOf(std::string_view text) {
  std::vector<std::string> words;
  for (const CutWord& word : CutIntoWords(text).words) words.push_back(word.text);
  return words;
}

/// Whether `whole` holds all words of `part` in the same order, others between them or not.
bool IsWithin(const std::vector<std::string>& part, const std::vector<std::string>& whole) {
  auto at = whole.begin();
  for (const std::string& word : part) {
    at = std::find(at, whole.end(), word);
    if (at == whole.end()) return false;
    ++at;
  }
  return true;
}

std::string EditedWords(const Edit& edit, std::string_view text, uint64_t seed) {
  std::vector<std::string> texts = {std::string(text)};
  SeededRandom random(seed);
  EXPECT_TRUE(EditWords(edit, texts, Words(), random)) << Name(edit);
  return texts[0];
}

TEST(Vocabulary, GivesAnotherWordOfTheSameKindOfScriptOrNone) {
  Vocabulary vocabulary(1);
  vocabulary.Add("fox hen 狐");
  SeededRandom random(1);
  for (int i = 0; i < kSeeds; ++i) {
    EXPECT_EQ(vocabulary.Pick(true, "fox", random), "hen");
    EXPECT_THAT(*vocabulary.Pick(true, "", random), AnyOf("fox", "hen"));
    EXPECT_EQ(vocabulary.Pick(false, "", random), "狐");
    EXPECT_EQ(vocabulary.Pick(false, "狐", random), std::nullopt);
  }
}

TEST(EditKindOf, ReadsEveryName) {
  for (const EditKind kind : kEditKinds) EXPECT_EQ(EditKindOf(Name(kind)), kind);
  EXPECT_EQ(EditKindOf("rewritten"), std::nullopt);
  EXPECT_EQ(Name({EditKind::kReplaced, 10}), "replaced-10");
  EXPECT_EQ(Name({EditKind::kReordered, 0}), "reordered");
}

TEST(EditWords, ReplacesOrMisspellsTheShareOfWordsThatTheStrengthGives) {
  for (const auto& [kind, text] : {std::pair(EditKind::kReplaced, kEnglish),
                                   {EditKind::kReplaced, kChinese},
                                   {EditKind::kTypo, kEnglish}}) {
    const std::vector<std::string> before = WordsOf(text);
    const size_t wanted = (before.size() * 20 + 50) / 100;
    for (uint64_t seed = 0; seed < kSeeds; ++seed) {
      const std::vector<std::string> after = WordsOf(EditedWords({kind, 20}, text, seed));
      ASSERT_EQ(after.size(), before.size()) << seed;
      size_t different = 0;
      for (size_t i = 0; i < before.size(); ++i) different += before[i] != after[i] ? 1 : 0;
      EXPECT_EQ(different, wanted) << seed;
    }
  }
}

TEST(EditWords, InsertsTheShareOfWordsThatTheStrengthGivesAndKeepsTheOthers) {
  for (const std::string_view text : {kEnglish, kChinese}) {
    const std::vector<std::string> before = WordsOf(text);
    const size_t wanted = (before.size() * 10 + 50) / 100;
    for (uint64_t seed = 0; seed < kSeeds; ++seed) {
      const std::vector<std::string> after =
          WordsOf(EditedWords({EditKind::kInserted, 10}, text, seed));
      EXPECT_EQ(after.size(), before.size() + wanted) << seed;
      EXPECT_TRUE(IsWithin(before, after)) << seed;
    }
  }
}

TEST(EditWords, DeletesTheShareOfWordsThatTheStrengthGivesAndKeepsTheOthers) {
  for (const std::string_view text : {kEnglish, kChinese, std::string_view("5g网x络")}) {
    const std::vector<std::string> before = WordsOf(text);
    const size_t wanted = std::max<size_t>(1, (before.size() * 20 + 50) / 100);
    for (uint64_t seed = 0; seed < kSeeds; ++seed) {
      const std::vector<std::string> after =
          WordsOf(EditedWords({EditKind::kDeleted, 20}, text, seed));
      EXPECT_EQ(after.size(), before.size() - wanted) << seed;
      EXPECT_TRUE(IsWithin(after, before)) << seed;
    }
  }
}

TEST(EditWords, KeepsThePunctuationAroundADeletedWord) {
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    EXPECT_THAT(EditedWords({EditKind::kDeleted, 1}, "Big fox. Red hen.", seed),
                AnyOf("fox. Red hen.", "Big. Red hen.", "Big fox. hen.", "Big fox. Red."));
  }
}

TEST(EditWords, CutsOrAddsTheShareOfWordsAtTheEndOfTheLongestText) {
  for (const std::string_view text : {kEnglish, kChinese}) {
    const std::vector<std::string> before = WordsOf(text);
    const size_t wanted = (before.size() * 20 + 50) / 100;
    for (uint64_t seed = 0; seed < kSeeds; ++seed) {
      const std::vector<std::string> cut = WordsOf(EditedWords({EditKind::kCut, 20}, text, seed));
      EXPECT_EQ(cut.size(), before.size() - wanted);
      EXPECT_TRUE(std::equal(cut.begin(), cut.end(), before.begin()));
      const std::vector<std::string> added =
          WordsOf(EditedWords({EditKind::kAdded, 20}, text, seed));
      ASSERT_EQ(added.size(), before.size() + wanted);
      EXPECT_TRUE(std::equal(before.begin(), before.end(), added.begin()));
    }
  }
}

TEST(EditWords, EditsAnyOfSeveralTexts) {
  bool first = false;
  bool second = false;
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    std::vector<std::string> texts = {"one two", "three four"};
    SeededRandom random(seed);
    ASSERT_TRUE(EditWords({EditKind::kReplaced, 5}, texts, Words(), random));
    EXPECT_NE(texts[0] == "one two", texts[1] == "three four");
    first = first || texts[0] != "one two";
    second = second || texts[1] != "three four";
  }
  EXPECT_TRUE(first && second);
}

TEST(EditWords, LeavesTextsItCannotEditAsTheyAre) {
  SeededRandom random(1);
  std::vector<std::string> one = {"", "word"};
  EXPECT_FALSE(EditWords({EditKind::kDeleted, 20}, one, Words(), random));
  std::vector<std::string> none = {"..."};
  EXPECT_FALSE(EditWords({EditKind::kInserted, 20}, none, Words(), random));
  std::vector<std::string> greek = {"λόγος"};
  EXPECT_FALSE(EditWords({EditKind::kReplaced, 20}, greek, Vocabulary(1), random));
  EXPECT_EQ(one[1], "word");
  EXPECT_EQ(greek[0], "λόγος");
}

TEST(ReorderSentences, GivesTheSameSentencesInAnotherOrder) {
  for (const std::string_view text : {kEnglish, kChinese, std::string_view("A. A. B.")}) {
    std::vector<std::string> before = CutIntoSentences(text).sentences;
    for (uint64_t seed = 0; seed < kSeeds; ++seed) {
      std::string reordered(text);
      SeededRandom random(seed);
      ASSERT_TRUE(ReorderSentences(reordered, random));
      EXPECT_NE(reordered, text);
      EXPECT_EQ(reordered.size(), text.size());
      EXPECT_THAT(CutIntoSentences(reordered).sentences,
                  testing::UnorderedElementsAreArray(before));
    }
  }
}

TEST(ReorderSentences, RefusesTextsWithoutTwoDifferentSentences) {
  SeededRandom random(1);
  for (const std::string text : {"Only one sentence.", "Ha. Ha.", ""}) {
    std::string edited = text;
    EXPECT_FALSE(ReorderSentences(edited, random));
    EXPECT_EQ(edited, text);
  }
}

TEST(DropSentence, RemovesOneSentenceAndKeepsTheOthers) {
  for (const std::string_view text : {kEnglish, kChinese}) {
    const std::vector<std::string> before = CutIntoSentences(text).sentences;
    for (uint64_t seed = 0; seed < kSeeds; ++seed) {
      std::string dropped(text);
      SeededRandom random(seed);
      ASSERT_TRUE(DropSentence(dropped, random));
      const std::vector<std::string> after = CutIntoSentences(dropped).sentences;
      EXPECT_EQ(after.size() + 1, before.size());
      EXPECT_TRUE(IsWithin(after, before));
    }
  }
  std::string one = "Only one.";
  SeededRandom random(1);
  EXPECT_FALSE(DropSentence(one, random));
  EXPECT_EQ(one, "Only one.");
}

}  // namespace
}  // namespace neardup
