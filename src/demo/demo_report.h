// The demo's numbers: ground truth against verdicts, and the table of it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "demo/synthetic_stream.h"
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
  std::array<PlantedCopies, kSampleKindCount> copies{};  ///< by SyntheticKind
  /// Duplicates of a record they are no copy of.
  size_t false_matches = 0;

  PlantedCopies all_copies() const;
  size_t dead() const;
};

/// Index of the record that `records[index]` is a copy of, or `index`. Copies of one record are
/// copies of each other.
size_t SampleRoot(std::span<const SyntheticRecord> records, size_t index);

/// A verdict for each record, in the same order. A copy is found when it is called a duplicate of
/// its root or of another copy of it, or when the root, read after it, is called its duplicate.
DemoCounts CountVerdicts(std::span<const SyntheticRecord> records,
                         std::span<const SampleVerdict> verdicts);

/// How long the lane was at work.
struct DemoSpeed {
  double seconds = 0;
  double records_per_s = 0;
};

std::string DemoTable(const DemoCounts& counts, const DemoSpeed& speed);

// Sample duplicates beside their originals, for the eye.

/// Indexes of up to three duplicates worth showing: an English article, a Chinese article and a
/// product, near ones with edited words where there are any.
std::vector<size_t> PickDuplicates(std::span<const SyntheticRecord> records,
                                   std::span<const SampleVerdict> verdicts);

/// Two texts cut to the surroundings of what differs between them, which stands in [brackets];
/// their beginnings when nothing does. Cut at the borders of words and of UTF-8 characters.
struct MarkedTexts {
  std::string first;
  std::string second;
};
MarkedTexts MarkDifference(std::string_view first, std::string_view second);

/// A duplicate and its original with positions, distance and kind.
std::string DuplicateText(std::span<const SyntheticRecord> records,
                          std::span<const SampleVerdict> verdicts, size_t index);

}  // namespace neardup
