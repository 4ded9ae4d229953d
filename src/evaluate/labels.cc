#include "evaluate/labels.h"

#include <algorithm>
#include <array>
#include <unordered_map>

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
  return {ErrorCode::kCorrupt, path + ":" + std::to_string(line) + ": " + what};
}

/// Where each of kColumns stands.
using Columns = std::array<size_t, kColumns.size()>;

Result<Columns> ReadHeader(std::string_view line, const std::string& path, size_t number) {
  const std::vector<std::string_view> names = Split(line, '\t');
  Columns columns{};
  for (size_t i = 0; i < kColumns.size(); ++i) {
    const auto found = std::find(names.begin(), names.end(), kColumns[i]);
    if (found == names.end()) {
      return Wrong(path, number,
                   "no column " + std::string(kColumns[i]) +
                       "; expected a line of column names with id, cluster and kind, with tabs "
                       "between them");
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
                   "found " + std::to_string(cells.size()) + " columns, expected at least " +
                       std::to_string(needed) + " with tabs between them");
    }
    Label label{std::string(cells[columns[0]]), std::string(cells[columns[1]]),
                std::string(cells[columns[2]]), ""};
    if (label.id.empty() || label.cluster.empty()) {
      return Wrong(path, number, "the id or the cluster is empty; expected both");
    }
    const auto [earlier, is_new] = line_of_id.emplace(label.id, number);
    if (!is_new) {
      return Wrong(path, number,
                   "the id " + label.id + " stands twice, first on line " +
                       std::to_string(earlier->second) + "; expected each record once");
    }
    labels.push_back(std::move(label));
  }
  if (labels.empty()) {
    return Wrong(path, number,
                 "no labels; expected a line of column names and one for each record");
  }
  return labels;
}

std::string LabelsText(std::span<const Label> labels) {
  std::string text = "id\tcluster\tkind\tref\n";
  for (const Label& label : labels) {
    text += label.id + '\t' + label.cluster + '\t' + label.kind + '\t' + label.original + '\n';
  }
  return text;
}

}  // namespace neardup
