// Orders about topics for test tools. The header needs no librdkafka.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "kafka/kafka_options.h"
#include "neardup/result.h"

namespace neardup {

/// Creates a topic and waits until the cluster shows it. An error if the topic exists.
Result<void> OrderTopic(const KafkaOptions& options, const std::string& topic, int32_t partitions,
                        const std::map<std::string, std::string>& settings);

/// Deletes a topic and waits until the cluster no longer shows it.
Result<void> DropTopic(const KafkaOptions& options, const std::string& topic);

/// Adds partitions up to `partitions` in all, and waits until the cluster shows them.
Result<void> AddPartitions(const KafkaOptions& options, const std::string& topic,
                           int32_t partitions);

/// Sets one setting of a topic; others return to their defaults.
Result<void> SetTopicSetting(const KafkaOptions& options, const std::string& topic,
                             const std::string& name, const std::string& value);

/// The node that leads a partition; -1: none at the moment.
Result<int32_t> LeaderOf(const KafkaOptions& options, const std::string& topic, int32_t partition);

/// Deletes the records of a partition below an offset; -1 stands for the end of the partition.
Result<void> DeleteRecordsBefore(const KafkaOptions& options, const std::string& topic,
                                 int32_t partition, int64_t offset);

}  // namespace neardup
