#include "kafka/partition_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <chrono>
#include <optional>
#include <string_view>
#include <utility>

namespace neardup {
namespace {

// A chunk leaves the library's bounded queue at once, so it has its own bound.
constexpr size_t kChunkRecordsMax = 1000;
constexpr size_t kChunkBytesTarget = size_t{1} << 20;
// Clocks of producers differ by less.
constexpr int64_t kAheadMaxMs = 60'000;

std::optional<std::string_view> View(const void* bytes, size_t size) {
  if (bytes == nullptr) return std::nullopt;
  return std::string_view(static_cast<const char*>(bytes), size);
}

void ReadHeaders(const rd_kafka_message_t& record, std::vector<HeaderView>& into) {
  into.clear();
  rd_kafka_headers_t* headers = nullptr;
  if (rd_kafka_message_headers(&record, &headers) != RD_KAFKA_RESP_ERR_NO_ERROR) return;
  const char* name = nullptr;
  const void* value = nullptr;
  size_t size = 0;
  for (size_t i = 0;
       rd_kafka_header_get_all(headers, i, &name, &value, &size) == RD_KAFKA_RESP_ERR_NO_ERROR;
       ++i) {
    into.push_back({name, View(value, size)});
  }
}

int64_t NowMs() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

int64_t TimestampOf(const rd_kafka_message_t& record) {
  rd_kafka_timestamp_type_t type = RD_KAFKA_TIMESTAMP_NOT_AVAILABLE;
  const int64_t timestamp_ms = rd_kafka_message_timestamp(&record, &type);
  return type == RD_KAFKA_TIMESTAMP_NOT_AVAILABLE ? -1 : timestamp_ms;
}

}  // namespace

MessageChunk::~MessageChunk() {
  for (rd_kafka_message_t* message : messages) rd_kafka_message_destroy(message);
}

PartitionReader::PartitionReader(std::shared_ptr<Client> client, InputAssignment assignment,
                                 WakeUp& wake_up)
    : client_(std::move(client)), assignment_(std::move(assignment)), wake_up_(wake_up) {
  const InputPartition& partition = assignment_.partition;
  queue_.reset(
      rd_kafka_queue_get_partition(client_->get(), partition.topic.c_str(), partition.partition));
  rd_kafka_queue_forward(queue_.get(), nullptr);
  rd_kafka_queue_cb_event_enable(
      queue_.get(),
      [](rd_kafka_t*, void* opaque) {
        auto* self = static_cast<PartitionReader*>(opaque);
        self->signalled_.store(true, std::memory_order_release);
        self->wake_up_.Signal();
      },
      this);
}

PartitionReader::~PartitionReader() {
  // Takes the queue's lock; no callback runs afterwards.
  rd_kafka_queue_cb_event_enable(queue_.get(), nullptr, nullptr);
}

Result<bool> PartitionReader::HasRecord() {
  if (head_ready_) return true;
  while ((chunk_ && head_ < chunk_->messages.size()) || Fetch()) {
    NEARDUP_ASSIGN(const bool ready, LookAtHead());
    if (ready) return true;
    ++head_;
  }
  return false;
}

bool PartitionReader::Fetch() {
  chunk_.reset();
  head_ = 0;
  // The queue signals when it becomes non-empty. After it was found empty there is no need to look
  // again before the next signal.
  if (!signalled_.exchange(false, std::memory_order_acq_rel)) return false;
  const size_t wanted =
      std::clamp<size_t>(kChunkBytesTarget / record_bytes_mean_, 1, kChunkRecordsMax);
  auto chunk = std::make_shared<MessageChunk>(client_);
  chunk->messages.resize(wanted);
  const ssize_t taken =
      rd_kafka_consume_batch_queue(queue_.get(), 0, chunk->messages.data(), wanted);
  chunk->messages.resize(static_cast<size_t>(std::max<ssize_t>(taken, 0)));
  if (chunk->messages.empty()) return false;
  signalled_.store(true, std::memory_order_release);  // the queue may hold more
  chunk_ = std::move(chunk);
  return true;
}

Result<bool> PartitionReader::LookAtHead() {
  const rd_kafka_message_t& message = *chunk_->messages[head_];
  if (message.err == RD_KAFKA_RESP_ERR__PARTITION_EOF) {
    at_end_ = true;
    trouble_ = InputTrouble::kNone;
    assignment_.next_offset = std::max(assignment_.next_offset, message.offset);
    return false;
  }
  if (message.err != RD_KAFKA_RESP_ERR_NO_ERROR) {
    const InputTrouble trouble = TroubleOf(message.err);
    if (trouble == InputTrouble::kNone) return HeadError(message);
    trouble_ = trouble;
    return false;
  }
  if (message.offset < assignment_.next_offset) return false;
  at_end_ = false;
  trouble_ = InputTrouble::kNone;
  head_timestamp_ms_ = TimestampOf(message);
  if (head_timestamp_ms_ <= NowMs() + kAheadMaxMs) head_order_ms_ = head_timestamp_ms_;
  head_ready_ = true;
  return true;
}

void PartitionReader::TakeRecord(Message& message) {
  assert(head_ready_);
  const rd_kafka_message_t& record = *chunk_->messages[head_];
  message.position = {assignment_.input, record.offset};
  message.timestamp_ms = head_timestamp_ms_;
  message.key = View(record.key, record.key_len);
  message.value = View(record.payload, record.len);
  ReadHeaders(record, message.headers);
  message.owner = chunk_;
  assignment_.next_offset = record.offset + 1;
  record_bytes_mean_ = (record_bytes_mean_ * 63 + record.len + record.key_len) / 64 + 1;
  ++head_;
  head_ready_ = false;
}

InputTrouble PartitionReader::TroubleOf(rd_kafka_resp_err_t code) {
  switch (code) {
    case RD_KAFKA_RESP_ERR__AUTO_OFFSET_RESET:
    case RD_KAFKA_RESP_ERR_OFFSET_OUT_OF_RANGE:
      return InputTrouble::kOffsetGone;
    case RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART:
    case RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC:
    case RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION:
      return InputTrouble::kMissing;
    default:
      return InputTrouble::kNone;
  }
}

Error PartitionReader::HeadError(const rd_kafka_message_t& message) const {
  const InputPartition& partition = assignment_.partition;
  const char* text = rd_kafka_message_errstr(&message);
  return client_->Explain(
      FromKafka(message.err, fmt::format("reading {}/{}", partition.topic, partition.partition),
                text == nullptr ? "" : text));
}

InputStatus PartitionReader::Status() const {
  InputStatus status{.input = assignment_.input,
                     .next_offset = assignment_.next_offset,
                     .at_end = at_end_ && trouble_ == InputTrouble::kNone,
                     .trouble = trouble_};
  int64_t low = RD_KAFKA_OFFSET_INVALID;
  int64_t high = RD_KAFKA_OFFSET_INVALID;
  rd_kafka_get_watermark_offsets(client_->get(), assignment_.partition.topic.c_str(),
                                 assignment_.partition.partition, &low, &high);
  status.lag_records = std::max<int64_t>(0, high - assignment_.next_offset);
  return status;
}

}  // namespace neardup
