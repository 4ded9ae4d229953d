#include "service/topics/record_sample.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <utility>

#include "kafka/kafka_ports.h"
#include "neardup/options.h"
#include "stream/files/file_sample.h"
#include "stream/files/file_source.h"
#include "stream/lane/encoded_source.h"

namespace neardup {
namespace {

constexpr size_t kSampleRecordsPerPoll = 1000;
constexpr int kSamplePollMs = 200;
/// Longest time without a record before the topic counts as stalled.
constexpr auto kSampleStall = std::chrono::seconds(30);

/// A sample that is spread over topics consists of so many stretches. Each costs a moment, since
/// the brokers are asked for other offsets.
constexpr int64_t kStretches = 8;

/// Reads topics once, up to the end offsets found when it started.
class TopicSample {
 public:
  TopicSample(Source& source, std::string topics, size_t records_max)
      : source_(source), topics_(std::move(topics)), records_max_(records_max) {}

  Result<std::vector<Message>> Read(LearnedRecords part) {
    NEARDUP_TRY(FindRanges(part));
    if (part == LearnedRecords::kSpread && Records() > static_cast<int64_t>(records_max_)) {
      for (int64_t stretch = 0; stretch < kStretches; ++stretch) {
        NEARDUP_TRY(ReadOffsets(StretchOf(stretch), kSampleBytesMax / kStretches));
      }
    } else {
      NEARDUP_TRY(ReadOffsets(ranges_, kSampleBytesMax));
    }
    if (!messages_.empty()) return std::move(messages_);
    return Error{
        ErrorCode::kNotFound,
        fmt::format("{}: found no committed record, expected at least one; write records to the "
                    "topics, or give `neardup tune` a file with --input",
                    topics_)};
  }

 private:
  /// Offsets of a partition. Its index in a list of ranges is the number of the input.
  struct Range {
    InputPartition partition;
    int64_t begin = 0;
    int64_t end = 0;
    bool read = false;  ///< to its end
  };

  Result<void> FindRanges(LearnedRecords part) {
    NEARDUP_ASSIGN(const std::vector<InputPartition> partitions, source_.Partitions());
    const auto share = static_cast<int64_t>((records_max_ + partitions.size() - 1) /
                                            std::max<size_t>(partitions.size(), 1));
    for (const InputPartition& partition : partitions) {
      NEARDUP_ASSIGN(int64_t begin, source_.StartOffset(partition, StartAt::kEarliest));
      NEARDUP_ASSIGN(const int64_t end, source_.StartOffset(partition, StartAt::kLatest));
      if (part == LearnedRecords::kLatest) begin = std::max(begin, end - share);
      ranges_.push_back({partition, begin, end});
    }
    return {};
  }

  int64_t Records() const {
    int64_t records = 0;
    for (const Range& range : ranges_) records += range.end - range.begin;
    return records;
  }

  /// The beginning of one stretch of each partition. All stretches together hold about records_max_
  /// records, of each partition in proportion to its length.
  std::vector<Range> StretchOf(int64_t stretch) const {
    const double share =
        static_cast<double>(records_max_) / static_cast<double>(std::max<int64_t>(Records(), 1));
    std::vector<Range> parts = ranges_;
    for (Range& part : parts) {
      const auto length = static_cast<double>(part.end - part.begin) / kStretches;
      part.begin += static_cast<int64_t>(length * static_cast<double>(stretch));
      part.end = std::min(part.end, part.begin + static_cast<int64_t>(std::ceil(length * share)));
    }
    return parts;
  }

  /// Reads all ranges, or as much as the sample may hold.
  Result<void> ReadOffsets(std::vector<Range> ranges, size_t bytes_more) {
    const size_t bytes_max = bytes_ + bytes_more;
    NEARDUP_TRY(Assign(ranges));
    auto moved_at = std::chrono::steady_clock::now();
    std::vector<Message> polled;
    while (messages_.size() < records_max_ && bytes_ < bytes_max && !AllRead(ranges)) {
      polled.clear();
      NEARDUP_TRY(source_.Poll(std::min(kSampleRecordsPerPoll, records_max_ - messages_.size()),
                               kSamplePollMs, polled));
      const size_t taken = Take(polled, ranges);
      const auto now = std::chrono::steady_clock::now();
      if (!polled.empty()) moved_at = now;
      // Records with earlier timestamps come first, also records after the end of their range.
      if (!polled.empty() && taken == 0) NEARDUP_TRY(Assign(ranges));
      if (now - moved_at > kSampleStall) {
        return Retriable(ErrorCode::kUnavailable,
                         fmt::format("{}: read {} records, then none for {} s before the end was "
                                     "reached; check that each partition has a leader",
                                     topics_, messages_.size(), kSampleStall.count()));
      }
    }
    return {};
  }

