#include "kafka/topic_transaction.h"

#include <fmt/format.h>

#include <cstring>
#include <map>
#include <optional>
#include <utility>

#include "kafka/client.h"
#include "kafka/deadline.h"
#include "kafka/outgoing_record.h"

namespace neardup {
namespace {

constexpr int kSliceMs = 1000;
constexpr int kFullSliceMs = 10;

}  // namespace

struct TopicTransaction::Parts {
  int timeout_ms = 0;
  std::shared_ptr<Client> client;
  std::map<std::string, TopicHandle> topics;  ///< freed before their client
  std::optional<Error> failed;                ///< the first failed delivery
  std::string late_request;                   ///< of the last transaction; empty: none

  void Report(const rd_kafka_message_t& message);
  /// Repeats `call`, which takes at most a slice, while the brokers are unavailable.
  template <class Call>
  Result<void> Retry(Call call, const std::string& doing);
  Result<void> Flush();
};

void TopicTransaction::Parts::Report(const rd_kafka_message_t& message) {
  if (message.err == RD_KAFKA_RESP_ERR_NO_ERROR || failed) return;
  failed = client->Explain(FromKafka(
      message.err,
      fmt::format("writing to {}/{}", rd_kafka_topic_name(message.rkt), message.partition)));
}

template <class Call>
Result<void> TopicTransaction::Parts::Retry(Call call, const std::string& doing) {
  const Deadline deadline(timeout_ms);
  while (true) {
    const ErrorHandle refused(call());
    if (!refused) return {};
    rd_kafka_poll(client->get(), 0);  // hears the reason
    if (failed) return *failed;
    const Error error = FromKafka(*refused, doing);
    const bool again = error.code == ErrorCode::kUnavailable && !client->LoginRefused();
    if (!again || deadline.passed()) return client->Explain(error);
  }
}

Result<void> TopicTransaction::Parts::Flush() {
  const Deadline deadline(timeout_ms);
  while (true) {
    const auto code = rd_kafka_flush(client->get(), deadline.left_ms(kSliceMs));
    rd_kafka_poll(client->get(), 0);
    if (failed) return *failed;
    if (code == RD_KAFKA_RESP_ERR_NO_ERROR) return {};
    if (deadline.passed()) return client->Explain(FromKafka(code, "waiting for deliveries"));
  }
}

TopicTransaction::TopicTransaction(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

TopicTransaction::~TopicTransaction() {
  parts_->topics.clear();
  parts_->client.reset();
}

Result<std::unique_ptr<TopicTransaction>> TopicTransaction::New(const KafkaOptions& options,
                                                                const std::string& transactional_id,
                                                                const KafkaLog& log) {
  auto parts = std::make_unique<Parts>();
  parts->timeout_ms = options.transaction_timeout_ms;
  ClientHooks hooks;
  hooks.delivery_failed = [self = parts.get()](const rd_kafka_message_t& message) {
    self->Report(message);
  };
  NEARDUP_ASSIGN(parts->client, Client::New(options, ClientRole::kWriter, log, std::move(hooks), 0,
                                            {{"transactional.id", transactional_id}}));
  rd_kafka_t* producer = parts->client->get();
  NEARDUP_TRY(parts->Retry([&] { return rd_kafka_init_transactions(producer, kSliceMs); },
                           fmt::format("taking the transactional id {}", transactional_id)));
  return std::unique_ptr<TopicTransaction>(new TopicTransaction(std::move(parts)));
}

bool TopicTransaction::is_spent() const { return !parts_->late_request.empty(); }

Result<void> TopicTransaction::Begin() {
  if (is_spent()) {
    return Error{ErrorCode::kUnavailable,
                 fmt::format("beginning a transaction: {}", parts_->late_request)};
  }
  parts_->client->TransactionBegins();
  const ErrorHandle refused(rd_kafka_begin_transaction(parts_->client->get()));
  if (!refused) return {};
  return parts_->client->Explain(FromKafka(*refused, "beginning a transaction"));
}

Result<void> TopicTransaction::Write(const InputPartition& to, const Message& message,
                                     size_t left_out_first, size_t left_out_count) {
  TopicHandle& topic = parts_->topics[to.topic];
  rd_kafka_t* producer = parts_->client->get();
  if (!topic) topic.reset(rd_kafka_topic_new(producer, to.topic.c_str(), nullptr));
  OutgoingRecord record{
      .topic = topic.get(), .partition = to.partition, .key = message.key, .value = message.value};
  if (message.timestamp_ms >= 0) record.timestamp_ms = message.timestamp_ms;
  std::vector<HeaderView> headers = message.headers;
  const auto first = headers.begin() + static_cast<std::ptrdiff_t>(left_out_first);
  headers.erase(first, first + static_cast<std::ptrdiff_t>(left_out_count));
  NEARDUP_TRY(AddHeaders(headers, record));
  const Deadline deadline(parts_->timeout_ms);
  rd_kafka_resp_err_t code = Send(producer, record);
  while (code == RD_KAFKA_RESP_ERR__QUEUE_FULL && !deadline.passed()) {
    rd_kafka_poll(producer, kFullSliceMs);
    code = Send(producer, record);
  }
  rd_kafka_poll(producer, 0);
  if (parts_->failed) return *parts_->failed;
  if (code == RD_KAFKA_RESP_ERR_NO_ERROR) return {};
  return parts_->client->Explain(
      FromKafka(code, fmt::format("writing to {}/{}", to.topic, to.partition)));
}

Result<void> TopicTransaction::Commit(const std::string& group,
                                      const std::vector<GroupProgress>& progress) {
  rd_kafka_t* producer = parts_->client->get();
  NEARDUP_TRY(parts_->Flush());
  const PartitionListHandle offsets(
      rd_kafka_topic_partition_list_new(static_cast<int>(progress.size())));
  for (const GroupProgress& row : progress) {
    rd_kafka_topic_partition_t* element = rd_kafka_topic_partition_list_add(
        offsets.get(), row.partition.topic.c_str(), row.partition.partition);
    element->offset = row.next.offset;
    if (row.next.note.empty()) continue;
    element->metadata = rd_kafka_mem_malloc(producer, row.next.note.size());
    element->metadata_size = row.next.note.size();
    std::memcpy(element->metadata, row.next.note.data(), row.next.note.size());
  }
  const GroupMetadataHandle metadata(rd_kafka_consumer_group_metadata_new(group.c_str()));
  NEARDUP_TRY(parts_->Retry(
      [&] {
        return rd_kafka_send_offsets_to_transaction(producer, offsets.get(), metadata.get(),
                                                    parts_->timeout_ms);
      },
      fmt::format("adding the offsets of group {}", group)));
  NEARDUP_TRY(
      parts_->Retry([&] { return rd_kafka_commit_transaction(producer, parts_->timeout_ms); },
                    "committing the transaction"));
  parts_->late_request = parts_->client->unanswered().LateAfterCommit();
  return {};
}

}  // namespace neardup
