#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <thread>
#include <utility>

#include "detect/base/hash.h"
#include "kafka/client.h"
#include "kafka/errors.h"
#include "kafka/kafka_options.h"
#include "kafka/kafka_ports.h"
#include "kafka/properties.h"
#include "kafka/topic_admin.h"

namespace neardup {
namespace {

// Bounds one Poll, so that its caller regularly gets control back.
constexpr int kRecordsPerPollMax = 1000;
constexpr int kHoldsSliceMs = 200;
// How long a purge may rely on the answer of Holds.
constexpr std::chrono::seconds kHoldsFor(5);

class KafkaChangelog : public Changelog {
 public:
  KafkaChangelog(const KafkaOptions& options, uint16_t lane, std::shared_ptr<Client> reader,
                 std::shared_ptr<Client> watermarks)
      : partition_{ChangelogTopic(options), lane},
        name_(fmt::format("{}/{}", partition_.topic, lane)),
        answer_timeout_ms_(options.answer_timeout_ms),
        reader_(std::move(reader)),
        watermarks_(std::move(watermarks)),
        admin_(watermarks_, options) {}

  std::string name() const override { return name_; }
  Result<void> Open(int64_t offset) override;
  void Close() override;
  Result<void> Poll(int timeout_ms,
                    const std::function<Result<void>(const ChangelogRecord&)>& visit) override;
  int64_t next_offset() const override { return next_offset_; }
  Result<int64_t> End() override;
  Result<int64_t> CommittedEnd() override;
  int64_t known_end() const override;
  Result<bool> Holds(const ChangelogMark& mark) override;
  Result<bool> Purge(int64_t offset, const ChangelogMark& held) override;

 private:
  Result<OffsetBounds> AskBounds() {
    return AskOffsetBounds(*watermarks_, partition_, answer_timeout_ms_);
  }
  /// The checksum of the record at this offset; nullopt if there is none.
  Result<std::optional<uint64_t>> FetchChecksum(int64_t offset);
  Result<void> Visit(const rd_kafka_message_t& record,
                     const std::function<Result<void>(const ChangelogRecord&)>& visit);

