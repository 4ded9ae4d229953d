// The demo's numbers: ground truth against verdicts, and the table of it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "app/sample_stream.h"
#include "neardup/verdict.h"

namespace neardup {

/// What became of one sample record.
struct SampleVerdict {
  Decision decision = Decision::kUnique;
  Reason reason = Reason::kNone;  ///< dead letters only
  /// Duplicates only, as the next two: index of the sample record it repeats.
  std::optional<size_t> original;
  int distance = 0;
  MatchKind match = MatchKind::kExact;
  /// Where the record stands: topic/partition/offset.
  std::string place;
};

struct PlantedCopies {
  size_t planted = 0;
  size_t found = 0;
};

struct DemoCounts {
  size_t records = 0;
  size_t unique = 0;
  size_t exact_duplicates = 0;
  size_t near_duplicates = 0;
  std::array<size_t, kReasonCount> dead_letters{};
  std::array<PlantedCopies, kSampleKindCount> copies{};  ///< by SampleKind
  /// Duplicates of a record they are no copy of.
  size_t false_matches = 0;

  PlantedCopies all_copies() const;
  size_t dead() const;
};

/// Index of the record that `records[index]` is a copy of, or `index`. Copies of one record are
/// copies of each other.
size_t SampleRoot(std::span<const SampleRecord> records, size_t index);

/// A verdict for each record, in the same order. A copy is found when it is called a duplicate of
/// its root or of another copy of it, or when the root, read after it, is called its duplicate.
DemoCounts CountVerdicts(std::span<const SampleRecord> records,
                         std::span<const SampleVerdict> verdicts);

/// How long the lane was at work.
struct DemoSpeed {
  double seconds = 0;
  double records_per_s = 0;
};

std::string DemoTable(const DemoCounts& counts, const DemoSpeed& speed);

}  // namespace neardup
