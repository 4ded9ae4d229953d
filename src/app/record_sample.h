// The records from which `learn` and `tune` learn.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "kafka/kafka_options.h"
#include "neardup/record.h"
#include "neardup/result.h"
#include "stream/message.h"

namespace neardup {

/// The first `records_max` records of JSON Lines: a file, a .gz file, or standard input ("-").
Result<std::vector<Message>> ReadFileSample(const std::string& path, size_t records_max);

/// Which records of a topic.
enum class SampleEnd : uint8_t {
  kOldest,  ///< from the beginning, lowest time first
  kNewest,  ///< the same number from the end of each partition
};

/// Committed records of the one topic in `options`; those that are there now, nothing is waited
/// for. kNotFound when the topic is missing or empty, kUnavailable when no broker answers, or when
/// records stop coming before the end.
Result<std::vector<Message>> ReadTopicSample(const KafkaOptions& options, size_t records_max,
                                             SampleEnd end);

/// The messages as records at position {0, index}.
std::vector<RecordView> ViewsOf(const std::vector<Message>& messages);

}  // namespace neardup
