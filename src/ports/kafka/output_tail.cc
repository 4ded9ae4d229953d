#include "kafka/output_tail.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "kafka/deadline.h"
#include "kafka/kafka_ports.h"
#include "kafka/topics.h"
#include "lane/route_header.h"

namespace neardup {
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

Result<std::optional<std::string>> FindOutputOfALane(const KafkaOptions& options,
                                                     const std::vector<std::string>& topics,
                                                     const KafkaLog& log) {
  KafkaOptions outputs = options;
  outputs.topics = topics;
  NEARDUP_ASSIGN(const std::unique_ptr<Source> source, NewKafkaSource(outputs, log));
  NEARDUP_ASSIGN(const std::vector<InputPartition> partitions, source->Partitions());
  NEARDUP_ASSIGN(const std::vector<OffsetBounds> bounds,
                 ListOffsetBounds(outputs, partitions, log));
  std::vector<InputAssignment> tails;
  for (uint32_t i = 0; i < partitions.size(); ++i) {
    if (bounds[i].begin == bounds[i].end) continue;
    tails.push_back({i, partitions[i], std::max(bounds[i].begin, bounds[i].end - kOffsetsRead)});
  }
  if (tails.empty()) return {std::nullopt};
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
      if (!header.ok()) continue;
      const InputPartition& place = partitions[message.position.input];
      return {fmt::format("{}/{}/{} has seq {}", place.topic, place.partition,
                          message.position.offset, header->seq)};
    }
  }
  return {std::nullopt};
}

}  // namespace neardup
