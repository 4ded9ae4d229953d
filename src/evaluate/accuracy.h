// What a scheme found of what is there, in figures.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "evaluate/labels.h"

namespace neardup {

/// What a scheme said of a labelled record.
struct Call {
  bool duplicate = false;
  /// Row of the label of the record it names; nullopt: it names none, or one without a label.
  std::optional<size_t> original;
};

/// Counts of records, and the ratios made of them. A ratio without a denominator is nullopt.
struct Tally {
  uint64_t records = 0;
  uint64_t true_duplicates = 0;  ///< an earlier record has the same cluster
  uint64_t called = 0;           ///< called duplicate
  uint64_t found = 0;            ///< true duplicates called duplicate
  /// Of those found: the record named is earlier and of the same cluster.
  uint64_t right = 0;

  /// True duplicates among those called.
  std::optional<double> precision() const;
  /// Called among the true duplicates.
  std::optional<double> recall() const;
  /// Harmonic mean of precision and recall: 0 when both are.
  std::optional<double> f1() const;
  /// The same when a call that names a wrong original, or none, has found nothing.
  std::optional<double> strict_f1() const;

  bool operator==(const Tally&) const = default;
};

struct Accuracy {
  Tally all;
  std::map<std::string, Tally> kinds;
  /// Labelled records the scheme said nothing of. They count as unique.
  uint64_t missing = 0;
};

/// One call for each label.
Accuracy Judge(std::span<const Label> labels, std::span<const std::optional<Call>> calls);

}  // namespace neardup
