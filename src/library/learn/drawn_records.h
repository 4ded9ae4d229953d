// Draws the records of a sample that are studied closely, so that copies are among them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "neardup/options.h"
#include "neardup/record.h"

namespace neardup {

/// Records drawn at random, and for each of them the nearest others of the whole sample. A random
/// part of a large sample would hold hardly any record together with its copy, and consecutive
/// records would show only those copies that come at once. Hashes of the records decide which are
/// drawn, so their order changes nothing.
struct DrawnRecords {
  struct Drawn {
    size_t record = 0;      ///< index into the sample
    bool at_random = true;  ///< false: it is near one that was drawn at random
  };
  std::vector<Drawn> records;  ///< by index, ascending
  Model model;                 ///< of RandomPart
  // Of the whole sample:
  uint64_t repeats = 0;
  uint64_t dead_letters = 0;
  uint64_t distinct = 0;
};

/// Samples of at most this many records are drawn as a whole.
inline constexpr size_t kStudiedMax = 3000;

/// At most kStudiedMax records, in their order. The hashes of their payloads decide which, so that
/// a sample in another order has the same part.
std::vector<RecordView> RandomPart(std::span<const RecordView> records);

/// At most `count` records, in the order of the hashes of their payloads: the same for a sample in
/// any order.
std::vector<RecordView> ShuffledPart(std::span<const RecordView> records, size_t count);

/// The model of RandomPart, without which all simhashes of a stream are alike. The options must be
/// valid; the model's hash seed is that of `options`.
Model ModelOfPart(std::span<const RecordView> records, const FilterOptions& options);

/// The options must be valid; the model's hash seed is that of `options`. Deterministic.
DrawnRecords DrawRecords(std::span<const RecordView> records, const FilterOptions& options);

}  // namespace neardup
