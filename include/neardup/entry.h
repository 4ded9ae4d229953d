// What the index remembers of unique records, and what a look-up finds among them.
#pragma once

#include <cstdint>

#include "neardup/fingerprint.h"
#include "neardup/record.h"
#include "neardup/verdict.h"

namespace neardup {

/// A unique record as the index remembers it.
struct Entry {
  Fingerprint fingerprint;
  int64_t time_ms = 0;
  Position origin;
  StoredKeys text_keys;
  /// See FingerprintedRecord::sketch.
  Sketch sketch{};

  bool operator==(const Entry&) const = default;
};

/// What Filter::LookUp found of a record, for Filter::Decide of the same record; its members are
/// the filter's own affair. As it is made, nothing was looked up.
struct LookedUp {
  uint64_t revision = 0;
  uint64_t end_id = 0;
  int64_t time_ms = 0;
  uint32_t candidates = 0;
  bool matches = false;
  uint64_t id = 0;
  int distance = 0;
  int order_distance = 0;
  MatchKind kind = MatchKind::kExact;
};

/// How evenly the index is filled.
struct IndexStatistics {
  /// Entries that share a bucket, those forgotten and not yet dropped too: a look-up reads a tag of
  /// each. Of all buckets of all tables.
  uint64_t bucket_median = 0;
  uint64_t bucket_p99 = 0;
  uint64_t bucket_max = 0;
  /// Cache lines of text keys that take no more; of a sample.
  double full_key_lines_share = 0;
  /// Text keys that were passed over when an entry was made: their line was full, or the key led to
  /// as many entries as it may. Since the filter was made.
  uint64_t keys_refused = 0;

  bool operator==(const IndexStatistics&) const = default;
};

}  // namespace neardup
