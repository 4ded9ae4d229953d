#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "kafka/client.h"
#include "kafka/errors.h"
#include "kafka/kafka_options.h"
#include "kafka/kafka_ports.h"
#include "kafka/partition_reader.h"
#include "kafka/properties.h"
#include "kafka/topic_admin.h"

namespace neardup {
namespace {

// After an assignment the library is woken this often, until it has delivered something. A version
// before 2.2.0 would look only after a second whether it may ask for the partitions.
constexpr int kWakeMs = 5;
// Between two looks whether the one wanted record has arrived.
constexpr int kReadOneMs = 100;
// If nothing has arrived by then, something else is the cause.
constexpr std::chrono::seconds kWakeMax(2);

/// The order of the heap: lowest time first. With equal times the lower input comes first, so that
/// inputs do not alternate.
bool Later(const PartitionReader* a, const PartitionReader* b) {
  return std::pair(a->order_ms(), a->assignment().input) >
         std::pair(b->order_ms(), b->assignment().input);
}

class KafkaSource : public Source {
 public:
  KafkaSource(const KafkaOptions& options, KafkaLog log)
      : options_(options), log_(std::move(log)) {}
  ~KafkaSource() override { Disconnect(); }

  /// Before anything else.
  Result<void> Connect(const PrefetchShare& share);

  Result<FoundInputs> Find() override { return FindInputs(*client_, options_); }
  Result<OffsetBounds> Bounds(const InputPartition& partition) override {
    return AskOffsetBounds(*client_, partition, options_.answer_timeout_ms);
  }
  Result<std::optional<uint64_t>> ChecksumAt(const InputPartition& partition,
                                             int64_t offset) override;
  Result<void> Assign(std::span<const InputAssignment> inputs) override;
  Result<void> Poll(size_t records_max, int timeout_ms, std::vector<Message>& out) override;
  std::vector<InputStatus> Status() override;
  bool polls_beside() const override { return true; }

 private:
  void Disconnect();
  Result<void> HearComplaints();
  /// Waits until something may have arrived.
  void Wait(const Deadline& deadline);
  void Gather();
  /// Appends the records that are ready, merged by timestamp.
  Result<void> TakeInOrderOfTime(size_t records_max, std::vector<Message>& out);

