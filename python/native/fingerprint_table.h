// Fingerprints that were kept in a table, as columns of C++.
#pragma once

#include "arrow_abi.h"
#include "bindings/batch_filter.h"
#include "neardup/result.h"

namespace neardup {

/// Reads all chunks of the stream, and releases it. The columns, none of which may hold a null, are
/// `simhash`, `order`, `exact` and `time_ms` (64-bit integers), `features` (32-bit integers),
/// `text_keys` (binary: eight little-endian 32-bit integers), and `reason` and `passed` (8-bit
/// integers), in any order and beside others. kConfig names a column that is missing or has another
/// type; kIo: the stream failed.
Result<FingerprintColumns> ReadFingerprints(ArrowArrayStream& stream);

}  // namespace neardup
