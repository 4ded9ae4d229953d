#include <fmt/format.h>

#include <memory>
#include <string>

#include "commands/migrate/lane_migration.h"
#include "commands/program/command_line.h"
#include "commands/program/commands.h"
#include "commands/program/message.h"
#include "detect/base/quantity.h"
#include "service/config/config.h"

namespace neardup {
namespace {

struct LanesArguments {
  ConfigArguments config;
  int32_t to = 0;  ///< how many lanes there will be
  bool execute = false;
};

std::string TextOf(const LaneMigration& migration, bool execute) {
  std::string text =
      fmt::format("lanes         {} now, {} afterwards\n", migration.from, migration.to);
  for (size_t lane = 0; lane < migration.lanes.size(); ++lane) {
    const MigratedLane& each = migration.lanes[lane];
    text += fmt::format("lane {:<9}{} entries of {} input partition(s)\n", lane,
                        Grouped(each.entries), each.partitions);
    if (each.left_out > 0) {
      text += fmt::format(
          "left out      the oldest {} entries, for lack of room "
          "(window.entries_max)\n",
          Grouped(each.left_out));
    }
  }
  if (migration.lanes.empty()) {
    text += "entries       written by an interrupted run; only the end of some lanes is missing\n";
  } else {
    text += fmt::format("seq           the lanes go on after {}\n", migration.seq);
  }
  return text + (execute
                     ? fmt::format("done: set lanes.count: {}, and start the lanes\n", migration.to)
                     : "nothing is changed yet: add --execute\n");
}

Result<std::string> Migrate(const LanesArguments& arguments) {
  NEARDUP_ASSIGN(const LoadedConfig config, Load(arguments.config));
  NEARDUP_TRY(CheckRunnable(config));
  NEARDUP_ASSIGN(
      const LaneMigration migration,
      MigrateLanes(config.settings, arguments.to, arguments.execute, PrintKafkaErrors()));
  return TextOf(migration, arguments.execute);
}

}  // namespace

void AddLanes(CommandLine& line) {
  const auto arguments = std::make_shared<LanesArguments>();
  LanesArguments& lanes = *arguments;
  CLI::App* command =
      line.AddTo(line.AddGroup("lanes", "change the number of lanes"), "migrate",
                 "give the entries of all lanes, which must be stopped, to another number of lanes",
                 {"neardup lanes migrate --config neardup.yaml --lanes 8 --execute"});
  AddConfig(command, lanes.config);
  AddKafka(line, command, lanes.config);
  AddNumber(command, "--lanes", lanes.to, {1, kLanesMax}, "how many lanes there will be")
      ->required();
  AddExecute(command, lanes.execute);
  line.Renamed(command, "--to", "--lanes");
  line.Prints(command, [arguments] { return Migrate(*arguments); });
}

}  // namespace neardup
