#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/file_content.h"
#include "cases/verdict_cases.h"
#include "commands/commands.h"
#include "process/exit_code.h"
#include "process/stop_signals.h"

namespace neardup {
namespace {

void PrintCase(const std::string& file, const VerdictCase& each, const CaseOutcome& outcome) {
  fmt::print("{}:{}: expected {}, found {}{}\n  {}\n", file, each.line, Name(each.expected),
             outcome.found, each.name.empty() ? "" : fmt::format(" ({})", each.name),
             outcome.reason);
}

Result<int> RunTest(const TestArguments& arguments) {
  NEARDUP_ASSIGN(const LoadedConfig config, Load(arguments.config));
  if (config.settings.learning.on && !config.settings.learning.kept.contains("record.fields")) {
    fmt::print(stderr,
               "neardup: warning: no fields are named, so all fields are compared, with the "
               "default settings; give the configuration that `neardup tune` wrote\n");
  }
  const Result<std::string> text = ReadFile(arguments.cases);
  if (!text.ok()) {
    return Error{text.error().code, fmt::format("{}: {}", arguments.cases, text.error().text)};
  }
  NEARDUP_ASSIGN(const std::vector<VerdictCase> cases, ParseVerdictCases(*text, arguments.cases));
  nlohmann::ordered_json failed = nlohmann::ordered_json::array();
  for (const VerdictCase& each : cases) {
    NEARDUP_ASSIGN(const CaseOutcome outcome, RunCase(each, config.settings.lane.filter));
    if (outcome.as_expected) continue;
    failed.push_back({{"line", each.line},
                      {"name", each.name},
                      {"expected", Name(each.expected)},
                      {"found", outcome.found},
                      {"reason", outcome.reason}});
    if (!arguments.json) PrintCase(arguments.cases, each, outcome);
  }
  if (arguments.json) {
    const nlohmann::ordered_json json = {{"cases", cases.size()}, {"failed", failed}};
    fmt::print("{}\n", json.dump());
  } else {
    fmt::print("{} cases, {} as expected, {} not\n", cases.size(), cases.size() - failed.size(),
               failed.size());
  }
  return failed.empty() ? kExitOk : kExitNo;
}

}  // namespace

int TestCommand(const TestArguments& arguments) {
  EndOnSignals();
  NowDoing("deciding the cases");
  const Result<int> ran = RunTest(arguments);
  return ran.ok() ? *ran : Fail(ran.error());
}

}  // namespace neardup
