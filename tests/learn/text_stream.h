// Made-up streams whose right calibration is known.
#pragma once

#include <string>
#include <vector>

#include "base/seeded_random.h"
#include "learn/sample.h"

namespace neardup {

/// `count` words of a vocabulary in which low numbers are frequent, as in texts.
inline std::vector<std::string> RandomWords(SeededRandom& random, size_t count) {
  std::vector<std::string> words;
  for (size_t i = 0; i < count; ++i) {
    words.push_back("w" + std::to_string(random.Below(1 + random.Below(4000))));
  }
  return words;
}

inline std::string TextRecord(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return R"({"text":")" + text + R"("})";
}

/// Texts of 60 words; `copies_per_mille` of them are an earlier one with `words_changed` words
/// replaced.
inline std::vector<std::string> TextStream(uint64_t seed, size_t records, uint64_t copies_per_mille,
                                           size_t words_changed) {
  SeededRandom random(seed);
  std::vector<std::vector<std::string>> originals;
  std::vector<std::string> payloads;
  while (payloads.size() < records) {
    if (originals.size() > 20 && random.Chance(copies_per_mille)) {
      std::vector<std::string> copy = random.Pick(originals);
      for (size_t i = 0; i < words_changed; ++i) copy[random.Below(copy.size())] = "edited";
      payloads.push_back(TextRecord(copy));
    } else {
      originals.push_back(RandomWords(random, 60));
      payloads.push_back(TextRecord(originals.back()));
    }
  }
  return payloads;
}

/// Log lines of twelve kinds; what tells two of a kind apart is a number.
inline std::vector<std::string> SeriesStream(uint64_t seed, size_t records) {
  SeededRandom random(seed);
  std::vector<std::vector<std::string>> kinds;
  for (int kind = 0; kind < 12; ++kind) kinds.push_back(RandomWords(random, 30));
  std::vector<std::string> payloads;
  for (size_t i = 0; i < records; ++i) {
    std::vector<std::string> words = random.Pick(kinds);
    words.push_back(std::to_string(i));
    payloads.push_back(TextRecord(words));
  }
  return payloads;
}

inline FilterOptions TextOptions() {
  FilterOptions options;
  options.record.fields = {{"text", 1.0}};
  return options;
}

/// Each payload at {0, index}.
inline std::vector<RecordView> ViewsOf(const std::vector<std::string>& payloads) {
  std::vector<RecordView> views;
  for (const std::string& payload : payloads) {
    views.push_back({{0, static_cast<int64_t>(views.size())}, 0, payload});
  }
  return views;
}

inline Sample SampleOf(const std::vector<std::string>& payloads,
                       const std::vector<uint64_t>& hash_seeds) {
  Sample sample(TextOptions(), hash_seeds);
  for (const RecordView& view : ViewsOf(payloads)) sample.Add(view);
  return sample;
}

}  // namespace neardup
