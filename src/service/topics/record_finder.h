// The records that `neardup explain` is asked about: from files, standard input and topics.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kafka/kafka_options.h"
#include "neardup/record.h"
#include "neardup/result.h"
#include "service/config/settings.h"
#include "stream/files/file_source.h"
#include "stream/lane/ports.h"
#include "stream/lane/route_header.h"

namespace neardup {

/// A record that a person named.
struct NamedRecord {
  std::string name;  ///< for people, such as a.json or news/0/17
  std::optional<std::string> value;
  int64_t time_ms = 0;  ///< Kafka timestamp; the same for all records of files
  bool from_topic = false;
  /// What a lane wrote on the record; only for records of topics that have it.
  std::optional<ParsedHeader> header;
  /// Why the value could not be decoded. Otherwise the value is JSON.
  std::optional<ReadOutcome> unreadable{};

  /// Takes value and time of a message.
  void Take(const Message& message);

  RecordView view() const {
    if (!value) return {{}, time_ms, std::nullopt};
    return {{}, time_ms, *value, unreadable ? &*unreadable : nullptr};
  }
};

/// Reads records by name. Connects to Kafka only for a record of a topic.
class RecordFinder {
 public:
  RecordFinder(const Settings& settings, KafkaLog log)
      : settings_(settings), log_(std::move(log)) {}

  /// `name` is a file that holds one record, FILE:LINE of JSON Lines, `-` for the next line of
  /// standard input, or TOPIC/PARTITION/OFFSET. A file that exists comes first. kNotFound or kIo
  /// says what is missing.
  Result<NamedRecord> Find(const std::string& name);

  /// What the lane has written for the record that an input topic holds or held there. Reads the
  /// outputs of the topic from their beginnings.
  Result<NamedRecord> FindOutputOf(const InputPartition& input, int64_t offset);
  /// The newest output whose field holds `id`. Reads all outputs from their beginnings.
  Result<NamedRecord> FindById(const std::string& id_field, const std::string& id);

  /// The record that a duplicate names as its original: from its input, or from the unique topic if
  /// the input no longer holds it. `duplicate` must have a header with an original.
  Result<NamedRecord> FindOriginal(const NamedRecord& duplicate);

 private:
  Result<NamedRecord> ReadByName(const std::string& name);
  Result<NamedRecord> ReadNextOfStandardInput();
  Result<NamedRecord> ReadWholeFile(const std::string& path) const;
  Result<NamedRecord> ReadLineOf(const std::string& path, int64_t line) const;
  /// The newest output of the topics `inputs` that `is_it` accepts. `what`: for the error.
  Result<NamedRecord> FindOutput(
      const std::vector<std::string>& inputs, const std::string& what,
      const std::function<bool(const Message&, const ParsedHeader&)>& is_it);
  Result<NamedRecord> ReadFromTopic(const std::string& topic, int32_t partition, int64_t offset);

  const Settings& settings_;
  KafkaLog log_;
  std::unique_ptr<FileSource> standard_input_;
  int64_t standard_input_line_ = 0;
};

}  // namespace neardup
