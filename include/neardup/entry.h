// What the filter remembers of unique records, and what a look-up found among them.
#pragma once

#include <cstdint>
#include <optional>

#include "neardup/fingerprint.h"
#include "neardup/record.h"
#include "neardup/verdict.h"

namespace neardup {

/// A unique record as the filter remembers it. A log of entries, with event times and horizons, is
/// all it takes to rebuild a filter.
struct Entry {
  Fingerprint fingerprint;
  /// Event time, after clamping.
  int64_t time_ms = 0;
  Position origin;
  StoredKeys text_keys;

  bool operator==(const Entry&) const = default;
};

/// A record that the filter remembered, and has forgotten.
struct ForgottenRecord {
  Position origin;
  uint64_t number = 0;  ///< as Match::number

  bool operator==(const ForgottenRecord&) const = default;
};

/// What Filter::LookUp found for one record, to be passed to Filter::Decide with the same record.
/// Opaque: only the filter reads it. A default-constructed one means that nothing was looked up.
class LookedUp {
 private:
  friend class RememberedEntries;

  uint64_t revision_ = 0;    ///< RememberedEntries::revision_ at the time; 0: nothing was looked up
  uint64_t end_id_ = 0;      ///< entries from this number on were not looked at
  int64_t time_ms_ = 0;      ///< event time that was used
  uint32_t candidates_ = 0;  ///< comparisons made
  std::optional<Match> match_;
  // How the match ranks, besides its distance and kind:
  uint64_t id_ = 0;
  int order_distance_ = 0;
};

/// How evenly the index is filled.
struct IndexStatistics {
  // Entries per bucket, over the buckets of all tables. Expired entries that are not swept yet
  // count, because a look-up reads a tag of each entry in a bucket.
  uint64_t bucket_median = 0;
  uint64_t bucket_p99 = 0;
  uint64_t bucket_max = 0;
  /// Share of the cache lines of text keys that are full, estimated from 4096 of them. 0 to 1.
  double full_key_lines_share = 0;
  /// Text keys that were passed over, since the filter was created, when an entry was added: their
  /// cache line was full, or the key already led to the largest allowed number of entries.
  uint64_t keys_refused = 0;

  bool operator==(const IndexStatistics&) const = default;
};

}  // namespace neardup
