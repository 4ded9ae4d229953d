#include "kafka/topic_admin.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <set>
#include <thread>

#include "detect/base/quantity.h"
#include "kafka/errors.h"

namespace neardup {
namespace {

// A long wait is divided into slices. After each slice, the reports of the library are read.
constexpr int kAdminSliceMs = 500;
// A question to a leader that is gone is given up after this time, and its successor is looked for.
constexpr int kLeaderSliceMs = 1000;
constexpr int kDeletionSliceMs = 3000;
/// Brokers that are busy may show a change of a topic long after they have accepted it.
constexpr int kShownMs = 60'000;

/// The answer to an order; null after the time-out.
EventHandle Await(Client& client, rd_kafka_queue_t* queue, int timeout_ms) {
  const Deadline deadline(timeout_ms);
  do {
    EventHandle event(rd_kafka_queue_poll(queue, deadline.left_ms(kAdminSliceMs)));
    if (event) return event;
    const MessageHandle served(rd_kafka_consumer_poll(client.get(), 0));
  } while (!deadline.passed());
  return nullptr;
}

/// Sends one order. Returns the answer; null after the time-out. `only_try` changes nothing.
template <class Order>
EventHandle SendOrder(Client& client, rd_kafka_admin_op_t operation,
                      void (*send)(rd_kafka_t*, Order**, size_t, const rd_kafka_AdminOptions_t*,
                                   rd_kafka_queue_t*),
                      Order* order, int timeout_ms, bool only_try = false) {
  const AdminOptionsHandle options(rd_kafka_AdminOptions_new(client.get(), operation));
  std::array<char, 256> complaint{};
  rd_kafka_AdminOptions_set_request_timeout(options.get(), timeout_ms, complaint.data(),
                                            complaint.size());
  if (only_try) {
    rd_kafka_AdminOptions_set_validate_only(options.get(), 1, complaint.data(), complaint.size());
  }
  const QueueHandle queue(rd_kafka_queue_new(client.get()));
  send(client.get(), &order, 1, options.get(), queue.get());
  return Await(client, queue.get(), timeout_ms);
}

Result<void> CheckRequest(Client& client, const EventHandle& event, const std::string& doing,
                          const Right& right) {
  if (!event) return client.diagnosis().Explain(FromKafka(RD_KAFKA_RESP_ERR__TIMED_OUT, doing));
  const rd_kafka_resp_err_t code = rd_kafka_event_error(event.get());
  if (code == RD_KAFKA_RESP_ERR_NO_ERROR) return {};
  return client.diagnosis().Explain(
      FromKafka(code, doing, rd_kafka_event_error_string(event.get())), right);
}

Result<void> CheckTopic(Client& client, const rd_kafka_topic_result_t& result,
                        const std::string& doing, const Right& right) {
  const rd_kafka_resp_err_t code = rd_kafka_topic_result_error(&result);
  if (code == RD_KAFKA_RESP_ERR_NO_ERROR) return {};
  const char* text = rd_kafka_topic_result_error_string(&result);
  return client.diagnosis().Explain(FromKafka(code, doing, text == nullptr ? "" : text), right);
}

Right OnTopic(std::string_view operation, const std::string& topic) {
  return {operation, ResourceKind::kTopic, topic};
}

std::optional<TopicShape> ShapeOf(const rd_kafka_metadata_topic_t& topic) {
  return TopicShape{topic.partition_cnt,
                    topic.partition_cnt > 0 ? topic.partitions[0].replica_cnt : 0};
}

Error AnswerIsEmpty(const std::string& doing) {
  return {ErrorCode::kInternal, fmt::format("{}: the broker's answer has no result", doing)};
}

/// True when the answer may be another once the client has asked who leads the partition. The
/// library asks by itself only for topics that the client reads or writes, so a client that only
/// asks for offsets would never learn of the new leader.
bool IsAboutTheLeader(rd_kafka_resp_err_t code) {
  switch (code) {
    case RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION:
    case RD_KAFKA_RESP_ERR_LEADER_NOT_AVAILABLE:
    case RD_KAFKA_RESP_ERR_REPLICA_NOT_AVAILABLE:
    case RD_KAFKA_RESP_ERR_OFFSET_NOT_AVAILABLE:
    case RD_KAFKA_RESP_ERR_FENCED_LEADER_EPOCH:
    case RD_KAFKA_RESP_ERR_UNKNOWN_LEADER_EPOCH:
    case RD_KAFKA_RESP_ERR_KAFKA_STORAGE_ERROR:
    case RD_KAFKA_RESP_ERR_REQUEST_TIMED_OUT:
    case RD_KAFKA_RESP_ERR_BROKER_NOT_AVAILABLE:
    case RD_KAFKA_RESP_ERR_NETWORK_EXCEPTION:
    case RD_KAFKA_RESP_ERR__TRANSPORT:
    case RD_KAFKA_RESP_ERR__TIMED_OUT:
    case RD_KAFKA_RESP_ERR__TIMED_OUT_QUEUE:
    case RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN:
      return true;
    default:
      return false;
  }
}

bool IsUnknown(rd_kafka_resp_err_t code) {
  return code == RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART ||
         code == RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC || code == RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION;
}

/// Refreshes what the client knows about the leaders of a topic, and waits a moment.
void AskForLeaders(Client& client, const std::string& topic, const Deadline& deadline) {
  const TopicHandle handle(rd_kafka_topic_new(client.get(), topic.c_str(), nullptr));
  if (handle) {
    const rd_kafka_metadata_t* answer = nullptr;
    // Without an answer, the next question fails as this one did.
    rd_kafka_metadata(client.get(), 0, handle.get(), &answer, deadline.left_ms(kAdminSliceMs));
    const MetadataHandle freed(answer);
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(deadline.left_ms(kLeaderRetryMs)));
}

/// Asks for one offset: RD_KAFKA_OFFSET_BEGINNING or RD_KAFKA_OFFSET_END. Unlike
/// rd_kafka_query_watermark_offsets, this call keeps its time-out while the leader is silent.
rd_kafka_resp_err_t AskOffset(Client& client, const InputPartition& partition, int64_t which,
                              const Deadline& deadline, int64_t& offset) {
  const PartitionListHandle list = ListOf({&partition, 1}, which);
  const rd_kafka_resp_err_t code =
      rd_kafka_offsets_for_times(client.get(), list.get(), deadline.left_ms(kLeaderSliceMs));
  if (code != RD_KAFKA_RESP_ERR_NO_ERROR) return code;
  offset = list->elems[0].offset;
  return list->elems[0].err;
}

}  // namespace

std::optional<int64_t> NumberOf(const Properties& settings, const std::string& name) {
  const auto found = settings.find(name);
  if (found == settings.end()) return std::nullopt;
  return ParseInteger(found->second);
}

std::string SetCommand(std::string_view topic, std::string_view setting, std::string_view value) {
  return fmt::format(
      "kafka-configs.sh --alter --entity-type topics --entity-name {} --add-config {}={}", topic,
      setting, value);
}

Result<std::optional<TopicShape>> AskTopicShape(Client& client, const std::string& topic,
                                                int timeout_ms) {
  const std::string doing = fmt::format("asking for the partitions of topic {}", topic);
  const Deadline deadline(timeout_ms);
  const TopicHandle handle(rd_kafka_topic_new(client.get(), topic.c_str(), nullptr));
  if (!handle) return FromKafka(rd_kafka_last_error(), doing);
  rd_kafka_resp_err_t code = RD_KAFKA_RESP_ERR__TIMED_OUT;
  do {
    const rd_kafka_metadata_t* answer = nullptr;
    code =
        rd_kafka_metadata(client.get(), 0, handle.get(), &answer, deadline.left_ms(kAdminSliceMs));
    const MetadataHandle metadata(answer);
    if (code == RD_KAFKA_RESP_ERR_NO_ERROR) client.diagnosis().Answered();
    if (code == RD_KAFKA_RESP_ERR_NO_ERROR && metadata->topic_cnt == 1) {
      code = metadata->topics[0].err;
      if (code == RD_KAFKA_RESP_ERR_NO_ERROR) return ShapeOf(metadata->topics[0]);
      if (code == RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART) return std::optional<TopicShape>();
    }
    if (IsRefusedAccess(code)) break;
    // Hears complaints, so that a refused login ends the wait.
    const MessageHandle served(rd_kafka_consumer_poll(client.get(), 0));
    if (client.diagnosis().LoginRefused()) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(deadline.left_ms(20)));
  } while (!deadline.passed());
  return client.diagnosis().Explain(
      FromKafka(code, doing, IsRefusedAccess(code) ? "" : "no answer"), OnTopic("Describe", topic));
}

