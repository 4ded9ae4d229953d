// The audit of a lane on its real topics.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "commands/verify/input_range.h"
#include "commands/verify/progress.h"
#include "commands/verify/report.h"
#include "kafka/kafka_options.h"
#include "neardup/result.h"
#include "service/config/settings.h"
#include "stream/state/route.h"

namespace neardup {

/// What AuditTopics may use without being told.
inline constexpr uint64_t kAuditMemoryMax = uint64_t{4} << 30;

struct TopicAuditOptions {
  InputRange range;
  uint64_t memory_max = kAuditMemoryMax;  ///< bytes
};

/// The audited part of one input partition.
struct AuditedRange {
  InputPartition partition;
  int64_t begin = 0;
  int64_t end = 0;
  /// Readable offsets from `end` on that are meant, too: the lane decided them after the audit
  /// began, or has not yet decided them. No violations.
  int64_t pending_records = 0;
};

struct TopicAudit {
  AuditReport report;
  std::vector<AuditedRange> ranges;
  /// Some promises could not be checked; the warnings say which and why.
  bool partial = false;
  /// What weakens the proof, as sentences.
  std::vector<std::string> warnings;
  /// Upper bounds that were known before the records were read.
  uint64_t records_max = 0;
  uint64_t memory_bytes_max = 0;
};

/// Reads the input topics and their outputs, committed records only, and audits them. Changes
/// nothing. The lane may be running.
///
/// kConfig, before any record is read, if the records may need more than memory_max; kExhausted if
/// they then do. kUnavailable if a transaction stays open longer than the
/// transaction time-out allows. Compacted inputs cannot be audited, because the origin of an output
/// may be gone. For a range, a search finds where its outputs begin, so that not all outputs are
/// read.
Result<TopicAudit> AuditTopics(const Settings& settings, const TopicAuditOptions& options,
                               Progress& progress, const KafkaLog& log);

}  // namespace neardup
