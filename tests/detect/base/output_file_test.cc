#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <vector>

#include "detect/base/file.h"
#include "detect/base/temporary_folder.h"

namespace neardup {
namespace {

namespace fs = std::filesystem;

class OutputFileTest : public ::testing::Test {
 protected:
  OutputFileTest() { std::ofstream(folder_ / "old") << "before"; }

  OutputFile Open(const std::string& name) {
    Result<OutputFile> file = OutputFile::Open((folder_ / name).string());
    EXPECT_TRUE(file.ok()) << file.error().text;
    return std::move(file).value();
  }
  std::string Read(const std::string& name) const {
    std::ifstream file(folder_ / name);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  size_t CountFiles() const {
    return static_cast<size_t>(
        std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }

  const TemporaryFolder temporary_;
  const fs::path& folder_ = temporary_.path();
};

TEST_F(OutputFileTest, ReplacesTheFileOnlyWhenFinished) {
  OutputFile file = Open("old");
  ASSERT_TRUE(file.Write("after").ok());
  ASSERT_TRUE(file.Flush().ok());
  EXPECT_EQ(Read("old"), "before");
  ASSERT_TRUE(file.Finish().ok());
  EXPECT_EQ(Read("old"), "after");
  EXPECT_EQ(CountFiles(), 1U);
}

TEST_F(OutputFileTest, LeavesNothingBehindUnlessFinished) {
  {
    OutputFile first = Open("old");
    OutputFile second = Open("new");
    OutputFile again = Open("old");  // another process does the same
    ASSERT_TRUE(first.Write("after").ok());
    EXPECT_EQ(CountFiles(), 4U);
  }
  EXPECT_EQ(Read("old"), "before");
  EXPECT_EQ(CountFiles(), 1U);
}

TEST_F(OutputFileTest, FinishesAllFilesOrNone) {
  OutputFile good = Open("old");
  Result<OutputFile> full = OutputFile::Open("/dev/full");
  ASSERT_TRUE(full.ok()) << full.error().text;
  ASSERT_TRUE(good.Write("after").ok());
  ASSERT_TRUE(full->Write("after").ok()) << "buffered";
  const Result<void> finished = OutputFile::Finish(std::vector<OutputFile*>{&good, &*full});
  ASSERT_FALSE(finished.ok());
  EXPECT_EQ(finished.error().text, "/dev/full: cannot be written: No space left on device");
  EXPECT_EQ(Read("old"), "before");
}

TEST_F(OutputFileTest, KeepsTheContentIfItCannotTakeItsName) {
  OutputFile file = Open("new");
  ASSERT_TRUE(file.Write("after").ok());
  fs::create_directories(folder_ / "new" / "in the way");
  const Result<void> finished = file.Finish();
  ASSERT_FALSE(finished.ok());
  EXPECT_NE(finished.error().text.find("new.0.tmp cannot get this name"), std::string::npos);
  EXPECT_EQ(Read("new.0.tmp"), "after");
}

TEST_F(OutputFileTest, SaysWhyAFileCannotBeWritten) {
  EXPECT_EQ(OutputFile::Open((folder_ / "no" / "file").string()).error().text,
            (folder_ / "no" / "file").string() +
                ": cannot be written: no such folder: " + (folder_ / "no").string());
  EXPECT_EQ(OutputFile::Open(folder_.string()).error().text,
            folder_.string() + ": cannot be written: found a folder, expected a file");
  fs::create_symlink("circle", folder_ / "circle");
  EXPECT_EQ(OutputFile::Open((folder_ / "circle").string()).error().code, ErrorCode::kIo);
}

}  // namespace
}  // namespace neardup
