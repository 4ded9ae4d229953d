#include <fmt/format.h>

#include <iostream>
#include <string>

#include "base/number_text.h"
#include "beginning/lane_migration.h"
#include "commands/commands.h"
#include "config/config.h"
#include "process/exit_code.h"

namespace neardup {
namespace {

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

int LanesCommand(const LanesArguments& arguments) {
  const Result<std::string> done = Migrate(arguments);
  if (!done.ok()) return Fail(done.error());
  std::cout << *done;
  return kExitOk;
}

}  // namespace neardup
