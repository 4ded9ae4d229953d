#include "commands/evaluate/labelled_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <nlohmann/json.hpp>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "detect/record/field_extractor.h"
#include "detect/record/json_syntax.h"

namespace neardup {
namespace {

constexpr std::array<std::string_view, 3> kColumns = {"id", "cluster", "kind"};

std::vector<std::string_view> Split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::string_view WithoutLineEnd(std::string_view line) {
  while (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  return line;
}

Error Wrong(const std::string& path, size_t line, const std::string& what) {
  return {ErrorCode::kBadInput, fmt::format("{}:{}: {}", path, line, what)};
}

/// Number of the column, from 0, that has each of the names in kColumns.
using Columns = std::array<size_t, kColumns.size()>;

Result<Columns> ReadHeader(std::string_view line, const std::string& path, size_t number) {
  const std::vector<std::string_view> names = Split(line, '\t');
  Columns columns{};
  for (size_t i = 0; i < kColumns.size(); ++i) {
    const auto found = std::find(names.begin(), names.end(), kColumns[i]);
    if (found == names.end()) {
      return Wrong(path, number,
                   fmt::format("found no column {}; expected column names separated by tabs, among "
                               "them id, cluster and kind",
                               kColumns[i]));
    }
    columns[i] = static_cast<size_t>(found - names.begin());
  }
  return columns;
}

}  // namespace

Result<std::vector<Label>> ParseLabels(std::string_view text, const std::string& path) {
  std::vector<Label> labels;
  std::unordered_map<std::string, size_t> line_of_id;
  Columns columns{};
  bool header = true;
  size_t number = 0;
  for (std::string_view line : Split(text, '\n')) {
    ++number;
    line = WithoutLineEnd(line);
    if (line.empty()) continue;
    if (header) {
      NEARDUP_ASSIGN(columns, ReadHeader(line, path, number));
      header = false;
      continue;
    }
    const std::vector<std::string_view> cells = Split(line, '\t');
    const size_t needed = *std::max_element(columns.begin(), columns.end()) + 1;
    if (cells.size() < needed) {
      return Wrong(path, number,
                   fmt::format("found {} columns, expected at least {}, separated by tabs",
                               cells.size(), needed));
    }
    Label label{std::string(cells[columns[0]]), std::string(cells[columns[1]]),
                std::string(cells[columns[2]]), ""};
    if (label.id.empty() || label.cluster.empty()) {
      return Wrong(path, number, "the id or the cluster is empty; expected a value for each");
    }
    const auto [earlier, is_new] = line_of_id.emplace(label.id, number);
    if (!is_new) {
      return Wrong(path, number,
                   fmt::format("the id {} is on line {} too; expected one line for each record",
                               label.id, earlier->second));
    }
    labels.push_back(std::move(label));
  }
  if (labels.empty()) {
    return Wrong(path, number,
                 "found no labels; expected a line of column names, then a line for each record");
  }
  return labels;
}

std::string LabelsText(std::span<const Label> labels) {
  std::string text = "id\tcluster\tkind\tref\n";
  for (const Label& label : labels) {
    text += fmt::format("{}\t{}\t{}\t{}\n", label.id, label.cluster, label.kind, label.original);
  }
  return text;
}

Result<std::vector<std::string>> ParseSetFields(std::string_view json, const std::string& path) {
  const auto set = nlohmann::ordered_json::parse(json, nullptr, /*allow_exceptions=*/false);
  if (set.is_discarded() || !set.is_object() || NestsDeeperThan(json)) {
    return Error{ErrorCode::kBadInput, fmt::format("{}: expected one JSON object", path)};
  }
  const auto fields = set.find("fields");
  std::vector<std::string> names;
  if (fields != set.end() && fields->is_object()) {
    for (const auto& field : fields->items()) names.push_back(field.key());
  } else if (fields != set.end() && fields->is_array()) {
    for (const auto& name : *fields) {
      if (name.is_string()) names.push_back(name.get<std::string>());
    }
    if (names.size() != fields->size()) names.clear();
  }
  if (names.empty()) {
    return Error{ErrorCode::kBadInput,
                 fmt::format("{}: fields: expected a list of field names or an object whose keys "
                             "are field names; correct it, or name the fields with --fields",
                             path)};
  }
  return names;
}

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
      return Error{ErrorCode::kBadInput,
                   fmt::format("{}: the records on lines {} and {} both have the id {}; expected "
                               "each id once",
                               name, earlier, line, id)};
    }
    earlier = line;
  }
  if (set.payloads.empty()) {
    return Error{
        ErrorCode::kBadInput,
        fmt::format("{}: is empty, expected JSON Lines with one record on each line", name)};
  }
  if (set.unlabelled() == set.payloads.size()) {
    const auto has_id = [&reader](const std::string& payload) { return reader.Has(payload); };
    if (std::none_of(set.payloads.begin(), set.payloads.end(), has_id)) {
      return Error{ErrorCode::kBadInput,
                   fmt::format("{}: no record has the field {}; name the field that holds the ids "
                               "of the labels with --id-field",
                               name, id_field)};
    }
    const std::string first = reader.Read(set.payloads[0], 1);
    return Error{ErrorCode::kBadInput,
                 fmt::format("{}: none of the {} records has a label: the first record has the id "
                             "\"{}\", the first label the id \"{}\"; name the field that holds the "
                             "ids of the labels with --id-field",
                             name, set.payloads.size(), first, set.labels[0].id)};
  }
  return set;
}

namespace {

std::optional<double> Ratio(uint64_t part, uint64_t whole) {
  if (whole == 0) return std::nullopt;
  return static_cast<double>(part) / static_cast<double>(whole);
}

std::optional<double> HarmonicMean(std::optional<double> a, std::optional<double> b) {
  if (!a || !b) return std::nullopt;
  return *a + *b > 0 ? 2 * *a * *b / (*a + *b) : 0.0;
}

}  // namespace

std::optional<double> Tally::precision() const { return Ratio(found, called); }
std::optional<double> Tally::recall() const { return Ratio(found, true_duplicates); }
std::optional<double> Tally::f1() const { return HarmonicMean(precision(), recall()); }
std::optional<double> Tally::strict_f1() const {
  return HarmonicMean(Ratio(right, called), Ratio(right, true_duplicates));
}

Accuracy Judge(std::span<const Label> labels, std::span<const std::optional<Call>> calls) {
  assert(labels.size() == calls.size());
  Accuracy accuracy;
  std::unordered_set<std::string_view> seen;
  for (size_t row = 0; row < labels.size(); ++row) {
    const Label& label = labels[row];
    const bool is_true = !seen.insert(label.cluster).second;
    const Call call = calls[row].value_or(Call());
    const bool right = call.duplicate && call.original && *call.original < row &&
                       labels[*call.original].cluster == label.cluster;
    accuracy.missing += calls[row] ? 0 : 1;
    for (Tally* tally : {&accuracy.all, &accuracy.kinds[label.kind]}) {
      ++tally->records;
      tally->true_duplicates += is_true ? 1 : 0;
      tally->called += call.duplicate ? 1 : 0;
      tally->found += call.duplicate && is_true ? 1 : 0;
      tally->right += right ? 1 : 0;
    }
  }
  return accuracy;
}

}  // namespace neardup
