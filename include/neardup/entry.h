// What the index remembers of unique records, and what a look-up finds among them.
#pragma once

#include <cstdint>
#include <optional>

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

/// What Filter::LookUp found for one record, to be passed to Filter::Decide with the same record.
/// Opaque: only the filter reads it. A default one says that nothing was looked up.
class LookedUp {
 private:
  friend class EntryIndex;

  uint64_t revision_ = 0;    ///< EntryIndex::revision_ at the time; 0: nothing was looked up
  uint64_t end_id_ = 0;      ///< entries from this number on were not looked at
  int64_t time_ms_ = 0;      ///< event time that was used
  uint32_t candidates_ = 0;  ///< comparisons made
  std::optional<Match> match_;
  // Of the match, what it is ranked by besides:
  uint64_t id_ = 0;
  int order_distance_ = 0;
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
