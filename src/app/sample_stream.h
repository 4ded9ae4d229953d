// The made-up stream of the demo: articles in English and Chinese, products, planted copies with
// their ground truth, and some malformed records.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace neardup {

enum class SampleKind : uint8_t {
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

constexpr const char* Name(SampleKind kind) {
  switch (kind) {
    case SampleKind::kUnique:
      return "unique";
    case SampleKind::kExactCopy:
      return "exact copy";
    case SampleKind::kFormatChanged:
      return "format changed";
    case SampleKind::kReordered:
      return "reordered";
    case SampleKind::kWordsReplaced:
      return "words replaced";
    case SampleKind::kWordInserted:
      return "word inserted";
    case SampleKind::kSentenceDropped:
      return "sentence dropped";
    case SampleKind::kFieldChanged:
      return "field changed";
    case SampleKind::kMalformed:
      return "malformed";
  }
  return "malformed";
}

struct SampleOptions {
  size_t count = 20'000;
  uint64_t seed = 1;
  /// Timestamp of the first record; the others follow within 3 s each.
  int64_t start_ms = 1'767'225'600'000;  // 2026-01-01T00:00:00Z
};

struct SampleRecord {
  std::string key;      ///< the id
  std::string payload;  ///< one JSON object, unless malformed
  int64_t timestamp_ms = 0;
  SampleKind kind = SampleKind::kUnique;
  /// Index of the unique record this one is a copy of.
  std::optional<size_t> original;
};

/// Fields to leave out of the comparison: they differ in every record.
inline const std::vector<std::string> kSampleFieldsExcluded = {"id", "published"};

/// About 25 % copies and 0.3 % malformed records. Equal options give equal records on every
/// machine.
std::vector<SampleRecord> GenerateSampleStream(const SampleOptions& options);

}  // namespace neardup
