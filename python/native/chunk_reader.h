// Reads the columns of an Arrow stream into vectors, chunk by chunk.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "arrow_abi.h"
#include "neardup/fingerprint.h"
#include "neardup/result.h"

namespace neardup {

/// Appends columns of one chunk to vectors. None of them may hold a null. kConfig names a column
/// that is missing or has another type.
class ChunkReader {
 public:
  using Keys = std::array<uint32_t, ProbedKeys::kMax>;

  ChunkReader(const ArrowSchema& schema, const ArrowArray& array)
      : schema_(schema), array_(array), rows_(static_cast<size_t>(array.length)) {}

  size_t rows() const { return rows_; }
  bool Has(std::string_view name) const;
  /// `formats` holds the letters of Arrow for a signed and an unsigned number of this size.
  template <class T>
  Result<void> Numbers(const char* name, std::string_view formats, std::vector<T>& to) const {
    NEARDUP_ASSIGN(const ArrowArray* const column, Find(name, formats));
    const auto* const values = static_cast<const T*>(column->buffers[1]) + Begin(*column);
    to.insert(to.end(), values, values + rows_);
    return {};
  }
  /// A binary column of eight little-endian 32-bit numbers. kCorrupt: of another length.
  Result<void> TextKeys(const char* name, std::vector<Keys>& to) const;

 private:
  size_t Begin(const ArrowArray& column) const {
    return static_cast<size_t>(column.offset) + static_cast<size_t>(array_.offset);
  }
  Result<const ArrowArray*> Find(std::string_view name, std::string_view formats) const;

  const ArrowSchema& schema_;
  const ArrowArray& array_;
  size_t rows_;
};

/// Reads all chunks, and releases the stream. kIo: the stream failed; the text names `what` it
/// holds.
Result<void> ReadChunks(ArrowArrayStream& stream, std::string_view what,
                        const std::function<Result<void>(const ChunkReader&)>& read);

}  // namespace neardup
