#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "commands/program/command_line.h"
#include "commands/program/commands.h"
#include "commands/program/message.h"
#include "commands/program/stop_signals.h"
#include "detect/base/file.h"
#include "explain/verdict_cases.h"

namespace neardup {
namespace {

struct TestArguments {
  ConfigArguments config;
  std::string cases;  ///< a file of ParseVerdictCases
  bool json = false;  ///< print one JSON object
};

void PrintCase(const std::string& file, const VerdictCase& each, const CaseOutcome& outcome) {
  Print("{}:{}: expected {}, found {}{}\n  {}\n", file, each.line, Name(each.expected),
        outcome.found, each.name.empty() ? "" : fmt::format(" ({})", each.name), outcome.reason);
}

/// `neardup test`: decides pairs of records, and compares the verdicts with those that a person
/// expects. kExitOk if all are as expected, kExitNo if not.
Result<int> TestCommand(const TestArguments& arguments) {
  EndOnSignals();
  NowDoing("deciding the cases");
  NEARDUP_ASSIGN(const LoadedConfig config, Load(arguments.config));
  if (config.settings.learning.on && !config.settings.learning.kept.contains("record.fields")) {
    Say("neardup: warning: no fields are named, so all fields are compared, with the default "
        "settings; give the configuration that `neardup tune` wrote");
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
    Print("{} cases, {} as expected, {} not\n", cases.size(), cases.size() - failed.size(),
          failed.size());
  }
  return failed.empty() ? kExitOk : kExitNo;
}

}  // namespace

void AddTest(CommandLine& line) {
  const auto arguments = std::make_shared<TestArguments>();
  TestArguments& test = *arguments;
  CLI::App* command =
      line.Add("test", "decide pairs of records, and compare the verdicts with the expected ones",
               {"neardup test cases.jsonl --config articles.yaml"});
  AddOption(command, "CASES", "", test.cases,
            "JSON Lines: {\"a\": record, \"b\": later record, \"expect\": unique, duplicate, "
            "exact, near or dead-letter, \"name\": text}")
      ->required();
  AddConfig(command, test.config);
  command->add_flag("--json", test.json, "print one JSON object");
  line.Runs(command, [arguments] { return TestCommand(*arguments); });
}

}  // namespace neardup
