#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <future>
#include <optional>
#include <set>
#include <thread>
#include <utility>

#include "detect/base/task_thread.h"
#include "kafka/client.h"
#include "kafka/errors.h"
#include "kafka/kafka_options.h"
#include "kafka/kafka_ports.h"
#include "kafka/output_topics.h"
#include "kafka/producer.h"
#include "kafka/topic_admin.h"
#include "kafka/transaction_calls.h"

namespace neardup {
namespace {

// A long wait is divided into slices. After each slice, the reports of the library are read.
constexpr int kSliceMs = 1000;
// A broker refuses the transactional id while it ends the transaction of the former owner, which
// takes it milliseconds. The library asks again only after half a second, or when it is called
// again.
constexpr int kIdSliceMs = 20;
// While a commit waits for deliveries, it sends the offsets after this number of slices: a failed
// transaction sends nothing more, and only such a call reports the failure.
constexpr int kFlushSlicesPerSendOffsets = 5;
// The call that adds offsets ignores its time-out while the group has no coordinator (librdkafka
// issue 5456). It is abandoned after its time-out and this time.
constexpr int kAbandonAfterMs = 5000;
// How long the last abort of a lost lane may take.
constexpr int kLastAbortMs = 1000;
constexpr int kLogWarning = 4;
// A foreign transaction that holds offsets of the group may stay open for long.
constexpr int kStableOffsetsMs = 2000;
constexpr std::chrono::milliseconds kGrowthRetry(50);
constexpr std::chrono::seconds kGroupsPause(60);
// How often the brokers are asked for the largest records that an output takes.
constexpr std::chrono::seconds kLimitsPeriod(20);

Result<OutgoingRecord> Outgoing(const RoutedRecord& record, rd_kafka_topic_t* topic, void* tag) {
  const Message& message = record.message;
  OutgoingRecord outgoing{.topic = topic,
                          .partition = record.target().partition,
                          .timestamp_ms = message.timestamp_ms,
                          .tag = tag};
  const size_t headers =
      record.headers->size() + (record.by_reference ? 0 : message.headers.size());
  if (headers > 0) outgoing.headers.reset(rd_kafka_headers_new(headers));
  if (!record.by_reference) {
    outgoing.key = record.group_key ? record.group_key : message.key;
    outgoing.value = message.value;
    outgoing.lends_value = message.owner != nullptr;
    NEARDUP_TRY(AddHeaders(message.headers, outgoing));
  } else if (record.verdict.outcome.reason == Reason::kUndeliverable) {
    outgoing.timestamp_ms.reset();  // the broker may have refused the record's own
  }
  NEARDUP_TRY(AddHeaders(*record.headers, outgoing));
  return outgoing;
}

bool Compresses(const KafkaOptions& options) {
  for (const Properties* properties : {&options.producer_properties, &options.properties}) {
    for (const char* name : {"compression.type", "compression.codec"}) {
      const auto found = properties->find(name);
      if (found != properties->end()) return found->second != "none";
    }
  }
  return false;
}

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
  bool must_fence() const override { return !late_request_.empty(); }
  Result<void> Publish(const RoutedRecord& record) override;
  Result<void> PublishDelta(std::string_view bytes) override;
  Result<void> PublishGroup(const GroupRecord& group) override;
  void StartCommit(std::span<const InputProgress> inputs) override;
  bool CommitHasEnded() override;
  Result<void> FinishCommit() override;
  Result<void> Abort() override;
  void Abandon(bool abort) override;
  std::vector<Refusal> TakeRefusals() override { return refusals_.Take(); }
  Result<std::vector<int64_t>> CommittedOffsets(std::span<const InputPartition> inputs) override;
  size_t record_bytes_max(const InputPartition& input) const override {
    return outputs_.record_bytes_max(input.topic);
  }
  void RefreshLimits(const InputPartition& input) override;
  bool compresses() const override { return Compresses(options_); }

