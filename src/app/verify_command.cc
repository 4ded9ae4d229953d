#include <fmt/format.h>

#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "app/commands.h"
#include "app/exit_code.h"
#include "app/topic_audit.h"
#include "config/config.h"

namespace neardup {
namespace {

Result<TopicAudit> Verify(const VerifyArguments& arguments) {
  NEARDUP_ASSIGN(const LoadedConfig config, Load(arguments.config));
  NEARDUP_TRY(CheckRunnable(config));
  return AuditTopics(config.settings, PrintKafkaErrors());
}

nlohmann::ordered_json JsonOf(const TopicAudit& audit) {
  const AuditReport& report = audit.report;
  nlohmann::ordered_json json = {{"ok", report.ok()},
                                 {"partial", audit.partial},
                                 {"inputs", report.inputs},
                                 {"unique", report.unique},
                                 {"duplicate", report.duplicates},
                                 {"dead_letter", report.dead_letters},
                                 {"newer_outputs", report.newer_outputs},
                                 {"outputs_without_input", report.outputs_without_input},
                                 {"pairs_excused", report.pairs_excused},
                                 {"cause", report.cause}};
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

/// Violations may quote bytes that are not UTF-8; the dump replaces them.
std::string PrintableJson(const TopicAudit& audit) {
  return JsonOf(audit).dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

std::string TextOf(const TopicAudit& audit) {
  std::string text = ReportText(audit.report) + '\n';
  for (const AuditedRange& range : audit.ranges) {
    text += fmt::format("{}/{}: audited offsets {} to {}, {} newer\n", range.partition.topic,
                        range.partition.partition, range.begin, range.end, range.lag_records);
  }
  for (const std::string& warning : audit.warnings) text += fmt::format("warning: {}\n", warning);
  if (!audit.report.ok()) return text + "\nNOT all checks hold\n";
  text += audit.partial ? "\nall checks that could be made hold\n" : "\nall checks hold\n";
  return text;
}

}  // namespace

int VerifyCommand(const VerifyArguments& arguments) {
  const Result<TopicAudit> audit = Verify(arguments);
  if (!audit.ok()) {
    std::cerr << "neardup verify: " << audit.error().text << '\n';
    return ExitCodeOf(audit.error());
  }
  std::cout << (arguments.json ? PrintableJson(*audit) + '\n' : TextOf(*audit));
  return audit->report.ok() ? kExitOk : kExitNo;
}

}  // namespace neardup
