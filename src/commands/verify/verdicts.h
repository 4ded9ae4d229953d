// The checks on each record and its verdict.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "commands/verify/ledger.h"
#include "commands/verify/report.h"
#include "detect/index/match.h"
#include "neardup/filter.h"
#include "stream/lane/route_header.h"
#include "stream/state/delta.h"

namespace neardup {

struct AuditOptions {
  FilterOptions filter;
  /// The lane did not start at the beginning of its inputs (StartAt::kLatest). Records before the
  /// first decided one of each partition need no output.
  bool started_late = false;
  /// seq of the first record that was decided under `filter`. Older ones were decided under other
  /// settings: their verdicts and their fingerprints are not checked, but they are remembered as
  /// `filter` reads them (`neardup reindex`).
  uint64_t settings_seq = 1;
  /// Delta::beginning of the lane. After BeganWith::kLanes, `seq` of older records counted in other
  /// lanes, and uniques on both sides of the beginning are not compared. After kHistory, records
  /// before the first decided one of each partition need no output, and may be originals.
  Beginning beginning{};
  /// Time at which the outputs were read: a clamped event time is at most this plus ahead_max_ms.
  int64_t now_ms = INT64_MAX;
  /// The settings release duplicates; they observe, or routing.mode_before says that they did.
  bool may_release = false;
  bool may_observe = false;
  /// Delta::dropped of the lane: so many records may be in no output.
  uint64_t dropped = 0;
  /// Audit::AddGroup will be called. Needs all outputs of all records: no `part`, nothing
  /// `dropped`, and no beginning with entries of other lanes.
  bool counts_groups = false;
  /// An output is missing that may have held records of any input, because with UniqueKey::kGroup a
  /// record goes to the unique topic of its group. Needs `part`: a record in no output is only
  /// counted.
  bool keyed_outputs_gone = false;
  /// Some decided records are left out. Then gaps in seq are no violations, originals that are left
  /// out are only counted, and what was forgotten is judged by the next two.
  bool part = false;
  /// With `part`: the largest event time of the records that were left out and decided before the
  /// audited ones of their partition; INT64_MAX if unknown.
  int64_t earlier_time_max_ms = INT64_MAX;
  /// With `part`: the filter's horizon after the last audited record; INT64_MAX if unknown.
  int64_t horizon_ms = INT64_MAX;
};

/// An output record with a header and a known origin.
struct CheckedRecord {
  uint32_t input = 0;
  const AuditRow* row = nullptr;
  ParsedHeader header;
  /// Computed from the payload; nullptr if the payload is not the payload of the input.
  const FingerprintedRecord* content = nullptr;
};

/// Checks coverage, seq, order by seq, soundness of duplicates, and reasons of dead letters.
class VerdictChecks {
 public:
  VerdictChecks(const AuditOptions& options, AuditLedger& ledger, AuditReport& report)
      : options_(options), ledger_(ledger), report_(report) {}

  /// Checks the verdict of a record that was just covered.
  void Check(const CheckedRecord& decided);
  /// No unique is covered any more.
  void UniquesDone();
  /// Runs the checks that need all records. Returns the covered rows in order of seq.
  std::vector<const AuditRow*> Finish();

 private:
  /// What the checks of a duplicate or a suspect need.
  struct Duplicate {
    uint32_t input = 0;
    const AuditRow* row = nullptr;
    uint32_t original_input = 0;
    int64_t original_offset = 0;
    int distance = 0;
    MatchKind kind = MatchKind::kExact;
    bool suspect = false;
    bool content_known = false;
    FingerprintedRecord content;
  };

  void CheckDeadLetter(const CheckedRecord& decided);
  void CheckDuplicate(const Duplicate& duplicate);
  template <class Violated>
  void CheckMatch(const Duplicate& duplicate, const AuditRow& original,
                  const std::string& original_text, const Violated& violated);
  template <class Violated>
  void CheckFingerprints(const Duplicate& duplicate, const AuditRow& original,
                         const std::string& original_text, const Violated& violated);
  template <class Violated>
  void CheckSuspect(const Duplicate& suspect, const AuditRow& original,
                    const std::string& original_text, const Violated& violated);
  Nearness NearnessOf(const Duplicate& duplicate, const AuditRow& original) const;
  bool IsLeftOut(uint32_t input, int64_t offset) const;
  void NoteHistory(const Duplicate& duplicate);
  void CheckHistory(const AuditPartition& partition);
  void CheckRow(uint32_t input, const AuditRow& row, uint64_t& last_seq,
                std::vector<const AuditRow*>& by_seq);
  void CheckSeq(const std::vector<const AuditRow*>& by_seq);

  const AuditOptions& options_;
  AuditLedger& ledger_;
  AuditReport& report_;
  bool uniques_done_ = false;
  std::vector<Duplicate> waiting_;  ///< for their originals
};

}  // namespace neardup