  KafkaOptions options_;
  KafkaLog log_;
  PrefetchShare share_;
  std::shared_ptr<Client> client_;
  std::shared_ptr<const LeaderWatch> leaders_;  ///< changes while the client is polled
  WakeUp wake_up_;
  QueueHandle own_queue_;
  /// Keep the library from forgetting a topic, and with it the partitions' queues, between two
  /// calls of Assign.
  std::vector<TopicHandle> pinned_topics_;
  std::vector<std::unique_ptr<PartitionReader>> readers_;
  std::vector<PartitionReader*> by_time_;  ///< scratch memory of Poll: a heap, lowest time first
  std::chrono::steady_clock::time_point assigned_at_{};
  bool delivers_ = false;  ///< something has arrived since then
};

Result<void> KafkaSource::Connect(const PrefetchShare& share) {
  Disconnect();
  const auto leaders = std::make_shared<LeaderWatch>();
  ClientHooks hooks;
  hooks.statistics = [leaders](std::string_view json) { leaders->Take(json); };
  NEARDUP_ASSIGN(client_, Client::New(options_, ClientRole::kSource, log_, std::move(hooks), 0,
                                      FetchProperties(share)));
  leaders_ = leaders;
  share_ = share;
  for (const std::string& topic : options_.topics) {
    pinned_topics_.emplace_back(rd_kafka_topic_new(client_->get(), topic.c_str(), nullptr));
  }
  own_queue_.reset(rd_kafka_queue_get_consumer(client_->get()));
  rd_kafka_queue_cb_event_enable(
      own_queue_.get(), [](rd_kafka_t*, void* wake_up) { static_cast<WakeUp*>(wake_up)->Signal(); },
      &wake_up_);
  return {};
}

void KafkaSource::Disconnect() {
  readers_.clear();
  if (own_queue_) rd_kafka_queue_cb_event_enable(own_queue_.get(), nullptr, nullptr);
  own_queue_.reset();
  pinned_topics_.clear();
  client_.reset();
  assigned_at_ = {};
}

Result<void> KafkaSource::Assign(std::span<const InputAssignment> inputs) {
  const PrefetchShare share = ShareOf(options_.prefetch_bytes_max, inputs.size());
  // The library takes the size of answers only when a client is made. One that may be larger is no
  // reason: the old client may take seconds to end if its partitions were deleted.
  if (!inputs.empty() && share.answer_bytes_max < share_.answer_bytes_max) {
    NEARDUP_TRY(Connect(share));
  }
  std::this_thread::sleep_until(assigned_at_ + kBetweenAssigns);
  readers_.clear();
  const PartitionListHandle list(
      rd_kafka_topic_partition_list_new(static_cast<int>(inputs.size())));
  for (const InputAssignment& input : inputs) {
    const InputPartition& partition = input.partition;
    rd_kafka_topic_partition_list_add(list.get(), partition.topic.c_str(), partition.partition)
        ->offset = input.next_offset;
    readers_.push_back(
        std::make_unique<PartitionReader>(client_, input, share.held_bytes_max, wake_up_));
  }
  const rd_kafka_resp_err_t code = rd_kafka_assign(client_->get(), list.get());
  if (code != RD_KAFKA_RESP_ERR_NO_ERROR) {
    return client_->diagnosis().Explain(FromKafka(code, "assigning the input partitions"));
  }
  assigned_at_ = std::chrono::steady_clock::now();
  delivers_ = false;
  return {};
}

Result<std::optional<uint64_t>> KafkaSource::ChecksumAt(const InputPartition& partition,
                                                        int64_t offset) {
  KafkaSource reader(options_, log_);
  NEARDUP_TRY(reader.Connect(share_));
  const InputAssignment at = {.input = 0, .partition = partition, .next_offset = offset};
  NEARDUP_TRY(reader.Assign({&at, 1}));
  const Deadline deadline(options_.answer_timeout_ms);
  std::vector<Message> messages;
  while (messages.empty() && !deadline.passed()) {
    NEARDUP_TRY(reader.Poll(1, deadline.left_ms(kReadOneMs), messages));
    const std::vector<InputStatus> status = reader.Status();
    if (messages.empty() && (status[0].at_end || status[0].trouble == InputTrouble::kOffsetGone)) {
      return {std::nullopt};
    }
  }
  if (messages.empty()) {
    return Retriable(ErrorCode::kUnavailable,
                     fmt::format("{}/{}: no broker shows the record at offset {}", partition.topic,
                                 partition.partition, offset));
  }
  if (messages[0].position.offset != offset) return {std::nullopt};
  return {ChecksumOf(messages[0])};
}

Result<void> KafkaSource::Poll(size_t records_max, int timeout_ms, std::vector<Message>& out) {
  const Deadline deadline(timeout_ms);
  const size_t before = out.size();
  while (true) {
    wake_up_.Reset();
    NEARDUP_TRY(HearComplaints());
    Gather();
    NEARDUP_TRY(TakeInOrderOfTime(records_max, out));
    if (out.size() > before) {
      client_->diagnosis().Answered();
      return {};
    }
    if (deadline.passed()) break;
    Wait(deadline);
  }
  // One of several brokers may refuse a login while it restarts. That matters only when no records
  // arrive.
  if (!client_->diagnosis().LoginRefused()) return {};
  return client_->diagnosis().Explain(
      FromKafka(RD_KAFKA_RESP_ERR__AUTHENTICATION, "reading the inputs"));
}

void KafkaSource::Wait(const Deadline& deadline) {
  if (delivers_ || std::chrono::steady_clock::now() > assigned_at_ + kWakeMax) {
    wake_up_.Wait(deadline);
    return;
  }
  client_->WakeFetchers();
  wake_up_.Wait(Deadline(deadline.left_ms(kWakeMs)));
}

void KafkaSource::Gather() {
  bool taken = false;
  for (const std::unique_ptr<PartitionReader>& reader : readers_) taken |= reader->Gather();
  delivers_ |= taken;
  if (taken) client_->WakeFetchers();
}

Result<void> KafkaSource::TakeInOrderOfTime(size_t records_max, std::vector<Message>& out) {
  by_time_.clear();
  for (const std::unique_ptr<PartitionReader>& reader : readers_) {
    NEARDUP_ASSIGN(const bool ready, reader->HasRecord());
    if (ready) {
      by_time_.push_back(reader.get());
    } else if (reader->HoldsOthersBack()) {
      return {};
    }
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
      // The next Poll returns an error that follows these records.
      const Result<bool> more = lowest->HasRecord();
      ready = more.ok() && *more;
    }
    if (ready) {
      by_time_.push_back(lowest);
      std::push_heap(by_time_.begin(), by_time_.end(), Later);
    } else if (lowest->HoldsOthersBack()) {
      break;
    }
  }
  return {};
}

Result<void> KafkaSource::HearComplaints() {
  while (const MessageHandle event{rd_kafka_consumer_poll(client_->get(), 0)}) {
    if (event->err == RD_KAFKA_RESP_ERR_NO_ERROR) {
      return Error{ErrorCode::kInternal,
                   fmt::format("librdkafka delivered a record of {}/{} "
                               "outside of the partition's queue",
                               rd_kafka_topic_name(event->rkt), event->partition)};
    }
    const Error error = client_->diagnosis().ExplainEvent(*event, "reading the inputs", "");
    // The library restores connections by itself. The readers report what does not exist.
    if (error.code != ErrorCode::kUnavailable && error.code != ErrorCode::kNotFound) return error;
  }
  return {};
}

std::vector<InputStatus> KafkaSource::Status() {
  std::vector<InputStatus> rows;
  rows.reserve(readers_.size());
  for (const std::unique_ptr<PartitionReader>& reader : readers_) {
    InputStatus& row = rows.emplace_back(reader->Status());
    if (row.trouble == InputTrouble::kNone && leaders_->IsSilent(reader->assignment().partition)) {
      row.trouble = InputTrouble::kUnreachable;
      row.at_end = false;
    }
  }
  return rows;
}

}  // namespace

Result<std::unique_ptr<Source>> NewKafkaSource(const KafkaOptions& options, KafkaLog log,
                                               OnNoSchema on_no_schema) {
  auto source = std::make_unique<KafkaSource>(options, std::move(log));
  NEARDUP_TRY(source->Connect(ShareOf(options.prefetch_bytes_max, options.topics.size())));
  if (!options.encodings) return std::unique_ptr<Source>(std::move(source));
  return std::unique_ptr<Source>(
      std::make_unique<EncodedSource>(std::move(source), options.encodings, on_no_schema));
}

}  // namespace neardup
