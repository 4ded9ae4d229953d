#include "kafka/kafka_transaction.h"

#include <array>
#include <utility>

#include "kafka/client.h"
#include "kafka/kafka_writer.h"
#include "kafka/topics.h"

namespace neardup {

namespace {

// A tag is the transaction's number above, the record's number in it, from 1, below.
constexpr int kRecordBits = 40;
constexpr uint64_t kRecordMask = (uint64_t{1} << kRecordBits) - 1;
constexpr uint64_t kTransactionMask = (uint64_t{1} << (64 - kRecordBits)) - 1;
static_assert(sizeof(void*) == sizeof(uint64_t), "a tag needs 64 bits");

}  // namespace

bool Refusals::ForItsOwnSake(rd_kafka_resp_err_t code) {
  return code == RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE || code == RD_KAFKA_RESP_ERR_INVALID_MSG ||
         code == RD_KAFKA_RESP_ERR_INVALID_RECORD || code == RD_KAFKA_RESP_ERR_INVALID_TIMESTAMP ||
         code == RD_KAFKA_RESP_ERR_INVALID_MSG_SIZE ||
         code == RD_KAFKA_RESP_ERR_RECORD_LIST_TOO_LARGE;
}

void Refusals::StartTransaction() {
  transaction_ = (transaction_ + 1) & kTransactionMask;
  in_flight_.clear();
  refused_.clear();
}

void* Refusals::Tag(const Position& position, bool alone) {
  in_flight_.push_back({position, alone});
  // The library carries the number and never follows it.
  return reinterpret_cast<void*>((transaction_ << kRecordBits) | in_flight_.size());
}

void Refusals::Report(void* tag, rd_kafka_resp_err_t code) {
  const auto number = reinterpret_cast<uint64_t>(tag);
  const uint64_t record = number & kRecordMask;
  if (number >> kRecordBits != transaction_ || record == 0 || record > in_flight_.size()) {
    return;
  }
  if (!ForItsOwnSake(code)) return;
  const auto [position, alone] = in_flight_[record - 1];
  // Only a record that went alone is known to be the reason itself.
  const bool too_large = code == RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE && alone;
  refused_.push_back({position, too_large ? Reason::kTooLarge : Reason::kUndeliverable,
                      std::string("the broker refuses it: ") + rd_kafka_err2str(code)});
}

void Refusals::ReportTooLarge(const Position& position, const std::string& text) {
  refused_.push_back({position, Reason::kTooLarge, text});
}

std::vector<Transaction::Refusal> Refusals::Take() { return std::exchange(refused_, {}); }

namespace {

// Long waits are cut into slices, between which complaints of the client are heard.
constexpr int kSliceMs = 1000;
constexpr int kFlushSliceMs = 100;
constexpr int kFlushSlicesPerProbe = 5;
// Failed deliveries are heard at least this often, in records published.
constexpr uint32_t kRecordsPerHearing = 1000;

class KafkaTransaction : public Transaction {
 public:
  KafkaTransaction(const KafkaOptions& options, uint16_t lane,
                   std::map<std::string, int64_t> max_message_bytes, KafkaLog log)
      : options_(options),
        lane_(lane),
        log_(std::move(log)),
        outputs_(options_, std::move(max_message_bytes)) {}
  ~KafkaTransaction() override { DropProducer(); }

  Result<void> Fence() override;
  Result<void> Begin() override;
  Result<void> Publish(const RoutedRecord& record) override;
  Result<void> PublishDelta(std::string_view bytes) override;
  Result<void> Commit(std::span<const InputProgress> inputs) override;
  Result<void> Abort() override;
  std::vector<Refusal> TakeRefusals() override { return refusals_.Take(); }
  Result<std::vector<int64_t>> CommittedOffsets(std::span<const InputPartition> inputs) override;
  size_t record_bytes_max(const InputPartition& input) const override {
    return outputs_.record_bytes_max(input.topic);
  }

 private:
  void DropProducer();
  Result<void> WarmUp(const std::string& topic);
  Result<void> Produce(const RoutedRecord& record, rd_kafka_topic_t* topic, void* tag);
  Result<void> ProduceAlone(const RoutedRecord& record, rd_kafka_topic_t* topic);
  /// Waits while the library's queue is full. kExhausted: larger than the library takes at all.
  Result<void> SendBounded(OutgoingRecord& record, const std::string& doing);
  /// Waits a moment; true when nothing is in flight any more.
  Result<bool> Flush(const Deadline& deadline);
  Result<void> FlushAll();
  Result<void> SendOffsets(std::span<const InputProgress> inputs);
  Result<void> CommitProducer();
  /// Calls until the library answers with something else than "again", within the deadline.
  template <class Call>
  Result<void> Retry(Call call, const std::string& doing, ErrorCode when_late);
  Result<void> RefusedRecords() const;
  void Failed(const rd_kafka_message_t& message);

