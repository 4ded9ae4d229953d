#include "bench/json_lines.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace neardup {
namespace {

using Texts = std::vector<std::string>;

const char* const kLines =
    "{\"b\":\"two\",\"a\":\"one\",\"c\":3}\n"
    "not JSON\n"
    "{\"c\":4}\n"
    "{\"a\":[\"x\",\"y\"]}";

class JsonLines : public testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(path_); }

  const std::string path_ =
      testing::TempDir() + testing::UnitTest::GetInstance()->current_test_info()->name();
};

TEST_F(JsonLines, GiveTheSelectedFieldsInTheOrderAskedFor) {
  std::ofstream(path_) << kLines;
  const auto read = ReadTexts(path_, {"a", "b"});
  ASSERT_TRUE(read.ok()) << read.error().text;
  EXPECT_EQ(read->texts, (Texts{"one\ntwo", "x\ny"}));
  EXPECT_EQ(read->refused, 2u);
}

TEST_F(JsonLines, GiveAllFieldsWhenNoneIsNamed) {
  std::ofstream(path_) << kLines << '\n';
  const auto read = ReadTexts(path_, {});
  ASSERT_TRUE(read.ok()) << read.error().text;
  EXPECT_EQ(read->texts, (Texts{"two\none\n3", "4", "x\ny"}));
  EXPECT_EQ(read->refused, 1u);
}

TEST_F(JsonLines, MayBeCompressed) {
  const gzFile file = gzopen(path_.c_str(), "wb");
  gzputs(file, kLines);
  gzclose(file);
  const auto read = ReadTexts(path_, {"/a/1"});
  ASSERT_TRUE(read.ok()) << read.error().text;
  EXPECT_EQ(read->texts, (Texts{"y"}));
}

TEST_F(JsonLines, CutOffInCompressedBytesAreAnError) {
  const gzFile file = gzopen(path_.c_str(), "wb");
  gzputs(file, kLines);
  gzclose(file);
  std::filesystem::resize_file(path_, std::filesystem::file_size(path_) - 12);
  const auto read = ReadTexts(path_, {"a"});
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error().code, ErrorCode::kIo);
}

TEST_F(JsonLines, OfAMissingFileOrAWrongFieldAreAnError) {
  const auto missing = ReadTexts(path_, {"a"});
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().code, ErrorCode::kNotFound);
  const auto wrong = ReadTexts(path_, {"/~2"});
  ASSERT_FALSE(wrong.ok());
  EXPECT_NE(wrong.error().code, ErrorCode::kNotFound);
}

}  // namespace
}  // namespace neardup
