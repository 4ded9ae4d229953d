#include "kafka/kafka_changelog.h"

#include <algorithm>
#include <utility>

#include "kafka/client.h"
#include "kafka/topic_admin.h"

namespace neardup {
namespace {

// Handed out by one Poll at most, so that the caller's loop goes round.
constexpr int kRecordsPerPollMax = 1000;

class KafkaChangelog : public Changelog {
 public:
  KafkaChangelog(const KafkaOptions& options, uint16_t lane, std::shared_ptr<Client> reader,
                 std::shared_ptr<Client> watermarks)
      : topic_(ChangelogTopic(options)),
        lane_(lane),
        answer_timeout_ms_(options.answer_timeout_ms),
        reader_(std::move(reader)),
        watermarks_(std::move(watermarks)),
        admin_(watermarks_, options) {}

  Result<void> Open(int64_t offset) override;
  Result<void> Poll(int timeout_ms,
                    const std::function<Result<void>(const ChangelogRecord&)>& visit) override;
  int64_t next_offset() const override { return next_offset_; }
  Result<int64_t> End() override;
  Result<void> Purge(int64_t offset) override {
    return admin_.DeleteRecords(topic_, lane_, offset);
  }

 private:
  struct Bounds {
    int64_t begin = 0;
    int64_t end = 0;
  };
  Result<Bounds> AskBounds();
  Result<void> Visit(const rd_kafka_message_t& record,
                     const std::function<Result<void>(const ChangelogRecord&)>& visit);
  std::string name() const { return topic_ + "/" + std::to_string(lane_); }

  std::string topic_;
  int32_t lane_;
  int answer_timeout_ms_;
  std::shared_ptr<Client> reader_;
  /// Sees open transactions: the reader would be told the last stable offset instead.
  std::shared_ptr<Client> watermarks_;
  TopicAdmin admin_;
  int64_t next_offset_ = 0;
};

Result<KafkaChangelog::Bounds> KafkaChangelog::AskBounds() {
  Bounds bounds;
  const rd_kafka_resp_err_t code = rd_kafka_query_watermark_offsets(
      watermarks_->get(), topic_.c_str(), lane_, &bounds.begin, &bounds.end, answer_timeout_ms_);
  if (code == RD_KAFKA_RESP_ERR_NO_ERROR) return bounds;
  const MessageHandle heard(rd_kafka_consumer_poll(watermarks_->get(), 0));  // says why
  return watermarks_->Explain(FromKafka(code, "asking for the ends of " + name()));
}

Result<void> KafkaChangelog::Open(int64_t offset) {
  NEARDUP_ASSIGN(const Bounds bounds, AskBounds());
  if (offset > bounds.end) {
    return Fatal(ErrorCode::kMismatch, name() + " ends at offset " + std::to_string(bounds.end) +
                                           ", but was read to " + std::to_string(offset) +
                                           " before: the topic was made anew or truncated");
  }
  next_offset_ = std::max(offset, bounds.begin);
  // Unasked, the reader would find out about the topic up to a second later.
  NEARDUP_TRY(PartitionCount(*reader_, topic_, answer_timeout_ms_));
  const PartitionListHandle list(rd_kafka_topic_partition_list_new(1));
  rd_kafka_topic_partition_list_add(list.get(), topic_.c_str(), lane_)->offset = next_offset_;
  const rd_kafka_resp_err_t code = rd_kafka_assign(reader_->get(), list.get());
  if (code == RD_KAFKA_RESP_ERR_NO_ERROR) return {};
  return reader_->Explain(FromKafka(code, "opening " + name()));
}

Result<int64_t> KafkaChangelog::End() {
  NEARDUP_ASSIGN(const Bounds bounds, AskBounds());
  return bounds.end;
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
      // Markers of transactions stand behind the last record: the end moves past them.
      next_offset_ = std::max(next_offset_, record->offset);
      break;
    }
    NEARDUP_TRY(Visit(*record, visit));
    ++visited;
  }
  if (visited > 0 || !reader_->LoginRefused()) return {};
  return reader_->Explain(FromKafka(RD_KAFKA_RESP_ERR__AUTHENTICATION, "reading " + name()));
}

Result<void> KafkaChangelog::Visit(
    const rd_kafka_message_t& record,
    const std::function<Result<void>(const ChangelogRecord&)>& visit) {
  if (record.err != RD_KAFKA_RESP_ERR_NO_ERROR) {
    const Error error = reader_->Explain(
        FromKafka(record.err, "reading " + name() + " at offset " + std::to_string(next_offset_),
                  rd_kafka_message_errstr(&record)));
    // Connections are mended by the library itself.
    return error.code == ErrorCode::kUnavailable ? Result<void>() : error;
  }
  if (record.offset < next_offset_) return {};  // delivered again
  const std::string_view bytes(static_cast<const char*>(record.payload), record.len);
  NEARDUP_TRY(visit({record.offset, bytes}));
  next_offset_ = record.offset + 1;
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
