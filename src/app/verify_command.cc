#include "app/verify_command.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "app/commands.h"
#include "app/exit_code.h"
#include "audit/audit.h"
#include "audit/payload.h"
#include "config/config.h"
#include "kafka/kafka_ports.h"
#include "kafka/topics.h"

namespace neardup {

namespace {

constexpr size_t kRecordsPerPoll = 5000;
constexpr int kPollTimeoutMs = 200;
constexpr int64_t kReadStallMs = 60'000;
/// How often a broker looks for transactions that are over time, by default, and some more.
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

std::string TextOf(const InputPartition& partition) {
  return partition.topic + "/" + std::to_string(partition.partition);
}

/// A partition and which of its records are read.
struct ReadRange {
  InputPartition partition;
  int64_t begin = 0;
  int64_t end = 0;
};

class TopicsAudit {
 public:
  TopicsAudit(const Settings& settings, const KafkaLog& log)
      : settings_(settings),
        log_(log),
        audit_(
            {.filter = settings.lane.filter, .started_late = started_late(), .now_ms = WallMs()}) {}

  Result<KafkaAudit> Run() {
    NEARDUP_ASSIGN(const std::unique_ptr<Source> inputs, NewKafkaSource(settings_.kafka, log_));
    NEARDUP_TRY(CutInputs(*inputs));
    KafkaOptions output_options = settings_.kafka;
    output_options.topics = OutputTopicNames();
    NEARDUP_ASSIGN(const std::unique_ptr<Source> outputs, NewKafkaSource(output_options, log_));
    NEARDUP_TRY(CutOutputs(*outputs));
    if (!has_headers()) NEARDUP_TRY(PrepareForPayloads(*inputs));
    NEARDUP_TRY(Read(*inputs, inputs_, [this](const Message& message) { AddInput(message); }));
    NEARDUP_TRY(Read(*outputs, outputs_, [this](const Message& message) { AddOutput(message); }));
    found_.report = has_headers() ? audit_.Finish() : payload_audit_.Finish();
    for (const std::string& note : found_.report.notes) found_.warnings.push_back(note);
    return std::move(found_);
  }

 private:
  using Visit = std::function<void(const Message&)>;

  bool has_headers() const { return settings_.lane.headers != HeaderStyle::kNone; }
  bool started_late() const { return settings_.lane.start_at == StartAt::kLatest; }

  /// Without headers no output tells that it is newer than the cut, so everything is read that the
  /// outputs, cut before, can come from.
  Result<void> PrepareForPayloads(Source& inputs) {
    found_.partial = true;
    found_.warnings.push_back(
        "output.headers: none: outputs tell neither origin nor verdict, so only this was checked: "
        "every input is in the outputs once, in its partition, with its key, value, headers and "
        "timestamp");
    if (started_late()) {
      found_.warnings.push_back(
          "input.start: latest: what is in no output may be from before the start, and is not "
          "demanded");
    }
    for (ReadRange& input : inputs_) {
      NEARDUP_ASSIGN(input.end, inputs.StartOffset(input.partition, StartAt::kLatest));
      if (input.begin > 0) payload_audit_.AddDeleted(input.partition.partition);
    }
    return {};
  }

  void AddInput(const Message& message) {
    const uint32_t input = message.position.input;
    const bool demanded = message.position.offset < found_.ranges[input].end;
    if (!has_headers()) {
      payload_audit_.AddInput(inputs_[input].partition, message, demanded && !started_late());
    } else if (demanded) {
      audit_.AddInput(message);
    }
  }

  void AddOutput(const Message& message) {
    const InputPartition& place = outputs_[message.position.input].partition;
    if (has_headers()) {
      audit_.AddOutput(place, message);
    } else {
      payload_audit_.AddOutput(place, message, decisions_.at(place.topic));
    }
  }

  Result<void> CutInputs(Source& source) {
    NEARDUP_ASSIGN(const std::vector<InputPartition> partitions, source.Partitions());
    const std::unique_ptr<Transaction> group =
        NewKafkaTransaction(settings_.kafka, settings_.lane.lane, {}, log_);
    NEARDUP_ASSIGN(const std::vector<int64_t> committed, group->CommittedOffsets(partitions));
    for (size_t i = 0; i < partitions.size(); ++i) {
      const InputPartition& partition = partitions[i];
      NEARDUP_ASSIGN(const int64_t begin, source.StartOffset(partition, StartAt::kEarliest));
      NEARDUP_ASSIGN(const int64_t end, source.StartOffset(partition, StartAt::kLatest));
      if (committed[i] < 0) {
        found_.warnings.push_back("group " + settings_.kafka.app + " has no offset for " +
                                  TextOf(partition) + ": all of its records are demanded");
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

  /// To the end there is now; the transactions that wrote below it are waited for, because the
  /// group's offsets may become visible a moment before the outputs of their transaction.
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
                           TextOf(partitions[i]) + ": a transaction is open since offset " +
                               std::to_string(stable) + " and does not end; find it with " +
                               "kafka-transactions.sh find-hanging");
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(kPollTimeoutMs));
      }
      if (bounds[i].begin > 0) {
        found_.warnings.push_back("the beginning of " + TextOf(partitions[i]) +
                                  " is deleted, up to offset " + std::to_string(bounds[i].begin) +
                                  ": its records show as missing");
      }
      outputs_.push_back({partitions[i], bounds[i].begin, bounds[i].end});
    }
    return {};
  }

