#include "evaluate/labelled_set.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "record/record_id.h"

namespace neardup {

uint64_t LabelledSet::unlabelled() const {
  return static_cast<uint64_t>(std::count(label_of.begin(), label_of.end(), std::nullopt));
}

Result<LabelledSet> JoinLabels(const std::string& name, std::vector<std::string> payloads,
                               std::vector<Label> labels, const std::string& id_field) {
  LabelledSet set{name, std::move(payloads), std::move(labels), {}};
  std::unordered_map<std::string_view, size_t> row_of_id;
  for (size_t row = 0; row < set.labels.size(); ++row) row_of_id.emplace(set.labels[row].id, row);
  RecordIdReader reader(id_field);
  std::vector<size_t> line_of_row(set.labels.size(), 0);
  for (size_t i = 0; i < set.payloads.size(); ++i) {
    const size_t line = i + 1;
    const std::string id = reader.Read(set.payloads[i], static_cast<int64_t>(line));
    const auto found = row_of_id.find(id);
    set.label_of.push_back(found == row_of_id.end() ? std::nullopt
                                                    : std::optional<size_t>(found->second));
    if (!set.label_of.back()) continue;
    size_t& earlier = line_of_row[found->second];
    if (earlier != 0) {
      return Error{ErrorCode::kCorrupt, name + ": the records on lines " + std::to_string(earlier) +
                                            " and " + std::to_string(line) + " both have the id " +
                                            id + "; expected each id once"};
    }
    earlier = line;
  }
  if (set.unlabelled() == set.payloads.size()) {
    const std::string first = set.payloads.empty() ? "" : reader.Read(set.payloads[0], 1);
    return Error{ErrorCode::kCorrupt,
                 name + ": none of the " + std::to_string(set.payloads.size()) +
                     " records has a label: the first record is \"" + first +
                     "\", the first label \"" + set.labels[0].id +
                     "\"; is --id-field the field that holds the ids of the labels?"};
  }
  return set;
}

}  // namespace neardup
