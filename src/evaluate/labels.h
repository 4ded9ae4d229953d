// What a person knows about a stream: which records are copies of which.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

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

}  // namespace neardup
