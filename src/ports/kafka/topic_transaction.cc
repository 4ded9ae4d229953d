#include "kafka/topic_transaction.h"

#include <fmt/format.h>

#include <cstring>
#include <utility>

#include "kafka/producer.h"
#include "kafka/topic_producer.h"

namespace neardup {

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

}  // namespace neardup
