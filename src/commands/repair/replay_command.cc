#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <string>
#include <vector>

#include "commands/program/command_line.h"
#include "commands/program/commands.h"
#include "commands/program/message.h"
#include "commands/repair/replay.h"
#include "detect/base/quantity.h"
#include "service/config/config.h"

namespace neardup {
namespace {

struct ReplayArguments {
  ConfigArguments config;
  std::string topic;                 ///< of dead letters
  std::vector<std::string> reasons;  ///< empty: all
  bool execute = false;
};

constexpr size_t kGoneShown = 20;

std::string TextOf(const ReplayCounts& counts, bool execute) {
  std::string text;
  for (const auto& [topic, by_reason] : counts.replayed) {
    for (size_t reason = 1; reason < by_reason.size(); ++reason) {
      if (by_reason[reason] == 0) continue;
      text += fmt::format("{:<30} {:<16} {:>12}\n", topic, Name(static_cast<Reason>(reason)),
                          Grouped(by_reason[reason]));
    }
  }
  if (!counts.gone.empty()) {
    text += fmt::format(
        "{} dead letters by reference are left out, because their record is gone from its input:\n",
        Grouped(counts.gone.size()));
    for (size_t i = 0; i < std::min(counts.gone.size(), kGoneShown); ++i) {
      text += fmt::format("  {}\n", counts.gone[i]);
    }
    if (counts.gone.size() > kGoneShown) text += "  ...\n";
  }
  if (counts.foreign > 0) {
    text += fmt::format(
        "left out: {} that are no dead letters of the input topics of this configuration\n",
        Counted(counts.foreign, "record"));
  }
  if (counts.total() > 0) {
    std::vector<std::string> topics;
    for (const auto& [topic, by_reason] : counts.replayed) topics.push_back(topic);
    text += fmt::format(
        "a replayed record is written to its input topic again: every consumer of {} reads it "
        "twice, even other pipelines and apps\n",
        fmt::join(topics, ", "));
  }
  if (!counts.outputs.empty()) {
    text += fmt::format(
        "{} is an output of another neardup pipeline, because its records have a neardup header: "
        "`neardup verify` of that pipeline will report each replayed record as written twice\n",
        fmt::join(counts.outputs, ", "));
  }
  const std::string total = Counted(counts.total(), "record");
  return text + (execute ? fmt::format("{} went back to their input topics\n", total)
                         : fmt::format("{} would go back to their input topics; nothing is changed "
                                       "yet: add --execute\n",
                                       total));
}

Result<ReplayOrder> OrderOf(const ReplayArguments& arguments) {
  ReplayOrder order{.topic = arguments.topic, .reasons = {}, .execute = arguments.execute};
  for (const std::string& name : arguments.reasons) {
    int reason = 1;
    while (reason < kReasonCount && name != Name(static_cast<Reason>(reason))) ++reason;
    if (reason == kReasonCount) {
      return Error{
          ErrorCode::kConfig,
          fmt::format(
              "--reason: found {}, expected a reason of docs/recovery.md, such as missing_field",
              name)};
    }
    order.reasons.push_back(static_cast<Reason>(reason));
  }
  return order;
}

Result<std::string> RunReplay(const ReplayArguments& arguments) {
  NEARDUP_ASSIGN(const LoadedConfig config, Load(arguments.config));
  NEARDUP_TRY(CheckRunnable(config));
  NEARDUP_ASSIGN(const ReplayOrder order, OrderOf(arguments));
  NEARDUP_ASSIGN(const ReplayCounts counts, Replay(config.settings, order, PrintKafkaErrors()));
  return TextOf(counts, arguments.execute);
}

}  // namespace

void AddReplay(CommandLine& line) {
  const auto arguments = std::make_shared<ReplayArguments>();
  ReplayArguments& replay = *arguments;
  CLI::App* command =
      line.Add("replay", "send dead letters back to their input topics, exactly once",
               {"neardup replay --config neardup.yaml --topic articles.dead-letter --execute"});
  AddConfig(command, replay.config);
  AddKafka(line, command, replay.config);
  AddOption(command, "--topic", "TOPIC", replay.topic, "read dead letters from this topic")
      ->required();
  AddOption(command, "--reason", "REASON", replay.reasons,
            "only those with this reason; the others stay for a later replay")
      ->delimiter(',');
  AddExecute(command, replay.execute);
  line.Renamed(command, "--dead-letter", "--topic");
  line.Prints(command, [arguments] { return RunReplay(*arguments); });
}

}  // namespace neardup
