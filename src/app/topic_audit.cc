#include "app/topic_audit.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <thread>
#include <utility>

#include "app/stopped_lane.h"
#include "app/topic_reading.h"
#include "audit/audit.h"
#include "audit/payload.h"
#include "kafka/kafka_ports.h"
#include "kafka/topics.h"
#include "state/lane_state.h"

namespace neardup {
namespace {

constexpr int kPollTimeoutMs = 200;
/// A broker may abort a transaction this much later than its time-out. By default it looks for such
/// transactions every 10 s.
constexpr int64_t kAbortDelayMs = 30'000;

using SteadyClock = std::chrono::steady_clock;

int64_t MillisecondsSince(SteadyClock::time_point begin) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(SteadyClock::now() - begin).count();
}

int64_t WallMs() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

/// Chooses the offsets to audit, reads inputs and outputs, and hands their records to an audit.
class TopicReader {
 public:
  TopicReader(const Settings& settings, const KafkaLog& log, uint64_t settings_seq)
      : settings_(settings),
        log_(log),
        audit_({.filter = settings.lane.filter,
                .started_late = started_late(),
                .settings_seq = settings_seq,
                .now_ms = WallMs()}) {}

  Result<TopicAudit> Run() {
    NEARDUP_ASSIGN(const std::unique_ptr<Source> inputs, NewKafkaSource(settings_.kafka, log_));
    NEARDUP_TRY(CutInputs(*inputs));
    KafkaOptions output_options = settings_.kafka;
    output_options.topics = OutputTopicNames();
    NEARDUP_ASSIGN(const std::unique_ptr<Source> outputs, NewKafkaSource(output_options, log_));
    NEARDUP_TRY(CutOutputs(*outputs));
    if (!has_headers()) NEARDUP_TRY(PrepareForPayloads(*inputs));
    NEARDUP_TRY(
        ReadRanges(*inputs, inputs_, [this](const Message& message) { return AddInput(message); }));
    NEARDUP_TRY(ReadRanges(*outputs, outputs_,
                           [this](const Message& message) { return AddOutput(message); }));
    found_.report = has_headers() ? audit_.Finish() : payload_audit_.Finish();
    for (const std::string& note : found_.report.notes) found_.warnings.push_back(note);
    return std::move(found_);
  }

 private:
  bool has_headers() const { return settings_.lane.headers != HeaderStyle::kNone; }
  bool started_late() const { return settings_.lane.start_at == StartAt::kLatest; }

  /// Without headers an output does not show that it is newer than the end of the audit. So all
  /// inputs are read that the outputs can come from; the ends of the outputs were taken before.
  Result<void> PrepareForPayloads(Source& inputs) {
    found_.partial = true;
    found_.warnings.push_back(
        "with output.headers: none the outputs state neither origin nor verdict, so only this was "
        "checked: every input is in the outputs once, in its partition, with its key, value, "
        "headers and timestamp");
    if (started_late()) {
      found_.warnings.push_back(
          "with input.start: latest a record that is in no output may be older than the start, so "
          "missing outputs are not reported");
    }
    for (ReadRange& input : inputs_) {
      NEARDUP_ASSIGN(input.end, inputs.StartOffset(input.partition, StartAt::kLatest));
      if (input.begin > 0) payload_audit_.AddDeleted(input.partition.partition);
    }
    return {};
  }

  Result<void> AddInput(const Message& message) {
    const uint32_t input = message.position.input;
    const bool demanded = message.position.offset < found_.ranges[input].end;
    if (!has_headers()) {
      payload_audit_.AddInput(inputs_[input].partition, message, demanded && !started_late());
    } else if (demanded) {
      audit_.AddInput(message);
    }
    return {};
  }

  Result<void> AddOutput(const Message& message) {
    const InputPartition& place = outputs_[message.position.input].partition;
    if (has_headers()) {
      audit_.AddOutput(place, message);
    } else {
      payload_audit_.AddOutput(place, message, decisions_.at(place.topic));
    }
    return {};
  }

