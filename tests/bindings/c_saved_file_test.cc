// Saved filters: they decide on as if nothing had happened, and damage is found.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "bindings/c_caller.h"
#include "detect/base/hash.h"
#include "detect/base/temporary_folder.h"

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

/// A small filter is read many times in a moment.
constexpr const char* kSmall =
    R"({"record": {"fields": ["title"]}, "match": {"mode": "near"}, "window": {"entries_max": 1000}})";

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
  const OwnedFilter filter = NewFilter(kSmall);
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

/// What a program that writes such files may do wrong, but no disk.
TEST(CSavedFile, WithFlippedBytesAndAFittingChecksumItIsReadOrRefused) {
  const TemporaryFolder folder;
  const std::string path = folder.path() / "state.nd";
  const OwnedFilter filter = NewFilter(kSmall);
  const std::vector<std::string> payloads = SomePayloads(30, 14);
  const std::vector<neardup_record> records = RecordsOf(payloads);
  Decide(filter.get(), records);
  ASSERT_EQ(neardup_filter_save(filter.get(), path.c_str(), nullptr), NEARDUP_OK);
  const std::string whole = Content(path);
  const size_t body = whole.size() - sizeof(uint64_t);
  int read = 0;
  int refused = 0;
  for (size_t i = 0; i < body; ++i) {
    std::string content = whole.substr(0, body);
    content[i] = static_cast<char>(content[i] ^ (1 << (i % 8)));
    const uint64_t checksum = Hash64(content);
    content.append(reinterpret_cast<const char*>(&checksum), sizeof checksum);
    Write(path, content);
    neardup_filter* loaded = nullptr;
    GivenText error;
    const neardup_status status =
        neardup_filter_load(path.c_str(), nullptr, &loaded, error.place());
    const OwnedFilter owned(loaded);
    EXPECT_EQ(status == NEARDUP_OK, error.is_null());
    if (status == NEARDUP_OK) Decide(loaded, records);
    ++(status == NEARDUP_OK ? read : refused);
  }
  EXPECT_GT(read, 0);
  EXPECT_GT(refused, 0);
}

}  // namespace
}  // namespace neardup
