// Checks the promises of a lane from outside: compares all input records with all output records,
// by methods that share no code with the lane and the index. Only fingerprints, event times and the
// rule for a match come from the filter.
//
//   Audit audit(options);
//   for each input partition    number = audit.AddPartition(...)
//   for each input record       audit.AddInput(message)    with that number in its position
//   for each output record      audit.AddOutput(place, message)
//   AuditReport report = audit.Finish();
//
// All records are judged by the given options. If distance, window or capacity changed between runs
// of a lane, records decided before the change may show as violations.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "audit/ledger.h"
#include "audit/report.h"
#include "filter/match_scheme.h"
#include "neardup/filter.h"
#include "stream/message.h"
#include "stream/route_header.h"

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
  /// Time at which the outputs were read: a clamped event time is at most this plus ahead_max_ms.
  int64_t now_ms = INT64_MAX;
};

/// One input partition, and which of its records are audited.
struct AuditedInput {
  InputPartition partition;
  /// Records below are deleted: they need no output, and their outputs are checked by their own
  /// content.
  int64_t begin = 0;
  /// Records from here on need no output, and their outputs are left out. To audit a running lane,
  /// give the offsets of one committed transaction.
  int64_t end = INT64_MAX;
  std::string unique_topic;
  std::string duplicate_topic;
  std::string dead_letter_topic;
};

/// Memory that an audit needs at its peak for each input record, without the sketches of another
/// scheme than the filter's own. Measured as peak RSS per record, rounded up.
inline constexpr int kAuditBytesPerRecord = 290;

/// One owner thread. Add all inputs before the first output.
class Audit {
 public:
  explicit Audit(const AuditOptions& options);

  /// Returns the partition's number, which is Position::input of its records. Add a partition once.
  uint32_t AddPartition(const AuditedInput& input);
  /// Add the records of a partition in order of their offsets.
  void AddInput(const Message& message);
  /// `place`: the topic and partition the record was read from. Add the records of a place in order
  /// of their offsets.
  void AddOutput(const InputPartition& place, const Message& message);
  /// Runs the checks that need all records. Call it once.
  AuditReport Finish();

 private:
  /// Computes the row of a message without `count_left_out` of its headers.
  AuditRow Recompute(const Message& message, size_t first_left_out, size_t count_left_out);
  /// The row of an output's input record; nullptr, with a violation, if there is none or another
  /// output already names it.
  AuditRow* CoveredRow(uint32_t input, const ParsedHeader& header, const AuditRow& output,
                       const std::string& where);
  void CheckPayload(const AuditRow& input, const AuditRow& output, bool by_reference,
                    const std::string& where);
  bool CheckRoute(uint32_t input, Decision decision, const InputPartition& place,
                  const std::string& where);
  /// A lane writes each output in order of seq, so a smaller seq comes from another lane.
  void CheckOneLane(const InputPartition& place, uint64_t seq, const std::string& where);
  void CheckOrder(uint32_t input, Decision decision, int64_t origin_offset,
                  const std::string& where);

  AuditOptions options_;
  ChosenScheme chosen_;
  Fingerprinter fingerprinter_;
  AuditLedger ledger_;
  AuditReport report_;
  std::map<InputPartition, uint64_t> newest_seq_;  ///< by the output that it was read from
  uint64_t behind_ = 0;  ///< outputs with a smaller seq than one before them in their partition
  std::string header_bytes_;
};

}  // namespace neardup
