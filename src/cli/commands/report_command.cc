#include <unistd.h>

#include <cstdio>
#include <iostream>

#include "commands/commands.h"
#include "commands/kafka_errors.h"
#include "commands/options.h"
#include "files/local_ports.h"
#include "process/exit_code.h"
#include "process/message.h"
#include "process/stop_signals.h"
#include "report/verdict_reading.h"
#include "verify/input_range.h"

namespace neardup {
namespace {

struct ReportArguments {
  ConfigArguments config;
  std::string since;    ///< a time, or a duration before now; empty: everything
  size_t examples = 5;  ///< closest calls, and most copied records
  bool json = false;    ///< print one JSON object
  bool quiet = false;   ///< show no progress
};

ProgressStyle StyleFor(const ReportArguments& arguments) {
  if (arguments.quiet || arguments.json) return ProgressStyle::kNone;
  return isatty(STDERR_FILENO) != 0 ? ProgressStyle::kBar : ProgressStyle::kLines;
}

Result<VerdictReport> Report(const ReportArguments& arguments) {
  SystemClock clock;
  NEARDUP_ASSIGN(const InputRange range,
                 ParseInputRange({.since = arguments.since}, clock.WallMs()));
  NEARDUP_ASSIGN(const LoadedConfig config, Load(arguments.config));
  NEARDUP_TRY(CheckRunnable(config));
  Progress progress(StyleFor(arguments), std::cerr, [&clock] { return clock.SteadyMs(); });
  Result<VerdictReport> report = ReadVerdicts(
      config.settings,
      {.from_ms = range.from_ms, .calls_max = arguments.examples, .copied_max = arguments.examples},
      progress, PrintKafkaErrors());
  progress.End();
  return report;
}

/// `neardup report`: counts the verdicts in the output topics, and shows examples.
int ReportCommand(const ReportArguments& arguments) {
  EndOnSignals();
  NowDoing("reading the outputs");
  const Result<VerdictReport> report = Report(arguments);
  if (!report.ok()) return Fail(report.error());
  PrintText(arguments.json ? ReportJson(*report) : ReportText(*report));
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
  command
      ->add_option("--since", report.since,
                   "read only outputs from this time on: a time, or how long ago, such as 2h or 7d")
      ->type_name("DURATION|TIME");
  command
      ->add_option("--examples", report.examples, "closest calls, and most copied records, to show")
      ->type_name("N")
      ->check(CLI::Range(0, 1000))
      ->capture_default_str();
  command->add_flag("--quiet", report.quiet, "show no progress");
  command->add_flag("--json", report.json, "print one JSON object, and show no progress");
  line.Runs(command, [arguments] { return ReportCommand(*arguments); });
}

}  // namespace neardup
