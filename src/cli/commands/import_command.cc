#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <string>

#include "base/number_text.h"
#include "beginning/history_import.h"
#include "commands/commands.h"
#include "config/config.h"
#include "process/exit_code.h"
#include "reading/topic_reading.h"

namespace neardup {
namespace {

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
  options.folder = arguments.from;
  options.accept_gap = arguments.accept_gap;
  if (!arguments.start.empty()) {
    options.start = arguments.start == "earliest" ? StartAt::kEarliest : StartAt::kLatest;
  }
  NEARDUP_ASSIGN(const HistoryImport import,
                 ImportHistory(config.settings, options, arguments.execute, PrintKafkaErrors()));
  return TextOf(import, arguments.execute);
}

}  // namespace

int ImportCommand(const ImportArguments& arguments) {
  const Result<std::string> done = RunImport(arguments);
  if (!done.ok()) return Fail(done.error());
  std::cout << *done;
  return kExitOk;
}

}  // namespace neardup
