// A record of the sample stream before it is written as JSON: text in pieces that can be edited.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/seeded_random.h"
#include "demo/synthetic_words.h"

namespace neardup {

enum class SyntheticShape : uint8_t { kEnglishNews, kChineseNews, kProduct };

const SyntheticLanguage& LanguageOf(SyntheticShape shape);

/// Words of a sentence, without its stop.
using Sentence = std::vector<std::string>;

struct SyntheticDraft {
  SyntheticShape shape = SyntheticShape::kEnglishNews;
  Sentence title;
  std::vector<Sentence> body;
  std::string source;  ///< of an article; brand of a product
  uint64_t price_cents = 0;
};

SyntheticDraft DraftRecord(SyntheticShape shape, SeededRandom& random);

// The made-up stream of the demo: articles in English and Chinese, products, planted copies with
// their ground truth, and some malformed records.

enum class SyntheticKind : uint8_t {
  kUnique,
  kExactCopy,        ///< only id and published differ
  kFormatChanged,    ///< case, spacing, markup, order of the keys
  kReordered,        ///< sentences in another order
  kWordsReplaced,    ///< one to three words
  kWordInserted,     ///< one word
  kSentenceDropped,  ///< one sentence
  kFieldChanged,     ///< price of a product, source of an article
  kMalformed,        ///< not JSON, not UTF-8, no object, or without any field to compare
};
inline constexpr int kSampleKindCount = 9;

constexpr const char* Name(SyntheticKind kind) {
  switch (kind) {
    case SyntheticKind::kUnique:
      return "unique";
    case SyntheticKind::kExactCopy:
      return "exact copy";
    case SyntheticKind::kFormatChanged:
      return "format changed";
    case SyntheticKind::kReordered:
      return "reordered";
    case SyntheticKind::kWordsReplaced:
      return "words replaced";
    case SyntheticKind::kWordInserted:
      return "word inserted";
    case SyntheticKind::kSentenceDropped:
      return "sentence dropped";
    case SyntheticKind::kFieldChanged:
      return "field changed";
    case SyntheticKind::kMalformed:
      return "malformed";
  }
  return "malformed";
}

struct SyntheticOptions {
  size_t count = 20'000;
  uint64_t seed = 1;
  /// Timestamp of the first record; the others follow within 3 s each.
  int64_t start_ms = 1'767'225'600'000;  // 2026-01-01T00:00:00Z
};

struct SyntheticRecord {
  std::string key;      ///< the id
  std::string payload;  ///< one JSON object, unless malformed
  int64_t timestamp_ms = 0;
  SyntheticKind kind = SyntheticKind::kUnique;
  /// Index of the unique record this one is a copy of.
  std::optional<size_t> original;
};

/// Fields to leave out of the comparison: they differ in every record.
inline const std::vector<std::string> kSampleFieldsExcluded = {"id", "published"};

/// About 25 % copies and 0.3 % malformed records. Equal options give equal records on every
/// machine.
std::vector<SyntheticRecord> GenerateSampleStream(const SyntheticOptions& options);

}  // namespace neardup
