#include "kafka/topic_orders.h"

#include <array>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "kafka/client.h"
#include "kafka/errors.h"
#include "kafka/kafka_options.h"
#include "kafka/topic_admin.h"

namespace neardup {
namespace {

using ConfigResourceHandle =
    std::unique_ptr<rd_kafka_ConfigResource_t, HandleDeleter<rd_kafka_ConfigResource_destroy>>;

/// How long a busy broker may take to show a changed setting, in milliseconds.
constexpr int kShownMs = 60'000;

}  // namespace

Result<void> OrderTopic(const KafkaOptions& options, const std::string& topic, int32_t partitions,
                        const std::map<std::string, std::string>& settings) {
  NEARDUP_ASSIGN(std::shared_ptr<Client> client, Client::New(options, ClientRole::kWatermark, {}));
  TopicAdmin admin(std::move(client), options);
  NEARDUP_ASSIGN(const bool created, admin.Create(topic, partitions, settings));
  if (!created) return Error{ErrorCode::kConfig, "topic " + topic + " exists already"};
  return admin.AwaitPartitions(topic, partitions);
}

Result<void> DropTopic(const KafkaOptions& options, const std::string& topic) {
  NEARDUP_ASSIGN(std::shared_ptr<Client> client, Client::New(options, ClientRole::kWatermark, {}));
  NEARDUP_ASSIGN(const bool deleted, TopicAdmin(std::move(client), options).Delete(topic));
  if (!deleted) return Error{ErrorCode::kNotFound, "topic " + topic + " does not exist"};
  return {};
}

Result<void> AddPartitions(const KafkaOptions& options, const std::string& topic,
                           int32_t partitions) {
  NEARDUP_ASSIGN(std::shared_ptr<Client> client, Client::New(options, ClientRole::kWatermark, {}));
  TopicAdmin admin(std::move(client), options);
  NEARDUP_TRY(admin.Grow(topic, partitions));
  return admin.AwaitPartitions(topic, partitions);
}

Result<void> SetTopicSetting(const KafkaOptions& options, const std::string& topic,
                             const std::string& name, const std::string& value) {
  NEARDUP_ASSIGN(std::shared_ptr<Client> client, Client::New(options, ClientRole::kWatermark, {}));
  const ConfigResourceHandle resource(
      rd_kafka_ConfigResource_new(RD_KAFKA_RESOURCE_TOPIC, topic.c_str()));
  rd_kafka_ConfigResource_set_config(resource.get(), name.c_str(), value.c_str());
  std::array<rd_kafka_ConfigResource_t*, 1> orders = {resource.get()};
  const QueueHandle queue(rd_kafka_queue_new(client->get()));
  rd_kafka_AlterConfigs(client->get(), orders.data(), orders.size(), nullptr, queue.get());
  const EventHandle answer(rd_kafka_queue_poll(queue.get(), options.answer_timeout_ms));
  if (!answer) return Error{ErrorCode::kUnavailable, "no answer"};
  size_t count = 0;
  const rd_kafka_ConfigResource_t** rows = rd_kafka_AlterConfigs_result_resources(
      rd_kafka_event_AlterConfigs_result(answer.get()), &count);
  if (count != 1 || rd_kafka_ConfigResource_error(rows[0]) != RD_KAFKA_RESP_ERR_NO_ERROR) {
    return Error{ErrorCode::kConfig, "the broker refuses the setting"};
  }
  // The controller confirms the change before the brokers know about it.
  TopicAdmin admin(std::move(client), options);
  for (const Deadline deadline(kShownMs); !deadline.passed();) {
    NEARDUP_ASSIGN(const Properties settings, admin.Settings(topic));
    const auto shown = settings.find(name);
    if (shown != settings.end() && shown->second == value) return {};
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return Error{ErrorCode::kUnavailable, topic + " does not show " + name + "=" + value + " yet"};
}

Result<int32_t> LeaderOf(const KafkaOptions& options, const std::string& topic, int32_t partition) {
  NEARDUP_ASSIGN(const std::shared_ptr<Client> client,
                 Client::New(options, ClientRole::kWatermark, {}));
  const TopicHandle handle(rd_kafka_topic_new(client->get(), topic.c_str(), nullptr));
  const rd_kafka_metadata_t* answer = nullptr;
  const rd_kafka_resp_err_t code =
      rd_kafka_metadata(client->get(), 0, handle.get(), &answer, options.answer_timeout_ms);
  const MetadataHandle metadata(answer);
  if (code != RD_KAFKA_RESP_ERR_NO_ERROR) return FromKafka(code, "asking for a leader");
  for (int i = 0; metadata->topic_cnt == 1 && i < metadata->topics[0].partition_cnt; ++i) {
    const rd_kafka_metadata_partition_t& row = metadata->topics[0].partitions[i];
    if (row.id == partition) return row.leader;
  }
  return Error{ErrorCode::kNotFound, topic + "/" + std::to_string(partition) + " does not exist"};
}

Result<void> DeleteRecordsBefore(const KafkaOptions& options, const std::string& topic,
                                 int32_t partition, int64_t offset) {
  NEARDUP_ASSIGN(std::shared_ptr<Client> client, Client::New(options, ClientRole::kWatermark, {}));
  return TopicAdmin(std::move(client), options).DeleteRecords(topic, partition, offset);
}

}  // namespace neardup
