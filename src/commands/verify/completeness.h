// Finds uniques that are duplicates of each other.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "commands/verify/ledger.h"
#include "commands/verify/report.h"
#include "commands/verify/verdicts.h"

namespace neardup {

/// Checks that no two uniques are duplicates of each other: within the guaranteed distance, and
/// accepted by the match rule, which refuses numbers that conflict. `by_seq`: the covered rows in
/// order of seq. A pair of near uniques is excused in three cases. The input of the earlier one is
/// retired (AuditedInput::retired). The filter may have forgotten the
/// earlier one when it decided the later one, because more than entries_max uniques lie between
/// them, or because the earlier time may have been below the horizon. Or a time was clamped, and no
/// output states the clamped time: the earlier time, or the later time of two that lie more than
/// the window apart. `first_left_out_seq`: from this seq on, records that are left out may lie
/// between the audited ones. `progress` gets the share that is done.
void CheckCompleteness(const AuditOptions& options, const AuditLedger& ledger,
                       std::vector<const AuditRow*> by_seq, uint64_t first_left_out_seq,
                       AuditReport& report, const std::function<void(double)>& progress);

/// Times in 32 bits, so that 10 million records can be sorted in little memory. Two times that are
/// at most a window apart are at most Window(window) apart here. The opposite need not hold.
class CoarseTimes {
 public:
  CoarseTimes(int64_t first_ms, int64_t last_ms);
  uint32_t Of(int64_t time_ms) const;
  uint32_t Window(int64_t window_ms) const;

 private:
  int64_t first_ms_;
  uint64_t unit_ms_;
};

struct PairRecord {
  uint64_t simhash = 0;
  uint32_t time = 0;   ///< CoarseTimes
  uint32_t index = 0;  ///< the caller's number of the record
};

/// Calls `visit` once for each pair of records with a Hamming distance of at most `distance_max`
/// (0 to 7) and times at most `window` apart, in no particular order. `progress` gets the share
/// that is done.
///
/// Pigeonhole principle: if both simhashes are cut into distance_max + 2 blocks, at least two
/// blocks of a pair are equal. So for each two blocks the records are sorted by these blocks and
/// then by time, and compared with their neighbours inside the window. Shares no code with the
/// index, which it checks.
void ForEachNearPair(std::vector<PairRecord> records, int distance_max, uint32_t window,
                     const std::function<void(uint32_t, uint32_t)>& visit,
                     const std::function<void(double)>& progress = {});

}  // namespace neardup
