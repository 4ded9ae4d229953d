// Saved filters: they decide on as if nothing had happened, and damage is found.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "c/caller.h"
#include "state/temporary_folder.h"

namespace neardup {
namespace {

std::string Content(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void Write(const std::filesystem::path& path, const std::string& content) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << content;
}

TEST(CSavedFile, DecidesOnAsTheFilterThatWasSaved) {
  const TemporaryFolder folder;
  const std::string path = folder.path() / "state.nd";
  const std::vector<std::string> payloads = SomePayloads(3000, 9);
  const std::vector<neardup_record> records = RecordsOf(payloads);
  const std::vector<neardup_record> first(records.begin(), records.begin() + 2000);
  const std::vector<neardup_record> second(records.begin() + 2000, records.end());
  const OwnedFilter filter = NewFilter();
  Decide(filter.get(), first);
  ASSERT_EQ(neardup_filter_save(filter.get(), path.c_str(), nullptr), NEARDUP_OK);
  neardup_filter* loaded = nullptr;
  GivenText error;
  ASSERT_EQ(neardup_filter_load(path.c_str(), nullptr, &loaded, error.place()), NEARDUP_OK)
      << error.str();
  const OwnedFilter owned(loaded);
  EXPECT_EQ(StatisticsOf(loaded).decided, 2000U);
  EXPECT_EQ(StatisticsOf(loaded).entries, StatisticsOf(filter.get()).entries);
  EXPECT_EQ(Shown(Decide(loaded, second)), Shown(Decide(filter.get(), second)));
}

TEST(CSavedFile, MayHaveANameWithoutAFolder) {
  const TemporaryFolder folder;
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  GivenText error;
  EXPECT_EQ(neardup_filter_save(NewFilter().get(), "state.nd", error.place()), NEARDUP_OK)
      << error.str();
  neardup_filter* loaded = nullptr;
  EXPECT_EQ(neardup_filter_load("state.nd", nullptr, &loaded, error.place()), NEARDUP_OK)
      << error.str();
  neardup_filter_free(loaded);
  std::filesystem::current_path(before);
}

TEST(CSavedFile, EachFlippedByteAndEachCutIsAnError) {
  const TemporaryFolder folder;
  const std::string path = folder.path() / "state.nd";
  const std::string damaged = folder.path() / "damaged.nd";
  const OwnedFilter filter = NewFilter();
  const std::vector<std::string> payloads = SomePayloads(30, 10);
  Decide(filter.get(), RecordsOf(payloads));
  ASSERT_EQ(neardup_filter_save(filter.get(), path.c_str(), nullptr), NEARDUP_OK);
  const std::string whole = Content(path);
  const auto expect_error = [&](const std::string& content, const std::string& what) {
    Write(damaged, content);
    neardup_filter* loaded = nullptr;
    GivenText error;
    const neardup_status status =
        neardup_filter_load(damaged.c_str(), nullptr, &loaded, error.place());
    EXPECT_TRUE(status == NEARDUP_CORRUPT || status == NEARDUP_MISMATCH)
        << what << ": " << neardup_status_name(status);
    EXPECT_THAT(error.str(), testing::HasSubstr(damaged)) << what;
    EXPECT_EQ(loaded, nullptr);
    neardup_filter_free(loaded);
  };
  for (size_t i = 0; i < whole.size(); ++i) {
    std::string content = whole;
    content[i] = static_cast<char>(content[i] ^ (1 << (i % 8)));
    expect_error(content, "byte " + std::to_string(i));
    expect_error(whole.substr(0, i), "cut at " + std::to_string(i));
  }
  expect_error(whole + '\0', "a byte too many");
}

}  // namespace
}  // namespace neardup
