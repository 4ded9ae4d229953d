#include "bindings/saved_filter.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "bindings/batches.h"
#include "detect/base/temporary_folder.h"

namespace neardup {
namespace {

constexpr uint64_t kSeed = 20261125;

/// A file in a folder of its own, which goes away with it.
class TemporaryFile {
 public:
  std::filesystem::path path() const { return folder_.path() / "state.nd"; }
  std::string Read() const {
    std::ifstream file(path(), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void Write(const std::string& bytes) const { std::ofstream(path(), std::ios::binary) << bytes; }

 private:
  TemporaryFolder folder_;
};

std::unique_ptr<SavedFilter> NewFilter(const FilterOptions& options) {
  auto filter = SavedFilter::New({options, 1, 300});
  EXPECT_TRUE(filter.ok());
  return std::move(*filter);
}

TEST(SavedFilter, GoesOnAfterALoadAsIfNothingHadHappened) {
  const FilterOptions options = TextAndTime();
  const std::vector<std::string> records = SomeRecords(kSeed, 9000);
  const TemporaryFile file;
  VerdictColumns expected;
  NewFilter(options)->filter().Decide(BatchOf(records, 0, records.size()), expected);

  VerdictColumns verdicts;
  auto saved = NewFilter(options);
  for (size_t begin = 0; begin < records.size(); begin += 1500) {  // whole commits
    saved->filter().Decide(BatchOf(records, begin, 1500), verdicts);
    ASSERT_TRUE(saved->Save(file.path()).ok());
    auto loaded = SavedFilter::Load(file.path(), 1);
    ASSERT_TRUE(loaded.ok()) << loaded.error().text;
    EXPECT_EQ((*loaded)->filter().filter().entries(), saved->filter().filter().entries());
    EXPECT_EQ((*loaded)->filter().options(), options);
    saved = std::move(*loaded);
  }
  EXPECT_EQ(verdicts.decision, expected.decision);
  EXPECT_EQ(verdicts.original, expected.original);
  EXPECT_EQ(verdicts.distance, expected.distance);
  EXPECT_EQ(verdicts.late, expected.late);
}

TEST(SavedFilter, KeepsNoLogOfWhatIsForgotten) {
  FilterOptions options = TextAndTime();
  const std::vector<std::string> records = SomeRecords(kSeed, 20'000);
  const auto saved = NewFilter(options);
  VerdictColumns verdicts;
  saved->filter().Decide(BatchOf(records, 0, 4000), verdicts);
  const size_t early = saved->log_bytes();
  saved->filter().Decide(BatchOf(records, 4000, 16'000), verdicts);
  EXPECT_LT(saved->log_bytes(), 2 * early);
}

TEST(SavedFilter, RefusesAFileThatIsCutOrChangedAnywhere) {
  const std::vector<std::string> records = SomeRecords(kSeed, 40);
  const TemporaryFile file;
  auto saved = NewFilter(TextAndTime());
  VerdictColumns verdicts;
  saved->filter().Decide(BatchOf(records, 0, records.size()), verdicts);
  ASSERT_TRUE(saved->Save(file.path()).ok());
  const std::string whole = file.Read();
  for (size_t place = 0; place < whole.size(); ++place) {
    std::string changed = whole;
    changed[place] = static_cast<char>(changed[place] ^ 0x41);
    file.Write(changed);
    const auto loaded = SavedFilter::Load(file.path(), 1);
    ASSERT_FALSE(loaded.ok()) << place;
    EXPECT_NE(loaded.error().text.find(file.path().string()), std::string::npos);
    file.Write(whole.substr(0, place));
    EXPECT_FALSE(SavedFilter::Load(file.path(), 1).ok()) << place;
  }
  file.Write(whole);
  EXPECT_TRUE(SavedFilter::Load(file.path(), 1).ok());
}

TEST(SavedFilter, IsSavedInTheWorkingDirectory) {
  const TemporaryFile file;
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(file.path().parent_path());
  const Result<void> saved = NewFilter(TextAndTime())->Save("state.nd");
  std::filesystem::current_path(before);
  ASSERT_TRUE(saved.ok()) << saved.error().text;
  EXPECT_TRUE(SavedFilter::Load(file.path(), 1).ok());
}

TEST(SavedFilter, NamesAFileThatDoesNotExist) {
  const auto loaded = SavedFilter::Load("/nowhere/state.nd", 1);
  ASSERT_FALSE(loaded.ok());
  EXPECT_EQ(loaded.error().code, ErrorCode::kNotFound);
  EXPECT_NE(loaded.error().text.find("/nowhere/state.nd"), std::string::npos);
}

}  // namespace
}  // namespace neardup
