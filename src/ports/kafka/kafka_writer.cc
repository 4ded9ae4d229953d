#include "kafka/kafka_writer.h"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <utility>

#include "kafka/client.h"
#include "kafka/deadline.h"
#include "kafka/outgoing_record.h"

namespace neardup {
namespace {

// Long waits are cut into slices; failed deliveries are heard between two slices. A successful
// delivery does not end a wait of the library, so slices are short while its queue is full.
constexpr int kFlushSliceMs = 100;
constexpr int kFullSliceMs = 1;
// Failed deliveries are heard after at most this number of written records.
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
  /// Serves the library's delivery reports for up to `timeout_ms`; returns the first failure so
  /// far.
  Result<void> Hear(int timeout_ms);
};

rd_kafka_topic_t* KafkaWriter::Parts::Topic(const std::string& name) {
  TopicHandle& handle = topics[name];
  if (!handle) handle.reset(rd_kafka_topic_new(client->get(), name.c_str(), nullptr));
  return handle.get();
}

void KafkaWriter::Parts::Report(const rd_kafka_message_t& message) {
  if (message.err == RD_KAFKA_RESP_ERR_NO_ERROR || failed) return;
  failed = client->Explain(FromKafka(
      message.err,
      fmt::format("writing to {}/{}", rd_kafka_topic_name(message.rkt), message.partition)));
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
  const std::string doing = fmt::format("writing to {}/{}", topic, partition);
  if (handle == nullptr) return FromKafka(rd_kafka_last_error(), doing);
  OutgoingRecord record{
      .topic = handle, .partition = partition, .key = message.key, .value = message.value};
  if (message.timestamp_ms >= 0) record.timestamp_ms = message.timestamp_ms;
  NEARDUP_TRY(AddHeaders(message.headers, record));
  const Deadline deadline(parts_->wait_timeout_ms);
  rd_kafka_resp_err_t code = Send(parts_->client->get(), record);
  while (code == RD_KAFKA_RESP_ERR__QUEUE_FULL && !deadline.passed()) {
    NEARDUP_TRY(parts_->Hear(deadline.left_ms(kFullSliceMs)));
    code = Send(parts_->client->get(), record);
  }
  if (code != RD_KAFKA_RESP_ERR_NO_ERROR) {
    NEARDUP_TRY(parts_->Hear(0));
    return parts_->client->Explain(FromKafka(code, doing));
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
                  fmt::format("{} records are in flight", rd_kafka_outq_len(producer))));
  }
}

}  // namespace neardup
