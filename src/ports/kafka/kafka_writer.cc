#include "kafka/kafka_writer.h"

#include <utility>

#include "kafka/topic_producer.h"

namespace neardup {
namespace {

constexpr int kAnswersPerWait = 6;

}  // namespace

KafkaWriter::KafkaWriter(std::unique_ptr<TopicProducer> producer)
    : producer_(std::move(producer)) {}
KafkaWriter::~KafkaWriter() = default;

Result<std::unique_ptr<KafkaWriter>> KafkaWriter::New(const KafkaOptions& options,
                                                      const KafkaLog& log) {
  NEARDUP_ASSIGN(std::unique_ptr<TopicProducer> producer,
                 TopicProducer::New(options, ClientRole::kPlainWriter, log,
                                    kAnswersPerWait * options.answer_timeout_ms));
  return std::unique_ptr<KafkaWriter>(new KafkaWriter(std::move(producer)));
}

Result<void> KafkaWriter::Write(const std::string& topic, int32_t partition,
                                const Message& message) {
  return producer_->Write(topic, partition, message, message.headers);
}

Result<void> KafkaWriter::Flush() { return producer_->Flush(); }

}  // namespace neardup
