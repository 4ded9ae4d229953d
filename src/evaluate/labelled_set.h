// A stream together with its labels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "evaluate/accuracy.h"
#include "evaluate/labels.h"
#include "neardup/record.h"
#include "neardup/result.h"

namespace neardup {

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
