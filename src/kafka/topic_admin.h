// Questions and orders to the cluster about topics. Each call ends within a time-out.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kafka/client.h"
#include "kafka/kafka_options.h"
#include "neardup/result.h"
#include "stream/lane/ports.h"
#include "stream/state/route.h"

namespace neardup {

/// A topic that the brokers do not know is asked for again for this part of the time-out, because
/// some of them learn of a new topic late.
inline constexpr int kUnknownShare = 2;
/// Between two questions about a partition whose leader is new or is being elected.
inline constexpr int kLeaderRetryMs = 50;

struct TopicShape {
  int32_t partitions = 0;
  int32_t replicas = 0;  ///< of its first partition
};
/// nullopt if the topic does not exist. Never creates a topic.
Result<std::optional<TopicShape>> AskTopicShape(Client& client, const std::string& topic,
                                                int timeout_ms);

/// Number of partitions of a topic; nullopt if the topic does not exist. Never creates a topic.
Result<std::optional<int32_t>> PartitionCount(Client& client, const std::string& topic,
                                              int timeout_ms);

/// All partitions of the input topics, and the input topics that do not exist.
Result<FoundInputs> FindInputs(Client& client, const KafkaOptions& options);

/// Asks the present leader, also when it has just moved, and asks again within the time-out when
/// the leader does not answer.
Result<OffsetBounds> AskOffsetBounds(Client& client, const InputPartition& partition,
                                     int timeout_ms);

/// A setting of a topic; nullopt if it is missing or no number.
std::optional<int64_t> NumberOf(const Properties& settings, const std::string& name);

/// The command of Kafka's tools that changes a setting of a topic, for a message.
std::string SetCommand(std::string_view topic, std::string_view setting, std::string_view value);

class TopicAdmin {
 public:
  TopicAdmin(std::shared_ptr<Client> client, const KafkaOptions& options)
      : client_(std::move(client)),
        timeout_ms_(options.answer_timeout_ms),
        replication_factor_(options.replication_factor) {}

  Result<std::optional<int32_t>> Partitions(const std::string& topic) const {
    return PartitionCount(*client_, topic, timeout_ms_);
  }
  Result<std::optional<TopicShape>> Shape(const std::string& topic) const {
    return AskTopicShape(*client_, topic, timeout_ms_);
  }
  /// Creates a topic. Returns false if it exists already. Fails with kConfig if the broker refuses
  /// a setting.
  Result<bool> Create(const std::string& topic, int32_t partitions, const Properties& settings) {
    return OrderCreation(topic, partitions, settings, Order::kDo);
  }
  /// Adds partitions up to `partitions` in all.
  Result<void> Grow(const std::string& topic, int32_t partitions) {
    return OrderGrowth(topic, partitions, Order::kDo);
  }
  /// Whether the broker would do it now. Changes nothing.
  Result<void> MayCreate(const std::string& topic, int32_t partitions, const Properties& settings) {
    NEARDUP_TRY(OrderCreation(topic, partitions, settings, Order::kTry));
    return {};
  }
  Result<void> MayGrow(const std::string& topic, int32_t partitions) {
    return OrderGrowth(topic, partitions, Order::kTry);
  }
  /// Deletes the records of a partition below `offset`. Fails with kAuth if this user may not.
  Result<void> DeleteRecords(const std::string& topic, int32_t partition, int64_t offset);
  /// Deletes a topic, and waits until the cluster shows it no more. Returns false if there is none.
  Result<bool> Delete(const std::string& topic);
  /// Deletes a consumer group with its offsets. Returns false if there is none.
  Result<bool> DeleteGroup(const std::string& group);
  /// Returns the topic's settings, including the defaults.
  Result<Properties> Settings(const std::string& topic);
  /// Waits until the cluster shows the result of a Create or Grow.
  Result<void> AwaitPartitions(const std::string& topic, int32_t partitions) const;

 private:
  enum class Order : uint8_t { kDo, kTry };
  Result<bool> OrderCreation(const std::string& topic, int32_t partitions,
                             const Properties& settings, Order how);
  Result<void> OrderGrowth(const std::string& topic, int32_t partitions, Order how);
  /// Sends the order once. `code`: what the partition's leader answered.
  Result<void> OrderDeletion(const std::string& topic, int32_t partition, int64_t offset,
                             const std::string& doing, int timeout_ms, rd_kafka_resp_err_t& code);

  std::shared_ptr<Client> client_;
  int timeout_ms_;
  int32_t replication_factor_;
};

}  // namespace neardup
