#include "chunk_reader.h"

#include <fmt/format.h>

#include <cstring>

namespace neardup {
namespace {

/// Releases what Arrow has handed over at the end of the block.
template <class T>
struct Owned {
  T value{};

  Owned() = default;
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  ~Owned() {
    if (value.release != nullptr) value.release(&value);
  }
};

Error StreamFailed(ArrowArrayStream& stream, std::string_view what) {
  const char* text = stream.get_last_error(&stream);
  return {ErrorCode::kIo, fmt::format("the Arrow stream of the {} failed: {}", what,
                                      text == nullptr ? "no reason given" : text)};
}

}  // namespace

bool ChunkReader::Has(std::string_view name) const {
  for (int64_t i = 0; i < schema_.n_children; ++i) {
    if (schema_.children[i]->name == name) return true;
  }
  return false;
}

Result<void> ChunkReader::TextKeys(const char* name, std::vector<Keys>& to) const {
  NEARDUP_ASSIGN(const ArrowArray* const column, Find(name, "z"));
  const auto* const offsets = static_cast<const int32_t*>(column->buffers[1]) + Begin(*column);
  const auto* const bytes = static_cast<const char*>(column->buffers[2]);
  for (size_t row = 0; row < rows_; ++row) {
    if (offsets[row + 1] - offsets[row] != static_cast<int32_t>(sizeof(Keys))) {
      return Error{ErrorCode::kCorrupt,
                   fmt::format("column {}, row {}: expected {} bytes, found {}", name, row,
                               sizeof(Keys), offsets[row + 1] - offsets[row])};
    }
    std::memcpy(to.emplace_back().data(), bytes + offsets[row], sizeof(Keys));
  }
  return {};
}

Result<const ArrowArray*> ChunkReader::Find(std::string_view name, std::string_view formats) const {
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

Result<void> ReadChunks(ArrowArrayStream& stream, std::string_view what,
                        const std::function<Result<void>(const ChunkReader&)>& read) {
  Owned<ArrowSchema> schema;
  if (stream.get_schema(&stream, &schema.value) != 0) return StreamFailed(stream, what);
  while (true) {
    Owned<ArrowArray> chunk;
    if (stream.get_next(&stream, &chunk.value) != 0) return StreamFailed(stream, what);
    if (chunk.value.release == nullptr) break;
    NEARDUP_TRY(read(ChunkReader(schema.value, chunk.value)));
  }
  stream.release(&stream);
  return {};
}

}  // namespace neardup
