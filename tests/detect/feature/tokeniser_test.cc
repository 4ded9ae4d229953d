#include "detect/feature/tokeniser.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "detect/base/hash.h"
#include "detect/base/simd_levels.h"
#include "detect/feature/character.h"

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

TEST(Tokeniser, TakesAttributesAsTextWhereTheTextIsShort) {
  EXPECT_EQ(Tokens("<img src=\"cat.png\" width=5>"), "cat png ");
  EXPECT_EQ(Tokens("<a class=x href=\"/shoes/41\">Buy</a>"), "buy shoes 41 ");
  EXPECT_EQ(Tokens("<b class=x>Buy</b>"), Tokens("Buy"));
  const std::string text = "one two three four five six seven eight nine ten eleven twelve ";
  EXPECT_EQ(Tokens("<a href=\"/shoes/41\">" + text + "</a>"), text);
  EXPECT_EQ(Tokens("<img src=\"cat.png\">", false), "< img src = cat png > ");
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
  EXPECT_EQ(Tokens("<b>x&amp;y</b>", false), "< b > x amp y < b > ");
}

TEST(Tokeniser, TakesATextThatIsANumberAsOneToken) {
  EXPECT_EQ(Tokens("-2.10"), "-2.10 ");
  EXPECT_EQ(Tokens("<i>2.10</i>"), "2.10 ");
  EXPECT_EQ(Tokens("2.10 EUR"), "2 10 eur ");
  Tokeniser tokeniser(true);
  TokenList tokens;
  tokeniser.Tokenise("-2.10", tokens, TextKind::kNumber);
  EXPECT_EQ(tokens.TextFrom(0), "-2.1 ");
}

TEST(Tokeniser, TakesSymbolsOneByOne) {
  EXPECT_EQ(Tokens("load > 5, load<5"), "load > 5 load < 5 ");
  EXPECT_EQ(Tokens("costs $12 or €11"), "costs $ 12 or € 11 ");
  EXPECT_EQ(Tokens("★★☆ x=y^2 C++ 20°"), "★ ★ ☆ x = y ^ 2 c + + 20 ° ");
  EXPECT_EQ(Tokens("yes👍🏽 ❤\ufe0f"), "yes 👍 🏽 ❤ ");
  EXPECT_EQ(Tokens("it`s ´x´"), "it s x ");
  EXPECT_EQ(Tokens("½ cup"), Tokens("1/2 cup"));
}

TEST(Tokeniser, TakesSignsAtTheSideOfAWordOrNumber) {
  EXPECT_EQ(Tokens("grade A- or AA-, then A+"), "grade a - or aa - then a + ");
  EXPECT_EQ(Tokens("it is -5 or -33.9, not \u22127"), "it is - 5 or - 33 9 not - 7 ");
  EXPECT_EQ(Tokens("(-5) x*-5 -.5 -$3"), "- 5 x - 5 - 5 - $ 3 ");
  EXPECT_EQ(Tokens("up +3.2% of C# #tag"), "up + 3 2 % of c # # tag ");
  EXPECT_EQ(Tokens("ＵＰ　＋３％，－５"), "up + 3 % - 5 ");
  EXPECT_EQ(Tokens("气温-5度 #标签"), "气 温 - 5 度 # 标 签 ");
}

TEST(Tokeniser, TakesSignsBetweenWordsAsPunctuation) {
  EXPECT_EQ(Tokens("well-known 5-10 on 2026-01-05"), "well known 5 10 on 2026 01 05 ");
  EXPECT_EQ(Tokens("- item -word --flag a--b 12--20 x -- y -"), "item word flag a b 12 20 x y ");
  EXPECT_EQ(Tokens("a – b — c 1–2 a%20b p#q # h"), "a b c 1 2 a 20b p q h ");
  EXPECT_EQ(Tokens("é-é é-5 ５－１０"), "é é é 5 5 10 ");
}

TEST(Tokeniser, KeepsTheCaseOfIdentifiers) {
  EXPECT_EQ(Tokens("see aB3x, 5Fq2AA or a9U290000004GNy"), "see aB3x 5Fq2AA or a9U290000004GNy ");
  EXPECT_EQ(Tokens("Covid19 GPT4 4K 2ND McDonald USA x2y"),
            "covid19 gpt4 4k 2nd mcdonald usa x2y ");
  EXPECT_EQ(Tokens("编号aB3x的"), "编 号 aB3x 的 ");
  EXPECT_EQ(Tokens("éaB3x aB3xé aB3x\u0301 aB\u00ad3x"), "éab3x ab3xé ab3x\u0301 ab3x ");
  EXPECT_EQ(Tokens("cafe\u0301 aB3x -aB3x- C#"), "café aB3x aB3x - c # ");
}

