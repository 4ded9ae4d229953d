#include "kafka/output_topics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <utility>

#include "kafka/kafka_ports.h"
#include "kafka/topics.h"
#include "stream/lane/route_header.h"

namespace neardup {
namespace {

constexpr int64_t kBrokerDefaultBytes = 1'048'588;
// More than the framing of a batch with one record: 61 bytes of batch header, and the lengths and
// deltas of the record and its headers.
constexpr int64_t kFramingBytes = 512;
constexpr int64_t kProducerBatchBytes = 1'000'000;

}  // namespace

OutputTopics::OutputTopics(const KafkaOptions& options,
                           std::map<std::string, int64_t> max_message_bytes)
    : options_(options), max_message_bytes_(std::move(max_message_bytes)) {
  SetRecordLimits();
}

void OutputTopics::SetRecordLimits() {
  record_bytes_max_.clear();
  for (const std::string& topic : options_.topics) {
    const int64_t limit = std::max<int64_t>(0, SmallestLimit(topic) - kFramingBytes);
    record_bytes_max_.push_back(static_cast<size_t>(limit));
  }
}

Result<void> OutputTopics::ReadLimits(const std::string& input_topic, TopicAdmin& admin) {
  for (const std::string& topic : OutputsOf(options_, input_topic)) {
    NEARDUP_ASSIGN(const Properties settings, admin.Settings(topic));
    const auto largest = NumberOf(settings, "max.message.bytes");
    if (largest) max_message_bytes_[topic] = *largest;
  }
  SetRecordLimits();
  return {};
}

size_t OutputTopics::record_bytes_max(const std::string& input_topic) const {
  const auto topic = std::find(options_.topics.begin(), options_.topics.end(), input_topic);
  assert(topic != options_.topics.end());
  return record_bytes_max_[static_cast<size_t>(topic - options_.topics.begin())];
}

int64_t OutputTopics::batch_bytes_max() const {
  int64_t smallest = kProducerBatchBytes;
  for (const std::string& topic : options_.topics) {
    smallest = std::min(smallest, SmallestLimit(topic) - kFramingBytes);
  }
  if (const auto groups = max_message_bytes_.find(options_.groups_topic);
      groups != max_message_bytes_.end()) {
    smallest = std::min(smallest, groups->second - kFramingBytes);
  }
  return std::max<int64_t>(1, smallest);
}

void OutputTopics::Bind(std::shared_ptr<Client> client) {
  Unbind();
  client_ = std::move(client);
}

void OutputTopics::Unbind() {
  outputs_.clear();
  client_.reset();
}

rd_kafka_topic_t* OutputTopics::Find(const std::string& input_topic, Route route) {
  assert(route != Route::kNowhere);
  const auto index = static_cast<size_t>(route);
  for (const Outputs& outputs : outputs_) {
    if (outputs.input_topic == input_topic) return outputs.handles[index].get();
  }
  Outputs& added = outputs_.emplace_back();
  added.input_topic = input_topic;
  for (const std::string& name : OutputsOf(options_, input_topic)) {
    added.handles.emplace_back(rd_kafka_topic_new(client_->get(), name.c_str(), nullptr));
  }
  return added.handles[index].get();
}

int64_t OutputTopics::SmallestLimit(const std::string& input_topic) const {
  int64_t smallest = INT64_MAX;
  for (const std::string& topic : OutputsOf(options_, input_topic)) {
    const auto found = max_message_bytes_.find(topic);
    smallest =
        std::min(smallest, found == max_message_bytes_.end() ? kBrokerDefaultBytes : found->second);
  }
  return smallest;
}

namespace {

/// Transaction markers take up offsets too, and a transaction may hold a single record.
constexpr int64_t kOffsetsRead = 50;
constexpr size_t kRecordsPerPoll = 1000;
constexpr int kPollTimeoutMs = 100;

bool AllAtEnd(Source& source) {
  const std::vector<InputStatus> rows = source.Status();
  return std::all_of(rows.begin(), rows.end(), [](const InputStatus& row) { return row.at_end; });
}

}  // namespace

Result<std::optional<WrittenOutput>> FindNewestOutput(const KafkaOptions& options,
                                                      const KafkaLog& log) {
  KafkaOptions outputs = options;
  outputs.topics = OutputsOf(options);
  NEARDUP_ASSIGN(const std::unique_ptr<Source> source, NewKafkaSource(outputs, log));
  NEARDUP_ASSIGN(const std::vector<InputPartition> partitions, source->Partitions());
  NEARDUP_ASSIGN(const std::vector<OffsetBounds> bounds,
                 ListOffsetBounds(outputs, partitions, log));
  std::vector<InputAssignment> tails;
  for (uint32_t i = 0; i < partitions.size(); ++i) {
    if (bounds[i].begin == bounds[i].end) continue;
    tails.push_back({i, partitions[i], std::max(bounds[i].begin, bounds[i].end - kOffsetsRead)});
  }
  std::optional<WrittenOutput> newest;
  if (tails.empty()) return newest;
  NEARDUP_TRY(source->Assign(tails));
  const Deadline deadline(options.answer_timeout_ms);
  std::vector<Message> batch;
  while (!AllAtEnd(*source)) {
    if (deadline.passed()) {
      return Retriable(
          ErrorCode::kUnavailable,
          fmt::format("reading the last records of the output topics: not at their ends "
                      "after {} ms (kafka.answer_timeout_ms)",
                      options.answer_timeout_ms));
    }
    batch.clear();
    NEARDUP_TRY(source->Poll(kRecordsPerPoll, kPollTimeoutMs, batch));
    for (const Message& message : batch) {
      const Result<ParsedHeader> header = ParseRouteHeader(message.headers);
      if (!header.ok() || (newest && header->seq <= newest->seq)) continue;
      const InputPartition& place = partitions[message.position.input];
      newest = {header->seq,
                fmt::format("{}/{}/{}", place.topic, place.partition, message.position.offset)};
    }
  }
  return newest;
}

}  // namespace neardup
