// What a caller of the C interface has: records, handles and texts.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "detect/base/letter_word.h"
#include "detect/base/random.h"
#include "neardup/neardup.h"

namespace neardup {

struct FreeFilter {
  void operator()(neardup_filter* filter) const { neardup_filter_free(filter); }
};
using OwnedFilter = std::unique_ptr<neardup_filter, FreeFilter>;

/// A text of the library, freed at the end.
class GivenText {
 public:
  GivenText() = default;
  ~GivenText() { neardup_free(text_); }
  GivenText(const GivenText&) = delete;
  GivenText& operator=(const GivenText&) = delete;

  /// For the library to write to.
  char** place() {
    neardup_free(std::exchange(text_, nullptr));
    return &text_;
  }
  bool is_null() const { return text_ == nullptr; }
  std::string str() const { return text_ == nullptr ? "" : text_; }

 private:
  char* text_ = nullptr;
};

inline constexpr const char* kTitles =
    R"({"record": {"fields": ["title"]}, "match": {"mode": "near", "distance_max": 6}})";

inline OwnedFilter NewFilter(const char* settings = kTitles, uint64_t commit_records = 0,
                             uint64_t threads = 2) {
  const neardup_options options = {sizeof options, threads, commit_records};
  neardup_filter* filter = nullptr;
  GivenText error;
  EXPECT_EQ(neardup_filter_new(settings, &options, &filter, error.place()), NEARDUP_OK)
      << error.str();
  return OwnedFilter(filter);
}

inline neardup_record RecordOf(const std::string& payload, int64_t time_ms = 0) {
  return {sizeof(neardup_record), payload.data(), payload.size(), time_ms};
}

inline std::vector<neardup_record> RecordsOf(const std::vector<std::string>& payloads) {
  std::vector<neardup_record> records;
  for (size_t i = 0; i < payloads.size(); ++i) {
    records.push_back(RecordOf(payloads[i], static_cast<int64_t>(i) * 1000));
  }
  return records;
}

inline std::vector<neardup_verdict> PlacesFor(size_t count) {
  std::vector<neardup_verdict> verdicts(count);
  for (neardup_verdict& verdict : verdicts) verdict.struct_size = sizeof verdict;
  return verdicts;
}

/// Titles of 30 words; a third repeat an earlier one, most with a word changed, and some are no
/// records.
inline std::vector<std::string> SomePayloads(size_t count, uint64_t seed) {
  SeededRandom random(seed);
  std::vector<std::vector<std::string>> titles;
  std::vector<std::string> payloads;
  const auto word = [&] { return LetterWord(random.Below(5000)); };
  for (size_t i = 0; i < count; ++i) {
    if (random.Below(40) == 0) {
      payloads.push_back(random.Below(2) == 0 ? "{" : R"({"other": 1})");
      continue;
    }
    std::vector<std::string> title;
    if (!titles.empty() && random.Below(3) == 0) {
      title = titles[random.Below(titles.size())];
      if (random.Below(4) != 0) title[random.Below(title.size())] = word();
    } else {
      while (title.size() < 30) title.push_back(word());
    }
    std::string text = R"({"title": ")";
    for (const std::string& each : title) text += each + " ";
    payloads.push_back(text + "\"}");
    titles.push_back(std::move(title));
  }
  return payloads;
}

inline std::vector<neardup_verdict> Decide(neardup_filter* filter,
                                           const std::vector<neardup_record>& records) {
  std::vector<neardup_verdict> verdicts = PlacesFor(records.size());
  GivenText error;
  EXPECT_EQ(
      neardup_filter_decide(filter, records.data(), records.size(), verdicts.data(), error.place()),
      NEARDUP_OK)
      << error.str();
  return verdicts;
}

inline neardup_statistics StatisticsOf(neardup_filter* filter) {
  neardup_statistics statistics{};
  statistics.struct_size = sizeof statistics;
  EXPECT_EQ(neardup_filter_statistics(filter, &statistics, nullptr), NEARDUP_OK);
  return statistics;
}

/// Everything but the struct_size, to be compared.
inline std::string Shown(const neardup_verdict& verdict) {
  return std::to_string(verdict.number) + " " + neardup_decision_name(verdict.decision) + " of " +
         std::to_string(verdict.original) + " at " + std::to_string(verdict.distance) + " " +
         neardup_kind_name(verdict.kind) + " " + neardup_reason_name(verdict.reason) +
         (verdict.late != 0 ? " late" : "");
}

inline std::vector<std::string> Shown(const std::vector<neardup_verdict>& verdicts) {
  std::vector<std::string> shown;
  for (const neardup_verdict& verdict : verdicts) shown.push_back(Shown(verdict));
  return shown;
}

}  // namespace neardup