  Result<void> CutInputs(Source& source) {
    NEARDUP_ASSIGN(const FoundInputs found, source.Find());
    if (found.partitions.empty()) NEARDUP_TRY(source.Partitions());  // names what is missing
    for (const std::string& topic : found.missing_topics) {
      found_.partial = true;
      found_.warnings.push_back(
          fmt::format("input topic {} does not exist: its outputs are not checked", topic));
    }
    const std::vector<InputPartition>& partitions = found.partitions;
    const std::unique_ptr<Transaction> group =
        NewKafkaTransaction(settings_.kafka, settings_.lane.lane, {}, log_);
    NEARDUP_ASSIGN(const std::vector<int64_t> committed, group->CommittedOffsets(partitions));
    for (size_t i = 0; i < partitions.size(); ++i) {
      const InputPartition& partition = partitions[i];
      NEARDUP_ASSIGN(const int64_t begin, source.StartOffset(partition, StartAt::kEarliest));
      NEARDUP_ASSIGN(const int64_t end, source.StartOffset(partition, StartAt::kLatest));
      if (committed[i] < 0) {
        found_.warnings.push_back(
            fmt::format("group {} has committed no offset for {}: every record of this partition "
                        "must be in an output",
                        settings_.kafka.app, TextOf(partition)));
      }
      const int64_t cut = std::max(begin, committed[i] < 0 ? end : committed[i]);
      inputs_.push_back({partition, begin, cut});
      found_.ranges.push_back({partition, begin, cut, std::max<int64_t>(0, end - cut)});
      const KafkaOptions& kafka = settings_.kafka;
      audit_.AddPartition({partition, begin, cut, ExpandTopic(kafka.unique_topic, partition.topic),
                           ExpandTopic(kafka.duplicate_topic, partition.topic),
                           ExpandTopic(kafka.dead_letter_topic, partition.topic)});
    }
    return {};
  }

  std::vector<std::string> OutputTopicNames() {
    const KafkaOptions& kafka = settings_.kafka;
    for (const ReadRange& input : inputs_) {
      const std::string& topic = input.partition.topic;
      decisions_.emplace(ExpandTopic(kafka.unique_topic, topic), Decision::kUnique);
      decisions_.emplace(ExpandTopic(kafka.duplicate_topic, topic), Decision::kDuplicate);
      decisions_.emplace(ExpandTopic(kafka.dead_letter_topic, topic), Decision::kDeadLetter);
    }
    std::vector<std::string> names;
    for (const auto& [name, decision] : decisions_) names.push_back(name);
    return names;
  }

  /// Takes the present ends of the outputs. Waits until the transactions that wrote below these
  /// ends are closed, because the group's offsets may become visible a moment before the outputs of
  /// the same transaction.
  Result<void> CutOutputs(Source& source) {
    NEARDUP_ASSIGN(const std::vector<InputPartition> partitions, source.Partitions());
    NEARDUP_ASSIGN(const std::vector<OffsetBounds> bounds,
                   ListOffsetBounds(settings_.kafka, partitions, log_));
    const auto begin = SteadyClock::now();
    for (size_t i = 0; i < partitions.size(); ++i) {
      while (true) {
        NEARDUP_ASSIGN(const int64_t stable, source.StartOffset(partitions[i], StartAt::kLatest));
        if (stable >= bounds[i].end) break;
        if (MillisecondsSince(begin) > settings_.kafka.transaction_timeout_ms + kAbortDelayMs) {
          return Retriable(ErrorCode::kUnavailable,
                           fmt::format("{}: a transaction has been open since offset {} and does "
                                       "not end; find it with kafka-transactions.sh find-hanging",
                                       TextOf(partitions[i]), stable));
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(kPollTimeoutMs));
      }
      if (bounds[i].begin > 0) {
        found_.warnings.push_back(
            fmt::format("output {} is deleted below offset {}: the deleted records show as missing",
                        TextOf(partitions[i]), bounds[i].begin));
      }
      outputs_.push_back({partitions[i], bounds[i].begin, bounds[i].end});
    }
    return {};
  }

  const Settings& settings_;
  const KafkaLog& log_;
  Audit audit_;
  PayloadAudit payload_audit_;  ///< used instead of audit_ if there are no headers
  TopicAudit found_;
  std::vector<ReadRange> inputs_;  ///< by the audit's partition numbers
  std::vector<ReadRange> outputs_;
  std::map<std::string, Decision> decisions_;  ///< by output topic
};

}  // namespace

Result<TopicAudit> AuditTopics(const Settings& settings, const KafkaLog& log) {
  NEARDUP_ASSIGN(const std::optional<ChangelogSummary> changelog, ReadChangelog(settings, log));
  const uint64_t settings_seq = changelog ? changelog->last.settings_seq : 1;
  NEARDUP_ASSIGN(TopicAudit audit, TopicReader(settings, log, settings_seq).Run());
  const std::string spec = FingerprintSpec(settings.lane.filter);
  if (changelog && changelog->last.spec != spec) {
    audit.warnings.push_back(
        fmt::format("the service decides with other settings than these, so verdicts may show as "
                    "violations: {}",
                    SpecDifference(spec, changelog->last.spec)));
  }
  if (settings_seq > 1) {
    audit.warnings.push_back(
        fmt::format("records up to seq {} were decided under other settings, before `neardup "
                    "reindex`: their coverage, payload, route and order were checked, and their "
                    "verdicts were not",
                    settings_seq - 1));
  }
  return audit;
}

}  // namespace neardup
