#include <fmt/format.h>

#include <memory>
#include <string>

#include "commands/migrate/history_import.h"
#include "commands/program/command_line.h"
#include "commands/program/commands.h"
#include "commands/program/message.h"
#include "detect/base/quantity.h"
#include "service/config/config.h"
#include "service/topics/topic_reading.h"

namespace neardup {
namespace {

struct ImportArguments {
  ConfigArguments config;
  std::string history;  ///< the work_dir of a run of neardup.spark
  std::string start;    ///< earliest, latest; empty: not said
  bool accept_gap = false;
  bool execute = false;
};

std::string TextOf(const ImportedInput& input) {
  std::string text =
      fmt::format("  {} goes on at offset {}", TextOf(input.partition), input.next_offset);
  if (!input.in_history) text += ", without history";
  if (input.lost > 0) text += fmt::format("; {} offsets before it are lost", input.lost);
  return text + "\n";
}

std::string TextOf(const HistoryImport& import, bool execute) {
  std::string text;
  for (size_t lane = 0; lane < import.lanes.size(); ++lane) {
    const ImportedLane& each = import.lanes[lane];
    text += import.written_before
                ? fmt::format("lane {}: its entries were written by an interrupted run\n", lane)
                : fmt::format("lane {}: {} entries\n", lane, Grouped(each.entries));
    for (const ImportedInput& input : each.inputs) text += TextOf(input);
  }
  return text + (execute ? "done: start the service with the same configuration\n"
                         : "nothing is changed yet: add --execute\n");
}

Result<std::string> RunImport(const ImportArguments& arguments) {
  NEARDUP_ASSIGN(const LoadedConfig config, Load(arguments.config));
  NEARDUP_TRY(CheckRunnable(config));
  ImportOptions options;
  options.folder = arguments.history;
  options.accept_gap = arguments.accept_gap;
  if (!arguments.start.empty()) {
    options.start = arguments.start == "earliest" ? StartAt::kEarliest : StartAt::kLatest;
  }
  NEARDUP_ASSIGN(const HistoryImport import,
                 ImportHistory(config.settings, options, arguments.execute, PrintKafkaErrors()));
  return TextOf(import, arguments.execute);
}

}  // namespace

void AddImport(CommandLine& line) {
  const auto arguments = std::make_shared<ImportArguments>();
  ImportArguments& import = *arguments;
  CLI::App* command = line.Add(
      "import", "give a service that has never run what neardup.spark found in its history",
      {"neardup import --history /lake/dedup/1 --config neardup.yaml --execute"});
  AddConfig(command, import.config);
  AddKafka(line, command, import.config);
  AddOption(command, "--history", "FOLDER", import.history,
            "the work_dir of neardup.spark.deduplicate")
      ->required();
  AddOption(command, "--start", "earliest|latest", import.start,
            "the first offset of partitions that have no record in the history")
      ->check(CLI::IsMember({"earliest", "latest"}));
  command->add_flag("--accept-gap", import.accept_gap,
                    "go on without records that a topic no longer holds after the history, or that "
                    "the history lacks");
  AddExecute(command, import.execute);
  line.Renamed(command, "--from", "--history");
  line.Prints(command, [arguments] { return RunImport(*arguments); });
}

}  // namespace neardup
