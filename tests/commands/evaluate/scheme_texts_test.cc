#include <gtest/gtest.h>

#include "commands/evaluate/scheme_run.h"
#include "detect/base/hash.h"
#include "neardup/filter.h"

namespace neardup {
namespace {

FilterOptions Options() {
  FilterOptions options;
  options.record.fields = {{"title", 1.0}, {"body", 1.0}};
  return options;
}

RecordView View(std::string_view payload) { return {{0, 7}, 42, payload}; }

TEST(SchemeTexts, HoldTheRawTextItsTokensAndTheirHashes) {
  SchemeTextReader reader(Options());
  const SchemeTexts& texts = reader.Read(View(R"({"title":"The FOX, 狐!","id":1})"));
  ASSERT_EQ(texts.outcome.reason, Reason::kNone);
  EXPECT_EQ(texts.outcome.time_ms, 42);
  ASSERT_EQ(texts.texts.size(), 1);
  const SchemeText& text = texts.texts[0];
  EXPECT_EQ(text.field, 0);
  EXPECT_EQ(text.raw, "The FOX, 狐!");
  EXPECT_EQ(text.normalised, "the fox 狐 ");
  ASSERT_EQ(text.tokens.size(), 3);
  EXPECT_EQ(text.tokens[1], Hash64("fox"));
}

TEST(SchemeTexts, GroupTextsByFieldInTheOrderOfTheDocument) {
  SchemeTextReader reader(Options());
  const auto& texts =
      reader.Read(View(R"({"body":["one two"," "],"title":"three","x":"no"})")).texts;
  ASSERT_EQ(texts.size(), 3);
  EXPECT_EQ(texts[0].normalised, "three ");
  EXPECT_EQ(texts[1].normalised, "one two ");
  EXPECT_EQ(texts[2].raw, " ");
  EXPECT_EQ(texts[2].normalised, "");
  EXPECT_TRUE(texts[2].tokens.empty());
}

TEST(SchemeTexts, HaveTheExactHashOfTheFingerprint) {
  SchemeTextReader reader(Options());
  Fingerprinter fingerprinter(Options());
  const std::string long_text(20'000, 'x');
  for (const std::string& payload : {std::string(R"({"body":["one two","three"],"title":"four"})"),
                                     R"({"title":")" + long_text + R"( end","body":"a b c"})"}) {
    EXPECT_EQ(reader.Read(View(payload)).exact,
              fingerprinter.Compute(View(payload)).fingerprint.exact);
  }
}

TEST(SchemeTexts, AreEmptyForARecordThatCannotBeCompared) {
  SchemeTextReader reader(Options());
  ASSERT_EQ(reader.Read(View(R"({"title":"one"})")).texts.size(), 1);
  const SchemeTexts& texts = reader.Read(View("{"));
  EXPECT_EQ(texts.outcome.reason, Reason::kParse);
  EXPECT_FALSE(texts.outcome.error.empty());
  EXPECT_TRUE(texts.texts.empty());
}

}  // namespace
}  // namespace neardup
