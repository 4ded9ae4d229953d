// Reads the records from which `learn` and `tune` learn.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kafka/kafka_options.h"
#include "neardup/record.h"
#include "neardup/result.h"
#include "service/config/settings.h"
#include "stream/lane/ports.h"

namespace neardup {

/// Opens a file with one record on each line, with the encodings of record.format.
Result<std::unique_ptr<Source>> OpenRecordFile(const std::string& path, size_t record_bytes_max,
                                               const Settings& settings);

/// Reads at most `records_max` records of a JSON Lines file, and about kSampleBytesMax: all, or
/// stretches from its whole length. Of a .gz or .zst file and of "-" (standard input), it reads the
/// beginning. kNotFound: the file is missing or empty. The values are JSON, by DecodeInPlace.
Result<std::vector<Message>> ReadFileSample(const std::string& path, size_t records_max,
                                            const Settings& settings);

/// Reads at most `records_max` committed records of the topics in `options`, and at most about
/// kSampleBytesMax. Does not wait for records that are written later. kNotFound: a topic is
/// missing, or all are empty. kUnavailable: no broker answers, or no record came for 30 s although
/// the end was not reached. kSpread: stretches of the whole length of all partitions, or all
/// records if they fit. kEarliest: from the beginning of all partitions, in the order of their
/// timestamps. kLatest: from the end of all partitions, the same number from each. The values are
/// JSON, by DecodeInPlace.
Result<std::vector<Message>> ReadTopicSample(const KafkaOptions& options, size_t records_max,
                                             LearnedRecords part, const KafkaLog& log);
inline constexpr size_t kSampleBytesMax = size_t{64} << 20;

/// Puts the JSON of values of other encodings in the place of the values. Values that cannot be
/// decoded stay, and so do those that no longer fit into twice kSampleBytesMax.
void DecodeInPlace(std::vector<Message>& messages);

/// The messages as records at the positions {0, index}. They refer to the messages.
std::vector<RecordView> ViewsOf(std::span<const Message> messages);

}  // namespace neardup
