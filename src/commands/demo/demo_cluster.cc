#include "commands/demo/demo_cluster.h"

#include <fmt/format.h>

#include <algorithm>

#include "kafka/kafka_ports.h"
#include "kafka/topic_producer.h"
#include "service/topics/topic_reading.h"
#include "stream/lane/route_header.h"

namespace neardup {
namespace {

constexpr const char* kArticles = "articles";
constexpr const char* kProducts = "products";
constexpr int32_t kPartitionsMin = 2;
/// Bytes of input in a partition. The broker deletes the oldest records of a partition of more than
/// 5 MB, and outputs are larger than their inputs by the headers.
constexpr size_t kPartitionBytes = 3'000'000;
constexpr size_t kRecordsPerPoll = 5000;
constexpr int kPollTimeoutMs = 100;
constexpr int kReadTimeoutMs = 30'000;

/// Returns the input topic of a record: products if the payload contains "name", also when it is
/// malformed; otherwise articles.
const char* TopicOf(const SyntheticRecord& record) {
  return record.payload.find("\"name\"") != std::string::npos ? kProducts : kArticles;
}

}  // namespace

Result<std::unique_ptr<DemoCluster>> DemoCluster::New(std::span<const SyntheticRecord> records,
                                                      KafkaLog log) {
  std::unique_ptr<DemoCluster> cluster(new DemoCluster(records, std::move(log)));
  NEARDUP_ASSIGN(cluster->broker_, EmbeddedBroker::New(1));
  cluster->options_.brokers = cluster->broker_->bootstrap();
  cluster->options_.app = "neardup-demo";
  cluster->options_.topics = {kArticles, kProducts};
  cluster->options_.create_topics = false;  // the broker does not create topics for clients
  NEARDUP_TRY(cluster->CreateTopics());
  return cluster;
}

Result<void> DemoCluster::CreateTopics() {
  for (const std::string& topic : options_.topics) {
    size_t bytes = 0;
    for (const SyntheticRecord& record : records_) {
      if (TopicOf(record) == topic) bytes += record.payload.size() + record.key.size();
    }
    const auto partitions =
        std::max(kPartitionsMin, static_cast<int32_t>(bytes / kPartitionBytes) + 1);
    NEARDUP_TRY(broker_->CreateTopic(topic, partitions));
    for (const std::string& output : OutputsOf(options_, topic)) {
      NEARDUP_TRY(broker_->CreateTopic(output, partitions));
    }
    for (int32_t i = 0; i < partitions; ++i) placed_[{topic, i}] = {};
  }
  NEARDUP_TRY(broker_->CreateTopic(ChangelogTopic(options_), 1));
  return broker_->CreateTopic(LeaseTopic(options_), 1);
}

Result<void> DemoCluster::Fill() {
  NEARDUP_ASSIGN(const std::unique_ptr<TopicProducer> writer, NewKafkaWriter(options_, log_));
  std::map<std::string, int32_t> partitions;
  for (const auto& [partition, indexes] : placed_) ++partitions[partition.topic];
  for (size_t i = 0; i < records_.size(); ++i) {
    const SyntheticRecord& record = records_[i];
    const char* const topic = TopicOf(record);
    const auto partition = static_cast<int32_t>(i % static_cast<size_t>(partitions[topic]));
    Message message;
    message.timestamp_ms = record.timestamp_ms;
    message.key = record.key;
    message.value = record.payload;
    NEARDUP_TRY(writer->Write(topic, partition, message));
    placed_[{topic, partition}].push_back(i);
  }
  return writer->Flush();
}

Result<std::vector<DemoVerdict>> DemoCluster::ReadVerdicts() const {
  KafkaOptions options = options_;
  options.topics.clear();
  for (const std::string& topic : options_.topics) {
    for (std::string& output : OutputsOf(options_, topic)) {
      options.topics.push_back(std::move(output));
    }
  }
  NEARDUP_ASSIGN(const std::unique_ptr<Source> source, NewKafkaSource(options, log_));
  NEARDUP_ASSIGN(const std::vector<InputPartition> partitions, source->Partitions());
  std::vector<InputAssignment> assignments;
  for (const InputPartition& partition : partitions) {
    assignments.push_back({static_cast<uint32_t>(assignments.size()), partition, 0});
  }
  NEARDUP_TRY(source->Assign(assignments));
  std::vector<DemoVerdict> verdicts(records_.size());
  std::vector<Message> batch;
  const Deadline deadline(kReadTimeoutMs);
  for (size_t seen = 0; seen < records_.size(); seen += batch.size()) {
    if (deadline.passed()) {
      return Error{ErrorCode::kInternal,
                   fmt::format("found only {} of {} records in the output topics within {} s", seen,
                               records_.size(), kReadTimeoutMs / 1000)};
    }
    batch.clear();
    NEARDUP_TRY(source->Poll(kRecordsPerPoll, kPollTimeoutMs, batch));
    for (const Message& message : batch) NEARDUP_TRY(Take(message, verdicts));
  }
  return verdicts;
}

Result<void> DemoCluster::Take(const Message& message, std::vector<DemoVerdict>& verdicts) const {
  NEARDUP_ASSIGN(const ParsedHeader header, ParseRouteHeader(message.headers));
  NEARDUP_ASSIGN(const size_t index, RecordAt(header.origin, header.origin_offset));
  DemoVerdict& verdict = verdicts[index];
  if (!verdict.place.empty()) {
    return Error{ErrorCode::kInternal,
                 fmt::format("the output topics hold the record {} twice", verdict.place)};
  }
  verdict.place = TextOf(header.origin, header.origin_offset);
  verdict.decision = header.decision();
  verdict.reason = header.reason;
  if (header.original) {
    const ParsedOriginal& original = *header.original;
    NEARDUP_ASSIGN(verdict.original, RecordAt(original.partition, original.offset));
    verdict.distance = original.distance;
    verdict.match = original.kind;
  }
  return {};
}

Result<size_t> DemoCluster::RecordAt(const InputPartition& partition, int64_t offset) const {
  const auto found = placed_.find(partition);
  if (found == placed_.end() || offset < 0 || static_cast<size_t>(offset) >= found->second.size()) {
    return Error{
        ErrorCode::kInternal,
        fmt::format("an output names {}, where no record was written", TextOf(partition, offset))};
  }
  return found->second[static_cast<size_t>(offset)];
}

}  // namespace neardup