Result<std::optional<int32_t>> PartitionCount(Client& client, const std::string& topic,
                                              int timeout_ms) {
  NEARDUP_ASSIGN(const std::optional<TopicShape> shape, AskTopicShape(client, topic, timeout_ms));
  return shape ? std::optional(shape->partitions) : std::nullopt;
}

Result<FoundInputs> FindInputs(Client& client, const KafkaOptions& options) {
  FoundInputs found;
  const std::set<std::string> topics(options.topics.begin(), options.topics.end());
  for (const std::string& topic : topics) {
    NEARDUP_ASSIGN(const std::optional<int32_t> count,
                   PartitionCount(client, topic, options.answer_timeout_ms));
    if (!count) found.missing_topics.push_back(topic);
    for (int32_t partition = options.lane; partition < count.value_or(0);
         partition += options.lanes) {
      found.partitions.push_back({topic, partition});
    }
  }
  return found;
}

Result<OffsetBounds> AskOffsetBounds(Client& client, const InputPartition& partition,
                                     int timeout_ms) {
  const Deadline deadline(timeout_ms);
  const Deadline unknown_deadline(timeout_ms / kUnknownShare);
  while (true) {
    OffsetBounds bounds;
    rd_kafka_resp_err_t code =
        AskOffset(client, partition, RD_KAFKA_OFFSET_BEGINNING, deadline, bounds.begin);
    if (code == RD_KAFKA_RESP_ERR_NO_ERROR) {
      code = AskOffset(client, partition, RD_KAFKA_OFFSET_END, deadline, bounds.end);
    }
    if (code == RD_KAFKA_RESP_ERR_NO_ERROR) {
      client.diagnosis().Answered();
      return bounds;
    }
    const MessageHandle event(rd_kafka_consumer_poll(client.get(), 0));  // may hold the reason
    const bool may_change =
        IsUnknown(code) ? !unknown_deadline.passed() : IsAboutTheLeader(code) && !deadline.passed();
    if (!may_change || client.diagnosis().LoginRefused()) {
      return client.diagnosis().Explain(
          FromKafka(code, fmt::format("asking for the offsets of {}/{}", partition.topic,
                                      partition.partition)),
          OnTopic("Describe", partition.topic));
    }
    AskForLeaders(client, partition.topic, deadline);
  }
}