 private:
  void DropProducer();
  Result<void> WarmUp(const std::string& topic);
  Result<void> Produce(const RoutedRecord& record, rd_kafka_topic_t* topic, void* tag);
  Result<void> ProduceAlone(const RoutedRecord& record, rd_kafka_topic_t* topic);
  /// Waits while the library's queue is full. kExhausted: the library takes no record so large.
  Result<void> SendBounded(OutgoingRecord& record, std::string_view doing);
  Result<void> DeliverAndCommit(std::span<const InputProgress> inputs);
  Result<void> SendOffsets(std::span<const InputProgress> inputs, const Deadline& deadline);
  Result<void> CheckTopicsExist(std::span<const InputProgress> inputs) const;
  Result<void> CommitProducer(const Deadline& deadline);
  /// Repeats a call that takes at most a slice while the brokers are unavailable.
  template <class Call>
  Result<void> Retry(Call call, const Deadline& deadline, std::string_view doing,
                     ErrorCode when_late = ErrorCode::kUnavailable) {
    return producer_->Retry(
        call, deadline, doing,
        [&](const rd_kafka_error_t& refused) { return Refused(refused, doing); }, when_late);
  }
  /// The error of a call that the library refuses because of an earlier failure.
  Error AlreadyFailed(std::string_view doing) const;
  /// Adds the right on a topic that is missing. `why`: the library's reason, which names the topic.
  Error NoTopicRight(const Error& error, const std::string& why) const;
  /// The error of a call, with the right that it needs.
  Error Refused(const rd_kafka_error_t& refused, std::string_view doing) const;
  Result<void> CheckRefusals() const;
  /// Fails while a topic that refused records without a key is compacted. Records that can never be
  /// written would otherwise become dead letters, all of them.
  Result<void> CheckCompaction();
  void Failed(const rd_kafka_message_t& message);
  /// The lane goes on without records of groups, because they are the output of no input record.
  void GroupsRefused(const std::string& why);

