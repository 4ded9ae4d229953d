#include "service/topics/record_finder.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "detect/base/quantity.h"
#include "detect/record/field_extractor.h"
#include "kafka/kafka_ports.h"
#include "service/topics/topic_reading.h"

namespace neardup {
namespace {

constexpr size_t kPollLines = 1000;
constexpr int kWaitMs = 1000;

bool IsFile(const std::string& path) {
  std::error_code error;
  return std::filesystem::exists(path, error) && !std::filesystem::is_directory(path, error);
}

/// FILE:LINE.
struct LineOfFile {
  std::string path;
  int64_t line = 0;
};

std::optional<LineOfFile> ParseLineOfFile(const std::string& name) {
  const size_t colon = name.rfind(':');
  if (colon == name.npos || !IsFile(name.substr(0, colon))) return std::nullopt;
  const auto line = ParseInteger(std::string_view(name).substr(colon + 1));
  if (!line || *line < 1) return std::nullopt;
  return LineOfFile{name.substr(0, colon), *line};
}

/// The next line; nullopt at the end.
Result<std::optional<std::string>> NextLine(FileSource& source) {
  std::vector<Message> messages;
  while (messages.empty() && !source.exhausted()) {
    NEARDUP_TRY(source.Poll(1, kWaitMs, messages));
  }
  if (messages.empty()) return {std::nullopt};
  return {std::string(messages[0].value.value_or(""))};
}

Error Missing(std::string text) { return {ErrorCode::kNotFound, std::move(text)}; }

}  // namespace

void NamedRecord::Take(const Message& message) {
  RecordBuffer buffer;
  const RecordView record = RecordOf(message, buffer);
  time_ms = message.timestamp_ms;
  value = record.value;
  if (record.unreadable != nullptr) unreadable = *record.unreadable;
}

Result<NamedRecord> RecordFinder::Find(const std::string& name) {
  NEARDUP_ASSIGN(NamedRecord record, ReadByName(name));
  const std::shared_ptr<PayloadEncodings>& encodings = settings_.kafka.encodings;
  if (record.from_topic || !encodings) return record;
  const std::string bytes = record.value.value_or("");
  Message message;
  message.timestamp_ms = record.time_ms;
  message.value = bytes;
  NEARDUP_TRY(encodings->Find({&message, 1}));
  record.Take(message);
  return record;
}

Result<NamedRecord> RecordFinder::ReadByName(const std::string& name) {
  if (name == "-") return ReadNextOfStandardInput();
  if (IsFile(name)) return ReadWholeFile(name);
  if (const auto line = ParseLineOfFile(name)) return ReadLineOf(line->path, line->line);
  if (const auto at = ParseTopicOffset(name)) {
    return ReadFromTopic(at->partition.topic, at->partition.partition, at->offset);
  }
  return Missing(
      fmt::format("{}: found no such file, expected a file with one record, FILE:LINE, - for "
                  "standard input, or TOPIC/PARTITION/OFFSET such as articles/0/5000",
                  name));
}

Result<NamedRecord> RecordFinder::FindOutputOf(const InputPartition& input, int64_t offset) {
  return FindOutput({input.topic}, TextOf(input, offset),
                    [&](const Message&, const ParsedHeader& header) {
                      return header.origin == input && header.origin_offset == offset;
                    });
}

Result<NamedRecord> RecordFinder::FindById(const std::string& id_field, const std::string& id) {
  RecordIdReader reader(id_field);
  RecordBuffer buffer;
  return FindOutput(settings_.kafka.topics, fmt::format("a record with {} {}", id_field, id),
                    [&](const Message& message, const ParsedHeader&) {
                      const RecordView record = RecordOf(message, buffer);
                      return record.value && reader.FieldText(*record.value) == id;
                    });
}

Result<NamedRecord> RecordFinder::FindOutput(
    const std::vector<std::string>& inputs, const std::string& what,
    const std::function<bool(const Message&, const ParsedHeader&)>& is_it) {
  KafkaOptions options = settings_.kafka;
  options.lanes = 1;  // the outputs of all lanes
  options.topics = inputs;
  options.topics = OutputsOf(options);
  NEARDUP_ASSIGN(const std::unique_ptr<Source> source, NewKafkaSource(options, log_));
  NEARDUP_ASSIGN(const std::vector<InputPartition> partitions, source->Partitions());
  std::vector<ReadRange> ranges;
  for (const InputPartition& partition : partitions) {
    NEARDUP_ASSIGN(const OffsetBounds bounds, source->Bounds(partition));
    ranges.push_back({partition, bounds.begin, bounds.end});
  }
  std::optional<NamedRecord> newest;
  NEARDUP_TRY(ReadRanges(*source, ranges, [&](const Message& message) -> Result<void> {
    Result<ParsedHeader> header = ParseRouteHeader(message.headers);
    if (!header.ok() || !is_it(message, *header)) return {};
    if (newest && newest->header->seq > header->seq) return {};
    newest = NamedRecord{TextOf(ranges[message.position.input].partition, message.position.offset),
                         std::nullopt, 0, true, std::move(*header)};
    newest->Take(message);
    return {};
  }));
  if (newest) return std::move(*newest);
  return Missing(fmt::format(
      "{}: found in none of the topics {}; the service has not decided such a record yet, or "
      "retention has deleted it",
      what, fmt::join(options.topics, ", ")));
}

Result<NamedRecord> RecordFinder::FindOriginal(const NamedRecord& duplicate) {
  const ParsedOriginal& original = *duplicate.header->original;
  Result<NamedRecord> found =
      ReadFromTopic(original.partition.topic, original.partition.partition, original.offset);
  if (found.ok() || found.error().code != ErrorCode::kNotFound) return found;
  Result<NamedRecord> output = FindOutputOf(original.partition, original.offset);
  if (output.ok() || output.error().code != ErrorCode::kNotFound) return output;
  return Missing(fmt::format("{}/{} is the original of {}: {}; {}", TextOf(original.partition),
                             original.offset, duplicate.name, found.error().text,
                             output.error().text));
}

Result<NamedRecord> RecordFinder::ReadNextOfStandardInput() {
  if (!standard_input_) {
    NEARDUP_ASSIGN(standard_input_,
                   FileSource::Open("-", settings_.lane.filter.record.record_bytes_max));
  }
  NEARDUP_ASSIGN(std::optional<std::string> line, NextLine(*standard_input_));
  ++standard_input_line_;
  if (!line) {
    return Missing(fmt::format("standard input: found no line {}, expected a record there",
                               standard_input_line_));
  }
  return NamedRecord{fmt::format("line {} of standard input", standard_input_line_),
                     std::move(*line), 0, false, std::nullopt};
}

Result<NamedRecord> RecordFinder::ReadWholeFile(const std::string& path) const {
  const size_t bytes_max = settings_.lane.filter.record.record_bytes_max;
  NEARDUP_ASSIGN(const std::unique_ptr<FileSource> source, FileSource::Open(path, bytes_max));
  std::string text;
  size_t lines = 0;
  bool records = false;
  while (!source->exhausted()) {
    std::vector<Message> messages;
    NEARDUP_TRY(source->Poll(kPollLines, kWaitMs, messages));
    for (const Message& message : messages) {
      if (lines++ == 0) records = nlohmann::json::accept(*message.value);
      text += (lines == 1 ? "" : "\n") + std::string(*message.value);
    }
    if (text.size() > bytes_max || (records && lines > 1)) break;
  }
  if (records && text.find_first_not_of(" \t\r\n", text.find('\n')) != text.npos && lines > 1) {
    return Error{
        ErrorCode::kIo,
        fmt::format("{0}: found several records, expected one; name a line, such as {0}:1", path)};
  }
  return NamedRecord{path, std::move(text), 0, false, std::nullopt};
}

Result<NamedRecord> RecordFinder::ReadLineOf(const std::string& path, int64_t line) const {
  NEARDUP_ASSIGN(const std::unique_ptr<FileSource> source,
                 FileSource::Open(path, settings_.lane.filter.record.record_bytes_max));
  for (int64_t number = 1;; ++number) {
    NEARDUP_ASSIGN(std::optional<std::string> text, NextLine(*source));
    if (!text) {
      return Missing(fmt::format("{}: found {} lines, expected line {}", path,
                                 Grouped(static_cast<uint64_t>(number - 1)), line));
    }
    if (number == line) {
      return NamedRecord{fmt::format("{}:{}", path, line), std::move(*text), 0, false,
                         std::nullopt};
    }
  }
}

Result<NamedRecord> RecordFinder::ReadFromTopic(const std::string& topic, int32_t partition,
                                                int64_t offset) {
  const TopicOffset at{{topic, partition}, offset};
  const std::string name = TextOf(at.partition, offset);
  KafkaOptions options = settings_.kafka;
  options.topics = {topic};
  NEARDUP_ASSIGN(const std::unique_ptr<Source> source, NewKafkaSource(options, log_));
  NEARDUP_ASSIGN(const std::vector<InputPartition> partitions, source->Partitions());
  if (std::find(partitions.begin(), partitions.end(), at.partition) == partitions.end()) {
    return Missing(fmt::format("{}: the topic {} has {} partitions, expected one of 0 to {}", name,
                               topic, partitions.size(), partitions.size() - 1));
  }
  NEARDUP_ASSIGN(const OffsetBounds bounds, source->Bounds(at.partition));
  NEARDUP_ASSIGN(const std::optional<Message> message, ReadOne(*source, at, bounds));
  if (!message) {
    if (bounds.begin == bounds.end) {
      return Missing(fmt::format("{}: the partition is empty", name));
    }
    const bool within = offset >= bounds.begin && offset < bounds.end;
    return Missing(
        fmt::format("{}: {}; the partition holds the offsets {} to {}", name,
                    within ? "this offset holds no committed record" : "found no such record",
                    bounds.begin, bounds.end - 1));
  }
  NamedRecord record{name, std::nullopt, 0, true, std::nullopt};
  record.Take(*message);
  Result<ParsedHeader> header = ParseRouteHeader(message->headers);
  if (!header.ok() && header.error().code != ErrorCode::kNotFound) {
    return Error{header.error().code, fmt::format("{}: {}", name, header.error().text)};
  }
  if (header.ok()) record.header = std::move(*header);
  return record;
}

}  // namespace neardup
