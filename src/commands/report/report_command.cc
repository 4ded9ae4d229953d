#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iostream>

#include "commands/program/command_line.h"
#include "commands/program/commands.h"
#include "commands/program/message.h"
#include "commands/program/stop_signals.h"
#include "commands/report/verdict_summary.h"
#include "commands/verify/input_range.h"
#include "detect/base/file.h"
#include "detect/base/quantity.h"
#include "detect/index/match.h"
#include "service/topics/lane_learning.h"
#include "stream/files/local_ports.h"
#include "stream/files/whole_file.h"

namespace neardup {
namespace {

struct ReportArguments {
  ConfigArguments config;
  std::string since;    ///< a time, or a duration before now; empty: everything
  size_t examples = 5;  ///< closest calls, and most copied records
  std::string cases;    ///< file for the pairs, to be marked; empty: none
  bool json = false;    ///< print one JSON object
  bool quiet = false;   ///< show no progress
};

/// With this many marked pairs of each kind, `tune` chooses well.
constexpr size_t kCasesMin = 30;

/// Such as `similarity 0.6: at most 12 bits, 16 where the two share rare phrases`.
std::string LimitsText(const MatchOptions& match) {
  const int most = LimitsFor(match, UINT32_MAX, 0).distance_max;
  const int most_with_keys = LimitsFor(match, UINT32_MAX, kWideningKeysMax).distance_max;
  std::string text =
      fmt::format("{}: at most {}", LimitText(match), Counted(static_cast<uint64_t>(most), "bit"));
  if (most_with_keys > most) {
    text += fmt::format(", {} where the two share rare phrases", most_with_keys);
  }
  return text;
}

Result<VerdictReport> Report(const ReportArguments& arguments) {
  SystemClock clock;
  NEARDUP_ASSIGN(const InputRange range,
                 ParseInputRange({.since = arguments.since}, clock.WallMs()));
  NEARDUP_ASSIGN(LoadedConfig config, Load(arguments.config));
  NEARDUP_TRY(CheckRunnable(config));
  NEARDUP_TRY(CheckFiles(FilesRead(arguments.config, config),
                         std::array{NamedFile{"--cases", arguments.cases}}));
  NEARDUP_TRY(TakeLearnedOf(config, PrintKafkaErrors()));
  Progress progress(StyleFor(arguments.quiet || arguments.json), std::cerr,
                    [&clock] { return clock.SteadyMs(); });
  Result<VerdictReport> report = ReadVerdicts(
      config.settings,
      {.from_ms = range.from_ms,
       .calls_max = std::max(arguments.examples, arguments.cases.empty() ? 0 : kCasesMin),
       .copied_max = arguments.examples},
      progress, PrintKafkaErrors());
  progress.End();
  if (report.ok()) report->limits = LimitsText(config.settings.lane.filter.match);
  return report;
}

Result<void> WriteCases(const VerdictReport& report, const ReportArguments& arguments) {
  const std::string cases = ReportCases(report);
  NEARDUP_ASSIGN(OutputFile out, OutputFile::Open(arguments.cases));
  NEARDUP_TRY(out.Write(cases));
  NEARDUP_TRY(out.Finish());
  Say("{}: {} pairs; where a pair is no copy, change \"expect\" to \"unique\"; then give the file "
      "to `neardup tune --cases`",
      arguments.cases, std::count(cases.begin(), cases.end(), '\n'));
  return {};
}

Result<int> ReportCommand(const ReportArguments& arguments) {
  EndOnSignals();
  NowDoing("reading the outputs");
  NEARDUP_ASSIGN(VerdictReport report, Report(arguments));
  if (!arguments.cases.empty()) NEARDUP_TRY(WriteCases(report, arguments));
  report.closest_calls.resize(std::min(report.closest_calls.size(), arguments.examples));
  PrintText(arguments.json ? ReportJson(report) : ReportText(report));
  return kExitOk;
}

}  // namespace

void AddReport(CommandLine& line) {
  const auto arguments = std::make_shared<ReportArguments>();
  ReportArguments& report = *arguments;
  CLI::App* command =
      line.Add("report",
               "count the verdicts in the output topics, and show pairs that were just near enough",
               {"neardup report --config neardup.yaml --since 24h"});
  AddConfig(command, report.config);
  AddKafka(line, command, report.config);
  AddOption(command, "--since", "DURATION|TIME", report.since,
            "read only outputs from this time on: a time, or how long ago, such as 2h or 7d");
  AddOption(command, "--examples", "N", report.examples,
            "closest calls, and most copied records, to show")
      ->check(CLI::Range(0, 1000))
      ->capture_default_str();
  AddOption(command, "--cases", "FILE", report.cases,
            "write the closest calls to this file, at least 30 of them, as pairs that you can mark "
            "for `neardup tune --cases`");
  command->add_flag("--quiet", report.quiet, "show no progress");
  command->add_flag("--json", report.json, "print one JSON object, and show no progress");
  line.Runs(command, [arguments] { return ReportCommand(*arguments); });
}

}  // namespace neardup