  KafkaOptions options_;
  uint16_t lane_;
  KafkaLog log_;
  OutputTopics outputs_;
  std::shared_ptr<Client> client_;
  std::optional<Producer> producer_;  ///< while there is a client
  TopicHandle changelog_;
  TopicHandle groups_;  ///< null without KafkaOptions::groups_topic
  BoundedCalls calls_{kAbandonAfterMs};
  /// Which request of the last transaction may arrive late and harm the next one; empty: none.
  std::string late_request_;
  Refusals refusals_;
  std::string keyless_refused_;  ///< an output that refused a record without a key; empty: none
  std::map<std::string, std::chrono::steady_clock::time_point> limits_at_;  ///< by input topic
  bool limits_unanswered_ = false;
  bool groups_refused_ = false;  ///< in this transaction
  /// Nothing is published of groups before this time.
  std::chrono::steady_clock::time_point groups_from_{};
  std::string refused_delta_;  ///< the changelog's reason to refuse a delta; empty without
  std::future<Result<void>> committed_;  ///< valid from StartCommit to FinishCommit
  TaskThread<Result<void>> committer_;
};

Result<void> KafkaTransaction::Fence() {
  DropProducer();
  ClientHooks hooks;
  hooks.delivery_failed = [this](const rd_kafka_message_t& message) { Failed(message); };
  Properties extra;
  if (!options_.producer_properties.contains("batch.size") &&
      !options_.properties.contains("batch.size")) {
    extra["batch.size"] = std::to_string(outputs_.batch_bytes_max());
  }
  NEARDUP_ASSIGN(client_,
                 Client::New(options_, ClientRole::kWriter, log_, std::move(hooks), lane_, extra));
  producer_.emplace(client_, [this] { return CheckRefusals(); });
  NEARDUP_TRY(Retry([this] { return rd_kafka_init_transactions(client_->get(), kIdSliceMs); },
                    Deadline(options_.transaction_timeout_ms),
                    fmt::format("taking the transactional id {}-lane-{}", options_.app, lane_)));
  outputs_.Bind(client_);
  changelog_.reset(rd_kafka_topic_new(client_->get(), ChangelogTopic(options_).c_str(), nullptr));
  if (!options_.groups_topic.empty()) {
    groups_.reset(rd_kafka_topic_new(client_->get(), options_.groups_topic.c_str(), nullptr));
    NEARDUP_TRY(WarmUp(options_.groups_topic));
  }
  // The library asks for a topic's leaders with the first record, which then waits for up to a
  // second. Asking here costs a millisecond.
  NEARDUP_TRY(WarmUp(ChangelogTopic(options_)));
  NEARDUP_TRY(CheckCompaction());
  for (const std::string& input : options_.topics) {
    for (const std::string& output : OutputsOf(options_, input)) {
      const Result<void> warmed = WarmUp(output);
      if (warmed.ok()) continue;
      // An input that does not exist may have no outputs.
      if (warmed.error().code != ErrorCode::kNotFound || WarmUp(input).ok()) return warmed;
    }
  }
  return {};
}

void KafkaTransaction::DropProducer() {
  if (committed_.valid()) committed_.wait();  // it uses the producer
  committed_ = {};
  late_request_.clear();
  limits_unanswered_ = false;
  changelog_.reset();
  groups_.reset();
  outputs_.Unbind();
  producer_.reset();
  // An abandoned call keeps the client alive, and repeats its request.
  if (client_.use_count() > 1) client_->CutOff();
  client_.reset();
}

Result<void> KafkaTransaction::WarmUp(const std::string& topic) {
  const TopicHandle handle(rd_kafka_topic_new(client_->get(), topic.c_str(), nullptr));
  const Deadline deadline(options_.answer_timeout_ms);
  const Deadline unknown_deadline(options_.answer_timeout_ms / kUnknownShare);
  rd_kafka_resp_err_t code = RD_KAFKA_RESP_ERR_NO_ERROR;
  do {
    const rd_kafka_metadata_t* answer = nullptr;
    code = rd_kafka_metadata(client_->get(), 0, handle.get(), &answer, deadline.left_ms(kSliceMs));
    const MetadataHandle metadata(answer);
    if (code == RD_KAFKA_RESP_ERR_NO_ERROR && metadata->topic_cnt == 1) {
      code = metadata->topics[0].err;
    }
    if (code == RD_KAFKA_RESP_ERR_NO_ERROR) return {};
    rd_kafka_poll(client_->get(), deadline.left_ms(kLeaderRetryMs));
    const bool unknown = code == RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART;
    if (IsRefusedAccess(code) || (unknown && unknown_deadline.passed())) break;
  } while (!deadline.passed() && !client_->diagnosis().LoginRefused());
  return client_->diagnosis().Explain(
      FromKafka(code, fmt::format("asking for the leaders of topic {}", topic)),
      {"Describe", ResourceKind::kTopic, topic});
}

Result<void> KafkaTransaction::Begin() {
  assert(client_);
  // After a fatal error, begin_transaction may wait forever.
  NEARDUP_TRY(producer_->CheckFatal("beginning a transaction"));
  if (must_fence()) {
    return Retriable(ErrorCode::kUnavailable,
                     fmt::format("beginning a transaction: {}. The lane is taken again, which "
                                 "makes the late request void",
                                 late_request_));
  }
  NEARDUP_TRY(CheckCompaction());
  refusals_.StartTransaction();
  client_->TransactionBegins();
  refused_delta_.clear();
  groups_refused_ = false;
  const ErrorHandle refused(rd_kafka_begin_transaction(client_->get()));
  if (refused) return client_->diagnosis().Explain(FromKafka(*refused, "beginning a transaction"));
  return {};
}

Result<void> KafkaTransaction::Abort() {
  assert(client_);
  NEARDUP_TRY(
      Retry([this] { return rd_kafka_abort_transaction(client_->get(), Producer::kCallMs); },
            Deadline(options_.transaction_timeout_ms), "aborting the transaction"));
  late_request_ = client_->unanswered().LateAfterAbort();
  client_->EndLoans();
  return {};
}

void KafkaTransaction::Abandon(bool abort) {
  if (client_ && abort && producer_->CheckFatal("aborting").ok()) {
    // Without success the next fence or the transaction time-out ends the transaction.
    const ErrorHandle refused(rd_kafka_abort_transaction(client_->get(), kLastAbortMs));
  }
  DropProducer();
}

Result<void> KafkaTransaction::Publish(const RoutedRecord& record) {
  if (record.route == Route::kNowhere) return {};
  rd_kafka_topic_t* topic = outputs_.Find(record.target().topic, record.route);
  const Position& position = record.message.position;
  if (record.alone) return ProduceAlone(record, topic);
  return Produce(record, topic, refusals_.Tag(position, /*alone=*/false));
}

Result<void> KafkaTransaction::ProduceAlone(const RoutedRecord& record, rd_kafka_topic_t* topic) {
  NEARDUP_TRY(producer_->Flush(Deadline(options_.transaction_timeout_ms)));
  NEARDUP_TRY(Produce(record, topic, refusals_.Tag(record.message.position, /*alone=*/true)));
  return producer_->Flush(Deadline(options_.transaction_timeout_ms));
}

Result<void> KafkaTransaction::Produce(const RoutedRecord& record, rd_kafka_topic_t* topic,
                                       void* tag) {
  NEARDUP_ASSIGN(OutgoingRecord outgoing, Outgoing(record, topic, tag));
  if (outgoing.lends_value) client_->Lend(record.message.owner);
  const Result<void> sent = SendBounded(outgoing, "publishing");
  if (sent.ok() || sent.error().code != ErrorCode::kExhausted) return sent;
  refusals_.ReportTooLarge(record.message.position, sent.error().text);
  return CheckRefusals();
}

Result<void> KafkaTransaction::PublishDelta(std::string_view bytes) {
  OutgoingRecord delta{.topic = changelog_.get(), .partition = lane_, .value = bytes};
  const Result<void> sent = SendBounded(delta, "writing the changelog");
  if (sent.ok() || sent.error().code != ErrorCode::kExhausted) return sent;
  return Fatal(ErrorCode::kConfig, sent.error().text);
}

Result<void> KafkaTransaction::PublishGroup(const GroupRecord& group) {
  if (std::chrono::steady_clock::now() < groups_from_) return {};
  OutgoingRecord record{.topic = groups_.get(),
                        .partition = RD_KAFKA_PARTITION_UA,
                        .key = group.key,
                        .value = group.value};
  const Result<void> sent = SendBounded(record, "writing the groups topic");
  if (sent.ok() || sent.error().code != ErrorCode::kExhausted) return sent;
  GroupsRefused(sent.error().text);
  return CheckRefusals();
}

Result<void> KafkaTransaction::SendBounded(OutgoingRecord& record, std::string_view doing) {
  assert(client_);
  NEARDUP_ASSIGN(rd_kafka_resp_err_t code,
                 producer_->Send(record, options_.transaction_timeout_ms));
  if (code == RD_KAFKA_RESP_ERR_NO_ERROR) return {};
  // The topic may have grown since the library asked for its partitions, and a broker may show the
  // new ones later than another.
  const Deadline growth_deadline(options_.answer_timeout_ms);
  while (code == RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION && !growth_deadline.passed()) {
    NEARDUP_TRY(WarmUp(rd_kafka_topic_name(record.topic)));
    code = Send(client_->get(), record);
    if (code == RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION) std::this_thread::sleep_for(kGrowthRetry);
  }
  if (code == RD_KAFKA_RESP_ERR_NO_ERROR) return {};
  if (code == RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE) {
    return Error{
        ErrorCode::kExhausted,
        fmt::format("{}: the record is larger than the producer property message.max.bytes",
                    doing)};
  }
  NEARDUP_TRY(producer_->ReadReports(0));
  NEARDUP_TRY(producer_->CheckFatal(doing));
  if (code == RD_KAFKA_RESP_ERR__STATE) return AlreadyFailed(doing);
  return client_->diagnosis().Explain(FromKafka(code, doing));
}

Error KafkaTransaction::AlreadyFailed(std::string_view doing) const {
  const std::string why = client_->transaction_failure().Text();
  const auto names = [&why](rd_kafka_resp_err_t code) {
    return why.find(rd_kafka_err2str(code)) != why.npos;
  };
  if (names(RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED)) {
    return NoTopicRight({ErrorCode::kAuth, fmt::format("{}: {}", doing, why)}, why);
  }
  return Error{ErrorCode::kAborted,
               why.empty() ? fmt::format("{}: the transaction has already failed", doing)
                           : fmt::format("{}: {}", doing, why)};
}

Error KafkaTransaction::Refused(const rd_kafka_error_t& refused, std::string_view doing) const {
  const Error error = FromKafka(refused, doing);
  switch (rd_kafka_error_code(&refused)) {
    case RD_KAFKA_RESP_ERR_TRANSACTIONAL_ID_AUTHORIZATION_FAILED:
      return client_->diagnosis().Explain(error, {"Write", ResourceKind::kTransactionalId,
                                                  fmt::format("{}-lane-{}", options_.app, lane_)});
    case RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED:
      return client_->diagnosis().Explain(error, {"Read", ResourceKind::kGroup, options_.app});
    case RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED:
      return NoTopicRight(error, client_->transaction_failure().Text() + error.text);
    default:
      return client_->diagnosis().Explain(error);
  }
}

Error KafkaTransaction::NoTopicRight(const Error& error, const std::string& why) const {
  // Such as: Failed to add partition "news.unique" [0] to transaction: ...
  const size_t begin = why.find('"');
  const size_t end = begin == why.npos ? begin : why.find('"', begin + 1);
  if (end != why.npos) {
    return client_->diagnosis().Explain(
        error, {"Write", ResourceKind::kTopic, why.substr(begin + 1, end - begin - 1)});
  }
  // Such as: Failed to commit offsets to transaction on broker ...: news[0](Broker: ...)
  // librdkafka 2.8 also names the id of the topic, or that there is none: news((null))[0]
  for (const std::string& input : options_.topics) {
    if (why.find(" " + input + "[") != why.npos || why.find(" " + input + "(") != why.npos) {
      return client_->diagnosis().Explain(error, {"Read", ResourceKind::kTopic, input});
    }
  }
  return client_->diagnosis().Explain(error);
}

void KafkaTransaction::Failed(const rd_kafka_message_t& message) {
  if (message.err == RD_KAFKA_RESP_ERR_INVALID_RECORD && message.key == nullptr) {
    keyless_refused_ = rd_kafka_topic_name(message.rkt);
  }
  if (message._private != nullptr) {
    refusals_.Report(message._private, message.err);
  } else if (groups_ && rd_kafka_topic_name(message.rkt) == options_.groups_topic) {
    if (Refusals::IsContentRefused(message.err)) GroupsRefused(rd_kafka_err2str(message.err));
  } else if (Refusals::IsContentRefused(message.err)) {
    refused_delta_ = rd_kafka_err2str(message.err);
  }
}

Result<void> KafkaTransaction::CheckCompaction() {
  if (keyless_refused_.empty()) return {};
  const Result<Properties> settings = TopicAdmin(client_, options_).Settings(keyless_refused_);
  const std::string policy = settings.ok() && settings->contains("cleanup.policy")
                                 ? settings->at("cleanup.policy")
                                 : std::string();
  if (policy.find("compact") != policy.npos) {
    return Retriable(
        ErrorCode::kUnavailable,
        fmt::format("topic {} has cleanup.policy={} and refuses records without a key; the lane "
                    "waits until it takes them: {}",
                    keyless_refused_, policy,
                    SetCommand(keyless_refused_, "cleanup.policy", "delete")));
  }
  keyless_refused_.clear();
  return {};
}

void KafkaTransaction::RefreshLimits(const InputPartition& input) {
  const auto now = std::chrono::steady_clock::now();
  if (limits_unanswered_ || now < limits_at_[input.topic] + kLimitsPeriod) return;
  limits_at_[input.topic] = now;
  TopicAdmin admin(client_, options_);
  const Result<void> read = outputs_.ReadLimits(input.topic, admin);
  if (read.ok()) return;
  // Each unanswered question costs a time-out, so ask no more with this producer.
  limits_unanswered_ = true;
  if (log_)
    log_(kLogWarning, read.error().text + "; the limits that were read at the start stay in force");
}

void KafkaTransaction::GroupsRefused(const std::string& why) {
  if (std::exchange(groups_refused_, true)) return;
  groups_from_ = std::chrono::steady_clock::now() + kGroupsPause;
  if (!log_) return;
  log_(kLogWarning,
       fmt::format("topic {} refuses a record: {}. Nothing is written to it for {} s, and the lane "
                   "goes on; a group is written again when it has another copy. Check "
                   "max.message.bytes and message.timestamp.*.max.ms of the topic",
                   options_.groups_topic, why, kGroupsPause.count()));
}

Result<void> KafkaTransaction::CheckRefusals() const {
  if (!refused_delta_.empty()) {
    return Fatal(ErrorCode::kConfig,
                 fmt::format("topic {} refuses a delta: {}; its max.message.bytes must be at least "
                             "1 MB",
                             ChangelogTopic(options_), refused_delta_));
  }
  if (groups_refused_) {
    return Error{ErrorCode::kAborted,
                 fmt::format("topic {} refuses a record", options_.groups_topic)};
  }
  if (!refusals_.any()) return {};
  return Error{ErrorCode::kAborted, "an output topic refuses the content of some records"};
}

void KafkaTransaction::StartCommit(std::span<const InputProgress> inputs) {
  assert(client_ && !committed_.valid());
  committed_ = committer_.Run([this, inputs] { return DeliverAndCommit(inputs); });
}

bool KafkaTransaction::CommitHasEnded() {
  return committed_.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
}

Result<void> KafkaTransaction::FinishCommit() {
  NEARDUP_TRY(committed_.get());
  client_->EndLoans();
  return {};
}

Result<void> KafkaTransaction::DeliverAndCommit(std::span<const InputProgress> inputs) {
  const Deadline deadline(options_.transaction_timeout_ms);
  for (int slice = 1;; ++slice) {
    NEARDUP_ASSIGN(const bool done, producer_->FlushSlice(deadline));
    if (done) break;
    if (slice % kFlushSlicesPerSendOffsets == 0) NEARDUP_TRY(SendOffsets(inputs, deadline));
  }
  NEARDUP_TRY(SendOffsets(inputs, deadline));
  return CommitProducer(deadline);
}

Result<void> KafkaTransaction::SendOffsets(std::span<const InputProgress> inputs,
                                           const Deadline& deadline) {
  PartitionListHandle offsets(rd_kafka_topic_partition_list_new(static_cast<int>(inputs.size())));
  for (const InputProgress& input : inputs) {
    rd_kafka_topic_partition_list_add(offsets.get(), input.partition.topic.c_str(),
                                      input.partition.partition)
        ->offset = input.next_offset;
  }
  // The group has no members; the transactional id fences other instances.
  GroupMetadataHandle group(rd_kafka_consumer_group_metadata_new(options_.app.c_str()));
  const std::string doing = fmt::format("adding the offsets of group {}", options_.app);
  // A time-out of the call aborts the transaction, so it gets all the time that is left.
  const int timeout_ms = std::max(1, deadline.left_ms(options_.transaction_timeout_ms));
  auto task = [client = client_, offsets = std::move(offsets), group = std::move(group),
               timeout_ms] {
    return ErrorHandle(rd_kafka_send_offsets_to_transaction(client->get(), offsets.get(),
                                                            group.get(), timeout_ms));
  };
  NEARDUP_ASSIGN(const ErrorHandle refused,
                 calls_.Await(std::move(task), timeout_ms, doing,
                              [this, inputs] { return CheckTopicsExist(inputs); }));
  rd_kafka_poll(client_->get(), 0);  // reads the report that holds the reason
  return refused ? Refused(*refused, doing) : Result<void>();
}

/// The library tries to add the offsets of a topic that was deleted until the time is over, and the
/// outputs of the other inputs would wait.
Result<void> KafkaTransaction::CheckTopicsExist(std::span<const InputProgress> inputs) const {
  std::set<std::string> topics;
  for (const InputProgress& input : inputs) topics.insert(input.partition.topic);
  for (const std::string& topic : topics) {
    const TopicHandle handle(rd_kafka_topic_new(client_->get(), topic.c_str(), nullptr));
    const rd_kafka_metadata_t* answer = nullptr;
    const rd_kafka_resp_err_t code =
        rd_kafka_metadata(client_->get(), 0, handle.get(), &answer, kSliceMs);
    const MetadataHandle metadata(answer);
    if (code != RD_KAFKA_RESP_ERR_NO_ERROR || metadata->topic_cnt != 1) continue;
    if (metadata->topics[0].err != RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART) continue;
    return Retriable(ErrorCode::kUnavailable,
                     fmt::format("adding the offsets of group {}: topic {} does not exist any "
                                 "more; taking the lane again without it",
                                 options_.app, topic));
  }
  return {};
}

Result<void> KafkaTransaction::CommitProducer(const Deadline& deadline) {
  Result<void> committed =
      Retry([this] { return rd_kafka_commit_transaction(client_->get(), Producer::kCallMs); },
            deadline, "committing the transaction", ErrorCode::kUnknownOutcome);
  if (committed.ok()) {
    late_request_ = client_->unanswered().LateAfterCommit();
    return {};
  }
  Error error = committed.error();
  // The broker may have received the request.
  if (error.code == ErrorCode::kInternal) error.code = ErrorCode::kUnknownOutcome;
  return error;
}

Result<std::vector<int64_t>> KafkaTransaction::CommittedOffsets(
    std::span<const InputPartition> inputs) {
  const PartitionListHandle list = ListOf(inputs);
  // A read_committed client waits for an offset that is in an open transaction. That is right
  // after a commit of our own, which is about to end. A foreign transaction may stay open for any
  // time, so that then the offsets before it count.
  rd_kafka_resp_err_t code = RD_KAFKA_RESP_ERR_NO_ERROR;
  for (const ClientRole role : {ClientRole::kSource, ClientRole::kWatermark}) {
    const bool stable = role == ClientRole::kSource;
    NEARDUP_ASSIGN(const std::shared_ptr<Client> reader, Client::New(options_, role, log_));
    code = rd_kafka_committed(reader->get(), list.get(),
                              stable ? std::min(kStableOffsetsMs, options_.answer_timeout_ms)
                                     : options_.answer_timeout_ms);
    if (code == RD_KAFKA_RESP_ERR_NO_ERROR) break;
    const std::string doing = fmt::format("reading the offsets of group {}", options_.app);
    // A missing right shows only as a time-out here, and as an event.
    while (const MessageHandle event{rd_kafka_consumer_poll(reader->get(), 0)}) {
      if (IsMissingRight(event->err)) {
        return reader->diagnosis().ExplainEvent(*event, doing,
                                                inputs.empty() ? "" : inputs.front().topic);
      }
    }
    const Error error = reader->diagnosis().Explain(FromKafka(code, doing));
    if (!stable || error.code != ErrorCode::kUnavailable) return error;
    if (log_)
      log_(kLogWarning,
           fmt::format("{}; a transaction that is not of this lane may hold them, going on "
                       "with the offsets before it",
                       error.text));
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
