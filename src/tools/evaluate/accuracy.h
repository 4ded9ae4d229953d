// Accuracy of a scheme: what it called duplicates, against the labels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "evaluate/labelled_set.h"

namespace neardup {

/// What a scheme said about one labelled record.
struct Call {
  bool duplicate = false;
  /// Row of the label of the original it names; nullopt if it names none, or one without a label.
  std::optional<size_t> original;
};

/// Collects the decisions on the payloads of a set as calls, one for each label.
class CallList {
 public:
  /// `set` must outlive the list.
  explicit CallList(const LabelledSet& set) : set_(set), calls_(set.labels.size()) {}

  void AddUnique(size_t payload) { Add(payload, {false, std::nullopt}); }
  /// `original` is the number of a payload.
  void AddDuplicate(size_t payload, size_t original) {
    Add(payload, {true, set_.label_of[original]});
  }
  /// nullopt: no payload with this label was added.
  std::span<const std::optional<Call>> calls() const { return calls_; }

 private:
  void Add(size_t payload, const Call& call) {
    if (const std::optional<size_t> row = set_.label_of[payload]) calls_[*row] = call;
  }

  const LabelledSet& set_;
  std::vector<std::optional<Call>> calls_;
};

/// Numbers of records, and the ratios of them. A ratio is nullopt if its denominator is 0.
struct Tally {
  uint64_t records = 0;
  uint64_t true_duplicates = 0;  ///< an earlier record has the same cluster
  uint64_t called = 0;           ///< called a duplicate
  uint64_t found = 0;            ///< true duplicates that were called a duplicate
  /// Those found whose call names an earlier record of the same cluster.
  uint64_t right = 0;

  /// found / called
  std::optional<double> precision() const;
  /// found / true_duplicates
  std::optional<double> recall() const;
  /// Harmonic mean of precision and recall; 0 if both are 0.
  std::optional<double> f1() const;
  /// F1 that counts `right` instead of `found`: a call that names a wrong original finds nothing.
  std::optional<double> strict_f1() const;

  bool operator==(const Tally&) const = default;
};

struct Accuracy {
  Tally all;
  std::map<std::string, Tally> kinds;  ///< by kind of label
  /// Labels without a call. They count as called unique.
  uint64_t missing = 0;
};

/// Counts the calls; `calls` has one element for each label, in the same order.
Accuracy Judge(std::span<const Label> labels, std::span<const std::optional<Call>> calls);

}  // namespace neardup
