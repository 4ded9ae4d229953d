#include "kafka/partition_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>

namespace neardup {
namespace {

using Json = nlohmann::json;

// A broker answers a fetch at least every fetch.wait.max.ms, half a second by default.
constexpr int64_t kLeaderSilentUs = 10'000'000;
// A connection that is being made shows in one statistics and not in the next.
constexpr uint32_t kSilentStatistics = 2;

std::set<int64_t> AnsweringBrokers(const Json& statistics, int64_t silent_us) {
  std::set<int64_t> brokers;
  for (const Json& broker : statistics.value("brokers", Json::object())) {
    const std::string state = broker.value("state", "");
    const bool connected = state == "UP" || state == "UPDATE";
    if (connected && broker.value("rxidle", int64_t{0}) < silent_us) {
      brokers.insert(broker.value("nodeid", int64_t{-1}));
    }
  }
  return brokers;
}

}  // namespace

void LeaderWatch::Take(std::string_view text) {
  const Json statistics = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!statistics.is_object()) return;
  const std::set<int64_t> answering = AnsweringBrokers(statistics, kLeaderSilentUs);
  std::map<InputPartition, uint32_t> silent_for;
  const Json topics = statistics.value("topics", Json::object());
  for (const auto& [topic, row] : topics.items()) {
    for (const Json& partition : row.value("partitions", Json::object())) {
      const InputPartition input{topic, partition.value("partition", int32_t{-1})};
      if (input.partition < 0) continue;  // the library's row for records without a partition
      if (answering.contains(partition.value("leader", int64_t{-1}))) continue;
      const auto before = silent_for_.find(input);
      silent_for[input] = before == silent_for_.end() ? 1 : before->second + 1;
    }
  }
  silent_for_ = std::move(silent_for);
}

bool LeaderWatch::IsSilent(const InputPartition& partition) const {
  const auto found = silent_for_.find(partition);
  return found != silent_for_.end() && found->second >= kSilentStatistics;
}

bool AnyBrokerAnswers(std::string_view text, int64_t silent_us) {
  const Json statistics = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  return statistics.is_object() && !AnsweringBrokers(statistics, silent_us).empty();
}

