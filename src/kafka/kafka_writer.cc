#include "kafka/kafka_writer.h"

#include <array>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "kafka/client.h"

namespace neardup {

namespace {

// A view of no bytes may be null; to the library null means that there is no value.
void* Bytes(std::string_view view) {
  return const_cast<char*>(view.data() == nullptr ? "" : view.data());
}

/// The producer takes 0 for "now" and offers no other way to say 1970 (rd_kafka_msg_new0 in
/// librdkafka's rdkafka_msg.c): a millisecond later is as near as it gets.
int64_t Sendable(int64_t timestamp_ms) { return timestamp_ms == 0 ? 1 : timestamp_ms; }

rd_kafka_vu_t Part(rd_kafka_vtype_t type) {
  rd_kafka_vu_t part{};
  part.vtype = type;
  return part;
}

rd_kafka_vu_t Part(rd_kafka_vtype_t type, const std::optional<std::string_view>& bytes) {
  rd_kafka_vu_t part = Part(type);
  if (bytes) part.u.mem = {Bytes(*bytes), bytes->size()};
  return part;
}

Result<void> Append(const std::vector<HeaderView>& headers, rd_kafka_headers_t* into) {
  for (const HeaderView& header : headers) {
    const std::string_view value = header.value.value_or(std::string_view());
    const auto code = rd_kafka_header_add(into, static_cast<const char*>(Bytes(header.name)),
                                          static_cast<ssize_t>(header.name.size()),
                                          header.value ? Bytes(value) : nullptr,
                                          static_cast<ssize_t>(value.size()));
    if (code != RD_KAFKA_RESP_ERR_NO_ERROR) return FromKafka(code, "adding a header");
  }
  return {};
}

}  // namespace

Result<OutgoingRecord> Outgoing(const RoutedRecord& record, rd_kafka_topic_t* topic, void* tag) {
  const Message& message = record.message;
  OutgoingRecord outgoing;
  outgoing.topic = topic;
  outgoing.partition = record.input.partition;
  outgoing.timestamp_ms = Sendable(message.timestamp_ms);
  outgoing.tag = tag;
  const size_t own = record.by_reference ? 0 : message.headers.size();
  if (own + record.headers.size() > 0) {
    outgoing.headers.reset(rd_kafka_headers_new(own + record.headers.size()));
  }
  if (!record.by_reference) {
    outgoing.key = message.key;
    outgoing.value = message.value;
    NEARDUP_TRY(Append(message.headers, outgoing.headers.get()));
  } else if (record.verdict.outcome.reason == Reason::kUndeliverable) {
    outgoing.timestamp_ms = 0;  // the record's own may be what was refused
  }
  NEARDUP_TRY(Append(record.headers, outgoing.headers.get()));
  return outgoing;
}

rd_kafka_resp_err_t Send(rd_kafka_t* producer, OutgoingRecord& record) {
  std::array<rd_kafka_vu_t, 8> parts = {Part(RD_KAFKA_VTYPE_RKT),
                                        Part(RD_KAFKA_VTYPE_PARTITION),
                                        Part(RD_KAFKA_VTYPE_MSGFLAGS),
                                        Part(RD_KAFKA_VTYPE_KEY, record.key),
                                        Part(RD_KAFKA_VTYPE_VALUE, record.value),
                                        Part(RD_KAFKA_VTYPE_TIMESTAMP),
                                        Part(RD_KAFKA_VTYPE_OPAQUE),
                                        Part(RD_KAFKA_VTYPE_HEADERS)};
  parts[0].u.rkt = record.topic;
  parts[1].u.i32 = record.partition;
  parts[2].u.i = RD_KAFKA_MSG_F_COPY;
  parts[5].u.i64 = record.timestamp_ms;
  parts[6].u.ptr = record.tag;
  parts[7].u.headers = record.headers.get();
  const size_t count = record.headers ? parts.size() : parts.size() - 1;
  const ErrorHandle refused(rd_kafka_produceva(producer, parts.data(), count));
  if (refused) return rd_kafka_error_code(refused.get());
  static_cast<void>(record.headers.release());  // the producer took them
  return RD_KAFKA_RESP_ERR_NO_ERROR;
}

namespace {

// Long waits are cut into slices, between which failed deliveries are heard. Successful ones do not
// end a wait of the library, so while its queue is full the slices are short.
constexpr int kFlushSliceMs = 100;
constexpr int kFullSliceMs = 1;
// Failed deliveries are heard at least this often, in records written.
constexpr uint32_t kRecordsPerHearing = 1000;
constexpr int kAnswersPerWait = 6;

}  // namespace

struct KafkaWriter::Parts {
  int wait_timeout_ms = 0;
  std::shared_ptr<Client> client;
  std::map<std::string, TopicHandle> topics;  ///< freed before their client
  std::optional<Error> failed;                ///< the first failed delivery
  uint32_t written = 0;

