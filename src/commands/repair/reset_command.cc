#include <fmt/format.h>

#include <charconv>
#include <memory>
#include <string>

#include "commands/program/command_line.h"
#include "commands/program/commands.h"
#include "commands/program/message.h"
#include "commands/repair/reset.h"
#include "service/config/config.h"

namespace neardup {
namespace {

struct ResetArguments {
  ConfigArguments config;
  std::vector<std::string> inputs;   ///< TOPIC/PARTITION; with `all`: topics, from --input
  std::vector<std::string> targets;  ///< for each input: earliest, latest or an offset
  bool all = false;                  ///< delete the state of the whole lane instead
  bool execute = false;
};

Result<InputPartition> PartitionNamed(const std::string& text) {
  InputPartition partition;
  const size_t slash = text.rfind('/');
  const char* end = text.data() + text.size();
  if (slash != text.npos && slash > 0 && slash + 1 < text.size() &&
      std::from_chars(text.data() + slash + 1, end, partition.partition).ptr == end) {
    partition.topic = text.substr(0, slash);
    return partition;
  }
  return Error{
      ErrorCode::kConfig,
      fmt::format("--partition: found {}, expected TOPIC/PARTITION, such as articles/0", text)};
}

/// Loads the settings. `reset --all --input TOPIC` was valid before --topics existed, and --input
/// now means --partition. So with --all, --partition holds names of topics.
Result<LoadedConfig> ConfigOf(const ResetArguments& arguments) {
  ConfigArguments config = arguments.config;
  if (arguments.all && !arguments.inputs.empty()) {
    config.sets.push_back(fmt::format("input.topics=[{}]", fmt::join(arguments.inputs, ",")));
  }
  return Load(config);
}

Result<std::vector<InputMove>> MovesOf(const ResetArguments& arguments) {
  if (arguments.all) return std::vector<InputMove>();
  if (arguments.inputs.size() != arguments.targets.size()) {
    return Error{
        ErrorCode::kConfig,
        fmt::format("found {} --partition and {} --to, expected one --to for each --partition",
                    arguments.inputs.size(), arguments.targets.size())};
  }
  if (arguments.inputs.empty()) {
    return Error{ErrorCode::kConfig,
                 "found neither --all nor --partition; expected --all, or --partition "
                 "TOPIC/PARTITION with --to OFFSET"};
  }
  std::vector<InputMove> moves;
  for (size_t i = 0; i < arguments.inputs.size(); ++i) {
    NEARDUP_ASSIGN(InputPartition partition, PartitionNamed(arguments.inputs[i]));
    moves.push_back({std::move(partition), arguments.targets[i]});
  }
  return moves;
}

Result<std::string> RunReset(const ResetArguments& arguments) {
  NEARDUP_ASSIGN(const LoadedConfig config, ConfigOf(arguments));
  NEARDUP_TRY(CheckRunnable(config));
  NEARDUP_ASSIGN(const std::vector<InputMove> moves, MovesOf(arguments));
  const KafkaLog log = PrintKafkaErrors();
  if (arguments.all) return ForgetLane(config.settings, arguments.execute, log);
  return MoveInputs(config.settings, moves, arguments.execute, log);
}

}  // namespace

void AddReset(CommandLine& line) {
  const auto arguments = std::make_shared<ResetArguments>();
  ResetArguments& reset = *arguments;
  CLI::App* command = line.Add(
      "reset", "move the inputs of a stopped service to other offsets, or delete all its state",
      {"neardup reset --config neardup.yaml --partition articles/0 --to 5000 --execute"});
  AddConfig(command, reset.config);
  AddShortForm(command, reset.config, "--brokers");
  AddShortForm(command, reset.config, "--topics");
  AddShortForm(command, reset.config, "--app");
  AddShortForm(command, reset.config, "--state-dir");
  AddShortForm(command, reset.config, "--metrics-port");
  CLI::Option* inputs = AddOption(command, "--partition", "TOPIC/PARTITION", reset.inputs,
                                  "move this input partition; repeatable");
  CLI::Option* targets =
      AddOption(command, "--to", "OFFSET", reset.targets,
                "move it to this offset: earliest, latest or a number; once for each --partition");
  targets->needs(inputs);
  command
      ->add_flag("--all", reset.all,
                 "delete the changelog, the lease topic, the group offsets and the snapshots, so "
                 "that the next start is a first start")
      ->excludes(targets);
  AddExecute(command, reset.execute);
  command->parse_complete_callback([arguments, inputs, targets] {
    if (!arguments->all && *inputs && !*targets) throw CLI::RequiresError("--partition", "--to");
  });
  line.Renamed(command, "--input", "--partition");
  line.Prints(command, [arguments] { return RunReset(*arguments); });
}

}  // namespace neardup