  /// Assigns what is not read yet.
  Result<void> Assign(const std::vector<Range>& ranges) {
    std::vector<InputAssignment> assignments;
    for (size_t input = 0; input < ranges.size(); ++input) {
      const Range& range = ranges[input];
      if (range.read) continue;
      assignments.push_back({static_cast<uint32_t>(input), range.partition, range.begin});
    }
    return source_.Assign(assignments);
  }

  /// Keeps the records that are in their ranges, and moves the beginnings of the ranges after
  /// them. Returns how many it keeps.
  size_t Take(std::vector<Message>& polled, std::vector<Range>& ranges) {
    size_t taken = 0;
    for (Message& message : polled) {
      Range& range = ranges[message.position.input];
      range.begin = message.position.offset + 1;
      if (message.position.offset >= range.end) continue;
      bytes_ += BytesOf(message);
      messages_.push_back(std::move(message));
      ++taken;
    }
    return taken;
  }

  bool AllRead(std::vector<Range>& ranges) {
    for (const InputStatus& input : source_.Status()) {
      Range& range = ranges[input.input];
      range.read = input.at_end || range.begin >= range.end;
    }
    return std::all_of(ranges.begin(), ranges.end(), [](const Range& range) { return range.read; });
  }

  Source& source_;
  std::string topics_;
  size_t records_max_;
  std::vector<Range> ranges_;  ///< of the whole sample
  size_t bytes_ = 0;
  std::vector<Message> messages_;
};

}  // namespace

void DecodeInPlace(std::vector<Message>& messages) {
  size_t bytes = 0;
  RecordBuffer buffer;
  for (Message& message : messages) {
    if (!message.encoding || !message.value || bytes > 2 * kSampleBytesMax) continue;
    const RecordView record = RecordOf(message, buffer);
    if (record.unreadable != nullptr) continue;
    const auto json = std::make_shared<const std::string>(*record.value);
    bytes += json->size();
    message.value = *json;
    message.owner = json;
    message.encoding = nullptr;
  }
}

Result<std::unique_ptr<Source>> OpenRecordFile(const std::string& path, size_t record_bytes_max,
                                               const Settings& settings) {
  const bool json = settings.lane.filter.record.format != RecordFormat::kText;
  NEARDUP_ASSIGN(
      std::unique_ptr<Source> file,
      FileSource::Open(path, record_bytes_max, json ? FileContent::kRecords : FileContent::kLines));
  const std::shared_ptr<PayloadEncodings>& encodings = settings.kafka.encodings;
  if (!encodings) return file;
  file = std::make_unique<EncodedSource>(std::move(file), encodings, OnNoSchema::kFail);
  return file;
}

Result<std::vector<Message>> ReadFileSample(const std::string& path, size_t records_max,
                                            const Settings& settings) {
  NEARDUP_ASSIGN(const std::unique_ptr<Source> source,
                 OpenRecordFile(path, RecordOptions().record_bytes_max, settings));
  std::vector<Message> messages;
  size_t bytes = 0;
  while (messages.size() < records_max && bytes < kSampleBytesMax && !source->exhausted()) {
    const size_t before = messages.size();
    NEARDUP_TRY(source->Poll(records_max - before, kSamplePollMs, messages));
    for (size_t i = before; i < messages.size(); ++i) bytes += BytesOf(messages[i]);
  }
  if (!source->exhausted()) {
    NEARDUP_ASSIGN(std::vector<Message> spread, ReadSpreadSample(path, records_max, bytes));
    if (!spread.empty()) messages = std::move(spread);
    if (settings.kafka.encodings) NEARDUP_TRY(settings.kafka.encodings->Find(messages));
  }
  DecodeInPlace(messages);
  if (!messages.empty()) return messages;
  return Error{
      ErrorCode::kNotFound,
      fmt::format("{}: found no record, expected JSON Lines with one record on each line", path)};
}

Result<std::vector<Message>> ReadTopicSample(const KafkaOptions& options, size_t records_max,
                                             LearnedRecords part, const KafkaLog& log) {
  NEARDUP_ASSIGN(const std::unique_ptr<Source> source, NewKafkaSource(options, log));
  TopicSample sample(*source, fmt::format("{}", fmt::join(options.topics, ", ")), records_max);
  NEARDUP_ASSIGN(std::vector<Message> messages, sample.Read(part));
  DecodeInPlace(messages);
  return messages;
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
