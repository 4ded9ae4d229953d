#include "kafka/topic_orders.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "kafka/client.h"
#include "kafka/handle.h"
#include "kafka/topic_admin.h"

namespace neardup {
namespace {

using DeleteTopicHandle =
    std::unique_ptr<rd_kafka_DeleteTopic_t, HandleDeleter<rd_kafka_DeleteTopic_destroy>>;
using AclHandle =
    std::unique_ptr<rd_kafka_AclBinding_t, HandleDeleter<rd_kafka_AclBinding_destroy>>;

/// DescribeConfigs and DESCRIBE_CONFIGS are the same.
bool SameWord(std::string_view one, std::string_view two) {
  const auto plain = [](std::string_view word) {
    std::string out;
    for (const char c : word) {
      if (c != '_') out += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    }
    return out;
  };
  return plain(one) == plain(two);
}

rd_kafka_AclOperation_t OperationOf(const std::string& name) {
  for (int each = RD_KAFKA_ACL_OPERATION_ALL; each < RD_KAFKA_ACL_OPERATION__CNT; ++each) {
    const auto operation = static_cast<rd_kafka_AclOperation_t>(each);
    if (SameWord(rd_kafka_AclOperation_name(operation), name)) return operation;
  }
  return RD_KAFKA_ACL_OPERATION_UNKNOWN;
}

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
  NEARDUP_ASSIGN(const std::shared_ptr<Client> client,
                 Client::New(options, ClientRole::kWatermark, {}));
  const DeleteTopicHandle order(rd_kafka_DeleteTopic_new(topic.c_str()));
  std::array<rd_kafka_DeleteTopic_t*, 1> orders = {order.get()};
  const QueueHandle queue(rd_kafka_queue_new(client->get()));
  rd_kafka_DeleteTopics(client->get(), orders.data(), orders.size(), nullptr, queue.get());
  const EventHandle event(rd_kafka_queue_poll(queue.get(), options.answer_timeout_ms));
  size_t count = 0;
  const auto* results =
      rd_kafka_DeleteTopics_result_topics(rd_kafka_event_DeleteTopics_result(event.get()), &count);
  if (count != 1) return Error{ErrorCode::kInternal, "deleting topic " + topic + ": no answer"};
  const rd_kafka_resp_err_t code = rd_kafka_topic_result_error(results[0]);
  if (code != RD_KAFKA_RESP_ERR_NO_ERROR) return FromKafka(code, "deleting topic " + topic);
  for (int tries = 0; tries < 300; ++tries) {
    NEARDUP_ASSIGN(const std::optional<int32_t> seen,
                   PartitionCount(*client, topic, options.answer_timeout_ms));
    if (!seen) return {};
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return Error{ErrorCode::kUnavailable, "topic " + topic + " is still shown after its deletion"};
}

Result<void> AddPartitions(const KafkaOptions& options, const std::string& topic,
                           int32_t partitions) {
  NEARDUP_ASSIGN(std::shared_ptr<Client> client, Client::New(options, ClientRole::kWatermark, {}));
  TopicAdmin admin(std::move(client), options);
  NEARDUP_TRY(admin.Grow(topic, partitions));
  return admin.AwaitPartitions(topic, partitions);
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

Result<void> Allow(const KafkaOptions& options, const std::string& principal,
                   const std::string& resource, const std::string& operation) {
  NEARDUP_ASSIGN(const std::shared_ptr<Client> client,
                 Client::New(options, ClientRole::kWatermark, {}));
  const std::string doing = "allowing " + principal + " " + operation + " on " + resource;
  const size_t colon = resource.find(':');
  const std::string type = resource.substr(0, colon);
  const auto kind = type == "topic"   ? RD_KAFKA_RESOURCE_TOPIC
                    : type == "group" ? RD_KAFKA_RESOURCE_GROUP
                                      : RD_KAFKA_RESOURCE_BROKER;
  const std::string name = colon == resource.npos ? "kafka-cluster" : resource.substr(colon + 1);
  std::array<char, 256> complaint{};
  const AclHandle acl(rd_kafka_AclBinding_new(kind, name.c_str(), RD_KAFKA_RESOURCE_PATTERN_LITERAL,
                                              principal.c_str(), "*", OperationOf(operation),
                                              RD_KAFKA_ACL_PERMISSION_TYPE_ALLOW, complaint.data(),
                                              complaint.size()));
  if (!acl) return Error{ErrorCode::kConfig, doing + ": " + complaint.data()};
  std::array<rd_kafka_AclBinding_t*, 1> orders = {acl.get()};
  const QueueHandle queue(rd_kafka_queue_new(client->get()));
  rd_kafka_CreateAcls(client->get(), orders.data(), orders.size(), nullptr, queue.get());
  const EventHandle event(rd_kafka_queue_poll(queue.get(), options.answer_timeout_ms));
  if (!event) return Error{ErrorCode::kUnavailable, doing + ": no answer"};
  size_t count = 0;
  const auto* results =
      rd_kafka_CreateAcls_result_acls(rd_kafka_event_CreateAcls_result(event.get()), &count);
  if (count != 1) return Error{ErrorCode::kInternal, doing + ": the answer has no result"};
  const rd_kafka_error_t* refused = rd_kafka_acl_result_error(results[0]);
  return refused == nullptr ? Result<void>() : FromKafka(*refused, doing);
}

}  // namespace neardup
