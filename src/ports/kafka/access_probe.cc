#include "kafka/access_probe.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <iterator>
#include <memory>
#include <utility>

#include "kafka/client.h"
#include "kafka/deadline.h"
#include "kafka/errors.h"

namespace neardup {
namespace {

constexpr int kProbePollMs = 100;
// A number of acknowledgements that no broker accepts.
constexpr const char* kRefusedAcks = "2";
constexpr int32_t kNoSuchPartition = INT32_MAX;

Error NoAnswer(const Client& client, const std::string& doing) {
  return client.diagnosis().Explain(FromKafka(RD_KAFKA_RESP_ERR__TIMED_OUT, doing));
}

Answers AllFail(const std::vector<std::string>& topics, const Error& error) {
  Answers answers;
  for (const std::string& topic : topics) answers.emplace(topic, error);
  return answers;
}

/// The topics without an answer get an error.
void FillIn(const Client& client, const std::vector<std::string>& topics, const char* doing,
            Answers& answers) {
  for (const std::string& topic : topics) {
    if (answers.contains(topic)) continue;
    answers.emplace(topic, NoAnswer(client, fmt::format("{} {}", doing, topic)));
  }
}

}  // namespace

Answers ProbeReading(const KafkaOptions& options, const std::vector<std::string>& topics) {
  if (topics.empty()) return {};
  const Result<std::shared_ptr<Client>> made =
      Client::New(options, ClientRole::kWatermark, {}, {}, 0, {{"fetch.wait.max.ms", "10"}});
  if (!made.ok()) return AllFail(topics, made.error());
  Client& client = **made;
  const PartitionListHandle list(
      rd_kafka_topic_partition_list_new(static_cast<int>(topics.size())));
  for (const std::string& topic : topics) {
    rd_kafka_topic_partition_list_add(list.get(), topic.c_str(), 0)->offset = RD_KAFKA_OFFSET_END;
  }
  rd_kafka_assign(client.get(), list.get());
  const Deadline deadline(options.answer_timeout_ms);
  Answers answers;
  while (answers.size() < topics.size() && !deadline.passed()) {
    const MessageHandle event(rd_kafka_consumer_poll(client.get(), kProbePollMs));
    if (!event || event->rkt == nullptr) continue;
    const std::string topic = rd_kafka_topic_name(event->rkt);
    if (event->err == RD_KAFKA_RESP_ERR_NO_ERROR ||
        event->err == RD_KAFKA_RESP_ERR__PARTITION_EOF) {
      answers.insert_or_assign(topic, Result<void>());
    } else if (IsMissingRight(event->err)) {
      answers.insert_or_assign(topic, FromKafka(event->err, fmt::format("reading {}", topic)));
    }
  }
  FillIn(client, topics, "reading", answers);
  return answers;
}

Answers ProbeWriting(const KafkaOptions& options, const std::vector<std::string>& topics) {
  if (topics.empty()) return {};
  Answers answers;
  ClientHooks hooks;
  hooks.delivery_failed = [&answers](const rd_kafka_message_t& message) {
    const std::string topic = rd_kafka_topic_name(message.rkt);
    const std::string doing = fmt::format("writing to {}", topic);
    if (message.err == RD_KAFKA_RESP_ERR_INVALID_REQUIRED_ACKS) {
      answers.emplace(topic, Result<void>());
    } else if (message.err == RD_KAFKA_RESP_ERR_NO_ERROR) {
      answers.emplace(topic,
                      Error{ErrorCode::kInternal,
                            fmt::format("{}: the broker wrote an empty record, although it was "
                                        "sent with acks={}, which Kafka refuses",
                                        doing, kRefusedAcks)});
    } else {
      answers.emplace(topic, FromKafka(message.err, doing));
    }
  };
  const Properties extra = {{"enable.idempotence", "false"},
                            {"acks", kRefusedAcks},
                            {"message.send.max.retries", "0"},
                            {"message.timeout.ms", std::to_string(options.answer_timeout_ms)},
                            {"linger.ms", "0"},
                            {"delivery.report.only.error", "false"}};
  const Result<std::shared_ptr<Client>> made =
      Client::New(options, ClientRole::kPlainWriter, {}, std::move(hooks), 0, extra);
  if (!made.ok()) return AllFail(topics, made.error());
  Client& client = **made;
  for (const std::string& topic : topics) {
    rd_kafka_vu_t record[2] = {};
    record[0].vtype = RD_KAFKA_VTYPE_TOPIC;
    record[0].u.cstr = topic.c_str();
    record[1].vtype = RD_KAFKA_VTYPE_PARTITION;
    record[1].u.i32 = 0;
    const ErrorHandle refused(rd_kafka_produceva(client.get(), record, std::size(record)));
    if (refused) {
      answers.emplace(topic, FromKafka(*refused, fmt::format("writing to {}", topic)));
    }
  }
  rd_kafka_flush(client.get(), options.answer_timeout_ms);
  FillIn(client, topics, "writing to", answers);
  return answers;
}

Result<void> ProbeCommitting(const KafkaOptions& options, const std::string& group,
                             const std::string& topic) {
  using OrderHandle = std::unique_ptr<rd_kafka_AlterConsumerGroupOffsets_t,
                                      HandleDeleter<rd_kafka_AlterConsumerGroupOffsets_destroy>>;
  const std::string doing = fmt::format("asking for the rights on group {}", group);
  NEARDUP_ASSIGN(const std::shared_ptr<Client> client,
                 Client::New(options, ClientRole::kWatermark, {}));
  const PartitionListHandle list(rd_kafka_topic_partition_list_new(1));
  rd_kafka_topic_partition_list_add(list.get(), topic.c_str(), kNoSuchPartition)->offset = 0;
  const OrderHandle order(rd_kafka_AlterConsumerGroupOffsets_new(group.c_str(), list.get()));
  const QueueHandle queue(rd_kafka_queue_new(client->get()));
  const AdminOptionsHandle limits(
      rd_kafka_AdminOptions_new(client->get(), RD_KAFKA_ADMIN_OP_ALTERCONSUMERGROUPOFFSETS));
  std::array<char, 256> complaint{};
  rd_kafka_AdminOptions_set_request_timeout(limits.get(), options.answer_timeout_ms,
                                            complaint.data(), complaint.size());
  std::array<rd_kafka_AlterConsumerGroupOffsets_t*, 1> orders = {order.get()};
  rd_kafka_AlterConsumerGroupOffsets(client->get(), orders.data(), orders.size(), limits.get(),
                                     queue.get());
  const EventHandle event(rd_kafka_queue_poll(queue.get(), options.answer_timeout_ms));
  if (!event) return NoAnswer(*client, doing);
  rd_kafka_resp_err_t code = rd_kafka_event_error(event.get());
  size_t count = 0;
  if (code == RD_KAFKA_RESP_ERR_NO_ERROR) {
    const rd_kafka_group_result_t** results = rd_kafka_AlterConsumerGroupOffsets_result_groups(
        rd_kafka_event_AlterConsumerGroupOffsets_result(event.get()), &count);
    if (count == 1) {
      const rd_kafka_error_t* refused = rd_kafka_group_result_error(results[0]);
      const rd_kafka_topic_partition_list_t* rows = rd_kafka_group_result_partitions(results[0]);
      if (refused != nullptr) {
        code = rd_kafka_error_code(refused);
      } else if (rows != nullptr && rows->cnt == 1) {
        code = rows->elems[0].err;
      }
    }
  }
  switch (code) {
    // Of the partition or the topic: the group itself was allowed.
    case RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART:
    case RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED:
      return {};
    default:
      return FromKafka(code, doing, code == RD_KAFKA_RESP_ERR_NO_ERROR ? "no result" : "");
  }
}

}  // namespace neardup
