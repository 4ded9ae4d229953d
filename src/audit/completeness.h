// All pairs of records that are near each other in content and in time.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "audit/audit.h"
#include "audit/ledger.h"
#include "audit/report.h"
#include "schemes/scheme.h"

namespace neardup {

struct PairRecord {
  uint64_t simhash = 0;
  int64_t time_ms = 0;
  uint32_t index = 0;  ///< the caller's
};

/// Calls `visit` once for each pair of records with a Hamming distance of at most `distance_max`
/// (0 to 7) and times at most `window_ms` apart; in no particular order.
///
/// By the pigeonhole principle: cut into distance_max + 2 blocks, two blocks of a pair are equal.
/// So for each two blocks the records are sorted by them and then by time, and compared with their
/// neighbours inside the window. Shares nothing with the index it is there to check.
void ForEachNearPair(std::vector<PairRecord> records, int distance_max, int64_t window_ms,
                     const std::function<void(uint32_t, uint32_t)>& visit);

// All pairs of records that a scheme takes for duplicates.

struct SketchRecord {
  const Sketch* sketch = nullptr;
  int64_t time_ms = 0;
};

/// `records`: in order of arrival. Calls `visit` with the numbers of the earlier and the later one
/// and their distance, once for each two that share a key (any two where the scheme scans all),
/// have times at most `window_ms` apart, and that Scheme::Distance takes; in no particular order.
/// Costs as much as all look-ups together.
void ForEachSketchPair(const Scheme& scheme, const std::vector<SketchRecord>& records,
                       int64_t window_ms,
                       const std::function<void(uint32_t, uint32_t, int)>& visit);

// No two uniques are duplicates of each other.

/// `by_seq`: covered rows in order of seq. A pair of near uniques is excused where the earlier one
/// may have been forgotten when the later one was decided: more than entries_max uniques lie
/// between, or its time may have been below the horizon; or where one of the times was clamped, to
/// a value that is not written down. With another scheme than the filter's own all pairs that share
/// a key are looked at.
void CheckCompleteness(const AuditOptions& options, const ChosenScheme& chosen,
                       const AuditLedger& ledger, const std::vector<AuditRef>& by_seq,
                       AuditReport& report);

}  // namespace neardup