  KafkaOptions options_;
  uint16_t lane_;
  KafkaLog log_;
  OutputTopics outputs_;
  std::shared_ptr<Client> client_;
  TopicHandle changelog_;
  Refusals refusals_;
  std::string refused_delta_;  ///< why the changelog refused one; empty if it did not
  uint32_t published_ = 0;
};

void KafkaTransaction::DropProducer() {
  changelog_.reset();
  outputs_.Unbind();
  client_.reset();
}

// ---- the producer's life

Result<void> KafkaTransaction::Fence() {
  DropProducer();
  ClientHooks hooks;
  hooks.delivery_failed = [this](const rd_kafka_message_t& message) { Failed(message); };
  Properties extra;
  const std::string batch_bytes = std::to_string(outputs_.batch_bytes_max());
  if (options_.producer_properties.count("batch.size") == 0 &&
      options_.properties.count("batch.size") == 0) {
    extra["batch.size"] = batch_bytes;
  }
  NEARDUP_ASSIGN(client_,
                 Client::New(options_, ClientRole::kWriter, log_, std::move(hooks), lane_, extra));
  NEARDUP_TRY(Retry([this] { return rd_kafka_init_transactions(client_->get(), kSliceMs); },
                    "taking transactional id " + options_.app + "-lane-" + std::to_string(lane_),
                    ErrorCode::kUnavailable));
  outputs_.Bind(client_);
  changelog_.reset(rd_kafka_topic_new(client_->get(), ChangelogTopic(options_).c_str(), nullptr));
  // Unasked, the first record to each topic would wait for up to a second.
  NEARDUP_TRY(WarmUp(ChangelogTopic(options_)));
  for (const std::string& topic : outputs_.Names()) NEARDUP_TRY(WarmUp(topic));
  return {};
}

Result<void> KafkaTransaction::WarmUp(const std::string& topic) {
  const TopicHandle handle(rd_kafka_topic_new(client_->get(), topic.c_str(), nullptr));
  const rd_kafka_metadata_t* answer = nullptr;
  rd_kafka_resp_err_t code =
      rd_kafka_metadata(client_->get(), 0, handle.get(), &answer, options_.answer_timeout_ms);
  const MetadataHandle metadata(answer);
  if (code == RD_KAFKA_RESP_ERR_NO_ERROR && metadata->topic_cnt == 1) {
    code = metadata->topics[0].err;
  }
  if (code == RD_KAFKA_RESP_ERR_NO_ERROR) return {};
  return client_->Explain(FromKafka(code, "asking for topic " + topic));
}

template <class Call>
Result<void> KafkaTransaction::Retry(Call call, const std::string& doing, ErrorCode when_late) {
  const Deadline deadline(options_.transaction_timeout_ms);
  while (true) {
    const ErrorHandle refused(call());
    if (!refused) return {};
    rd_kafka_poll(client_->get(), 0);  // hears why
    const Error error = FromKafka(*refused, doing);
    if (error.code != ErrorCode::kUnavailable || client_->LoginRefused()) {
      return client_->Explain(error);
    }
    if (!deadline.passed()) continue;
    Error late = client_->Explain(error);
    if (late.code == ErrorCode::kUnavailable) late.code = when_late;
    return late;
  }
}

Result<void> KafkaTransaction::Begin() {
  assert(client_);
  std::array<char, 512> reason{};
  // After a fatal error begin_transaction may wait for ever.
  if (const auto code = rd_kafka_fatal_error(client_->get(), reason.data(), reason.size());
      code != RD_KAFKA_RESP_ERR_NO_ERROR) {
    return FromKafka(code, "beginning a transaction", reason.data());
  }
  refusals_.StartTransaction();
  refused_delta_.clear();
  const ErrorHandle refused(rd_kafka_begin_transaction(client_->get()));
  if (refused) return client_->Explain(FromKafka(*refused, "beginning a transaction"));
  return {};
}

Result<void> KafkaTransaction::Abort() {
  assert(client_);
  NEARDUP_TRY(Retry([this] { return rd_kafka_abort_transaction(client_->get(), kSliceMs); },
                    "aborting the transaction", ErrorCode::kUnavailable));
  return {};
}

// ---- what goes out

Result<void> KafkaTransaction::Publish(const RoutedRecord& record) {
  rd_kafka_topic_t* topic = outputs_.Find(record.input.topic, record.verdict.decision);
  const Position& position = record.message.position;
  if (record.alone) return ProduceAlone(record, topic);
  NEARDUP_TRY(Produce(record, topic, refusals_.Tag(position, /*alone=*/false)));
  if (++published_ % kRecordsPerHearing == 0) {
    rd_kafka_poll(client_->get(), 0);
    NEARDUP_TRY(RefusedRecords());
  }
  return {};
}

Result<void> KafkaTransaction::ProduceAlone(const RoutedRecord& record, rd_kafka_topic_t* topic) {
  NEARDUP_TRY(FlushAll());
  NEARDUP_TRY(Produce(record, topic, refusals_.Tag(record.message.position, /*alone=*/true)));
  return FlushAll();
}

Result<void> KafkaTransaction::Produce(const RoutedRecord& record, rd_kafka_topic_t* topic,
                                       void* tag) {
  NEARDUP_ASSIGN(OutgoingRecord outgoing, Outgoing(record, topic, tag));
  const Result<void> sent = SendBounded(outgoing, "publishing");
  if (sent.ok() || sent.error().code != ErrorCode::kExhausted) return sent;
  refusals_.ReportTooLarge(record.message.position, sent.error().text);
  return RefusedRecords();
}

Result<void> KafkaTransaction::PublishDelta(std::string_view bytes) {
  OutgoingRecord delta;
  delta.topic = changelog_.get();
  delta.partition = lane_;
  delta.value = bytes;
  const Result<void> sent = SendBounded(delta, "writing the changelog");
  if (sent.ok() || sent.error().code != ErrorCode::kExhausted) return sent;
  return Fatal(ErrorCode::kConfig, sent.error().text);
}

Result<void> KafkaTransaction::SendBounded(OutgoingRecord& record, const std::string& doing) {
  assert(client_);
  rd_kafka_resp_err_t code = Send(client_->get(), record);
  if (code == RD_KAFKA_RESP_ERR_NO_ERROR) return {};
  const Deadline deadline(options_.transaction_timeout_ms);
  while (code == RD_KAFKA_RESP_ERR__QUEUE_FULL && !deadline.passed()) {
    rd_kafka_poll(client_->get(), deadline.left_ms(1));
    NEARDUP_TRY(RefusedRecords());
    code = Send(client_->get(), record);
  }
  if (code == RD_KAFKA_RESP_ERR_NO_ERROR) return {};
  if (code == RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE) {
    return Error{ErrorCode::kExhausted,
                 doing + ": the record is larger than the producer property message.max.bytes"};
  }
  rd_kafka_poll(client_->get(), 0);
  NEARDUP_TRY(RefusedRecords());
  std::array<char, 512> reason{};
  const auto fatal = rd_kafka_fatal_error(client_->get(), reason.data(), reason.size());
  if (fatal != RD_KAFKA_RESP_ERR_NO_ERROR) return FromKafka(fatal, doing, reason.data());
  if (code == RD_KAFKA_RESP_ERR__STATE) {
    return Error{ErrorCode::kAborted, doing + ": the transaction has failed already"};
  }
  return client_->Explain(FromKafka(code, doing));
}

void KafkaTransaction::Failed(const rd_kafka_message_t& message) {
  if (message._private != nullptr) {
    refusals_.Report(message._private, message.err);
  } else if (Refusals::ForItsOwnSake(message.err)) {
    refused_delta_ = rd_kafka_err2str(message.err);
  }
}

Result<void> KafkaTransaction::RefusedRecords() const {
  if (!refused_delta_.empty()) {
    return Fatal(ErrorCode::kConfig, ChangelogTopic(options_) +
                                         " refuses a delta: " + refused_delta_ +
                                         "; it must take 1 MB (max.message.bytes)");
  }
  if (!refusals_.any()) return {};
  return Error{ErrorCode::kAborted, "an output refuses records for their own sake"};
}

// ---- commit

Result<bool> KafkaTransaction::Flush(const Deadline& deadline) {
  const rd_kafka_resp_err_t code = rd_kafka_flush(client_->get(), deadline.left_ms(kFlushSliceMs));
  rd_kafka_poll(client_->get(), 0);
  NEARDUP_TRY(RefusedRecords());
  if (code == RD_KAFKA_RESP_ERR_NO_ERROR) return true;
  std::array<char, 512> reason{};
  const auto fatal = rd_kafka_fatal_error(client_->get(), reason.data(), reason.size());
  if (fatal != RD_KAFKA_RESP_ERR_NO_ERROR) {
    return FromKafka(fatal, "waiting for deliveries", reason.data());
  }
  if (!deadline.passed() && !client_->LoginRefused()) return false;
  return client_->Explain(
      FromKafka(RD_KAFKA_RESP_ERR__TIMED_OUT, "waiting for deliveries",
                std::to_string(rd_kafka_outq_len(client_->get())) + " records in flight"));
}

Result<void> KafkaTransaction::FlushAll() {
  const Deadline deadline(options_.transaction_timeout_ms);
  while (true) {
    NEARDUP_ASSIGN(const bool done, Flush(deadline));
    if (done) return {};
  }
}

Result<void> KafkaTransaction::Commit(std::span<const InputProgress> inputs) {
  assert(client_);
  const Deadline deadline(options_.transaction_timeout_ms);
  for (int slice = 1;; ++slice) {
    NEARDUP_ASSIGN(const bool done, Flush(deadline));
    if (done) break;
    // A transaction that has failed sends nothing more, and only such a call says so.
    if (slice % kFlushSlicesPerProbe == 0) NEARDUP_TRY(SendOffsets(inputs));
  }
  NEARDUP_TRY(SendOffsets(inputs));
  return CommitProducer();
}

Result<void> KafkaTransaction::SendOffsets(std::span<const InputProgress> inputs) {
  const PartitionListHandle offsets(
      rd_kafka_topic_partition_list_new(static_cast<int>(inputs.size())));
  for (const InputProgress& input : inputs) {
    rd_kafka_topic_partition_list_add(offsets.get(), input.partition.topic.c_str(),
                                      input.partition.partition)
        ->offset = input.next_offset;
  }
  // The group has no members: the transactional id is what fences.
  const GroupMetadataHandle group(rd_kafka_consumer_group_metadata_new(options_.app.c_str()));
  return Retry(
      [&] {
        return rd_kafka_send_offsets_to_transaction(client_->get(), offsets.get(), group.get(),
                                                    kSliceMs);
      },
      "adding the offsets of group " + options_.app, ErrorCode::kUnavailable);
}

Result<void> KafkaTransaction::CommitProducer() {
  Result<void> committed =
      Retry([this] { return rd_kafka_commit_transaction(client_->get(), kSliceMs); },
            "committing the transaction", ErrorCode::kUnknownOutcome);
  if (committed.ok()) return {};
  Error error = committed.error();
  // The request may have arrived all the same.
  if (error.code == ErrorCode::kInternal) error.code = ErrorCode::kUnknownOutcome;
  return error;
}

Result<std::vector<int64_t>> KafkaTransaction::CommittedOffsets(
    std::span<const InputPartition> inputs) {
  const PartitionListHandle list(
      rd_kafka_topic_partition_list_new(static_cast<int>(inputs.size())));
  for (const InputPartition& input : inputs) {
    rd_kafka_topic_partition_list_add(list.get(), input.topic.c_str(), input.partition);
  }
  // read_committed: an offset in an open transaction is waited for.
  NEARDUP_ASSIGN(const std::shared_ptr<Client> reader,
                 Client::New(options_, ClientRole::kSource, log_));
  const rd_kafka_resp_err_t code =
      rd_kafka_committed(reader->get(), list.get(), options_.answer_timeout_ms);
  if (code != RD_KAFKA_RESP_ERR_NO_ERROR) {
    const MessageHandle heard(rd_kafka_consumer_poll(reader->get(), 0));  // says why
    return reader->Explain(FromKafka(code, "reading the offsets of group " + options_.app));
  }
  std::vector<int64_t> offsets;
  for (int i = 0; i < list->cnt; ++i) {
    const int64_t offset = list->elems[i].offset;
    offsets.push_back(offset < 0 ? -1 : offset);
  }
  return offsets;
}

}  // namespace

std::unique_ptr<Transaction> NewKafkaTransaction(const KafkaOptions& options, uint16_t lane,
                                                 std::map<std::string, int64_t> max_message_bytes,
                                                 KafkaLog log) {
  return std::make_unique<KafkaTransaction>(options, lane, std::move(max_message_bytes),
                                            std::move(log));
}

}  // namespace neardup
