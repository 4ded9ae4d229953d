#include "fingerprint_table.h"

#include "chunk_reader.h"

namespace neardup {

Result<FingerprintColumns> ReadFingerprints(ArrowArrayStream& stream) {
  FingerprintColumns columns;
  NEARDUP_TRY(ReadChunks(stream, "fingerprints", [&](const ChunkReader& chunk) -> Result<void> {
    NEARDUP_TRY(chunk.Numbers("simhash", "lL", columns.simhash));
    NEARDUP_TRY(chunk.Numbers("order", "lL", columns.order));
    NEARDUP_TRY(chunk.Numbers("exact", "lL", columns.exact));
    NEARDUP_TRY(chunk.Numbers("numbers", "lL", columns.numbers));
    NEARDUP_TRY(chunk.Numbers("time_ms", "lL", columns.time_ms));
    NEARDUP_TRY(chunk.Numbers("features", "iI", columns.features));
    NEARDUP_TRY(chunk.Numbers("reason", "cC", columns.reason));
    NEARDUP_TRY(chunk.Numbers("passed", "cC", columns.passed));
    return chunk.TextKeys("text_keys", columns.text_keys);
  }));
  return columns;
}

}  // namespace neardup
