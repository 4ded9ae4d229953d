#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "detect/base/temporary_folder.h"
#include "stream/files/file_sample.h"

namespace neardup {
namespace {

class SpreadSample : public testing::Test {
 protected:
  static constexpr int kLines = 100'000;

  SpreadSample() {
    std::ofstream file(path_);
    for (int line = 0; line < kLines; ++line) file << "line number " << line << "\n";
  }

  /// Reads a sample, and returns the numbers of its lines.
  std::vector<int> Numbers(size_t records_max, size_t bytes_max) {
    const Result<std::vector<Message>> sample = ReadSpreadSample(path_, records_max, bytes_max);
    EXPECT_TRUE(sample.ok());
    std::vector<int> numbers;
    for (const Message& message : *sample) {
      const std::string line(*message.value);
      EXPECT_EQ(line.substr(0, 12), "line number ") << "a line is whole";
      numbers.push_back(std::stoi(line.substr(12)));
      EXPECT_EQ(message.position.offset, static_cast<int64_t>(numbers.size()) - 1);
    }
    return numbers;
  }

  const TemporaryFolder folder_;
  const std::string path_ = folder_.path() / "records.jsonl";
};

TEST_F(SpreadSample, ReachesFromTheBeginningToTheEndInTheOrderOfTheFile) {
  const std::vector<int> numbers = Numbers(10'000, 200'000);
  ASSERT_GT(numbers.size(), 1000U);
  EXPECT_LE(numbers.size(), 10'000U);
  EXPECT_EQ(numbers.front(), 0);
  EXPECT_GT(numbers.back(), kLines * 9 / 10);
  for (size_t i = 1; i < numbers.size(); ++i) ASSERT_LT(numbers[i - 1], numbers[i]);
}

TEST_F(SpreadSample, KeepsToBothBounds) {
  EXPECT_LE(Numbers(320, 1'000'000).size(), 320U);
  size_t bytes = 0;
  for (const int number : Numbers(kLines, 50'000)) bytes += 13 + std::to_string(number).size();
  EXPECT_LE(bytes, 50'000U);
}

TEST_F(SpreadSample, IsEmptyWhereTheWholeInputIsReadAnyway) {
  EXPECT_TRUE(Numbers(kLines, size_t{1} << 30).empty());
  EXPECT_TRUE(ReadSpreadSample("-", 10, 10)->empty());
  EXPECT_TRUE(ReadSpreadSample("/no/such/file", 10, 10)->empty());
  std::ofstream(path_, std::ios::binary) << "\x1f\x8b" << std::string(10'000, 'x');
  EXPECT_TRUE(Numbers(100, 1000).empty()) << "it is compressed";
}

TEST_F(SpreadSample, IsEmptyForZstdAsForGzip) {
  std::ofstream(path_, std::ios::binary) << "\x28\xb5\x2f\xfd" << std::string(10'000, 'x');
  EXPECT_TRUE(Numbers(100, 1000).empty());
}

TEST_F(SpreadSample, LinesOfAFileAreCounted) {
  EXPECT_EQ(*CountLines(path_), uint64_t{kLines});
  std::ofstream(path_, std::ios::app) << "the last one, without a line end";
  EXPECT_EQ(*CountLines(path_), uint64_t{kLines} + 1);
  EXPECT_EQ(*CountLines("-"), 0U);
  EXPECT_EQ(*CountLines("/no/such/file"), 0U);
}

}  // namespace
}  // namespace neardup
