#include "bench/text_set.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

namespace neardup {
namespace {

using Texts = std::vector<std::string>;

const char* const kLines =
    "{\"b\":\"two\",\"a\":\"one\",\"c\":3}\n"
    "not JSON\n"
    "{\"c\":4}\n"
    "{\"a\":[\"x\",\"y\"]}";

class ReadTextsTest : public testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(path_); }

  const std::string path_ =
      testing::TempDir() + testing::UnitTest::GetInstance()->current_test_info()->name();
};

TEST_F(ReadTextsTest, ReadsTheSelectedFieldsInTheOrderOfTheSelection) {
  std::ofstream(path_) << kLines;
  const auto read = ReadTexts(path_, {"a", "b"});
  ASSERT_TRUE(read.ok()) << read.error().text;
  EXPECT_EQ(read->texts, (Texts{"one\ntwo", "x\ny"}));
  EXPECT_EQ(read->refused, 2u);
}

TEST_F(ReadTextsTest, ReadsAllFieldsIfNoneIsSelected) {
  std::ofstream(path_) << kLines << '\n';
  const auto read = ReadTexts(path_, {});
  ASSERT_TRUE(read.ok()) << read.error().text;
  EXPECT_EQ(read->texts, (Texts{"two\none\n3", "4", "x\ny"}));
  EXPECT_EQ(read->refused, 1u);
}

TEST_F(ReadTextsTest, ReadsCompressedFiles) {
  const gzFile file = gzopen(path_.c_str(), "wb");
  gzputs(file, kLines);
  gzclose(file);
  const auto read = ReadTexts(path_, {"/a/1"});
  ASSERT_TRUE(read.ok()) << read.error().text;
  EXPECT_EQ(read->texts, (Texts{"y"}));
}

TEST_F(ReadTextsTest, RefusesATruncatedCompressedFile) {
  const gzFile file = gzopen(path_.c_str(), "wb");
  gzputs(file, kLines);
  gzclose(file);
  std::filesystem::resize_file(path_, std::filesystem::file_size(path_) - 12);
  const auto read = ReadTexts(path_, {"a"});
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error().code, ErrorCode::kIo);
}

TEST_F(ReadTextsTest, RefusesAMissingFileAndAWrongField) {
  const auto missing = ReadTexts(path_, {"a"});
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().code, ErrorCode::kNotFound);
  const auto wrong = ReadTexts(path_, {"/~2"});
  ASSERT_FALSE(wrong.ok());
  EXPECT_NE(wrong.error().code, ErrorCode::kNotFound);
}

Texts Of(const TextSet& set) { return {set.texts().begin(), set.texts().end()}; }

TEST(TextSet, KeepsTheFirstOfEqualTextsInOrder) {
  const TextSet set(Texts{"b", "a", "", "b", "ab", "a"});
  EXPECT_EQ(Of(set), (Texts{"b", "a", "", "ab"}));
  EXPECT_EQ(set.bytes(), 4u);
}

TEST(TextSet, OutlivesTheTextsItWasMadeFrom) {
  auto texts =
      std::make_unique<Texts>(Texts{"short", "too long for the small string optimisation"});
  TextSet first(*texts);
  texts.reset();
  const TextSet moved = std::move(first);
  EXPECT_EQ(Of(moved), (Texts{"short", "too long for the small string optimisation"}));
}

TEST(ShortTexts, AreDistinctAndOfTheRightNumberAndLength) {
  const Texts texts = Of(ShortTexts(5000, 3));
  EXPECT_EQ(std::set<std::string>(texts.begin(), texts.end()).size(), 5000u);
  for (const std::string& text : texts) {
    ASSERT_GE(text.size(), 4u);
    ASSERT_LE(text.size(), 16u);
  }
}

TEST(TwinTexts, DifferFromTheFirstOfTheirGroupInOneCharacter) {
  const Texts texts = Of(TwinTexts(1000, 3));
  ASSERT_EQ(std::set<std::string>(texts.begin(), texts.end()).size(), 1000u);
  for (size_t i = 0; i < texts.size(); ++i) {
    const std::string& original = texts[i - i % 64];
    ASSERT_EQ(texts[i].size(), 64u);
    int different = 0;
    for (size_t at = 0; at < 64; ++at) different += texts[i][at] != original[at];
    ASSERT_EQ(different, i % 64 == 0 ? 0 : 1) << "text " << i;
  }
}

TEST(SyntheticTexts, AreTheSameForTheSameSeedOnly) {
  EXPECT_EQ(Of(ShortTexts(50, 1)), Of(ShortTexts(50, 1)));
  EXPECT_NE(Of(ShortTexts(50, 1)), Of(ShortTexts(50, 2)));
  EXPECT_EQ(Of(TwinTexts(50, 1)), Of(TwinTexts(50, 1)));
  EXPECT_NE(Of(TwinTexts(50, 1)), Of(TwinTexts(50, 2)));
}

TEST(TokensOf, GivesEachTokenOfTheServiceOnce) {
  const std::vector<std::string_view> texts = {"The bridge, the <b>harbour</b>", "", "天天 bridge"};
  EXPECT_EQ(Of(TokensOf(texts)), (Texts{"the", "bridge", "harbour", "天"}));
}

}  // namespace
}  // namespace neardup
