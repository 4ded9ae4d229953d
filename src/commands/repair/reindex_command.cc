#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iostream>
#include <memory>
#include <string>

#include "commands/program/command_line.h"
#include "commands/program/commands.h"
#include "commands/program/message.h"
#include "detect/base/quantity.h"
#include "service/config/config.h"
#include "service/topics/lane_learning.h"
#include "service/topics/reindex.h"

namespace neardup {
namespace {

struct ReindexArguments {
  ConfigArguments config;
  bool execute = false;
};

std::string TextOf(const ReindexReport& report, bool execute) {
  std::string text =
      report.changelog_lost ? "settings      the changelog holds nothing; the outputs and the "
                              "offsets of the consumer group say where the lane is\n"
      : report.difference.empty() ? "settings      as in the changelog\n"
                                  : fmt::format("settings      {}\n", report.difference);
  text += fmt::format("old index     {} entries, up to seq {}\n", Grouped(report.entries_before),
                      report.seq);
  text += fmt::format("read          {} unique records\n", Grouped(report.records));
  if (report.outside > 0) {
    text += fmt::format("left out      {} outside of the window\n", Grouped(report.outside));
  }
  if (report.incomparable > 0) {
    text += fmt::format("left out      {} that cannot be compared under these settings\n",
                        Grouped(report.incomparable));
  }
  text += fmt::format("new index     {} entries\n", Grouped(report.entries));
  return text + (execute
                     ? "done: `neardup run` continues with these settings after the same offsets\n"
                     : "nothing is changed yet: add --execute\n");
}

Result<std::string> RunReindex(const ReindexArguments& arguments) {
  NEARDUP_ASSIGN(LoadedConfig config, Load(arguments.config));
  NEARDUP_TRY(CheckRunnable(config));
  if (config.settings.learning.on) {
    Settings& settings = config.settings;
    const auto refuse_to_wait = [&settings](size_t records) -> Result<void> {
      return Error{ErrorCode::kNotFound,
                   fmt::format("input topics {}: found {} records, expected at least {} to learn "
                               "from (auto.records_min); write more records, or set match.mode to "
                               "near or exact",
                               fmt::join(settings.kafka.topics, ", "), records,
                               settings.learning.records_min)};
    };
    NEARDUP_ASSIGN(const LearnedOptions learned,
                   LearnFromTopics(settings, PrintKafkaErrors(), refuse_to_wait));
    NEARDUP_ASSIGN(const LearnedOptions taken, TakeLearnedText(LearnedText(learned), settings));
    for (const std::string& reason : taken.reasons) std::cout << reason << '\n';
  }
  NEARDUP_ASSIGN(const ReindexReport report,
                 Reindex(config.settings, arguments.execute, PrintKafkaErrors()));
  return TextOf(report, arguments.execute);
}

}  // namespace

void AddReindex(CommandLine& line) {
  const auto arguments = std::make_shared<ReindexArguments>();
  ReindexArguments& reindex = *arguments;
  CLI::App* command = line.Add("reindex",
                               "rebuild the index of a stopped service, for other fields, "
                               "features, another model or mode, from its unique topics",
                               {"neardup reindex --config neardup.yaml --execute"});
  AddConfig(command, reindex.config);
  AddKafka(line, command, reindex.config);
  AddExecute(command, reindex.execute);
  line.Prints(command, [arguments] { return RunReindex(*arguments); });
}

}  // namespace neardup
