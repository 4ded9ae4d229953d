#include <fmt/format.h>

#include <charconv>
#include <iostream>
#include <string>

#include "commands/commands.h"
#include "config/config.h"
#include "process/exit_code.h"
#include "repair/reset.h"

namespace neardup {
namespace {

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
      fmt::format("--input: found {}, expected TOPIC/PARTITION, such as articles/0", text)};
}

/// The settings. With --all, --input is short for input.topics, as it is for `run`.
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
    return Error{ErrorCode::kConfig,
                 fmt::format("found {} --input and {} --to, expected one --to for each --input",
                             arguments.inputs.size(), arguments.targets.size())};
  }
  if (arguments.inputs.empty()) {
    return Error{ErrorCode::kConfig, "expected either --all, or --input with --to"};
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

int ResetCommand(const ResetArguments& arguments) {
  const Result<std::string> done = RunReset(arguments);
  if (!done.ok()) return Fail(done.error());
  std::cout << *done;
  return kExitOk;
}

}  // namespace neardup