Result<bool> TopicAdmin::OrderCreation(const std::string& topic, int32_t partitions,
                                       const Properties& settings, Order how) {
  const std::string doing = fmt::format("creating topic {}", topic);
  std::array<char, 512> complaint{};
  const NewTopicHandle order(rd_kafka_NewTopic_new(topic.c_str(), partitions, replication_factor_,
                                                   complaint.data(), complaint.size()));
  if (!order) return Fatal(ErrorCode::kConfig, fmt::format("{}: {}", doing, complaint.data()));
  for (const auto& [name, value] : settings) {
    rd_kafka_NewTopic_set_config(order.get(), name.c_str(), value.c_str());
  }
  const EventHandle event =
      SendOrder(*client_, RD_KAFKA_ADMIN_OP_CREATETOPICS, rd_kafka_CreateTopics, order.get(),
                timeout_ms_, how == Order::kTry);
  NEARDUP_TRY(CheckRequest(*client_, event, doing, OnTopic("Create", topic)));
  size_t count = 0;
  const auto* results =
      rd_kafka_CreateTopics_result_topics(rd_kafka_event_CreateTopics_result(event.get()), &count);
  if (count != 1) return AnswerIsEmpty(doing);
  if (rd_kafka_topic_result_error(results[0]) == RD_KAFKA_RESP_ERR_TOPIC_ALREADY_EXISTS) {
    return false;
  }
  NEARDUP_TRY(CheckTopic(*client_, *results[0], doing, OnTopic("Create", topic)));
  return true;
}

