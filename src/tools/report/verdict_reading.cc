#include "report/verdict_reading.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "base/number_text.h"
#include "kafka/kafka_ports.h"
#include "kafka/topics.h"
#include "reading/stopped_lane.h"
#include "reading/topic_reading.h"
#include "record_finder/record_finder.h"
#include "state/delta.h"
#include "state/pipeline.h"

namespace neardup {
namespace {

std::vector<std::string> OutputTopicsOf(const KafkaOptions& kafka) {
  std::vector<std::string> topics;
  for (const std::string& input : kafka.topics) {
    for (const std::string* each :
         {&kafka.unique_topic, &kafka.duplicate_topic, &kafka.dead_letter_topic}) {
      topics.push_back(ExpandTopic(*each, input));
    }
  }
  return topics;
}

/// The originals may be deleted, and then a pair shows only its copy.
Result<void> FindOriginals(const Settings& settings, std::vector<ClosestCall>& calls,
                           const KafkaLog& log) {
  RecordFinder finder(settings, log);
  for (ClosestCall& call : calls) {
    Result<NamedRecord> original = finder.Find(call.original);
    if (!original.ok() && original.error().code != ErrorCode::kNotFound) return original.error();
    // The topic may have been created again since.
    if (original.ok() && original->value && nlohmann::json::accept(*original->value)) {
      call.original_text = CutText(*original->value);
    }
  }
  return {};
}

}  // namespace

Result<VerdictReport> ReadVerdicts(const Settings& settings, const VerdictReadingOptions& options,
                                   Progress& progress, const KafkaLog& log) {
  KafkaOptions outputs = settings.kafka;
  outputs.topics = OutputTopicsOf(settings.kafka);
  NEARDUP_ASSIGN(const std::unique_ptr<Source> source, NewKafkaSource(outputs, log));
  NEARDUP_ASSIGN(const std::vector<InputPartition> partitions, source->Partitions());
  NEARDUP_ASSIGN(const std::vector<OffsetBounds> bounds,
                 ListOffsetBounds(outputs, partitions, log));
  std::vector<int64_t> begins(partitions.size(), 0);
  if (options.from_ms) {
    NEARDUP_ASSIGN(begins, ListOffsetsAtTime(outputs, partitions, *options.from_ms, log));
  }
  std::vector<ReadRange> ranges;
  uint64_t offsets = 0;
  for (size_t i = 0; i < partitions.size(); ++i) {
    // Nobody hands out the records of an open transaction.
    NEARDUP_ASSIGN(const int64_t end, source->StartOffset(partitions[i], StartAt::kLatest));
    const int64_t begin = std::min(std::max(begins[i], bounds[i].begin), end);
    ranges.push_back({partitions[i], begin, end});
    offsets += static_cast<uint64_t>(end - begin);
  }
  VerdictSummary summary(options.calls_max);
  progress.Begin("reading outputs", offsets, "records");
  NEARDUP_TRY(ReadRanges(*source, ranges, [&](const Message& message) -> Result<void> {
    progress.Add(1);
    const ReadRange& range = ranges[message.position.input];
    if (message.position.offset < range.end) summary.Add(range.partition, message);
    return {};
  }));
  progress.End();
  VerdictReport report{.counts = summary.counts(),
                       .closest_calls = std::move(summary.closest_calls()),
                       .most_copied = summary.MostCopied(options.copied_max)};
  NEARDUP_TRY(FindOriginals(settings, report.closest_calls, log));
  NEARDUP_ASSIGN(const std::optional<Delta> newest, ReadNewestDelta(settings, log));
  if (newest && newest->dropped > 0) {
    report.notes.push_back(fmt::format(
        "{} duplicates went to no topic since the lane began (routing.exact or routing.near is "
        "drop), and are not counted above",
        Grouped(newest->dropped)));
  }
  if (report.counts.unreadable > 0) {
    report.notes.push_back(fmt::format(
        "{} records of the output topics have no header of neardup, or a broken one, and are not "
        "counted; `neardup verify` names them",
        Grouped(report.counts.unreadable)));
  }
  if (summary.originals_left_out()) {
    report.notes.push_back(fmt::format(
        "more than {} records have copies, so that some of them are missing among the most copied; "
        "a later --since looks at fewer",
        Grouped(VerdictSummary::kOriginalsMax)));
  }
  return report;
}

}  // namespace neardup
