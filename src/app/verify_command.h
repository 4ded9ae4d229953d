// The audit over the real topics of a lane.
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

/// What was audited of one input partition.
struct AuditedRange {
  InputPartition partition;
  int64_t begin = 0;
  int64_t end = 0;
  /// Offsets behind `end` that are readable already: decided after the audit began, or not yet.
  int64_t lag_records = 0;
};

struct KafkaAudit {
  AuditReport report;
  std::vector<AuditedRange> ranges;
  /// There are no headers, so only coverage and payload were checked.
  bool partial = false;
  /// What weakens the proof, for a person.
  std::vector<std::string> warnings;
};

/// Reads the input topics and all outputs, committed records only, and audits them. The lane may be
/// running: audited is up to the offsets its group has committed, which one transaction made
/// visible together with all outputs before them. Changes nothing. kUnavailable when a transaction
/// stays open longer than the transaction time-out allows. Compacted inputs cannot be audited: the
/// origin of an output may be gone.
Result<KafkaAudit> AuditTopics(const Settings& settings, const KafkaLog& log);

}  // namespace neardup
