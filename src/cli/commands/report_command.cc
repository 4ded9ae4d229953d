#include <unistd.h>

#include <cstdio>
#include <iostream>

#include "commands/commands.h"
#include "files/local_ports.h"
#include "process/exit_code.h"
#include "process/stop_signals.h"
#include "report/verdict_reading.h"

namespace neardup {
namespace {

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

}  // namespace

int ReportCommand(const ReportArguments& arguments) {
  EndOnSignals();
  NowDoing("reading the outputs");
  const Result<VerdictReport> report = Report(arguments);
  if (!report.ok()) return Fail(report.error());
  std::fputs((arguments.json ? ReportJson(*report) : ReportText(*report)).c_str(), stdout);
  return kExitOk;
}

}  // namespace neardup