  rd_kafka_topic_t* Topic(const std::string& name);
  void Report(const rd_kafka_message_t& message);
  /// Hears of deliveries for a moment; the first failed one ends the wait.
  Result<void> Hear(int timeout_ms);
};

rd_kafka_topic_t* KafkaWriter::Parts::Topic(const std::string& name) {
  TopicHandle& handle = topics[name];
  if (!handle) handle.reset(rd_kafka_topic_new(client->get(), name.c_str(), nullptr));
  return handle.get();
}

void KafkaWriter::Parts::Report(const rd_kafka_message_t& message) {
  if (message.err == RD_KAFKA_RESP_ERR_NO_ERROR || failed) return;
  const std::string doing = std::string("writing to ") + rd_kafka_topic_name(message.rkt) + "/" +
                            std::to_string(message.partition);
  failed = client->Explain(FromKafka(message.err, doing));
}

Result<void> KafkaWriter::Parts::Hear(int timeout_ms) {
  rd_kafka_poll(client->get(), timeout_ms);
  if (failed) return *failed;
  return {};
}

KafkaWriter::KafkaWriter(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

KafkaWriter::~KafkaWriter() {
  parts_->topics.clear();
  parts_->client.reset();
}

Result<std::unique_ptr<KafkaWriter>> KafkaWriter::New(const KafkaOptions& options, KafkaLog log) {
  auto parts = std::make_unique<Parts>();
  parts->wait_timeout_ms = kAnswersPerWait * options.answer_timeout_ms;
  ClientHooks hooks;
  hooks.delivery_failed = [self = parts.get()](const rd_kafka_message_t& message) {
    self->Report(message);
  };
  NEARDUP_ASSIGN(parts->client,
                 Client::New(options, ClientRole::kPlainWriter, std::move(log), std::move(hooks)));
  return std::unique_ptr<KafkaWriter>(new KafkaWriter(std::move(parts)));
}

Result<void> KafkaWriter::Write(const std::string& topic, int32_t partition,
                                const Message& message) {
  rd_kafka_topic_t* handle = parts_->Topic(topic);
  if (handle == nullptr) return FromKafka(rd_kafka_last_error(), "writing to topic " + topic);
  const InputPartition where{topic, partition};
  const Verdict no_verdict;
  const std::vector<HeaderView> none;
  const RoutedRecord record{
      .message = message, .input = where, .verdict = no_verdict, .headers = none};
  NEARDUP_ASSIGN(OutgoingRecord outgoing, Outgoing(record, handle, nullptr));
  if (message.timestamp_ms < 0) outgoing.timestamp_ms = 0;
  const Deadline deadline(parts_->wait_timeout_ms);
  rd_kafka_resp_err_t code = Send(parts_->client->get(), outgoing);
  while (code == RD_KAFKA_RESP_ERR__QUEUE_FULL && !deadline.passed()) {
    NEARDUP_TRY(parts_->Hear(deadline.left_ms(kFullSliceMs)));
    code = Send(parts_->client->get(), outgoing);
  }
  if (code != RD_KAFKA_RESP_ERR_NO_ERROR) {
    NEARDUP_TRY(parts_->Hear(0));
    return parts_->client->Explain(
        FromKafka(code, "writing to " + topic + "/" + std::to_string(partition)));
  }
  return ++parts_->written % kRecordsPerHearing == 0 ? parts_->Hear(0) : Result<void>();
}

Result<void> KafkaWriter::Flush() {
  const Deadline deadline(parts_->wait_timeout_ms);
  rd_kafka_t* producer = parts_->client->get();
  while (true) {
    const rd_kafka_resp_err_t code = rd_kafka_flush(producer, deadline.left_ms(kFlushSliceMs));
    NEARDUP_TRY(parts_->Hear(0));
    if (code == RD_KAFKA_RESP_ERR_NO_ERROR) return {};
    if (!deadline.passed() && !parts_->client->LoginRefused()) continue;
    return parts_->client->Explain(
        FromKafka(RD_KAFKA_RESP_ERR__TIMED_OUT, "waiting for deliveries",
                  std::to_string(rd_kafka_outq_len(producer)) + " records in flight"));
  }
}

}  // namespace neardup
