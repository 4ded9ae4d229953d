// Records for the tests of batches.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "bindings/batch_filter.h"
#include "detect/base/letter_word.h"
#include "detect/base/random.h"

namespace neardup {

/// Texts of 12 to 30 words with event times. One in six repeats an earlier one, and half of these
/// texts with a changed word; some are no JSON.
inline std::vector<std::string> SomeRecords(uint64_t seed, size_t count) {
  SeededRandom random(seed);
  std::vector<std::string> texts;
  std::vector<std::string> records;
  for (size_t i = 0; i < count; ++i) {
    if (random.Below(100) == 0) {
      records.emplace_back("{\"text\": ");
      continue;
    }
    std::string text;
    if (!texts.empty() && random.Below(6) == 0) {
      text = texts[texts.size() - 1 - random.Below(std::min<size_t>(texts.size(), 3000))];
      if (random.Below(2) == 0) text += " changed";
    } else {
      const size_t words = 12 + random.Below(18);
      for (size_t word = 0; word < words; ++word) {
        text += LetterWord(random.Below(5000)) + " ";
      }
      texts.push_back(text);
    }
    const uint64_t time_ms = 1'700'000'000'000 + i * 1000 + random.Below(60'000);
    records.push_back("{\"at\":" + std::to_string(time_ms) + ",\"text\":\"" + text + "\"}");
  }
  return records;
}

inline FilterOptions TextAndTime() {
  FilterOptions options;
  options.record.fields = {{"text"}};
  options.record.time_field = "at";
  options.record.time_format = TimeFormat::kMilliseconds;
  options.window.window_ms = 1'000'000;
  options.window.lateness_ms = 0;
  options.window.entries_max = 1000;
  return options;
}

inline RecordBatch BatchOf(const std::vector<std::string>& records, size_t begin, size_t count) {
  return {count, [&records, begin](size_t i, RecordBuffer&) {
            return RecordView{{}, 0, records[begin + i]};
          }};
}

}  // namespace neardup
