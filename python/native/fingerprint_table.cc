#include "fingerprint_table.h"

#include <fmt/format.h>

#include <cstring>
#include <string_view>

namespace neardup {
namespace {

constexpr size_t kKeysBytes = ProbedKeys::kMax * sizeof(uint32_t);

/// A chunk of the stream; it is released at the end.
struct Chunk {
  ArrowArray array{};

  Chunk() = default;
  Chunk(const Chunk&) = delete;
  Chunk& operator=(const Chunk&) = delete;
  ~Chunk() {
    if (array.release != nullptr) array.release(&array);
  }
};

struct Schema {
  ArrowSchema schema{};

  Schema() = default;
  Schema(const Schema&) = delete;
  Schema& operator=(const Schema&) = delete;
  ~Schema() {
    if (schema.release != nullptr) schema.release(&schema);
  }
};

/// Appends the columns of one chunk.
class ChunkReader {
 public:
  ChunkReader(const ArrowSchema& schema, const ArrowArray& array)
      : schema_(schema), array_(array), rows_(static_cast<size_t>(array.length)) {}

  /// `formats` holds the letters of Arrow for a signed and an unsigned number of this size.
  template <class T>
  Result<void> Numbers(const char* name, std::string_view formats, std::vector<T>& to) const {
    NEARDUP_ASSIGN(const ArrowArray* const column, Find(name, formats));
    const auto* const values = static_cast<const T*>(column->buffers[1]) + Begin(*column);
    to.insert(to.end(), values, values + rows_);
    return {};
  }

  Result<void> Keys(const char* name,
                    std::vector<std::array<uint32_t, ProbedKeys::kMax>>& to) const {
    NEARDUP_ASSIGN(const ArrowArray* const column, Find(name, "z"));
    const auto* const offsets = static_cast<const int32_t*>(column->buffers[1]) + Begin(*column);
    const auto* const bytes = static_cast<const char*>(column->buffers[2]);
    for (size_t row = 0; row < rows_; ++row) {
      if (offsets[row + 1] - offsets[row] != static_cast<int32_t>(kKeysBytes)) {
        return Error{ErrorCode::kCorrupt,
                     fmt::format("column {}, row {}: expected {} bytes, found {}", name, row,
                                 kKeysBytes, offsets[row + 1] - offsets[row])};
      }
      std::memcpy(to.emplace_back().data(), bytes + offsets[row], kKeysBytes);
    }
    return {};
  }

 private:
  size_t Begin(const ArrowArray& column) const {
    return static_cast<size_t>(column.offset) + static_cast<size_t>(array_.offset);
  }

  Result<const ArrowArray*> Find(std::string_view name, std::string_view formats) const {
    for (int64_t i = 0; i < schema_.n_children; ++i) {
      if (schema_.children[i]->name != name) continue;
      const std::string_view format = schema_.children[i]->format;
      if (format.size() != 1 || formats.find(format) == std::string_view::npos) {
        return Error{ErrorCode::kConfig,
                     fmt::format("column {}: expected the Arrow type {}, found {}", name,
                                 formats.substr(0, 1), format)};
      }
      // -1: nobody has counted them.
      if (array_.children[i]->null_count != 0 && array_.children[i]->buffers[0] != nullptr) {
        return Error{ErrorCode::kConfig, fmt::format("column {} holds nulls", name)};
      }
      return array_.children[i];
    }
    return Error{ErrorCode::kConfig, fmt::format("the table has no column {}", name)};
  }

  const ArrowSchema& schema_;
  const ArrowArray& array_;
  size_t rows_;
};

Result<void> AddChunk(const ChunkReader& chunk, FingerprintColumns& columns) {
  NEARDUP_TRY(chunk.Numbers("simhash", "lL", columns.simhash));
  NEARDUP_TRY(chunk.Numbers("order", "lL", columns.order));
  NEARDUP_TRY(chunk.Numbers("exact", "lL", columns.exact));
  NEARDUP_TRY(chunk.Numbers("time_ms", "lL", columns.time_ms));
  NEARDUP_TRY(chunk.Numbers("features", "iI", columns.features));
  NEARDUP_TRY(chunk.Numbers("reason", "cC", columns.reason));
  NEARDUP_TRY(chunk.Numbers("passed", "cC", columns.passed));
  return chunk.Keys("text_keys", columns.text_keys);
}

Error StreamFailed(ArrowArrayStream& stream) {
  const char* text = stream.get_last_error(&stream);
  return {ErrorCode::kIo, fmt::format("the Arrow stream of the fingerprints failed: {}",
                                      text == nullptr ? "no reason given" : text)};
}

}  // namespace

Result<FingerprintColumns> ReadFingerprints(ArrowArrayStream& stream) {
  FingerprintColumns columns;
  Schema schema;
  if (stream.get_schema(&stream, &schema.schema) != 0) return StreamFailed(stream);
  while (true) {
    Chunk chunk;
    if (stream.get_next(&stream, &chunk.array) != 0) return StreamFailed(stream);
    if (chunk.array.release == nullptr) break;
    NEARDUP_TRY(AddChunk(ChunkReader(schema.schema, chunk.array), columns));
  }
  stream.release(&stream);
  return columns;
}

}  // namespace neardup
