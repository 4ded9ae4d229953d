// Questions and orders to the cluster about topics, each within a deadline.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kafka/client.h"
#include "kafka/kafka_options.h"
#include "neardup/result.h"
#include "state/input.h"

namespace neardup {

/// Number of partitions of a topic; nullopt when it does not exist. Never creates it.
Result<std::optional<int32_t>> PartitionCount(Client& client, const std::string& topic,
                                              int timeout_ms);

/// All partitions of the input topics, sorted; kNotFound names a topic that does not exist.
Result<std::vector<InputPartition>> InputPartitions(Client& client, const KafkaOptions& options);

class TopicAdmin {
 public:
  explicit TopicAdmin(std::shared_ptr<Client> client, const KafkaOptions& options)
      : client_(std::move(client)),
        timeout_ms_(options.answer_timeout_ms),
        replication_factor_(options.replication_factor) {}

  Result<std::optional<int32_t>> Partitions(const std::string& topic) const {
    return PartitionCount(*client_, topic, timeout_ms_);
  }
  /// False when somebody else created it in between. kConfig when a setting is refused.
  Result<bool> Create(const std::string& topic, int32_t partitions, const Properties& settings);
  /// Up to `partitions` in all.
  Result<void> Grow(const std::string& topic, int32_t partitions);
  /// Removes the records of a partition below `offset`. kAuth when that is not allowed.
  Result<void> DeleteRecords(const std::string& topic, int32_t partition, int64_t offset);
  /// The topic's settings, with defaults.
  Result<Properties> Settings(const std::string& topic);
  /// Waits until the cluster shows what a Create or Grow ordered.
  Result<void> AwaitPartitions(const std::string& topic, int32_t partitions) const;

 private:
  std::shared_ptr<Client> client_;
  int timeout_ms_;
  int32_t replication_factor_;
};

}  // namespace neardup
