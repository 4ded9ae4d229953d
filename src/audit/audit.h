// Proves the promises of a lane from outside: all input records against all output records, by
// methods that share nothing with the lane, the filter and the index. Fingerprints and event times
// are those of Fingerprinter.
//
//   Audit audit(options);
//   for each input partition    number = audit.AddPartition(...)
//   for each input record       audit.AddInput(message)    with that number in its position
//   for each output record      audit.AddOutput(place, message)
//   AuditReport report = audit.Finish();
//
// Judged by the options given: where distance, window or capacity were changed between runs of a
// lane, records decided before the change may show as violations.
#pragma once

#include <cstdint>
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
  /// The lane began behind the beginning of its inputs (StartAt::kLatest): in each partition,
  /// records before the first one decided are not demanded.
  bool started_late = false;
  /// When the outputs were read; bounds to what a clamped event time may have been clamped.
  int64_t now_ms = INT64_MAX;
};

/// One input partition and what is audited of it.
struct AuditedInput {
  InputPartition partition;
  /// Records below are deleted: not demanded, and outputs of them are judged by themselves.
  int64_t begin = 0;
  /// Records from here on are not demanded, and outputs of them are left out. To audit a lane that
  /// runs, take the offsets of one committed transaction.
  int64_t end = INT64_MAX;
  std::string unique_topic;
  std::string duplicate_topic;
  std::string dead_letter_topic;
};

/// Keeps about 230 bytes a record, and the sketches of another scheme than the filter's own. One
/// owner thread; all inputs come before the first output.
class Audit {
 public:
  explicit Audit(const AuditOptions& options);

  /// Returns the number to be used as Position::input. A partition is added once.
  uint32_t AddPartition(const AuditedInput& input);
  /// Per partition in the order of offsets.
  void AddInput(const Message& message);
  /// `place`: topic and partition it was read from; per place in the order of offsets.
  void AddOutput(const InputPartition& place, const Message& message);
  /// To be called once.
  AuditReport Finish();

 private:
  AuditRow Recompute(const Message& message, size_t first_left_out, size_t count_left_out);
  AuditRow* CoveredRow(uint32_t input, const ParsedHeader& header, const AuditRow& output,
                       const std::string& where);
  void CheckPayload(const AuditRow& input, const AuditRow& output, bool by_reference,
                    const std::string& where);
  bool CheckRoute(uint32_t input, Decision decision, const InputPartition& place,
                  const std::string& where);
  void CheckOrder(uint32_t input, Decision decision, int64_t origin_offset,
                  const std::string& where);

  AuditOptions options_;
  ChosenScheme chosen_;
  Fingerprinter fingerprinter_;
  AuditLedger ledger_;
  AuditReport report_;
  std::string header_bytes_;
};

}  // namespace neardup
