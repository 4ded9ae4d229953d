#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "commands/program/command_line.h"
#include "commands/program/commands.h"
#include "commands/program/message.h"
#include "commands/verify/audit.h"
#include "commands/verify/input_range.h"
#include "commands/verify/topic_audit.h"
#include "detect/base/quantity.h"
#include "service/config/config.h"
#include "service/topics/lane_learning.h"
#include "stream/files/local_ports.h"

namespace neardup {
namespace {

struct VerifyArguments {
  ConfigArguments config;
  /// Which part of the inputs to check; all of them if it is empty.
  InputRangeText range;
  /// A size; empty: kAuditMemoryMax.
  std::string memory_max;
  bool quiet = false;
  bool json = false;
};

Result<TopicAuditOptions> OptionsOf(const VerifyArguments& arguments, int64_t now_ms) {
  TopicAuditOptions options;
  NEARDUP_ASSIGN(options.range, ParseInputRange(arguments.range, now_ms));
  if (arguments.memory_max.empty()) return options;
  const auto bytes = ParseBytes(arguments.memory_max);
  if (!bytes || *bytes <= 0) {
    return Error{
        ErrorCode::kConfig,
        fmt::format("--memory-max: found {}, expected a size such as 8GiB", arguments.memory_max)};
  }
  options.memory_max = static_cast<uint64_t>(*bytes);
  return options;
}

/// Each lane is audited by itself, because it promises nothing about the records of another.
Result<std::vector<TopicAudit>> Verify(const VerifyArguments& arguments) {
  SystemClock clock;
  NEARDUP_ASSIGN(const TopicAuditOptions options, OptionsOf(arguments, clock.WallMs()));
  NEARDUP_ASSIGN(const LoadedConfig loaded, Load(arguments.config));
  NEARDUP_TRY(CheckRunnable(loaded));
  std::vector<TopicAudit> audits;
  for (int32_t lane = 0; lane < loaded.settings.kafka.lanes; ++lane) {
    LoadedConfig config = loaded;
    config.settings = OfLane(loaded.settings, lane);
    NEARDUP_TRY(TakeLearnedOf(config, PrintKafkaErrors()));
    Progress progress(StyleFor(arguments.quiet || arguments.json), std::cerr,
                      [&clock] { return clock.SteadyMs(); });
    Result<TopicAudit> audit = AuditTopics(config.settings, options, progress, PrintKafkaErrors());
    progress.End();
    if (!audit.ok()) return audit.error();
    audits.push_back(std::move(*audit));
  }
  return audits;
}

bool AllHold(const std::vector<TopicAudit>& audits) {
  return std::all_of(audits.begin(), audits.end(),
                     [](const TopicAudit& audit) { return audit.report.ok(); });
}

uint64_t Pending(const TopicAudit& audit) {
  uint64_t sum = 0;
  for (const AuditedRange& range : audit.ranges)
    sum += static_cast<uint64_t>(range.pending_records);
  return sum;
}

nlohmann::ordered_json JsonOf(const TopicAudit& audit) {
  const AuditReport& report = audit.report;
  nlohmann::ordered_json json = {{"ok", report.ok()},
                                 {"partial", audit.partial},
                                 {"inputs", report.inputs},
                                 {"unique", report.unique},
                                 {"duplicate", report.duplicates},
                                 {"dead_letter", report.dead_letters},
                                 {"suspect", report.suspects},
                                 {"dropped", report.dropped},
                                 {"replacing", report.replacing},
                                 {"released", report.released},
                                 {"observed", report.observed},
                                 {"pending", Pending(audit)},
                                 {"newer_outputs", report.newer_outputs},
                                 {"older_outputs", report.older_outputs},
                                 {"originals_left_out", report.originals_left_out},
                                 {"originals_of_history", report.originals_of_history},
                                 {"outputs_deleted", report.outputs_deleted},
                                 {"outputs_without_input", report.outputs_without_input},
                                 {"pairs_excused", report.pairs_excused},
                                 {"cause", report.cause},
                                 {"records_max", audit.records_max},
                                 {"memory_bytes_max", audit.memory_bytes_max}};
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
                                  {"pending", range.pending_records}});
  }
  json["warnings"] = audit.warnings;
  return json;
}

