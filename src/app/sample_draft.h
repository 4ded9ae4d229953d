// A record of the sample stream before it is written as JSON: text in pieces that can be edited.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/sample_words.h"

namespace neardup {

/// SplitMix64 (Steele, Lea, Flood 2014): the same numbers on every machine.
class SampleRandom {
 public:
  explicit SampleRandom(uint64_t seed) : state_(seed) {}

  uint64_t Next();
  /// 0 to n - 1; n > 0. The bias of the remainder is below n / 2^64.
  uint64_t Below(uint64_t n) { return Next() % n; }
  bool Chance(uint64_t per_mille) { return Below(1000) < per_mille; }
  const std::string& Pick(const std::vector<std::string>& words) {
    return words[Below(words.size())];
  }

 private:
  uint64_t state_;
};

enum class SampleShape : uint8_t { kEnglishNews, kChineseNews, kProduct };

const SampleLanguage& LanguageOf(SampleShape shape);

/// Words of a sentence, without its stop.
using Sentence = std::vector<std::string>;

struct SampleDraft {
  SampleShape shape = SampleShape::kEnglishNews;
  Sentence title;
  std::vector<Sentence> body;
  std::string source;  ///< of an article; brand of a product
  uint64_t price_cents = 0;
};

SampleDraft DraftRecord(SampleShape shape, SampleRandom& random);

}  // namespace neardup
