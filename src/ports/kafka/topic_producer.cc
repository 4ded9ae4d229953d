#include "kafka/topic_producer.h"

#include <fmt/format.h>

namespace neardup {

Result<std::unique_ptr<TopicProducer>> TopicProducer::New(const KafkaOptions& options,
                                                          ClientRole role, const KafkaLog& log,
                                                          int timeout_ms, const Properties& extra) {
  std::unique_ptr<TopicProducer> made(new TopicProducer(timeout_ms));
  TopicProducer* const self = made.get();
  ClientHooks hooks;
  hooks.delivery_failed = [self](const rd_kafka_message_t& message) { self->Report(message); };
  NEARDUP_ASSIGN(made->client_, Client::New(options, role, log, std::move(hooks), 0, extra));
  made->producer_.emplace(made->client_, [self]() -> Result<void> {
    if (self->failed_) return *self->failed_;
    return {};
  });
  return made;
}

void TopicProducer::Report(const rd_kafka_message_t& message) {
  if (message.err == RD_KAFKA_RESP_ERR_NO_ERROR || failed_) return;
  failed_ = client_->diagnosis().Explain(FromKafka(
      message.err,
      fmt::format("writing to {}/{}", rd_kafka_topic_name(message.rkt), message.partition)));
}

Result<void> TopicProducer::Write(const std::string& topic, int32_t partition,
                                  const Message& message, const std::vector<HeaderView>& headers) {
  const std::string doing = fmt::format("writing to {}/{}", topic, partition);
  TopicHandle& handle = topics_[topic];
  if (!handle) handle.reset(rd_kafka_topic_new(client_->get(), topic.c_str(), nullptr));
  if (!handle) return FromKafka(rd_kafka_last_error(), doing);
  OutgoingRecord record{
      .topic = handle.get(), .partition = partition, .key = message.key, .value = message.value};
  if (message.timestamp_ms >= 0) record.timestamp_ms = message.timestamp_ms;
  NEARDUP_TRY(AddHeaders(headers, record));
  NEARDUP_ASSIGN(const rd_kafka_resp_err_t code, producer_->Send(record, timeout_ms_));
  if (code == RD_KAFKA_RESP_ERR_NO_ERROR) return {};
  NEARDUP_TRY(producer_->ReadReports(0));
  return client_->diagnosis().Explain(FromKafka(code, doing));
}

Result<void> TopicProducer::Flush() { return producer_->Flush(Deadline(timeout_ms_)); }

}  // namespace neardup
