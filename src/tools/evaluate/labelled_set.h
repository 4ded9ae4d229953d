// A labelled set: the records of a stream, and for each of them which records it repeats.
#pragma once

#include <cstddef>
#include <cstdint>
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

}  // namespace neardup