TEST(Tokeniser, TakesATextOfPunctuationAsOneToken) {
  EXPECT_EQ(Tokens("???"), "??? ");
  EXPECT_EQ(Tokens(" . . .\n"), "... ");
  EXPECT_EQ(Tokens("<b>:-)</b>"), ":-) ");
  EXPECT_EQ(Tokens("！？"), "！？ ");
  EXPECT_EQ(Tokens(" -- "), "-- ");
}

TEST(Tokeniser, FindsNoTokensInTextsOfWhiteSpace) {
  for (const char* text : {"", "  ", "\n\t\u3000", "\u200b", "<br>", "&nbsp;", "\x01"}) {
    EXPECT_EQ(Tokens(text), "") << text;
  }
}

std::string AsItIs(std::string_view text, TextKind kind = TextKind::kText,
                   const Masks& masks = {}) {
  Tokeniser tokeniser(true, masks);
  TokenList tokens;
  const std::string_view kept = tokeniser.Tokenise(text, tokens, kind);
  EXPECT_TRUE(kept.empty() || kept.ends_with(' '));
  return std::string(kept.substr(0, kept.find(' ')));
}

TEST(Tokeniser, ReturnsAWordThatIsMoreThanLettersAsItIs) {
  for (const char* text : {"in/a-1.csv", "Qk7+w==", "https://sho.example/aB3x", "A+", "+5", "1.10",
                           "GPT4!", "don't", "Ann@Example.org", "x_y", "v2"}) {
    EXPECT_EQ(AsItIs(text), text);
  }
  EXPECT_EQ(AsItIs(" a/B\n"), "a/B");
  EXPECT_EQ(AsItIs("<p>a/B&amp;</p>"), "a/B&");
}

TEST(Tokeniser, ReturnsLettersOfMixedCaseAsTheyAre) {
  EXPECT_EQ(AsItIs("mW"), "mW");
  EXPECT_EQ(AsItIs("(iPhone)!"), "iPhone");
  for (const char* text :
       {"hat", "Hat", "HAT!", "\"hat\"", "Hat.", "?!", "été", "éT/1", "a b/C1", "", "中文"}) {
    EXPECT_EQ(AsItIs(text), "") << text;
  }
}

TEST(Tokeniser, ReturnsNothingOfNumbersAndMaskedTexts) {
  EXPECT_EQ(AsItIs("-1.50", TextKind::kNumber), "");
  EXPECT_EQ(AsItIs("10.0.0.1/x", TextKind::kText, {.ip = true}), "");
  EXPECT_EQ(AsItIs("job/17", TextKind::kText, {.number = true}), "");
  EXPECT_EQ(AsItIs("job/x", TextKind::kText, {.ip = true, .number = true}), "job/x");
}

TEST(Tokeniser, ReturnsAKeyOfOneWordAsItIs) {
  for (const char* text : {"mw", "MW", "Hat!", "<b>", "a&amp;b", "É", "中文", "-"}) {
    EXPECT_EQ(AsItIs(text, TextKind::kKey), text);
  }
  EXPECT_EQ(AsItIs(" E\u0301\n", TextKind::kKey), "É");
  for (const char* text : {"two words", "a\u3000b", " ", ""}) {
    EXPECT_EQ(AsItIs(text, TextKind::kKey), "") << text;
  }
}

TEST(Tokeniser, MasksTheSignOfANumberWithIt) {
  Tokeniser tokeniser(true, {.number = true});
  TokenList tokens;
  tokeniser.Tokenise("from -5 to +7% of A- z", tokens);
  EXPECT_EQ(tokens.TextFrom(0), "from \x05 to \x05 % of a - z ");
}

