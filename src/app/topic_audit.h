// The audit of a lane on its real topics.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "audit/report.h"
#include "config/settings.h"
#include "kafka/kafka_options.h"
#include "neardup/result.h"
#include "state/input.h"

namespace neardup {

/// The audited part of one input partition.
struct AuditedRange {
  InputPartition partition;
  int64_t begin = 0;
  int64_t end = 0;
  /// Readable offsets from `end` on: the lane decided them after the audit began, or has not yet
  /// decided them.
  int64_t lag_records = 0;
};

struct TopicAudit {
  AuditReport report;
  std::vector<AuditedRange> ranges;
  /// The outputs have no headers, so only coverage and payload were checked.
  bool partial = false;
  /// What weakens the proof, as sentences.
  std::vector<std::string> warnings;
};

/// Reads the input topics and all outputs, committed records only, and audits them. Changes
/// nothing. The lane may be running: the audit ends at the offsets that the lane's group has
/// committed, because one transaction made them visible together with all outputs before them.
/// kUnavailable if a transaction stays open longer than the transaction time-out allows. Compacted
/// inputs cannot be audited, because the origin of an output may be gone. Memory: see
/// kAuditBytesPerRecord.
Result<TopicAudit> AuditTopics(const Settings& settings, const KafkaLog& log);

}  // namespace neardup
