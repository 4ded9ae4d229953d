#include "kafka/kafka_source.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "kafka/client.h"
#include "kafka/partition_reader.h"
#include "kafka/topic_admin.h"

namespace neardup {
namespace {

// librdkafka 2.0.2 ends the process when a partition is assigned anew while it still stops reading
// it for the assignment before (assertion rktp_started in rdkafka_assignment.c). Nothing tells when
// it has stopped; it takes some milliseconds.
constexpr std::chrono::milliseconds kBetweenAssigns(250);

class KafkaSource : public Source {
 public:
  KafkaSource(const KafkaOptions& options, std::shared_ptr<Client> client);
  ~KafkaSource() override;

  Result<std::vector<InputPartition>> Partitions() override {
    return InputPartitions(*client_, options_);
  }
  Result<int64_t> StartOffset(const InputPartition& partition, StartAt at) override;
  Result<void> Assign(std::span<const InputAssignment> inputs) override;
  Result<void> Poll(size_t records_max, int timeout_ms, std::vector<Message>& out) override;
  std::vector<InputStatus> Status() override;

 private:
  Result<void> HearComplaints();
  Result<void> TakeInOrderOfTime(size_t records_max, std::vector<Message>& out);

  KafkaOptions options_;
  std::shared_ptr<Client> client_;
  WakeUp wake_up_;
  QueueHandle own_queue_;
  /// Keeps the library's record of a topic, and so the partition's queues, from one Assign to the
  /// next.
  std::vector<TopicHandle> pinned_topics_;
  std::vector<std::unique_ptr<PartitionReader>> readers_;
  std::vector<PartitionReader*> by_time_;  ///< scratch of Poll: a heap, lowest time first
  std::chrono::steady_clock::time_point assigned_at_{};
};

KafkaSource::KafkaSource(const KafkaOptions& options, std::shared_ptr<Client> client)
    : options_(options), client_(std::move(client)) {
  for (const std::string& topic : options_.topics) {
    pinned_topics_.emplace_back(rd_kafka_topic_new(client_->get(), topic.c_str(), nullptr));
  }
  own_queue_.reset(rd_kafka_queue_get_consumer(client_->get()));
  rd_kafka_queue_cb_event_enable(
      own_queue_.get(), [](rd_kafka_t*, void* wake_up) { static_cast<WakeUp*>(wake_up)->Signal(); },
      &wake_up_);
}

KafkaSource::~KafkaSource() { rd_kafka_queue_cb_event_enable(own_queue_.get(), nullptr, nullptr); }

Result<int64_t> KafkaSource::StartOffset(const InputPartition& partition, StartAt at) {
  int64_t low = 0;
  int64_t high = 0;
  const rd_kafka_resp_err_t code =
      rd_kafka_query_watermark_offsets(client_->get(), partition.topic.c_str(), partition.partition,
                                       &low, &high, options_.answer_timeout_ms);
  if (code != RD_KAFKA_RESP_ERR_NO_ERROR) {
    return client_->Explain(FromKafka(code, "asking for the offsets of " + partition.topic + "/" +
                                                std::to_string(partition.partition)));
  }
  return at == StartAt::kEarliest ? low : high;
}

Result<void> KafkaSource::Assign(std::span<const InputAssignment> inputs) {
  std::this_thread::sleep_until(assigned_at_ + kBetweenAssigns);
  readers_.clear();
  const PartitionListHandle list(
      rd_kafka_topic_partition_list_new(static_cast<int>(inputs.size())));
  for (const InputAssignment& input : inputs) {
    const InputPartition& partition = input.partition;
    rd_kafka_topic_partition_list_add(list.get(), partition.topic.c_str(), partition.partition)
        ->offset = input.next_offset;
    readers_.push_back(std::make_unique<PartitionReader>(client_, input, wake_up_));
  }
  const rd_kafka_resp_err_t code = rd_kafka_assign(client_->get(), list.get());
  if (code != RD_KAFKA_RESP_ERR_NO_ERROR) {
    return client_->Explain(FromKafka(code, "assigning the input partitions"));
  }
  assigned_at_ = std::chrono::steady_clock::now();
  return {};
}

Result<void> KafkaSource::Poll(size_t records_max, int timeout_ms, std::vector<Message>& out) {
  const Deadline deadline(timeout_ms);
  const size_t before = out.size();
  while (true) {
    wake_up_.Reset();
    NEARDUP_TRY(HearComplaints());
    NEARDUP_TRY(TakeInOrderOfTime(records_max, out));
    if (out.size() > before) return {};
    if (deadline.passed()) break;
    wake_up_.Wait(deadline);
  }
  // One broker of several may refuse a login while it restarts; with records coming it is no
  // matter.
  if (!client_->LoginRefused()) return {};
  return client_->Explain(FromKafka(RD_KAFKA_RESP_ERR__AUTHENTICATION, "reading"));
}

/// Lowest time first; ties by input, so that equal stamps do not alternate.
bool Later(const PartitionReader* a, const PartitionReader* b) {
  return std::pair(a->timestamp_ms(), a->assignment().input) >
         std::pair(b->timestamp_ms(), b->assignment().input);
}

Result<void> KafkaSource::TakeInOrderOfTime(size_t records_max, std::vector<Message>& out) {
  by_time_.clear();
  for (const std::unique_ptr<PartitionReader>& reader : readers_) {
    NEARDUP_ASSIGN(const bool ready, reader->HasRecord());
    if (ready) by_time_.push_back(reader.get());
  }
  std::make_heap(by_time_.begin(), by_time_.end(), Later);
  for (size_t taken = 0; taken < records_max && !by_time_.empty();) {
    std::pop_heap(by_time_.begin(), by_time_.end(), Later);
    PartitionReader* lowest = by_time_.back();
    by_time_.pop_back();
    bool ready = true;
    while (ready && taken < records_max && (by_time_.empty() || !Later(lowest, by_time_.front()))) {
      lowest->TakeRecord(out.emplace_back());
      ++taken;
      // An error behind records is met again by the next Poll, when these are in safety.
      const Result<bool> more = lowest->HasRecord();
      ready = more.ok() && *more;
    }
    if (ready) {
      by_time_.push_back(lowest);
      std::push_heap(by_time_.begin(), by_time_.end(), Later);
    }
  }
  return {};
}

Result<void> KafkaSource::HearComplaints() {
  while (const MessageHandle event{rd_kafka_consumer_poll(client_->get(), 0)}) {
    if (event->err == RD_KAFKA_RESP_ERR_NO_ERROR) {
      return Error{ErrorCode::kInternal, std::string("a record of ") +
                                             rd_kafka_topic_name(event->rkt) +
                                             " came outside its partition's queue"};
    }
    const Error error =
        client_->Explain(FromKafka(event->err, "reading", rd_kafka_message_errstr(event.get())));
    // Connections are mended by the library itself.
    if (error.code != ErrorCode::kUnavailable) return error;
  }
  return {};
}

std::vector<InputStatus> KafkaSource::Status() {
  std::vector<InputStatus> rows;
  rows.reserve(readers_.size());
  for (const std::unique_ptr<PartitionReader>& reader : readers_) rows.push_back(reader->Status());
  return rows;
}

}  // namespace

Result<std::unique_ptr<Source>> NewKafkaSource(const KafkaOptions& options, KafkaLog log) {
  NEARDUP_ASSIGN(std::shared_ptr<Client> client,
                 Client::New(options, ClientRole::kSource, std::move(log)));
  return std::unique_ptr<Source>(std::make_unique<KafkaSource>(options, std::move(client)));
}

}  // namespace neardup
