// Finds out by harmless calls what a login may do. No call changes anything on the brokers.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "kafka/kafka_options.h"
#include "neardup/result.h"

namespace neardup {

/// For each topic, an error of kAuth if the right is missing, and another one if that is unknown.
using Answers = std::map<std::string, Result<void>>;

/// Read on topics: reads from their ends on, up to the first answer.
Answers ProbeReading(const KafkaOptions& options, const std::vector<std::string>& topics);

/// Write on topics: sends each of them a record with acks=2. Brokers check the right first, and
/// then refuse this number of acknowledgements without writing the record (since Kafka 0.9).
Answers ProbeWriting(const KafkaOptions& options, const std::vector<std::string>& topics);

/// Read on a group: commits an offset for a partition of `topic` that cannot exist. Brokers check
/// the right first, and then refuse the partition.
Result<void> ProbeCommitting(const KafkaOptions& options, const std::string& group,
                             const std::string& topic);

}  // namespace neardup
