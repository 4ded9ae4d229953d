#include "rows.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "detect/base/message_text.h"

namespace neardup {
namespace {

Error StreamFailed(ArrowArrayStream& stream) {
  const char* text = stream.get_last_error(&stream);
  return {ErrorCode::kIo, fmt::format("the Arrow stream of the table failed: {}",
                                      text == nullptr ? "no reason given" : text)};
}

}  // namespace

Result<std::unique_ptr<TableRows>> TableRows::New(ArrowArrayStream& stream,
                                                  const TableColumns& columns) {
  std::unique_ptr<TableRows> rows(new TableRows());
  if (stream.get_schema(&stream, &rows->schema_) != 0) return StreamFailed(stream);
  if (std::strcmp(rows->schema_.format, "+s") != 0) {
    return Error{ErrorCode::kConfig, "expected an Arrow table, found a single array"};
  }
  for (const std::string& name : columns.fields) NEARDUP_TRY(rows->FindColumn(name));
  while (true) {
    auto chunk = std::make_unique<Chunk>();
    if (stream.get_next(&stream, &chunk->array) != 0) return StreamFailed(stream);
    if (chunk->array.release == nullptr) break;
    rows->chunks_.push_back(std::move(chunk));
    NEARDUP_TRY(rows->AddChunk(columns));
  }
  stream.release(&stream);
  return rows;
}

TableRows::~TableRows() {
  for (const auto& chunk : chunks_) {
    if (chunk->array.release != nullptr) chunk->array.release(&chunk->array);
  }
  if (schema_.release != nullptr) schema_.release(&schema_);
}

Result<std::optional<size_t>> TableRows::FindColumn(const std::string& name) const {
  if (name.empty()) return {std::nullopt};
  std::vector<std::string> names;
  for (int64_t i = 0; i < schema_.n_children; ++i) {
    names.emplace_back(schema_.children[i]->name);
    if (names.back() == name) return {static_cast<size_t>(i)};
  }
  const std::optional<std::string> nearest = NearestName(name, names);
  return Error{ErrorCode::kConfig,
               fmt::format("the table has no column {}{}; it has {}", name,
                           nearest ? fmt::format("; did you mean {}?", *nearest) : "",
                           fmt::join(names, ", "))};
}

Result<void> TableRows::AddChunk(const TableColumns& columns) {
  Chunk& chunk = *chunks_.back();
  NEARDUP_ASSIGN(const std::optional<size_t> json, FindColumn(columns.json));
  NEARDUP_ASSIGN(const std::optional<size_t> time, FindColumn(columns.time));
  const auto column = [&](size_t index) {
    return ArrowColumn::New(*schema_.children[index], *chunk.array.children[index]);
  };
  if (json) {
    NEARDUP_ASSIGN(chunk.json, column(*json));
  }
  if (time) {
    NEARDUP_ASSIGN(chunk.time, column(*time));
  }
  names_.clear();
  for (int64_t i = 0; i < schema_.n_children && !json; ++i) {
    const auto index = static_cast<size_t>(i);
    const std::string name = schema_.children[i]->name;
    const bool wanted =
        columns.fields.empty()
            ? index != time
            : std::find(columns.fields.begin(), columns.fields.end(), name) != columns.fields.end();
    if (!wanted) continue;
    NEARDUP_ASSIGN(auto field, column(index));
    chunk.fields.push_back(std::move(field));
    AppendJsonText(name, names_.emplace_back());
    names_.back() += ':';
  }
  begins_.push_back(begins_.back() + static_cast<size_t>(chunk.array.length));
  return {};
}

RecordView TableRows::At(size_t row, std::string& scratch) const {
  const auto after = std::upper_bound(begins_.begin(), begins_.end(), row);
  const auto number = static_cast<size_t>(after - begins_.begin()) - 1;
  const Chunk& chunk = *chunks_[number];
  // The columns of a chunk begin where the chunk begins.
  const size_t place = row - begins_[number] + static_cast<size_t>(chunk.array.offset);
  RecordView record{{0, static_cast<int64_t>(row)}, -1, std::nullopt};
  if (chunk.time && !chunk.time->IsNull(place)) {
    record.time_ms = chunk.time->TimeMs(place).value_or(-1);
  }
  if (chunk.json) {
    if (!chunk.json->IsNull(place)) record.value = chunk.json->Bytes(place);
    return record;
  }
  scratch = "{";
  for (size_t i = 0; i < names_.size(); ++i) {
    if (chunk.fields[i]->IsNull(place)) continue;
    if (scratch.size() > 1) scratch += ',';
    scratch += names_[i];
    chunk.fields[i]->Append(place, scratch);
  }
  scratch += '}';
  record.value = scratch;
  return record;
}

BytesRows BytesRows::OfLines(std::string_view text) {
  std::vector<std::optional<std::string_view>> lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return BytesRows(std::move(lines));
}

}  // namespace neardup
