#include <gtest/gtest.h>

#include "commands/evaluate/scheme_record.h"
#include "commands/evaluate/sentence_schemes.h"
#include "detect/base/hash.h"

namespace neardup {
namespace {

using Sentences = std::vector<Sentence>;

Sentence Make(std::string_view tokens, size_t count, size_t paragraph) {
  return {Hash64(tokens), count, paragraph};
}

TEST(Sentences, EndBehindAStopAtTheEndOfAWord) {
  const SchemeRecord record{"Version 1.5 is out! Is it? yes"};
  EXPECT_EQ(FindSentences(record.texts()), (Sentences{Make("version 1 5 is out ", 5, 0),
                                                      Make("is it ", 2, 0), Make("yes ", 1, 0)}));
}

TEST(Sentences, EndBehindAnIdeographicStopAnywhere) {
  const SchemeRecord record{"天地。人！"};
  EXPECT_EQ(FindSentences(record.texts()), (Sentences{Make("天 地 ", 2, 0), Make("人 ", 1, 0)}));
}

TEST(Sentences, CountLinesAndTextsAsParagraphs) {
  const SchemeRecord record{"a. b\nc", "d"};
  EXPECT_EQ(FindSentences(record.texts()),
            (Sentences{Make("a ", 1, 0), Make("b ", 1, 0), Make("c ", 1, 1), Make("d ", 1, 2)}));
}

TEST(Sentences, LeaveOutMarkupAndWhatHasNoToken) {
  const SchemeRecord record{"<p>One.</p>\n \n<b>Two</b>"};
  EXPECT_EQ(FindSentences(record.texts()), (Sentences{Make("one ", 1, 0), Make("two ", 1, 2)}));
  EXPECT_TRUE(FindSentences({}).empty());
}

}  // namespace
}  // namespace neardup
