#include "kafka/topic_orders.h"

#include <array>
#include <memory>
#include <utility>

#include "kafka/client.h"
#include "kafka/client_error.h"
#include "kafka/topic_admin.h"

namespace neardup {
namespace {

using DeleteRecordsHandle =
    std::unique_ptr<rd_kafka_DeleteRecords_t, HandleDeleter<rd_kafka_DeleteRecords_destroy>>;

}  // namespace

Result<void> OrderTopic(const KafkaOptions& options, const std::string& topic, int32_t partitions,
                        const std::map<std::string, std::string>& settings) {
  NEARDUP_ASSIGN(std::shared_ptr<Client> client, Client::New(options, ClientRole::kWatermark, {}));
  TopicAdmin admin(std::move(client), options);
  NEARDUP_ASSIGN(const bool created, admin.Create(topic, partitions, settings));
  if (!created) return Error{ErrorCode::kConfig, "topic " + topic + " exists already"};
  return admin.AwaitPartitions(topic, partitions);
}

Result<void> DeleteRecordsBefore(const KafkaOptions& options, const std::string& topic,
                                 int32_t partition, int64_t offset) {
  const std::string doing = "deleting records of " + topic + "/" + std::to_string(partition);
  NEARDUP_ASSIGN(const std::shared_ptr<Client> client,
                 Client::New(options, ClientRole::kWatermark, {}));
  const PartitionListHandle offsets(rd_kafka_topic_partition_list_new(1));
  rd_kafka_topic_partition_list_add(offsets.get(), topic.c_str(), partition)->offset = offset;
  const DeleteRecordsHandle order(rd_kafka_DeleteRecords_new(offsets.get()));
  const QueueHandle queue(rd_kafka_queue_new(client->get()));
  std::array<rd_kafka_DeleteRecords_t*, 1> orders = {order.get()};
  rd_kafka_DeleteRecords(client->get(), orders.data(), orders.size(), nullptr, queue.get());
  const EventHandle event(rd_kafka_queue_poll(queue.get(), options.answer_timeout_ms));
  if (!event) return client->Explain(FromKafka(RD_KAFKA_RESP_ERR__TIMED_OUT, doing));
  if (const auto code = rd_kafka_event_error(event.get()); code != RD_KAFKA_RESP_ERR_NO_ERROR) {
    return client->Explain(FromKafka(code, doing, rd_kafka_event_error_string(event.get())));
  }
  const auto* answer = rd_kafka_event_DeleteRecords_result(event.get());
  const rd_kafka_topic_partition_list_t* rows = rd_kafka_DeleteRecords_result_offsets(answer);
  if (rows->cnt != 1) return Error{ErrorCode::kInternal, doing + ": an answer without the topic"};
  if (rows->elems[0].err != RD_KAFKA_RESP_ERR_NO_ERROR) {
    return client->Explain(FromKafka(rows->elems[0].err, doing));
  }
  return {};
}

}  // namespace neardup
