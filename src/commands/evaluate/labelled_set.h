// A labelled set: the records of a stream, and for each of them which records it repeats.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "neardup/record.h"
#include "neardup/result.h"

namespace neardup {

/// What is known about one record. Records of one cluster are copies of each other: a record is a
/// true duplicate if an earlier record has the same cluster.
struct Label {
  std::string id;
  std::string cluster;
  std::string kind;      ///< how the record was made: original, exact, replaced-10, ...
  std::string original;  ///< id of the record it was made from; empty if there is none or unknown
};

/// Reads a labels file: tab-separated lines in the order of the stream. The first line names the
/// columns. The columns id, cluster and kind are required, others are ignored, and so are empty
/// lines. Errors name `path` and the line.
Result<std::vector<Label>> ParseLabels(std::string_view text, const std::string& path);

/// A labels file that ParseLabels reads, with the columns id, cluster, kind and ref (the original).
std::string LabelsText(std::span<const Label> labels);

/// Names of the fields to compare: the member `fields` of a set.json. It is a list of names, or an
/// object whose keys are the names. Errors name `path`.
Result<std::vector<std::string>> ParseSetFields(std::string_view json, const std::string& path);

struct LabelledSet {
  std::string name;
  std::vector<std::string> payloads;  ///< in the order of the stream
  std::vector<Label> labels;
  /// For each payload the row of its label in `labels`.
  std::vector<std::optional<size_t>> label_of;

  /// The payload as a record. All records have timestamp 0, because lines of a file have none.
  RecordView View(size_t payload) const {
    return {{0, static_cast<int64_t>(payload)}, 0, payloads[payload]};
  }
  /// Number of payloads without a label. They are decided, and may be the originals of others, but
  /// no figure counts them.
  uint64_t unlabelled() const;
};

/// Finds the label of each payload by the text of `id_field`, or by its line number (from 1) if it
/// has no such field. Fails if two labelled payloads have the same id, or if no payload has a
/// label.
Result<LabelledSet> JoinLabels(const std::string& name, std::vector<std::string> payloads,
                               std::vector<Label> labels, const std::string& id_field);

// Accuracy of a scheme: what it called duplicates, against the labels.

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
