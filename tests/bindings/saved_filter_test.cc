#include "bindings/saved_filter.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "bindings/batches.h"
#include "detect/base/temporary_folder.h"

namespace neardup {
namespace {

constexpr uint64_t kSeed = 20261125;

std::unique_ptr<SavedFilter> NewFilter(const FilterOptions& options) {
  auto filter = SavedFilter::New({options, 1, 300});
  EXPECT_TRUE(filter.ok());
  return std::move(*filter);
}

TEST(SavedFilter, GoesOnAfterALoadAsIfNothingHadHappened) {
  const FilterOptions options = TextAndTime();
  const std::vector<std::string> records = SomeRecords(kSeed, 9000);
  const TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "state.nd";
  VerdictColumns expected;
  NewFilter(options)->filter().Decide(BatchOf(records, 0, records.size()), expected);

  VerdictColumns verdicts;
  auto saved = NewFilter(options);
  for (size_t begin = 0; begin < records.size(); begin += 1500) {  // whole commits
    saved->filter().Decide(BatchOf(records, begin, 1500), verdicts);
    ASSERT_TRUE(saved->Save(file).ok());
    auto loaded = SavedFilter::Load(file, 1);
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

}  // namespace
}  // namespace neardup
