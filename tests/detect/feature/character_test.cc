#include "detect/feature/character.h"

#include <gtest/gtest.h>
#include <utf8proc.h>

#include <cstdint>
#include <iterator>
#include <random>
#include <span>
#include <string>
#include <vector>

namespace neardup {
namespace {

TEST(Character, HasTheClassOfItsScript) {
  for (const uint32_t letter : {U'a', U'\u00e9', U'я', U'α', U'ع', U'ह', U'7', U'٣', U'½'}) {
    EXPECT_EQ(ClassOf(letter), CharacterClass::kRun) << letter;
  }
  for (const uint32_t letter : {U'中', U'\U00020000', U'あ', U'カ', U'ー', U'々', U'〇', U'한',
                                U'ᄀ', U'ก', U'ກ', U'ក', U'က', U'ㄅ'}) {
    EXPECT_EQ(ClassOf(letter), CharacterClass::kSingle) << letter;
  }
  for (const uint32_t mark : {0x301U, 0x93EU, 0xE31U, 0x3099U, 0x20DDU}) {
    EXPECT_EQ(ClassOf(mark), CharacterClass::kMark) << mark;
  }
  for (const uint32_t symbol : {U'$', U'+', U'<', U'^', U'~', U'|', U'€', U'★', U'→', U'°', U'‰',
                                U'😀', U'👎', U'\U0001F3FB', U'\U0001F1E6'}) {
    EXPECT_EQ(ClassOf(symbol), CharacterClass::kSingle) << symbol;
  }
  for (const uint32_t sign : {U'-', U'#', U'%'}) {
    EXPECT_EQ(ClassOf(sign), CharacterClass::kSign) << sign;
  }
  for (const uint32_t other :
       {U' ', U'_', U'–', U'—', U'。', U'・', U'\'', U'`', U'*', U'\0', U'\uFFFF'}) {
    EXPECT_EQ(ClassOf(other), CharacterClass::kSeparator) << other;
  }
}

TEST(Character, ASignIsContentAtTheSideOfAWordOrNumber) {
  const auto is_content = [](uint32_t sign, bool after_run, uint32_t next, uint32_t second = 0) {
    return IsSignContent(sign, {.after_run = after_run, .next = next, .second = second});
  };
  EXPECT_TRUE(is_content('-', true, 0));      // A-
  EXPECT_TRUE(is_content('-', true, ' '));    // A- x
  EXPECT_TRUE(is_content('-', false, '5'));   // -5
  EXPECT_TRUE(is_content('-', false, U'٥'));  // the same in Arabic
  EXPECT_TRUE(is_content('-', false, U'€'));  // -€5
  EXPECT_TRUE(is_content('-', false, '.', '5'));
  EXPECT_FALSE(is_content('-', false, '.', 'a'));
  EXPECT_FALSE(is_content('-', true, 'b'));   // a-b
  EXPECT_FALSE(is_content('-', true, '-'));   // a--
  EXPECT_FALSE(is_content('-', false, 'b'));  // -b
  EXPECT_FALSE(is_content('-', false, ' '));
  EXPECT_FALSE(IsSignContent('-', {.after_hyphen = true, .next = '5'}));
  EXPECT_TRUE(is_content('#', true, 0));     // C#
  EXPECT_TRUE(is_content('#', false, 'b'));  // #b
  EXPECT_TRUE(is_content('#', false, U'中'));
  EXPECT_FALSE(is_content('#', true, 'b'));  // a#b
  EXPECT_FALSE(is_content('#', false, ' '));
  EXPECT_TRUE(is_content('%', true, 0));     // 5%
  EXPECT_TRUE(is_content('%', false, 0));    // 5 %
  EXPECT_FALSE(is_content('%', true, '2'));  // a%20
}

TEST(FoldTable, FoldsCaseWidthAndCompatibility) {
  const FoldTable& table = FoldTable::Get();
  const auto folded = [&table](uint32_t code_point) {
    const FoldTable::Fold fold = table.Find(code_point);
    EXPECT_TRUE(fold.kind == FoldTable::Kind::kRun || fold.kind == FoldTable::Kind::kSingle);
    return fold.value;
  };
  EXPECT_EQ(folded(U'A'), U'a');
  EXPECT_EQ(folded(U'É'), U'é');
  EXPECT_EQ(folded(U'Ａ'), U'a');
  EXPECT_EQ(folded(U'７'), U'7');
  EXPECT_EQ(folded(U'ς'), U'σ');
  EXPECT_EQ(folded(U'①'), U'1');
  EXPECT_EQ(folded(U'ｱ'), U'ア');
  EXPECT_EQ(folded(U'⼈'), U'人');
  EXPECT_EQ(folded(U'\U00020000'), U'\U00020000');
}

TEST(FoldTable, TellsHowEachKindOfCharacterFolds) {
  const FoldTable& table = FoldTable::Get();
  const auto sharp_s = table.Find(U'ß');
  ASSERT_EQ(sharp_s.kind, FoldTable::Kind::kExpansion);
  const auto expansion = table.expansion(sharp_s.value);
  EXPECT_EQ(std::u32string(expansion.begin(), expansion.end()), U"ss");
  EXPECT_EQ(table.Find(0xAD).kind, FoldTable::Kind::kIgnored);
  EXPECT_EQ(table.Find(0xFE0F).kind, FoldTable::Kind::kIgnored);
  EXPECT_EQ(table.Find(0x301).kind, FoldTable::Kind::kContextual);
  EXPECT_EQ(table.Find(0xFF9E).kind, FoldTable::Kind::kContextual);
  EXPECT_EQ(table.Find(0x1161).kind, FoldTable::Kind::kContextual);
  EXPECT_EQ(table.Find(0x314F).kind, FoldTable::Kind::kContextual);
  EXPECT_EQ(table.Find(0x1D400).kind, FoldTable::Kind::kContextual);
  EXPECT_EQ(table.Find(0x1F600).kind, FoldTable::Kind::kSingle);
  EXPECT_EQ(table.Find('_').kind, FoldTable::Kind::kSeparator);
  EXPECT_EQ(table.Find(0x64E).kind, FoldTable::Kind::kIgnored);
  EXPECT_EQ(table.Find(0x640).kind, FoldTable::Kind::kIgnored);
  EXPECT_EQ(table.Find(0x654).kind, FoldTable::Kind::kContextual);  // makes letters with a hamza
  for (const uint32_t minus : {U'-', U'\u2212', U'－', U'﹣', U'⁻'}) {
    EXPECT_EQ(table.Find(minus).kind, FoldTable::Kind::kSign);
    EXPECT_EQ(table.Find(minus).value, U'-');
  }
}

std::u32string Text(std::span<const int32_t> characters) {
  return {characters.begin(), characters.end()};
}

TEST(TextFolder, FoldsAcrossCharacters) {
  TextFolder folder;
  EXPECT_EQ(Text(folder.Fold("E\u0301")), U"é");
  EXPECT_EQ(Text(folder.Fold("ｶﾞ")), U"ガ");
  EXPECT_EQ(Text(folder.Fold("\u1112\u1161\u11ab")), U"한");
  EXPECT_EQ(Text(folder.Fold("")), U"");
}

TEST(TextFolder, DropsMarksThatReadersDoWithout) {
  TextFolder folder;
  EXPECT_EQ(Text(folder.Fold("كِتَـــابٌ")), U"كتاب");
  EXPECT_EQ(Text(folder.Fold("رحمٰن")), U"رحمن");
  EXPECT_EQ(Text(folder.Fold("שָׁלוֹם")), U"שלום");
  EXPECT_EQ(Text(folder.Fold("ﺄ")), U"أ");
  EXPECT_EQ(Text(folder.Fold("\u0627\u064e\u0654")), U"أ");
  EXPECT_EQ(Text(folder.Fold("हिन्दी")), U"हिन्दी");
}

TEST(TextFolder, ComposesWithoutFolding) {
  TextFolder folder;
  EXPECT_EQ(Text(folder.Compose(" E\u0301 \u3000①\u200b-\x01Ａ\n")), U"É①-Ａ");
  EXPECT_EQ(Text(folder.Compose(" \t\u2009")), U"");
}

TEST(TextFolder, FoldsEveryTextAsTheLibraryDoesButForMarksThatMayBeLeftOut) {
  constexpr auto kOptions = static_cast<utf8proc_option_t>(
      UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_COMPAT | UTF8PROC_CASEFOLD | UTF8PROC_IGNORE);
  constexpr uint32_t kCharacters[] = {'a',    'E',    ' ',     0x300,  0x301,  0x323,  0x31B,
                                      0x345,  0x5B0,  0x3099,  0x1100, 0x1161, 0x11A8, 0xAC00,
                                      0x0F71, 0x0F72, 0x1D15E, 0xFDFA, 0x200B, 0xE9,   0x1E9E};
  std::mt19937_64 random(5);
  TextFolder folder;
  for (int round = 0; round < 3000; ++round) {
    std::string text;
    for (uint64_t left = random() % 60; left > 0; --left) {
      char bytes[4];
      text.append(bytes, EncodeUtf8(kCharacters[random() % std::size(kCharacters)], bytes));
    }
    std::vector<int32_t> expected(20 * text.size() + 1);
    const auto decomposed = utf8proc_decompose(
        reinterpret_cast<const uint8_t*>(text.data()), static_cast<utf8proc_ssize_t>(text.size()),
        expected.data(), static_cast<utf8proc_ssize_t>(expected.size()), kOptions);
    expected.resize(
        static_cast<size_t>(utf8proc_normalize_utf32(expected.data(), decomposed, kOptions)));
    std::erase(expected, 0x5B0);
    const auto folded = folder.Fold(text);
    ASSERT_EQ(std::vector<int32_t>(folded.begin(), folded.end()), expected) << "round " << round;
  }
}

TEST(Utf8, DecodesWhatItEncodes) {
  for (uint32_t code_point = 1; code_point <= 0x10FFFF;
       code_point += code_point < 0x11000 ? 1 : 97) {
    if (code_point >= 0xD800 && code_point <= 0xDFFF) continue;
    char bytes[4];
    const size_t size = EncodeUtf8(code_point, bytes);
    const char* at = bytes;
    ASSERT_EQ(DecodeUtf8(at), code_point);
    ASSERT_EQ(at, bytes + size);
  }
}

}  // namespace
}  // namespace neardup
