#include "reading/record_sample.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

#include "files/file_source.h"
#include "files/spread_sample.h"
#include "kafka/kafka_ports.h"
#include "neardup/options.h"

namespace neardup {

namespace {

constexpr size_t kRecordsPerPoll = 1000;
constexpr int kPollTimeoutMs = 200;
/// Longest time without a record before the topic counts as stalled.
constexpr auto kReadStall = std::chrono::seconds(30);

/// Reads a topic once, up to the end offsets found when it started.
class TopicSample {
 public:
  TopicSample(Source& source, std::string topics, size_t records_max)
      : source_(source), topics_(std::move(topics)), records_max_(records_max) {}

  Result<std::vector<Message>> Read(SampleEnd end) {
    NEARDUP_TRY(Assign(end));
    auto moved_at = std::chrono::steady_clock::now();
    while (messages_.size() < records_max_ && bytes_ < kSampleBytesMax && !AtEnd()) {
      const size_t before = messages_.size();
      const size_t wanted = std::min(kRecordsPerPoll, records_max_ - before);
      NEARDUP_TRY(source_.Poll(wanted, kPollTimeoutMs, messages_));
      for (size_t i = before; i < messages_.size(); ++i) {
        next_offsets_[messages_[i].position.input] = messages_[i].position.offset + 1;
        bytes_ += BytesOf(messages_[i]);
      }
      const auto now = std::chrono::steady_clock::now();
      if (messages_.size() > before) moved_at = now;
      if (now - moved_at > kReadStall) {
        return Retriable(ErrorCode::kUnavailable,
                         fmt::format("{}: read {} records, then none for {} s before the end was "
                                     "reached; check that each partition has a leader",
                                     topics_, messages_.size(), kReadStall.count()));
      }
    }
    if (!messages_.empty()) return std::move(messages_);
    return Error{
        ErrorCode::kNotFound,
        fmt::format("{}: found no committed record, expected at least one; write records to the "
                    "topics, or give `neardup tune` a file with --sample",
                    topics_)};
  }

 private:
  Result<void> Assign(SampleEnd end) {
    NEARDUP_ASSIGN(const std::vector<InputPartition> partitions, source_.Partitions());
    const auto share = static_cast<int64_t>((records_max_ + partitions.size() - 1) /
                                            std::max<size_t>(partitions.size(), 1));
    std::vector<InputAssignment> assignments;
    for (const InputPartition& partition : partitions) {
      NEARDUP_ASSIGN(int64_t begin, source_.StartOffset(partition, StartAt::kEarliest));
      NEARDUP_ASSIGN(const int64_t last, source_.StartOffset(partition, StartAt::kLatest));
      if (end == SampleEnd::kNewest) begin = std::max(begin, last - share);
      const auto number = static_cast<uint32_t>(assignments.size());
      assignments.push_back({number, partition, begin});
      next_offsets_.push_back(begin);
      end_offsets_.push_back(last);
    }
    return source_.Assign(assignments);
  }

  bool AtEnd() {
    const std::vector<InputStatus> status = source_.Status();
    return std::all_of(status.begin(), status.end(), [this](const InputStatus& input) {
      return input.at_end || next_offsets_[input.input] >= end_offsets_[input.input];
    });
  }

  Source& source_;
  std::string topics_;
  size_t records_max_;
  size_t bytes_ = 0;
  std::vector<Message> messages_;
  std::vector<int64_t> next_offsets_;  ///< by input
  std::vector<int64_t> end_offsets_;
};

}  // namespace

Result<std::vector<Message>> ReadFileSample(const std::string& path, size_t records_max) {
  NEARDUP_ASSIGN(const std::unique_ptr<FileSource> source,
                 FileSource::Open(path, RecordOptions().record_bytes_max, FileContent::kRecords));
  std::vector<Message> messages;
  size_t bytes = 0;
  while (messages.size() < records_max && bytes < kSampleBytesMax && !source->exhausted()) {
    const size_t before = messages.size();
    NEARDUP_TRY(source->Poll(records_max - before, kPollTimeoutMs, messages));
    for (size_t i = before; i < messages.size(); ++i) bytes += BytesOf(messages[i]);
  }
  if (!source->exhausted()) {
    NEARDUP_ASSIGN(std::vector<Message> spread, ReadSpreadSample(path, records_max, bytes));
    if (!spread.empty()) return spread;
  }
  if (!messages.empty()) return messages;
  return Error{
      ErrorCode::kNotFound,
      fmt::format("{}: found no record, expected JSON Lines with one record on each line", path)};
}

Result<std::vector<Message>> ReadTopicSample(const KafkaOptions& options, size_t records_max,
                                             SampleEnd end, const KafkaLog& log) {
  NEARDUP_ASSIGN(const std::unique_ptr<Source> source, NewKafkaSource(options, log));
  return TopicSample(*source, fmt::format("{}", fmt::join(options.topics, ", ")), records_max)
      .Read(end);
}

std::vector<RecordView> ViewsOf(std::span<const Message> messages) {
  std::vector<RecordView> views;
  for (const Message& message : messages) {
    const auto offset = static_cast<int64_t>(views.size());
    views.push_back({{0, offset}, message.timestamp_ms, message.value});
  }
  return views;
}

}  // namespace neardup
