#include "join_table.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "chunk_reader.h"

namespace neardup {
namespace {

constexpr int kFeaturesShift = 16;

int64_t RestOf(const JoinRow& row) { return row.exact | int64_t{row.features} << kFeaturesShift; }

}  // namespace

ArrayExport JoinRowColumns(const JoinRows& rows) {
  const auto column = [&](const auto& value) {
    std::vector<int64_t> values;
    values.reserve(rows.size());
    for (const JoinRow& row : rows.rows) values.push_back(static_cast<int64_t>(value(row)));
    return values;
  };
  ArrayExport exported(rows.size());
  exported.AddNumbers("key", column([](const JoinRow& row) { return row.key; }));
  exported.AddNumbers("number", column([](const JoinRow& row) { return row.number; }));
  exported.AddNumbers("simhash", column([](const JoinRow& row) { return row.simhash; }));
  exported.AddNumbers("order", column([](const JoinRow& row) { return row.order; }));
  exported.AddNumbers("numbers", column([](const JoinRow& row) { return row.numbers; }));
  exported.AddNumbers("time_ms", column([](const JoinRow& row) { return row.time_ms; }));
  exported.AddNumbers("rest", column(RestOf));
  if (!rows.text_keys.empty()) {
    std::vector<uint32_t> flat;
    flat.reserve(rows.size() * ProbedKeys::kMax);
    for (const JoinRows::Keys& keys : rows.text_keys) {
      flat.insert(flat.end(), keys.begin(), keys.end());
    }
    exported.AddLists("text_keys", std::move(flat), ProbedKeys::kMax);
  }
  return exported;
}

Result<JoinRows> ReadJoinRows(ArrowArrayStream& stream) {
  JoinRows rows;
  NEARDUP_TRY(ReadChunks(stream, "rows", [&](const ChunkReader& chunk) -> Result<void> {
    std::vector<int64_t> key, number, time_ms, rest;
    std::vector<uint64_t> simhash, order, numbers;
    NEARDUP_TRY(chunk.Numbers("key", "lL", key));
    NEARDUP_TRY(chunk.Numbers("number", "lL", number));
    NEARDUP_TRY(chunk.Numbers("simhash", "lL", simhash));
    NEARDUP_TRY(chunk.Numbers("order", "lL", order));
    NEARDUP_TRY(chunk.Numbers("numbers", "lL", numbers));
    NEARDUP_TRY(chunk.Numbers("time_ms", "lL", time_ms));
    NEARDUP_TRY(chunk.Numbers("rest", "lL", rest));
    for (size_t i = 0; i < chunk.rows(); ++i) {
      rows.rows.push_back({key[i], number[i], simhash[i], order[i], numbers[i], time_ms[i],
                           static_cast<uint16_t>(rest[i]),
                           static_cast<uint16_t>(rest[i] >> kFeaturesShift)});
    }
    return chunk.Has("text_keys") ? chunk.TextKeys("text_keys", rows.text_keys) : Result<void>();
  }));
  return rows;
}

}  // namespace neardup
