// The report of the demo: planted copies against verdicts, and duplicates beside their originals.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "commands/demo/synthetic_stream.h"
#include "commands/evaluate/labelled_set.h"
#include "neardup/verdict.h"

namespace neardup {

/// The verdict on one synthetic record.
struct DemoVerdict {
  Decision decision = Decision::kUnique;
  Reason reason = Reason::kNone;  ///< dead letters only
  /// Index of the original among the synthetic records. This and the next two: duplicates only.
  std::optional<size_t> original;
  int distance = 0;
  MatchKind match = MatchKind::kExact;
  /// Position of the record: topic/partition/offset.
  std::string place;
};

struct DemoCounts {
  size_t records = 0;
  size_t unique = 0;
  size_t exact_duplicates = 0;
  size_t near_duplicates = 0;
  std::array<size_t, kReasonCount> dead_letters{};
  /// Tally::right counts the copies found. Copies of one record are copies of each other.
  Accuracy accuracy;

  size_t dead() const;
  /// Records called a duplicate of a record they are no copy of.
  size_t false_matches() const { return accuracy.all.called - accuracy.all.right; }
};

/// Takes one verdict for each label, in the same order. The lane reads several partitions and may
/// decide a copy before its original, which then is the duplicate of the copy: this finds the copy.
DemoCounts CountVerdicts(std::span<const Label> labels, std::span<const DemoVerdict> verdicts);

/// How long the lane took, from its first commit to its last.
struct DemoSpeed {
  double seconds = 0;
  double records_per_s = 0;
};

std::string DemoTable(const DemoCounts& counts, const DemoSpeed& speed);

/// Chooses up to three duplicates to show: an English article, a Chinese article and a product.
/// Prefers near duplicates whose words were edited. Returns their indexes.
std::vector<size_t> PickDuplicates(const SyntheticStream& stream,
                                   std::span<const DemoVerdict> verdicts);

/// A duplicate and its original: positions, distance, kind, and the texts with [brackets] around
/// the words that differ.
std::string DuplicateText(const SyntheticStream& stream, std::span<const DemoVerdict> verdicts,
                          size_t index);

}  // namespace neardup
