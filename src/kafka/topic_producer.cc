#include "kafka/topic_producer.h"

#include <fmt/format.h>

#include <cstring>
#include <utility>

namespace neardup {

Result<std::unique_ptr<TopicProducer>> TopicProducer::New(const KafkaOptions& options,
                                                          ClientRole role, const KafkaLog& log,
                                                          int timeout_ms, const Properties& extra) {
  std::unique_ptr<TopicProducer> made(new TopicProducer(timeout_ms));
  TopicProducer* const self = made.get();
  ClientHooks hooks;
  hooks.delivery_failed = [self](const rd_kafka_message_t& message) { self->Report(message); };
  NEARDUP_ASSIGN(made->client_, Client::New(options, role, log, std::move(hooks), 0, extra));
  made->producer_.emplace(made->client_, [self]() -> Result<void> {
    if (self->failed_) return *self->failed_;
    return {};
  });
  return made;
}

void TopicProducer::Report(const rd_kafka_message_t& message) {
  if (message.err == RD_KAFKA_RESP_ERR_NO_ERROR || failed_) return;
  failed_ = client_->diagnosis().Explain(FromKafka(
      message.err,
      fmt::format("writing to {}/{}", rd_kafka_topic_name(message.rkt), message.partition)));
}

Result<void> TopicProducer::Write(const std::string& topic, int32_t partition,
                                  const Message& message, const std::vector<HeaderView>& headers) {
  const std::string doing = fmt::format("writing to {}/{}", topic, partition);
  TopicHandle& handle = topics_[topic];
  if (!handle) handle.reset(rd_kafka_topic_new(client_->get(), topic.c_str(), nullptr));
  if (!handle) return FromKafka(rd_kafka_last_error(), doing);
  OutgoingRecord record{
      .topic = handle.get(), .partition = partition, .key = message.key, .value = message.value};
  if (message.timestamp_ms >= 0) record.timestamp_ms = message.timestamp_ms;
  NEARDUP_TRY(AddHeaders(headers, record));
  NEARDUP_ASSIGN(const rd_kafka_resp_err_t code, producer_->Send(record, timeout_ms_));
  if (code == RD_KAFKA_RESP_ERR_NO_ERROR) return {};
  NEARDUP_TRY(producer_->ReadReports(0));
  return client_->diagnosis().Explain(FromKafka(code, doing));
}

TopicTransaction::TopicTransaction(std::unique_ptr<TopicProducer> producer, int timeout_ms)
    : timeout_ms_(timeout_ms), producer_(std::move(producer)) {}
TopicTransaction::~TopicTransaction() = default;

Result<std::unique_ptr<TopicTransaction>> TopicTransaction::New(const KafkaOptions& options,
                                                                const std::string& transactional_id,
                                                                const KafkaLog& log) {
  NEARDUP_ASSIGN(
      std::unique_ptr<TopicProducer> producer,
      TopicProducer::New(options, ClientRole::kWriter, log, options.transaction_timeout_ms,
                         {{"transactional.id", transactional_id}}));
  rd_kafka_t* const handle = producer->client().get();
  NEARDUP_TRY(producer->Retry([&] { return rd_kafka_init_transactions(handle, Producer::kCallMs); },
                              fmt::format("taking the transactional id {}", transactional_id)));
  return std::unique_ptr<TopicTransaction>(
      new TopicTransaction(std::move(producer), options.transaction_timeout_ms));
}

Result<void> TopicTransaction::Begin() {
  if (is_spent()) {
    return Error{ErrorCode::kUnavailable,
                 fmt::format("beginning a transaction: {}", late_request_)};
  }
  Client& client = producer_->client();
  client.TransactionBegins();
  const ErrorHandle refused(rd_kafka_begin_transaction(client.get()));
  if (!refused) return {};
  return client.diagnosis().Explain(FromKafka(*refused, "beginning a transaction"));
}

Result<void> TopicTransaction::Write(const InputPartition& to, const Message& message,
                                     size_t left_out_first, size_t left_out_count) {
  std::vector<HeaderView> headers = message.headers;
  const auto first = headers.begin() + static_cast<std::ptrdiff_t>(left_out_first);
  headers.erase(first, first + static_cast<std::ptrdiff_t>(left_out_count));
  return producer_->Write(to.topic, to.partition, message, headers);
}

Result<void> TopicTransaction::Commit(const std::string& group,
                                      const std::vector<GroupProgress>& progress) {
  rd_kafka_t* producer = producer_->client().get();
  NEARDUP_TRY(producer_->Flush());
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
  NEARDUP_TRY(producer_->Retry(
      [&] {
        return rd_kafka_send_offsets_to_transaction(producer, offsets.get(), metadata.get(),
                                                    timeout_ms_);
      },
      fmt::format("adding the offsets of group {}", group)));
  NEARDUP_TRY(producer_->Retry([&] { return rd_kafka_commit_transaction(producer, timeout_ms_); },
                               "committing the transaction"));
  late_request_ = producer_->client().unanswered().LateAfterCommit();
  return {};
}

Result<std::unique_ptr<TopicProducer>> NewKafkaWriter(const KafkaOptions& options,
                                                      const KafkaLog& log) {
  constexpr int kAnswersPerWait = 6;
  return TopicProducer::New(options, ClientRole::kPlainWriter, log,
                            kAnswersPerWait * options.answer_timeout_ms);
}

}  // namespace neardup
