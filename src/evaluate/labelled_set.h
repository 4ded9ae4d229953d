// What a person knows about a stream: which records are copies of which.
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

/// One record. It is a true duplicate when an earlier record has the same cluster.
struct Label {
  std::string id;
  std::string cluster;
  std::string kind;      ///< where it comes from: original, exact, replaced-10, ...
  std::string original;  ///< id of the record it was made from; empty: none or not known
};

/// Tab-separated lines in the order of the stream. The first names the columns; id, cluster and
/// kind must be there, others are left out. Empty lines are passed over. `path` is for error texts.
Result<std::vector<Label>> ParseLabels(std::string_view text, const std::string& path);

/// What ParseLabels reads, with the columns id, cluster, kind, ref.
std::string LabelsText(std::span<const Label> labels);

// Which fields of a labelled set are to be compared.

/// The member `fields` of a JSON object: a list of names, or an object whose keys are the names.
/// `path` is for error texts.
Result<std::vector<std::string>> ParseSetFields(std::string_view json, const std::string& path);

// What a scheme found of what is there, in figures.

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

// A stream together with its labels.

struct LabelledSet {
  std::string name;
  std::vector<std::string> payloads;  ///< in the order of the stream
  std::vector<Label> labels;
  /// For each payload the row of its label.
  std::vector<std::optional<size_t>> label_of;

  /// Lines of a file have no timestamp: all count as simultaneous.
  RecordView View(size_t payload) const {
    return {{0, static_cast<int64_t>(payload)}, 0, payloads[payload]};
  }
  /// Payloads without a label: they are decided, and earlier records for others.
  uint64_t unlabelled() const;
};

/// Finds the label of each payload by the text of `id_field`, or the line number where it has none.
/// An error when two payloads have one id, or no payload has a label.
Result<LabelledSet> JoinLabels(const std::string& name, std::vector<std::string> payloads,
                               std::vector<Label> labels, const std::string& id_field);

/// What was decided of each payload (`originals` are payload numbers) as calls, one for each label.
class CallList {
 public:
  explicit CallList(const LabelledSet& set) : set_(set), calls_(set.labels.size()) {}

  void AddUnique(size_t payload) { Add(payload, {false, std::nullopt}); }
  void AddDuplicate(size_t payload, size_t original) {
    Add(payload, {true, set_.label_of[original]});
  }
  std::span<const std::optional<Call>> calls() const { return calls_; }

 private:
  void Add(size_t payload, const Call& call) {
    if (const std::optional<size_t> row = set_.label_of[payload]) calls_[*row] = call;
  }

  const LabelledSet& set_;
  std::vector<std::optional<Call>> calls_;
};

}  // namespace neardup
