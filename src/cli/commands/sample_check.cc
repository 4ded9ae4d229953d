#include "commands/sample_check.h"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/number_text.h"
#include "kafka/kafka_ports.h"
#include "lane/dead_letter_watch.h"
#include "neardup/filter.h"
#include "reading/record_sample.h"

namespace neardup {
namespace {

constexpr size_t kRecordsMax = 1000;
const char* const kSubject = "records";

/// In the order of their numbers in a sample.
Result<std::vector<InputPartition>> Partitions(const KafkaOptions& options, const KafkaLog& log) {
  NEARDUP_ASSIGN(const std::unique_ptr<Source> source, NewKafkaSource(options, log));
  return source->Partitions();
}

OnlineCheck Judge(const LaneOptions& lane, const std::vector<Message>& messages,
                  const std::vector<InputPartition>& partitions) {
  Fingerprinter fingerprinter(lane.filter);
  DeadLetterWatch watch(lane.dead_letters, lane.filter.record);
  CommittedBatch counts;
  for (const Message& message : messages) {
    Verdict verdict;
    verdict.outcome =
        fingerprinter.Compute({message.position, message.timestamp_ms, message.value}).outcome;
    if (verdict.outcome.reason == Reason::kNone) {
      ++counts.unique;
      continue;
    }
    ++counts.dead_letters[static_cast<size_t>(verdict.outcome.reason)];
    watch.Saw(message, partitions.at(message.position.input), verdict);
  }
  if (const std::optional<std::string> why = watch.Judge(counts, true)) {
    return {CheckLevel::kWrong, kSubject, *why, ErrorCode::kConfig};
  }
  return {CheckLevel::kOk, kSubject,
          fmt::format("{} of {} sampled records can be compared", Grouped(counts.unique),
                      Grouped(counts.records()))};
}

}  // namespace

OnlineCheck CheckSample(const Settings& settings, const KafkaLog& log) {
  const SamplePart part =
      settings.lane.start_at == StartAt::kLatest ? SamplePart::kNewest : SamplePart::kOldest;
  const Result<std::vector<Message>> messages =
      ReadTopicSample(settings.kafka, kRecordsMax, part, log);
  if (!messages.ok() && messages.error().code == ErrorCode::kNotFound) {
    return {CheckLevel::kOk, kSubject, "the input topics hold none yet, so none is checked"};
  }
  const auto partitions = Partitions(settings.kafka, log);
  if (!messages.ok() || !partitions.ok()) {
    const Error& error = messages.ok() ? partitions.error() : messages.error();
    return {CheckLevel::kWarning, kSubject, "are not checked: " + error.text};
  }
  return Judge(settings.lane, *messages, *partitions);
}

}  // namespace neardup