Result<void> TopicAdmin::OrderGrowth(const std::string& topic, int32_t partitions, Order how) {
  const std::string doing = fmt::format("growing topic {} to {} partitions", topic, partitions);
  std::array<char, 512> complaint{};
  const NewPartitionsHandle order(rd_kafka_NewPartitions_new(
      topic.c_str(), static_cast<size_t>(partitions), complaint.data(), complaint.size()));
  if (!order) return Fatal(ErrorCode::kConfig, fmt::format("{}: {}", doing, complaint.data()));
  const EventHandle event =
      SendOrder(*client_, RD_KAFKA_ADMIN_OP_CREATEPARTITIONS, rd_kafka_CreatePartitions,
                order.get(), timeout_ms_, how == Order::kTry);
  NEARDUP_TRY(CheckRequest(*client_, event, doing, OnTopic("Alter", topic)));
  size_t count = 0;
  const auto* results = rd_kafka_CreatePartitions_result_topics(
      rd_kafka_event_CreatePartitions_result(event.get()), &count);
  if (count != 1) return AnswerIsEmpty(doing);
  return CheckTopic(*client_, *results[0], doing, OnTopic("Alter", topic));
}

Result<void> TopicAdmin::DeleteRecords(const std::string& topic, int32_t partition,
                                       int64_t offset) {
  const std::string doing =
      fmt::format("deleting the records of {}/{} below offset {}", topic, partition, offset);
  const Deadline deadline(timeout_ms_);
  while (true) {
    rd_kafka_resp_err_t code = RD_KAFKA_RESP_ERR_NO_ERROR;
    const int slice_ms = std::max(1, deadline.left_ms(kDeletionSliceMs));
    Result<void> deleted = OrderDeletion(topic, partition, offset, doing, slice_ms, code);
    if (deleted.ok() || !IsAboutTheLeader(code) || deadline.passed()) return deleted;
    AskForLeaders(*client_, topic, deadline);
  }
}

Result<void> TopicAdmin::OrderDeletion(const std::string& topic, int32_t partition, int64_t offset,
                                       const std::string& doing, int timeout_ms,
                                       rd_kafka_resp_err_t& code) {
  const PartitionListHandle list(rd_kafka_topic_partition_list_new(1));
  rd_kafka_topic_partition_list_add(list.get(), topic.c_str(), partition)->offset = offset;
  const DeleteRecordsHandle order(rd_kafka_DeleteRecords_new(list.get()));
  const EventHandle event = SendOrder(*client_, RD_KAFKA_ADMIN_OP_DELETERECORDS,
                                      rd_kafka_DeleteRecords, order.get(), timeout_ms);
  code = event ? rd_kafka_event_error(event.get()) : RD_KAFKA_RESP_ERR__TIMED_OUT;
  NEARDUP_TRY(CheckRequest(*client_, event, doing, OnTopic("Delete", topic)));
  const rd_kafka_topic_partition_list_t* results =
      rd_kafka_DeleteRecords_result_offsets(rd_kafka_event_DeleteRecords_result(event.get()));
  if (results == nullptr || results->cnt != 1) {
    return AnswerIsEmpty(doing);
  }
  code = results->elems[0].err;
  if (code == RD_KAFKA_RESP_ERR_NO_ERROR) return {};
  return client_->diagnosis().Explain(FromKafka(code, doing), OnTopic("Delete", topic));
}