  Result<void> Read(Source& source, const std::vector<ReadRange>& ranges, const Visit& visit) {
    std::vector<InputAssignment> assignments;
    std::vector<int64_t> next_offsets;
    for (const ReadRange& range : ranges) {
      assignments.push_back(
          {static_cast<uint32_t>(assignments.size()), range.partition, range.begin});
      next_offsets.push_back(range.begin);
    }
    NEARDUP_TRY(source.Assign(assignments));
    auto moved_at = SteadyClock::now();
    std::vector<Message> batch;
    while (const ReadRange* open = FirstOpen(source, ranges, next_offsets)) {
      batch.clear();
      NEARDUP_TRY(source.Poll(kRecordsPerPoll, kPollTimeoutMs, batch));
      for (const Message& message : batch) {
        next_offsets[message.position.input] = message.position.offset + 1;
        visit(message);
      }
      if (!batch.empty()) moved_at = SteadyClock::now();
      if (MillisecondsSince(moved_at) > kReadStallMs) {
        return Retriable(ErrorCode::kUnavailable, "no record in " + std::to_string(kReadStallMs) +
                                                      " ms and the end of " +
                                                      TextOf(open->partition) + " is not reached");
      }
    }
    return {};
  }

  /// A range that is not read to its end; nullptr when all are.
  static const ReadRange* FirstOpen(Source& source, const std::vector<ReadRange>& ranges,
                                    const std::vector<int64_t>& next_offsets) {
    for (const InputStatus& status : source.Status()) {
      const ReadRange& range = ranges[status.input];
      if (!status.at_end && next_offsets[status.input] < range.end) return &range;
    }
    return nullptr;
  }

  const Settings& settings_;
  const KafkaLog& log_;
  Audit audit_;
  PayloadAudit payload_audit_;  ///< in its place where there are no headers
  KafkaAudit found_;
  std::vector<ReadRange> inputs_;  ///< by the audit's numbers
  std::vector<ReadRange> outputs_;
  std::map<std::string, Decision> decisions_;  ///< by output topic
};

}  // namespace

Result<KafkaAudit> AuditTopics(const Settings& settings, const KafkaLog& log) {
  return TopicsAudit(settings, log).Run();
}

namespace {

constexpr int kSyslogError = 3;

Result<KafkaAudit> Verify(const VerifyArguments& arguments) {
  NEARDUP_ASSIGN(const LoadedConfig config, Load(arguments.config));
  NEARDUP_TRY(CheckRunnable(config));
  const KafkaLog log = [](int level, std::string_view text) {
    if (level <= kSyslogError) std::cerr << text << '\n';
  };
  return AuditTopics(config.settings, log);
}

nlohmann::ordered_json JsonOf(const KafkaAudit& audit) {
  const AuditReport& report = audit.report;
  nlohmann::ordered_json json = {{"ok", report.ok()},
                                 {"partial", audit.partial},
                                 {"inputs", report.inputs},
                                 {"unique", report.unique},
                                 {"duplicate", report.duplicates},
                                 {"dead_letter", report.dead_letters},
                                 {"newer_outputs", report.newer_outputs},
                                 {"outputs_without_input", report.outputs_without_input},
                                 {"pairs_excused", report.pairs_excused}};
  json["checks"] = nlohmann::ordered_json::array();
  for (size_t i = 0; i < kAuditCheckCount; ++i) {
    const CheckOutcome& outcome = report.checks[i];
    nlohmann::ordered_json first = nlohmann::ordered_json::array();
    for (const Violation& violation : outcome.first) {
      first.push_back({{"where", violation.where}, {"text", violation.text}});
    }
    json["checks"].push_back({{"check", Name(static_cast<AuditCheck>(i))},
                              {"records", outcome.looked_at},
                              {"violations", outcome.violations},
                              {"first", std::move(first)}});
  }
  json["partitions"] = nlohmann::ordered_json::array();
  for (const AuditedRange& range : audit.ranges) {
    json["partitions"].push_back({{"topic", range.partition.topic},
                                  {"partition", range.partition.partition},
                                  {"begin", range.begin},
                                  {"end", range.end},
                                  {"lag_records", range.lag_records}});
  }
  json["warnings"] = audit.warnings;
  return json;
}

/// Violations may quote bytes that are no UTF-8; these are replaced.
std::string PrintableJson(const KafkaAudit& audit) {
  return JsonOf(audit).dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

std::string TextOf(const KafkaAudit& audit) {
  std::string text = ReportText(audit.report);
  text += '\n';
  for (const AuditedRange& range : audit.ranges) {
    text += range.partition.topic + "/" + std::to_string(range.partition.partition) +
            ": audited offsets " + std::to_string(range.begin) + " to " +
            std::to_string(range.end) + ", behind them " + std::to_string(range.lag_records) + '\n';
  }
  for (const std::string& warning : audit.warnings) text += "warning: " + warning + '\n';
  if (!audit.report.ok()) return text + "\nNOT all checks hold\n";
  text += audit.partial ? "\nwhat could be checked holds\n" : "\nall checks hold\n";
  return text;
}

}  // namespace

int VerifyCommand(const VerifyArguments& arguments) {
  const Result<KafkaAudit> audit = Verify(arguments);
  if (!audit.ok()) {
    std::cerr << "neardup verify: " << audit.error().text << '\n';
    return ExitCodeOf(audit.error());
  }
  std::cout << (arguments.json ? PrintableJson(*audit) + '\n' : TextOf(*audit));
  return audit->report.ok() ? kExitOk : kExitNo;
}

}  // namespace neardup