  InputPartition partition_;
  std::string name_;
  int answer_timeout_ms_;
  std::shared_ptr<Client> reader_;
  /// A read_uncommitted client. The reader would get the last stable offset for the end.
  std::shared_ptr<Client> watermarks_;
  TopicAdmin admin_;
  int64_t next_offset_ = 0;
  bool assigned_ = false;
  std::chrono::steady_clock::time_point closed_at_{};
  std::chrono::steady_clock::time_point asked_at_{};  ///< when Holds last ended
  size_t bytes_since_wake_ = 0;
};

Result<void> KafkaChangelog::Open(int64_t offset) {
  NEARDUP_ASSIGN(const OffsetBounds bounds, AskBounds());
  if (offset > bounds.end) {
    // The caller has just been told a later end offset.
    return Retriable(ErrorCode::kUnavailable,
                     fmt::format("changelog {} ends at offset {}, expected at least {}: a broker "
                                 "that no longer leads the partition has named one of these ends, "
                                 "or the topic was deleted and created again",
                                 name_, bounds.end, offset));
  }
  next_offset_ = std::max(offset, bounds.begin);
  // Without this question the reader may find the topic only a second later.
  NEARDUP_TRY(PartitionCount(*reader_, partition_.topic, answer_timeout_ms_));
  Close();
  std::this_thread::sleep_until(closed_at_ + kBetweenAssigns);
  const PartitionListHandle list = ListOf({&partition_, 1}, next_offset_);
  const rd_kafka_resp_err_t code = rd_kafka_assign(reader_->get(), list.get());
  if (code == RD_KAFKA_RESP_ERR_NO_ERROR) {
    assigned_ = true;
    return {};
  }
  return reader_->diagnosis().Explain(FromKafka(code, fmt::format("opening changelog {}", name_)));
}

void KafkaChangelog::Close() {
  if (!assigned_) return;
  // It can fail only for an assignment that holds partitions.
  rd_kafka_assign(reader_->get(), nullptr);
  assigned_ = false;
  closed_at_ = std::chrono::steady_clock::now();
}

Result<int64_t> KafkaChangelog::End() {
  NEARDUP_ASSIGN(const OffsetBounds bounds, AskBounds());
  return bounds.end;
}

Result<int64_t> KafkaChangelog::CommittedEnd() {
  // A reader of committed records is told the last stable offset.
  NEARDUP_ASSIGN(const OffsetBounds bounds,
                 AskOffsetBounds(*reader_, partition_, answer_timeout_ms_));
  return bounds.end;
}

Result<bool> KafkaChangelog::Holds(const ChangelogMark& mark) {
  NEARDUP_ASSIGN(const OffsetBounds bounds, AskBounds());
  if (mark.offset < bounds.begin || mark.offset >= bounds.end) return false;
  // The reader may hold records that it fetched long ago, so another client asks.
  const PartitionListHandle list = ListOf({&partition_, 1}, mark.offset);
  std::this_thread::sleep_until(asked_at_ + kBetweenAssigns);
  const rd_kafka_resp_err_t code = rd_kafka_assign(watermarks_->get(), list.get());
  if (code != RD_KAFKA_RESP_ERR_NO_ERROR) {
    return watermarks_->diagnosis().Explain(
        FromKafka(code, fmt::format("reading changelog {} again", name_)));
  }
  const Result<std::optional<uint64_t>> found = FetchChecksum(mark.offset);
  rd_kafka_assign(watermarks_->get(), nullptr);
  asked_at_ = std::chrono::steady_clock::now();
  if (!found.ok()) return found.error();
  return *found == mark.checksum;
}

Result<std::optional<uint64_t>> KafkaChangelog::FetchChecksum(int64_t offset) {
  const std::string doing = fmt::format("reading changelog {} again at offset {}", name_, offset);
  const Deadline deadline(answer_timeout_ms_);
  while (!deadline.passed()) {
    const MessageHandle record(
        rd_kafka_consumer_poll(watermarks_->get(), deadline.left_ms(kHoldsSliceMs)));
    if (!record) continue;
    if (record->err == RD_KAFKA_RESP_ERR_NO_ERROR) {
      if (record->offset != offset) return std::optional<uint64_t>();
      return std::optional(Hash64({static_cast<const char*>(record->payload), record->len}));
    }
    if (record->err == RD_KAFKA_RESP_ERR__PARTITION_EOF) return std::optional<uint64_t>();
    const Error error = watermarks_->diagnosis().ExplainEvent(*record, doing, partition_.topic);
    if (error.code == ErrorCode::kNotFound) return std::optional<uint64_t>();
    if (error.code != ErrorCode::kUnavailable) return error;
  }
  return watermarks_->diagnosis().Explain(FromKafka(RD_KAFKA_RESP_ERR__TIMED_OUT, doing));
}

/// The brokers cannot compare and delete in one step. If the process was stopped between the two,
/// the answer is too old, and the caller asks again later.
Result<bool> KafkaChangelog::Purge(int64_t offset, const ChangelogMark& held) {
  const auto asked_at = std::chrono::steady_clock::now();
  NEARDUP_ASSIGN(const bool holds, Holds(held));
  if (!holds) return false;
  if (std::chrono::steady_clock::now() - asked_at > kHoldsFor) {
    return Retriable(ErrorCode::kUnavailable,
                     fmt::format("purging changelog {}: the question whether it is still the same "
                                 "log took more than {} s; nothing is purged",
                                 name_, kHoldsFor.count()));
  }
  NEARDUP_TRY(admin_.DeleteRecords(partition_.topic, partition_.partition, offset));
  return true;
}

int64_t KafkaChangelog::known_end() const {
  int64_t begin = -1;
  int64_t end = -1;
  const rd_kafka_resp_err_t code = rd_kafka_get_watermark_offsets(
      reader_->get(), partition_.topic.c_str(), partition_.partition, &begin, &end);
  return code == RD_KAFKA_RESP_ERR_NO_ERROR ? std::max<int64_t>(end, -1) : -1;
}

Result<void> KafkaChangelog::Poll(
    int timeout_ms, const std::function<Result<void>(const ChangelogRecord&)>& visit) {
  const Deadline deadline(timeout_ms);
  int visited = 0;
  while (visited < kRecordsPerPollMax) {
    const int wait_ms = visited == 0 ? deadline.left_ms(timeout_ms) : 0;
    const MessageHandle record(rd_kafka_consumer_poll(reader_->get(), wait_ms));
    if (!record) break;
    if (record->err == RD_KAFKA_RESP_ERR__PARTITION_EOF) {
      // Markers of transactions follow the last record; the end is past them.
      next_offset_ = std::max(next_offset_, record->offset);
      break;
    }
    NEARDUP_TRY(Visit(*record, visit));
    ++visited;
  }
  if (visited > 0) reader_->diagnosis().Answered();
  if (!reader_->diagnosis().LoginRefused()) return {};
  return reader_->diagnosis().Explain(
      FromKafka(RD_KAFKA_RESP_ERR__AUTHENTICATION, fmt::format("reading changelog {}", name_)));
}

Result<void> KafkaChangelog::Visit(
    const rd_kafka_message_t& record,
    const std::function<Result<void>(const ChangelogRecord&)>& visit) {
  if (record.err != RD_KAFKA_RESP_ERR_NO_ERROR) {
    const Error error = reader_->diagnosis().ExplainEvent(
        record, fmt::format("reading changelog {} at offset {}", name_, next_offset_),
        partition_.topic);
    // The library restores connections by itself.
    return error.code == ErrorCode::kUnavailable ? Result<void>() : error;
  }
  if (record.offset < next_offset_) return {};  // the library delivers it again
  const std::string_view bytes(static_cast<const char*>(record.payload), record.len);
  NEARDUP_TRY(visit({record.offset, bytes}));
  next_offset_ = record.offset + 1;
  bytes_since_wake_ += record.len;
  if (bytes_since_wake_ >= kChangelogQueueBytes / 4) {
    reader_->WakeFetchers();  // the queue was full and has room now
    bytes_since_wake_ = 0;
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<Changelog>> NewKafkaChangelog(const KafkaOptions& options, uint16_t lane,
                                                     KafkaLog log) {
  NEARDUP_ASSIGN(std::shared_ptr<Client> reader, Client::New(options, ClientRole::kChangelog, log));
  NEARDUP_ASSIGN(std::shared_ptr<Client> watermarks,
                 Client::New(options, ClientRole::kWatermark, std::move(log)));
  return std::unique_ptr<Changelog>(
      std::make_unique<KafkaChangelog>(options, lane, std::move(reader), std::move(watermarks)));
}

}  // namespace neardup
