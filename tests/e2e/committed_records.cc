#include "e2e/committed_records.h"

#include <fmt/format.h>

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "kafka/kafka_options.h"
#include "kafka/kafka_ports.h"
#include "kafka/topics.h"

namespace neardup {
namespace {

constexpr int kTimeoutMs = 60'000;
constexpr int kSliceMs = 200;
constexpr size_t kRecordsPerPoll = 1000;

Error Late(const InputPartition& partition, const std::string& what) {
  return Retriable(ErrorCode::kUnavailable, fmt::format("{}/{}: {} within {} ms", partition.topic,
                                                        partition.partition, what, kTimeoutMs));
}

Result<OffsetBounds> AwaitNothingOpen(const KafkaOptions& options, Source& source,
                                      const InputPartition& partition) {
  const std::array<InputPartition, 1> partitions = {partition};
  NEARDUP_ASSIGN(const std::vector<OffsetBounds> bounds, ListOffsetBounds(options, partitions, {}));
  const Deadline deadline(kTimeoutMs);
  while (!deadline.passed()) {
    NEARDUP_ASSIGN(const int64_t stable, source.StartOffset(partition, StartAt::kLatest));
    if (stable >= bounds[0].end) return bounds[0];
  }
  return Late(partition, "an open transaction did not end");
}

}  // namespace

Result<void> ReadCommitted(const KafkaOptions& options, const InputPartition& partition,
                           int64_t begin, const std::function<bool(const Message&)>& visit) {
  KafkaOptions reading = options;
  reading.topics = {partition.topic};
  NEARDUP_ASSIGN(const std::unique_ptr<Source> source, NewKafkaSource(reading, {}));
  NEARDUP_ASSIGN(const OffsetBounds bounds, AwaitNothingOpen(reading, *source, partition));
  const int64_t first = begin < 0 ? bounds.begin : begin;
  if (first >= bounds.end) return {};
  const std::array<InputAssignment, 1> assignment = {{{0, partition, first}}};
  NEARDUP_TRY(source->Assign(assignment));
  const Deadline deadline(kTimeoutMs);
  std::vector<Message> batch;
  while (!deadline.passed()) {
    batch.clear();
    NEARDUP_TRY(source->Poll(kRecordsPerPoll, kSliceMs, batch));
    for (const Message& message : batch) {
      if (message.position.offset >= bounds.end || !visit(message)) return {};
    }
    if (source->Status().front().at_end) return {};
  }
  return Late(partition, "the reader did not reach the end");
}

}  // namespace neardup
