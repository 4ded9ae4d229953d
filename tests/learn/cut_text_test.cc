#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "learn/words.h"

namespace neardup {
namespace {

using testing::ElementsAre;

std::vector<std::string> WordsOf(std::string_view text) {
  std::vector<std::string> words;
  for (const CutWord& word : CutIntoWords(text).words) words.push_back(word.text);
  return words;
}

TEST(CutIntoWords, GivesLatinWordsAndSingleHanCharacters) {
  EXPECT_THAT(WordsOf(" The fox, 3.5 km!"), ElementsAre("The", "fox", "3", "5", "km"));
  EXPECT_THAT(WordsOf("《春天》来了。"), ElementsAre("春", "天", "来", "了"));
  EXPECT_THAT(WordsOf("买iPhone手机"), ElementsAre("买", "iPhone", "手", "机"));
  EXPECT_THAT(WordsOf("e\u0301te\u0301"), ElementsAre("e\u0301te\u0301"));
  EXPECT_THAT(WordsOf("?! ..."), ElementsAre());
}

TEST(CutIntoWords, LosesNothing) {
  for (const std::string text :
       {"", " ", "a", " The fox, (3.5 km)!\n", "《春天》来了。 ok", "\u0301a"}) {
    EXPECT_EQ(Join(CutIntoWords(text)), text);
  }
}

TEST(CutIntoWords, KnowsWhichScriptsPutSpacesBetweenWords) {
  const CutWords cut = CutIntoWords("fox 狐");
  EXPECT_TRUE(cut.words[0].spaced);
  EXPECT_FALSE(cut.words[1].spaced);
}

TEST(CutIntoSentences, EndsASentenceAtStopsAndLineEnds) {
  EXPECT_THAT(CutIntoSentences("It is 3.14. Really?  Yes\nNo").sentences,
              ElementsAre("It is 3.14.", "Really?", "Yes", "No"));
  EXPECT_THAT(CutIntoSentences("他来了。她走了！为什么？不知道").sentences,
              ElementsAre("他来了。", "她走了！", "为什么？", "不知道"));
  EXPECT_THAT(CutIntoSentences(" ").sentences, ElementsAre());
}

TEST(CutIntoSentences, LosesNothing) {
  for (const std::string text :
       {"", "  ", " A. B", "It is 3.14. Really?  Yes\n\nNo \n", "来。走！"}) {
    EXPECT_EQ(Join(CutIntoSentences(text)), text);
  }
}

}  // namespace
}  // namespace neardup
