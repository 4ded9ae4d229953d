// A record of the sample stream before it is written as JSON: text in pieces that can be edited.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/sample_words.h"
#include "base/seeded_random.h"

namespace neardup {

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

SampleDraft DraftRecord(SampleShape shape, SeededRandom& random);

}  // namespace neardup