TEST(Tokeniser, TakesLinearTimeForTextsOfSigns) {
  for (const std::string part : {"<", "-", "-5", "a-", "aB3", "%\u200b", "-\u00ad", "\u064e-5"}) {
    std::string text;
    while (text.size() < 1 << 20) text += part;
    EXPECT_NE(Tokens(text), "");
  }
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

/// A character of folded text, with the class that a text gives it.
struct Character {
  uint32_t code_point;
  CharacterClass character_class;
};

/// Folds the text, but for identifiers.
std::vector<Character> Folded(std::string_view text) {
  TextFolder folder;
  const FoldTable& table = FoldTable::Get();
  std::vector<Character> characters;
  const auto fold = [&](std::string_view part) {
    for (const int32_t code_point : folder.Fold(part)) {
      characters.push_back(
          {static_cast<uint32_t>(code_point), ClassOf(static_cast<uint32_t>(code_point))});
    }
  };
  const auto divides = [&table](uint32_t code_point) {
    const FoldTable::Kind kind = table.Find(code_point).kind;
    return kind == FoldTable::Kind::kSeparator || kind == FoldTable::Kind::kSingle ||
           kind == FoldTable::Kind::kSign;
  };
  std::vector<std::string> parts;
  std::vector<uint32_t> first;
  const char* at = text.data();
  const char* const end = at + text.size();
  bool in_word = false;
  while (at < end) {
    const char* next = at;
    const uint32_t code_point = DecodeUtf8(next);
    const bool is_word = IsAscii(*at) && (IsAsciiLetter(*at) || IsAsciiDigit(*at));
    if (parts.empty() || !(is_word && in_word)) {
      parts.emplace_back();
      first.push_back(code_point);
    }
    parts.back().append(at, next);
    in_word = is_word;
    at = next;
  }
  std::string pending;
  for (size_t i = 0; i < parts.size(); ++i) {
    const bool is_word = IsAsciiLetter(parts[i][0]) || IsAsciiDigit(parts[i][0]);
    if (is_word && KeepsCase(parts[i]) && (i == 0 || divides(first[i - 1])) &&
        (i + 1 == parts.size() || divides(first[i + 1]))) {
      fold(pending);
      pending.clear();
      for (const char c : parts[i]) {
        characters.push_back({static_cast<unsigned char>(c), CharacterClass::kRun});
      }
    } else {
      pending += parts[i];
    }
  }
  fold(pending);
  return characters;
}

/// The definition in its plainest form: fold the whole text, then cut it.
std::string Model(std::string_view text) {
  std::string number;
  if (CanonicalNumber(text, number, /*keep_zeros=*/true)) return number + " ";
  const std::vector<Character> folded = Folded(text);
  std::vector<std::string> tokens;
  bool open = false;
  bool single = false;
  const auto at = [&folded](size_t i) { return i < folded.size() ? folded[i].code_point : 0; };
  for (size_t i = 0; i < folded.size(); ++i) {
    auto [code_point, character_class] = folded[i];
    char bytes[4];
    const std::string character(bytes, EncodeUtf8(code_point, bytes));
    if (character_class == CharacterClass::kSign) {
      const bool is_content = IsSignContent(
          code_point, {open && !single, i > 0 && at(i - 1) == '-', at(i + 1), at(i + 2)});
      character_class = is_content ? CharacterClass::kSingle : CharacterClass::kSeparator;
    }
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
  if (tokens.empty()) {
    TextFolder folder;
    std::string rest;
    for (const int32_t code_point : folder.Compose(text)) {
      char bytes[4];
      rest.append(bytes, EncodeUtf8(static_cast<uint32_t>(code_point), bytes));
    }
    if (!rest.empty()) tokens.push_back(rest);
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
      for (const std::string& text : {character, "a" + character + "b",
                                      "\u4e2d" + character + "\u6587", " " + character + "5"}) {
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

TEST(TokeniserModel, AgreesOnSignsAndIdentifiersAtEveryPlace) {
  Tokeniser tokeniser(false);
  TokenList tokens;
  const std::string parts[] = {
      "a",       "B",  "7",  "ab", "AB",
      "aB3",     "-",  "-",  "#",  "%",
      "+",       "$",  ".",  " ",  " ",
      "é",       "中", "－", "٪",  "\u00ad",
      "e\u0301", "5",  "x1", "Xy", "the quick brown fox jumps over the lazy dog "};
  AtEachSimdLevel([&] {
    std::mt19937 random(kSeed);
    for (int round = 0; round < 40'000; ++round) {
      std::string text;
      const size_t kinds = random() % 4 == 0 ? 16 : std::size(parts);  // mostly ASCII
      for (size_t i = random() % 80; i > 0; --i) text += parts[random() % kinds];
      ASSERT_NO_FATAL_FAILURE(ExpectAsDefined(tokeniser, tokens, text))
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
