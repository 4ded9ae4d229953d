// The rows of a join as Arrow columns, and back.
#pragma once

#include "arrow_abi.h"
#include "bindings/join_rows.h"
#include "neardup/result.h"
#include "verdict_arrays.h"

namespace neardup {

/// Columns of 64-bit integers: `key`, `number`, `simhash`, `order`, `numbers`, `time_ms`, and
/// `rest`, which packs the others; and `text_keys` (binary) if the rows have them.
ArrayExport JoinRowColumns(const JoinRows& rows);

/// Reads all chunks of a stream with these columns in any order, and releases it. Errors are those
/// of ReadChunks.
Result<JoinRows> ReadJoinRows(ArrowArrayStream& stream);

}  // namespace neardup
