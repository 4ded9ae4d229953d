#include <gtest/gtest.h>

#include <fstream>

#include "detect/base/file.h"
#include "detect/base/temporary_folder.h"

namespace neardup {
namespace {

class FileContent : public ::testing::Test {
 protected:
  static void Write(const std::filesystem::path& file, const std::string& bytes) {
    std::ofstream(file, std::ios::binary) << bytes;
  }

  const TemporaryFolder temporary_;
  const std::filesystem::path& folder_ = temporary_.path();
};

TEST_F(FileContent, ReadsBackWhatWasWritten) {
  const std::filesystem::path file = folder_ / "file";
  for (const size_t size : {0, 1, 65'535, 65'536, 65'537, 200'000}) {
    std::string bytes;
    for (size_t i = 0; i < size; ++i) bytes += static_cast<char>(i % 251);
    Write(file, bytes);
    EXPECT_EQ(ReadFile(file).value(), bytes);
  }
}

TEST_F(FileContent, RefusesMoreBytesThanTheBound) {
  const std::filesystem::path file = folder_ / "file";
  Write(file, "12345");
  EXPECT_EQ(ReadFile(file, 5).value(), "12345");
  EXPECT_EQ(ReadFile(file, 4).error().code, ErrorCode::kIo);
  EXPECT_EQ(ReadFile(file, 4).error().text, "found more than 4 bytes, expected at most 4");
}

TEST_F(FileContent, SaysWhyAFileCannotBeRead) {
  EXPECT_EQ(ReadFile(folder_ / "absent").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(ReadFile(folder_ / "absent").error().text, "cannot be read: No such file or directory");
  EXPECT_EQ(ReadFile(folder_).error().code, ErrorCode::kIo);
  EXPECT_EQ(ReadFile(folder_).error().text, "found a folder, expected a file");
}

}  // namespace
}  // namespace neardup