namespace {

constexpr size_t kChunkRecordsMax = 1000;
constexpr size_t kChunkBytesTarget = size_t{1} << 20;
// Much longer than an answer takes.
constexpr std::chrono::milliseconds kHoldBackMax(500);
// Clocks of producers differ by less.
constexpr int64_t kAheadMaxMs = 60'000;

std::optional<std::string_view> View(const void* bytes, size_t size) {
  if (bytes == nullptr) return std::nullopt;
  return std::string_view(static_cast<const char*>(bytes), size);
}

/// The headers as views into the library's memory.
void ReadHeaders(const rd_kafka_message_t& record, std::vector<HeaderView>& into) {
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

RecordChunk::RecordChunk(std::shared_ptr<Client> client,
                         std::span<rd_kafka_message_t* const> messages)
    : client_(std::move(client)), taken_ms_(NowMs()) {
  std::vector<MessageHandle> owned;
  owned.reserve(messages.size());
  for (rd_kafka_message_t* message : messages) owned.emplace_back(message);

  std::vector<size_t> headers_before(messages.size() + 1);
  size_t size = 0;
  for (size_t i = 0; i < owned.size(); ++i) {
    if (owned[i]->err == RD_KAFKA_RESP_ERR_NO_ERROR) {
      ReadHeaders(*owned[i], headers_);
      size += owned[i]->key_len + owned[i]->len;
    }
    headers_before[i + 1] = headers_.size();
  }
  for (const HeaderView& header : headers_) {
    size += header.name.size() + (header.value ? header.value->size() : 0);
  }
  memory_.reset(new char[size]);

  for (HeaderView& header : headers_) {
    header.name = Copy(header.name);
    if (header.value) header.value = Copy(*header.value);
  }
  rows_.reserve(owned.size());
  for (size_t i = 0; i < owned.size(); ++i) {
    Row& row = rows_.emplace_back();
    row.offset = owned[i]->offset;
    if (owned[i]->err != RD_KAFKA_RESP_ERR_NO_ERROR) {
      row.event = std::move(owned[i]);
      continue;
    }
    row.timestamp_ms = TimestampOf(*owned[i]);
    if (owned[i]->key != nullptr) row.key = Copy(*View(owned[i]->key, owned[i]->key_len));
    if (owned[i]->payload != nullptr) row.value = Copy(*View(owned[i]->payload, owned[i]->len));
    row.headers = std::span<const HeaderView>(headers_).subspan(
        headers_before[i], headers_before[i + 1] - headers_before[i]);
  }
  bytes_ = sizeof(*this) + size + rows_.capacity() * sizeof(Row) +
           headers_.capacity() * sizeof(HeaderView);
}

std::string_view RecordChunk::Copy(std::string_view bytes) {
  char* const copy = memory_.get() + used_;
  std::copy(bytes.begin(), bytes.end(), copy);
  used_ += bytes.size();
  return {copy, bytes.size()};
}

PartitionReader::PartitionReader(std::shared_ptr<Client> client, InputAssignment assignment,
                                 size_t held_bytes_max, WakeUp& wake_up)
    : client_(std::move(client)),
      assignment_(std::move(assignment)),
      wake_up_(wake_up),
      held_bytes_max_(held_bytes_max) {
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

bool PartitionReader::Gather() {
  while (held_bytes_ < held_bytes_max_ && Fetch()) {
  }
  return std::exchange(took_, false);
}

bool PartitionReader::HoldsOthersBack() {
  constexpr int64_t kMarker = 1;  // only the marker of a transaction may follow
  const bool in_trouble = trouble_ != InputTrouble::kNone;
  if (!chunks_.empty() || at_end_ || in_trouble || Status().lag_records <= kMarker) {
    starved_since_.reset();
    return false;
  }
  const auto now = std::chrono::steady_clock::now();
  if (!starved_since_) starved_since_ = now;
  return now - *starved_since_ < kHoldBackMax;
}

Result<bool> PartitionReader::HasRecord() {
  if (head_ready_) return true;
  while (!chunks_.empty() || Fetch()) {
    NEARDUP_ASSIGN(const bool ready, LookAtHead());
    if (ready) return true;
    PassHead();
  }
  return false;
}

void PartitionReader::PassHead() {
  head_ready_ = false;
  if (++head_ < chunks_.front()->rows().size()) return;
  held_bytes_ -= chunks_.front()->bytes();
  chunks_.pop_front();
  head_ = 0;
}

bool PartitionReader::Fetch() {
  // The queue signals when it becomes non-empty. After it was found empty there is no need to look
  // again before the next signal.
  if (!signalled_.exchange(false, std::memory_order_acq_rel)) return false;
  std::array<rd_kafka_message_t*, kChunkRecordsMax> messages;
  const size_t wanted =
      std::clamp<size_t>(kChunkBytesTarget / record_bytes_mean_, 1, kChunkRecordsMax);
  const ssize_t taken = rd_kafka_consume_batch_queue(queue_.get(), 0, messages.data(), wanted);
  if (taken <= 0) return false;
  signalled_.store(true, std::memory_order_release);  // the queue may hold more
  chunks_.push_back(std::make_shared<RecordChunk>(
      client_, std::span(messages).first(static_cast<size_t>(taken))));
  const size_t bytes = chunks_.back()->bytes();
  took_ = true;
  held_bytes_ += bytes;
  record_bytes_mean_ = (record_bytes_mean_ * 3 + bytes / static_cast<size_t>(taken)) / 4 + 1;
  return true;
}

Result<bool> PartitionReader::LookAtHead() {
  const RecordChunk::Row& row = Head();
  if (row.event) {
    if (row.event->err != RD_KAFKA_RESP_ERR__PARTITION_EOF) {
      const InputTrouble trouble = TroubleOf(row.event->err);
      if (trouble == InputTrouble::kNone) return HeadError(*row.event);
      trouble_ = trouble;
      at_end_ = false;
      return false;
    }
    at_end_ = true;
    trouble_ = InputTrouble::kNone;
    assignment_.next_offset = std::max(assignment_.next_offset, row.offset);
    return false;
  }
  if (row.offset < assignment_.next_offset) return false;
  at_end_ = false;
  trouble_ = InputTrouble::kNone;
  if (row.timestamp_ms <= chunks_.front()->taken_ms() + kAheadMaxMs) {
    head_order_ms_ = row.timestamp_ms;
  }
  head_ready_ = true;
  return true;
}

void PartitionReader::TakeRecord(Message& message) {
  assert(head_ready_);
  const RecordChunk::Row& row = Head();
  message.position = {assignment_.input, row.offset};
  message.timestamp_ms = row.timestamp_ms;
  message.key = row.key;
  message.value = row.value;
  message.headers.assign(row.headers.begin(), row.headers.end());
  message.owner = chunks_.front();
  assignment_.next_offset = row.offset + 1;
  PassHead();
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
  return client_->diagnosis().ExplainEvent(
      message, fmt::format("reading {}/{}", partition.topic, partition.partition), partition.topic);
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
