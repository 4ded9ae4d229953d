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
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "commands/verify/group_checks.h"
#include "commands/verify/ledger.h"
#include "commands/verify/report.h"
#include "commands/verify/verdicts.h"
#include "neardup/filter.h"
#include "stream/lane/ports.h"
#include "stream/lane/route_header.h"

namespace neardup {

/// One input partition, and which of its records are audited.
struct AuditedInput {
  InputPartition partition;
  /// Records below are deleted: they need no output, and their outputs are checked by their own
  /// content.
  int64_t begin = 0;
  /// Records from here on need no output, and their outputs are left out. To audit a running lane,
  /// give the offsets of one committed transaction.
  int64_t end = INT64_MAX;
  /// Records below `begin` may exist, and are left out with their outputs. Needs
  /// AuditOptions::part.
  bool left_out_before = false;
  std::string unique_topic;
  std::string duplicate_topic;
  std::string dead_letter_topic;
  /// The lane no longer reads this input, and compares no record with its records
  /// (Filter::SetRetired).
  bool retired = false;
};

/// Memory that an audit needs at its peak for each input record. It is reached when all records are
/// unique.
inline constexpr int kAuditBytesPerRecord = 100;
/// What AuditOptions::counts_groups adds to it. It is reached when all records are copies, in
/// pairs.
inline constexpr int kAuditBytesPerCounted = 96;
/// The same for each output of a deleted input record.
inline constexpr int kAuditBytesPerDeleted = 160;

/// One owner thread. Add all inputs before the first output.
class Audit {
 public:
  explicit Audit(const AuditOptions& options);

  /// Returns the partition's number, which is Position::input of its records. Add a partition once.
  uint32_t AddPartition(const AuditedInput& input);
  /// Add the records of a partition in order of their offsets.
  void AddInput(const Message& message);
  /// Says that outputs of this partition were deleted at the beginning of this output topic. A
  /// record without an output that stands before the first one there is left out, because its
  /// output may have been among them. Needs AuditOptions::part. Call it before the first output.
  void AddDeletedOutputs(uint32_t input, Route route);
  /// `place`: the topic and partition the record was read from. Add the records of a place in order
  /// of their offsets.
  void AddOutput(const InputPartition& place, const Message& message);
  /// `record` is a record of the groups topic; `where` is its position. Add them after all outputs,
  /// in the order of their offsets.
  void AddGroup(const Message& record, const std::string& where) { counts_->Add(record, where); }
  /// Says that all outputs of the unique topics were added. Saves memory: until then, a duplicate
  /// waits for its original.
  void UniquesDone() { verdicts_.UniquesDone(); }
  /// The seq of a record that is left out, and was decided after the audited records of its
  /// partition. AddOutput notices it by itself.
  void LeftOutAfter(uint64_t seq);
  /// Memory held now for the records.
  size_t bytes() const;
  /// Runs the checks that need all records. Call it once. `progress` gets the share that is done.
  AuditReport Finish(const std::function<void(double)>& progress = {});

 private:
  /// `key`: the record's own.
  PayloadDigest DigestOf(const Message& message, const std::optional<std::string_view>& key,
                         size_t first_left_out, size_t count_left_out);
  /// Returns the parsed header. If it cannot be parsed, reports that and returns nullopt.
  std::optional<ParsedHeader> HeaderOf(const Message& message, const std::string& where);
  /// Returns the input that the header names. If there is none, reports that and returns kNoInput.
  uint32_t InputOf(const ParsedHeader& header, const std::string& where);
  /// If the audit leaves out the input record of this output, counts the output and returns true.
  bool CountIfLeftOut(uint32_t input, const ParsedHeader& header);
  /// Compares the output with its input. Returns the fingerprint of their common content; nullopt
  /// if the contents of the input and of the output differ.
  std::optional<FingerprintedRecord> CheckContent(uint32_t input, const ParsedHeader& header,
                                                  const Message& message, const AuditRow& row,
                                                  const std::string& where);
  /// Checks the decision of the settings that are audited. `content`: nullptr if it is not known.
  void CheckDecision(uint32_t input, const ParsedHeader& header, const FingerprintedRecord* content,
                     AuditRow& row, const std::string& where);
  /// The row of an output's input record; nullptr, with a violation, if there is none or another
  /// output already names it.
  AuditRow* CoveredRow(uint32_t input, const ParsedHeader& header, const Message& message,
                       const std::string& where);
  /// The key of a record that is keyed by its group.
  void CheckKey(const ParsedHeader& header, const Message& message, const std::string& where);
  void CheckPayload(const AuditRow& row, const PayloadDigest& digest, const Message& message,
                    const std::string& where);
  /// Notes in the row what the header and the content say.
  void Cover(const ParsedHeader& header, const FingerprintedRecord* content, int64_t output_offset,
             AuditRow& row);
  bool CheckRoute(uint32_t input, const ParsedHeader& header, const InputPartition& place,
                  const std::string& where);
  /// A lane writes each output in order of seq, so a smaller seq comes from another lane.
  void CheckOneLane(const InputPartition& place, uint64_t seq, const std::string& where);
  void CheckOrder(uint32_t input, Route route, int64_t origin_offset, const std::string& where);

  AuditOptions options_;
  Fingerprinter fingerprinter_;
  RecordBuffer buffer_;
  AuditLedger ledger_;
  AuditReport report_;
  VerdictChecks verdicts_;
  GroupChecks groups_;
  std::optional<GroupCounts> counts_;
  std::map<InputPartition, uint64_t> newest_seq_;  ///< by the output that it was read from
  uint64_t behind_ = 0;  ///< outputs with a smaller seq than one before them in their partition
  uint64_t first_left_out_seq_ = UINT64_MAX;  ///< of those left out after the audited ones
  std::string header_bytes_;
};

}  // namespace neardup
