// The synthetic stream of the demo: articles in English and Chinese and products, planted copies
// with labels, and some malformed records.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "commands/evaluate/labelled_set.h"
#include "learn/edits.h"

namespace neardup {

/// A kind of copy in the stream.
struct PlantedKind {
  Edit edit;
  size_t share = 1;       ///< relative to the shares of the other kinds
  const char* text = "";  ///< the edit in words
};

std::span<const PlantedKind> PlantedKinds();

/// Kind of the label of a malformed record: no JSON, no UTF-8, no object, or no field to compare.
inline constexpr const char* kMalformedKind = "malformed";

/// Fields to exclude from the comparison, because they differ in every record.
inline const std::vector<std::string> kSyntheticFieldsExcluded = {"id", "published"};

struct SyntheticOptions {
  size_t count = 20'000;
  uint64_t seed = 1;
  /// Timestamp of the first record.
  int64_t start_ms = 1'767'225'600'000;  // 2026-01-01T00:00:00Z
};

struct SyntheticRecord {
  std::string key;      ///< the id
  std::string payload;  ///< one JSON object, unless malformed
  int64_t timestamp_ms = 0;
};

struct SyntheticStream {
  /// Timestamps never decrease, and increase by at most 4 s from one record to the next.
  std::vector<SyntheticRecord> records;
  std::vector<Label> labels;  ///< one for each record
};

/// Exactly `count` records: 25 % of them copies, 0.3 % malformed, the others unique. Equal options
/// give equal streams on every machine.
SyntheticStream GenerateSyntheticStream(const SyntheticOptions& options);

}  // namespace neardup
