#include "feature/tokeniser.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "base/hash.h"
#include "base/simd_levels.h"
#include "feature/character.h"

namespace neardup {
namespace {

constexpr uint32_t kSeed = 20260131;

std::string Tokens(std::string_view text, bool markup = true) {
  Tokeniser tokeniser(markup);
  TokenList tokens;
  tokeniser.Tokenise(text, tokens);
  return std::string(tokens.TextFrom(0));
}

TEST(Tokeniser, TakesRunsOfLettersAndNumbers) {
  EXPECT_EQ(Tokens("The quick-brown FOX, 42 times!"), "the quick brown fox 42 times ");
  EXPECT_EQ(Tokens("don't snake_case x2y"), "don t snake case x2y ");
  EXPECT_EQ(Tokens("Straße ΣΊΣΥΦΟΣ Ёлка"), "strasse σίσυφοσ ёлка ");
}

TEST(Tokeniser, TakesLettersOfUnspacedScriptsOneByOne) {
  EXPECT_EQ(Tokens("中文iPhone手机"), "中 文 iphone 手 机 ");
  EXPECT_EQ(Tokens("カメラ・ﾃﾚﾋﾞ"), "カ メ ラ テ レ ビ ");
  EXPECT_EQ(Tokens("한국어 2024년"), "한 국 어 2024 년 ");
  EXPECT_EQ(Tokens("㍿x"), "株 式 会 社 x ");
}

TEST(Tokeniser, KeepsMarksWithTheLetterBefore) {
  EXPECT_EQ(Tokens("cafe\u0301"), "café ");
  EXPECT_EQ(Tokens("हिन्दी भाषा"), "हिन्दी भाषा ");
  EXPECT_EQ(Tokens("ที่นี่"), "ที่ นี่ ");
  EXPECT_EQ(Tokens("don\u00b4t \u0301x"), "don t x ");
}

TEST(Tokeniser, IgnoresCaseWidthAndMarkup) {
  const std::string expected = Tokens("Hello World 123 中文");
  EXPECT_EQ(Tokens("ＨＥＬＬＯ　ｗｏｒｌｄ，１２３。中文"), expected);
  EXPECT_EQ(Tokens("<p>hello&nbsp;<b>WORLD</b></p>123 &#20013;文"), expected);
  EXPECT_EQ(Tokens("hel\u00adlo wor\u200bld 123中\ufe0f文"), expected);
}

TEST(Tokeniser, TreatsMarkupAsTextIfMarkupIsOff) {
  EXPECT_EQ(Tokens("<b>x&amp;y</b>", false), "b x amp y b ");
}

TEST(Tokeniser, TakesATextThatIsANumberAsOneToken) {
  EXPECT_EQ(Tokens("-2.10"), "-2.1 ");
  EXPECT_EQ(Tokens("<i>2.10</i>"), "2.1 ");
  EXPECT_EQ(Tokens("2.10 EUR"), "2 10 eur ");
}

TEST(Tokeniser, FindsNoTokensInTextsWithoutLettersAndDigits) {
  EXPECT_EQ(Tokens(""), "");
  EXPECT_EQ(Tokens(" -- !? 😀 。"), "");
}

TEST(Tokeniser, HashesEachToken) {
  Tokeniser tokeniser(true);
  TokenList tokens;
  tokeniser.Tokenise("a 中", tokens);
  tokeniser.Tokenise("A", tokens);
  ASSERT_EQ(tokens.hashes().size(), 3U);
  EXPECT_EQ(tokens.hashes()[0], Hash64("a"));
  EXPECT_EQ(tokens.hashes()[1], Hash64("中"));
  EXPECT_EQ(tokens.hashes()[2], Hash64("a"));
  tokens.Clear();
  EXPECT_EQ(tokens.size(), 0U);
  EXPECT_TRUE(tokens.hashes().empty());
}

/// The definition in its plainest form: fold the whole text, then cut it.
std::string Model(std::string_view text) {
  std::string number;
  if (CanonicalNumber(text, number)) return number + " ";
  TextFolder folder;
  std::vector<std::string> tokens;
  bool open = false;
  bool single = false;
  for (const int32_t folded : folder.Fold(text)) {
    const auto code_point = static_cast<uint32_t>(folded);
    const CharacterClass character_class = ClassOf(code_point);
    char bytes[4];
    const std::string character(bytes, EncodeUtf8(code_point, bytes));
    if (character_class == CharacterClass::kSeparator) {
      open = false;
    } else if (character_class == CharacterClass::kMark) {
      if (open) tokens.back() += character;
    } else {
      const bool goes_on = open && !single && character_class == CharacterClass::kRun;
      if (!goes_on) tokens.emplace_back();
      tokens.back() += character;
      open = true;
      single = character_class == CharacterClass::kSingle;
    }
  }
  std::string joined;
  for (const std::string& token : tokens) joined += token + " ";
  return joined;
}

std::string Utf8(uint32_t code_point) {
  char bytes[4];
  return {bytes, EncodeUtf8(code_point, bytes)};
}

bool IsSurrogate(uint32_t code_point) { return code_point >= 0xD800 && code_point <= 0xDFFF; }

/// The text and the hashes that a tokeniser gives, held against the definition.
void ExpectAsDefined(Tokeniser& tokeniser, TokenList& tokens, const std::string& text) {
  tokens.Clear();
  tokeniser.Tokenise(text, tokens);
  const std::string expected = Model(text);
  ASSERT_EQ(tokens.TextFrom(0), expected) << text;
  std::string_view rest = expected;
  for (const uint64_t hash : tokens.hashes()) {
    const std::string_view token = rest.substr(0, rest.find(' '));
    ASSERT_EQ(hash, Hash64(token)) << token;
    rest.remove_prefix(token.size() + 1);
  }
  ASSERT_TRUE(rest.empty()) << "tokens without a hash: " << rest;
}

TEST(TokeniserModel, AgreesOnEveryCharacterAloneAndBetweenLetters) {
  Tokeniser tokeniser(false);
  TokenList tokens;
  AtEachSimdLevel([&] {
    for (uint32_t code_point = 0; code_point <= 0x10FFFF; ++code_point) {
      if (IsSurrogate(code_point)) continue;
      if (code_point >= 0x32000 && code_point < 0xE0000) continue;    // unassigned
      if (code_point >= 0xF0000 && code_point % 4099 != 0) continue;  // private use
      const std::string character = Utf8(code_point);
      for (const std::string& text :
           {character, "a" + character + "b", "\u4e2d" + character + "\u6587"}) {
        tokens.Clear();
        tokeniser.Tokenise(text, tokens);
        ASSERT_EQ(tokens.TextFrom(0), Model(text)) << std::hex << code_point;
      }
    }
  });
}

// First code point and size of the blocks that random characters are taken from.
constexpr std::pair<uint32_t, uint32_t> kBlocks[] = {
    {0x20, 0x60},    {0x20, 0x60},    {0xA0, 0x60},     {0x100, 0x150},  {0x2B0, 0xC0},
    {0x370, 0x190},  {0x590, 0x170},  {0x900, 0x300},   {0xE00, 0x100},  {0x1000, 0x200},
    {0x1E00, 0x200}, {0x2000, 0x200}, {0x3000, 0x200},  {0x4E00, 0x200}, {0xAC00, 0x100},
    {0xF900, 0x300}, {0xFE00, 0x1F0}, {0x1D400, 0x100}, {0x1F600, 0x50}, {0x20000, 0x50},
    {0x9F00, 0x200}};

/// Characters of a few blocks, each as a run of characters from one of them.
std::string RandomText(std::mt19937& random, size_t runs_max, size_t run_max) {
  std::string text;
  const size_t block_count = 1 + random() % 3;
  std::vector<std::pair<uint32_t, uint32_t>> chosen;
  while (chosen.size() < block_count) chosen.push_back(kBlocks[random() % std::size(kBlocks)]);
  for (size_t runs = random() % runs_max; runs > 0; --runs) {
    const auto& [first, size] = chosen[random() % chosen.size()];
    for (size_t i = 1 + random() % run_max; i > 0; --i) {
      text += Utf8(first + static_cast<uint32_t>(random() % size));
    }
  }
  return text;
}

TEST(TokeniserModel, AgreesOnRandomTexts) {
  Tokeniser tokeniser(false);
  TokenList tokens;
  AtEachSimdLevel([&] {
    std::mt19937 random(kSeed);
    for (int round = 0; round < 30000; ++round) {
      ASSERT_NO_FATAL_FAILURE(ExpectAsDefined(tokeniser, tokens, RandomText(random, 24, 1)))
          << "seed " << kSeed << " round " << round;
    }
  });
}

TEST(TokeniserModel, AgreesOnLongRunsOfOneScript) {
  Tokeniser tokeniser(false);
  TokenList tokens;
  AtEachSimdLevel([&] {
    std::mt19937 random(kSeed);
    for (int round = 0; round < 3000; ++round) {
      ASSERT_NO_FATAL_FAILURE(ExpectAsDefined(tokeniser, tokens, RandomText(random, 6, 150)))
          << "seed " << kSeed << " round " << round;
    }
  });
}

TEST(TokeniserModel, AgreesOnWordsOfEverySizeAtEveryPlace) {
  Tokeniser tokeniser(false);
  TokenList tokens;
  AtEachSimdLevel([&] {
    for (size_t size = 1; size <= 140; ++size) {
      for (const char* separator : {" ", ", ", "\u00e9 ", "\u4e2d"}) {
        std::string text;
        while (text.size() < 400) text += std::string(size, 'Q') + separator;
        ASSERT_NO_FATAL_FAILURE(ExpectAsDefined(tokeniser, tokens, text));
        ASSERT_NO_FATAL_FAILURE(ExpectAsDefined(tokeniser, tokens, "x" + text + "7"));
      }
    }
  });
}

TEST(TokeniserModel, AppendsTextAfterText) {
  AtEachSimdLevel([] {
    std::mt19937 random(kSeed);
    Tokeniser tokeniser(false);
    for (int round = 0; round < 300; ++round) {
      TokenList tokens(kSeed);
      std::string expected;
      for (size_t texts = random() % 6; texts > 0; --texts) {
        const std::string text = RandomText(random, 6, 60);
        tokeniser.Tokenise(text, tokens);
        expected += Model(text);
        if (random() % 2 == 0) tokens.hashes();  // some are hashed early, some late
      }
      ASSERT_EQ(tokens.TextFrom(0), expected);
      size_t begin = 0;
      for (const uint64_t hash : tokens.hashes()) {
        const size_t end = expected.find(' ', begin);
        ASSERT_EQ(hash, Hash64(expected.substr(begin, end - begin), kSeed)) << "round " << round;
        begin = end + 1;
      }
      ASSERT_EQ(begin, expected.size());
      ASSERT_EQ(tokens.token_count(), tokens.hashes().size());
    }
  });
}

}  // namespace
}  // namespace neardup
