// The topics a lane works with: what exists, and making what is absent.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "kafka/kafka_log.h"
#include "kafka/kafka_options.h"
#include "neardup/result.h"
#include "state/delta.h"

namespace neardup {

/// All partitions of the input topics, sorted. kNotFound names a missing topic, kUnavailable says
/// that no broker answered within answer_timeout_ms, kAuth that we are not let in.
Result<std::vector<InputPartition>> ListPartitions(const KafkaOptions& options,
                                                   const KafkaLog& log);

/// What EnsureTopics found and did.
struct TopicReport {
  /// Largest batch an output topic takes (its max.message.bytes); absent where it may not be read.
  std::map<std::string, int64_t> max_message_bytes;
  std::vector<std::string> created;
  std::vector<std::string> grown;
  std::vector<std::string> warnings;
};

/// Makes the output, changelog and lease topics fit for `inputs` and `lanes` lanes; to be called
/// again when an input topic has grown.
///   outputs    created with the partitions of their input and room for its largest record plus our
///              headers; partitions are added when the input grew
///   changelog  one partition per lane, deleted by nobody; settings that would lose state are a
///              fatal kConfig error with the command that mends them
///   lease      one partition per lane
/// With create_topics off nothing is changed: what is absent is kNotFound, what is too small
/// kConfig. Settings that may not be read are a warning.
Result<TopicReport> EnsureTopics(const KafkaOptions& options,
                                 std::span<const InputPartition> inputs, int32_t lanes,
                                 const KafkaLog& log);

}  // namespace neardup