Result<bool> TopicAdmin::Delete(const std::string& topic) {
  const std::string doing = fmt::format("deleting topic {}", topic);
  const DeleteTopicHandle order(rd_kafka_DeleteTopic_new(topic.c_str()));
  const EventHandle event = SendOrder(*client_, RD_KAFKA_ADMIN_OP_DELETETOPICS,
                                      rd_kafka_DeleteTopics, order.get(), timeout_ms_);
  NEARDUP_TRY(CheckRequest(*client_, event, doing, OnTopic("Delete", topic)));
  size_t count = 0;
  const auto* results =
      rd_kafka_DeleteTopics_result_topics(rd_kafka_event_DeleteTopics_result(event.get()), &count);
  if (count != 1) return AnswerIsEmpty(doing);
  if (rd_kafka_topic_result_error(results[0]) == RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART) {
    return false;
  }
  NEARDUP_TRY(CheckTopic(*client_, *results[0], doing, OnTopic("Delete", topic)));
  const Deadline deadline(std::max(timeout_ms_, kShownMs));
  while (true) {
    NEARDUP_ASSIGN(const std::optional<int32_t> seen, Partitions(topic));
    if (!seen) return true;
    if (deadline.passed()) {
      return Retriable(ErrorCode::kUnavailable,
                       fmt::format("{}: the brokers still show it; try again later", doing));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

Result<bool> TopicAdmin::DeleteGroup(const std::string& group) {
  const std::string doing = fmt::format("deleting consumer group {}", group);
  const Right right = {"Delete", ResourceKind::kGroup, group};
  const DeleteGroupHandle order(rd_kafka_DeleteGroup_new(group.c_str()));
  const EventHandle event = SendOrder(*client_, RD_KAFKA_ADMIN_OP_DELETEGROUPS,
                                      rd_kafka_DeleteGroups, order.get(), timeout_ms_);
  NEARDUP_TRY(CheckRequest(*client_, event, doing, right));
  size_t count = 0;
  const auto* results =
      rd_kafka_DeleteGroups_result_groups(rd_kafka_event_DeleteGroups_result(event.get()), &count);
  if (count != 1) return AnswerIsEmpty(doing);
  const rd_kafka_error_t* refused = rd_kafka_group_result_error(results[0]);
  if (refused == nullptr) return true;
  if (rd_kafka_error_code(refused) == RD_KAFKA_RESP_ERR_GROUP_ID_NOT_FOUND) return false;
  return client_->diagnosis().Explain(FromKafka(rd_kafka_error_code(refused), doing), right);
}

Result<Properties> TopicAdmin::Settings(const std::string& topic) {
  const std::string doing = fmt::format("reading the settings of topic {}", topic);
  const ConfigResourceHandle resource(
      rd_kafka_ConfigResource_new(RD_KAFKA_RESOURCE_TOPIC, topic.c_str()));
  const EventHandle event = SendOrder(*client_, RD_KAFKA_ADMIN_OP_DESCRIBECONFIGS,
                                      rd_kafka_DescribeConfigs, resource.get(), timeout_ms_);
  NEARDUP_TRY(CheckRequest(*client_, event, doing, OnTopic("DescribeConfigs", topic)));
  size_t count = 0;
  const auto* results = rd_kafka_DescribeConfigs_result_resources(
      rd_kafka_event_DescribeConfigs_result(event.get()), &count);
  if (count != 1) return AnswerIsEmpty(doing);
  if (const auto code = rd_kafka_ConfigResource_error(results[0]); code != 0) {
    const char* text = rd_kafka_ConfigResource_error_string(results[0]);
    return client_->diagnosis().Explain(FromKafka(code, doing, text == nullptr ? "" : text),
                                        OnTopic("DescribeConfigs", topic));
  }
  const auto* entries = rd_kafka_ConfigResource_configs(results[0], &count);
  Properties settings;
  for (size_t i = 0; i < count; ++i) {
    const char* value = rd_kafka_ConfigEntry_value(entries[i]);
    if (value != nullptr) settings[rd_kafka_ConfigEntry_name(entries[i])] = value;
  }
  return settings;
}

Result<void> TopicAdmin::AwaitPartitions(const std::string& topic, int32_t partitions) const {
  const Deadline deadline(std::max(timeout_ms_, kShownMs));
  do {
    NEARDUP_ASSIGN(const std::optional<int32_t> seen, Partitions(topic));
    if (seen && *seen >= partitions) return {};
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  } while (!deadline.passed());
  return Retriable(
      ErrorCode::kUnavailable,
      fmt::format("topic {} was changed, but the brokers do not show its {} partitions yet", topic,
                  partitions));
}

}  // namespace neardup