/// Violations may quote bytes that are not UTF-8; the dump replaces them.
std::string PrintableJson(const std::vector<TopicAudit>& audits) {
  nlohmann::ordered_json json;
  if (audits.size() == 1) {
    json = JsonOf(audits[0]);
  } else {
    json["ok"] = AllHold(audits);
    json["lanes"] = nlohmann::ordered_json::array();
    for (const TopicAudit& audit : audits) json["lanes"].push_back(JsonOf(audit));
  }
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

std::string TextOf(const TopicAudit& audit) {
  std::string text = ReportText(audit.report) + '\n';
  for (const AuditedRange& range : audit.ranges) {
    text += fmt::format("{}/{}: audited offsets {} to {}, {} pending\n", range.partition.topic,
                        range.partition.partition, range.begin, range.end, range.pending_records);
  }
  for (const std::string& warning : audit.warnings) text += fmt::format("warning: {}\n", warning);
  if (!audit.report.ok()) return text + "\nNOT all checks hold\n";
  text += audit.partial ? "\nall checks that could be made hold\n" : "\nall checks hold\n";
  return text;
}

/// `neardup verify`: checks the guarantees of a lane on its real topics; prints the checks and the
/// first violations. kExitOk when all hold, kExitNo when one is violated, another exit code when
/// the audit could not be made.
int VerifyCommand(const VerifyArguments& arguments) {
  const Result<std::vector<TopicAudit>> audits = Verify(arguments);
  if (!audits.ok()) {
    Say("neardup verify: {}", audits.error().text);
    return ExitCodeOf(audits.error());
  }
  if (arguments.json) {
    std::cout << PrintableJson(*audits) << '\n';
  } else {
    for (size_t lane = 0; lane < audits->size(); ++lane) {
      if (audits->size() > 1) std::cout << (lane > 0 ? "\n" : "") << "lane " << lane << ": ";
      PrintText(TextOf((*audits)[lane]));
    }
  }
  return AllHold(*audits) ? kExitOk : kExitNo;
}

}  // namespace

void AddVerify(CommandLine& line) {
  const auto arguments = std::make_shared<VerifyArguments>();
  VerifyArguments& verify = *arguments;
  CLI::App* command = line.Add(
      "verify", "check the guarantees of a pipeline on its topics",
      {"neardup verify --config neardup.yaml", "neardup verify --config neardup.yaml --since 2h"});
  command->footer(
      fmt::format("The service may be running: records that it has not decided yet are "
                  "pending.\nNeeds up to {} bytes of memory for each input record, and 130 "
                  "MiB.\nTIME is 2026-01-31 or 2026-01-31T12:00:00Z.",
                  kAuditBytesPerRecord));
  AddConfig(command, verify.config);
  AddKafka(line, command, verify.config);
  const auto add_end = [&](const char* option, std::vector<std::string>& ends, const char* help) {
    AddOption(command, option, "TIME|TOPIC/PARTITION/OFFSET", ends, help)
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
        ->allow_extra_args(false);
  };
  add_end("--from", verify.range.from,
          "check only input records from this time on, or from this offset on; with offsets, only "
          "the partitions that are named; repeatable");
  add_end("--to", verify.range.to,
          "check only input records before this time or offset; repeatable");
  AddOption(command, "--since", "DURATION|TIME", verify.range.since,
            "short for --from: a time, or how long ago, such as 2h or 7d");
  AddOption(command, "--memory-max", "SIZE", verify.memory_max,
            fmt::format("refuse to start if more memory than this may be needed (default: {} GiB)",
                        kAuditMemoryMax >> 30));
  command->add_flag("--quiet", verify.quiet, "show no progress");
  command->add_flag("--json", verify.json,
                    "print the outcome as one JSON object, and show no progress");
  line.Runs(command, [arguments] { return VerifyCommand(*arguments); });
}

}  // namespace neardup
