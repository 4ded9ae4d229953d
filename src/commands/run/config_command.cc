#include <algorithm>
#include <memory>
#include <string>
#include <thread>

#include "commands/program/command_line.h"
#include "commands/program/commands.h"
#include "commands/program/message.h"
#include "service/config/documents.h"
#include "service/topics/lane_learning.h"

namespace neardup {
namespace {

struct ShowArguments {
  ConfigArguments config;
  ShowOptions shown;
  /// Also read from the brokers what the lane learned.
  bool in_force = false;
};

/// Beside the settings, so that these stay a configuration file.
void PrintReasons(const LearnedOptions& learned, const Settings& settings) {
  for (const std::string& reason : learned.reasons) {
    Say("learned settings: {}", reason);
  }
  if (learned.provisional) SayText(WhatFollows(settings));
}

/// Every setting with its value, and what takes memory.
Result<std::string> Show(const ShowArguments& arguments) {
  NEARDUP_ASSIGN(LoadedConfig config, Load(arguments.config));
  if (arguments.in_force) {
    NEARDUP_ASSIGN(const auto taken, TakeLearnedOf(config, PrintKafkaErrors()));
    if (taken) PrintReasons(*taken, config.settings);
  }
  ShowOptions options = arguments.shown;
  options.cores = std::max(1U, std::thread::hardware_concurrency());
  return ShowConfig(config, options);
}

void AddShow(CommandLine& line, CLI::App* group) {
  const auto arguments = std::make_shared<ShowArguments>();
  CLI::App* command =
      line.AddTo(group, "show", "print every setting in force, and what takes memory",
                 {"neardup config show --config neardup.yaml --origin"});
  AddConfig(command, arguments->config);
  AddKafka(line, command, arguments->config);
  command->add_flag("--origin", arguments->shown.with_sources, "show where each value comes from");
  command->add_flag("--json", arguments->shown.json, "print one JSON object");
  command->add_flag("--in-force", arguments->in_force,
                    "also ask the brokers for what the lane learned (match.mode: auto)");
  AddNumber(command, "--partitions", arguments->shown.partitions, {1, 1'000'000},
            "input partitions that the memory is computed for")
      ->capture_default_str();
  line.Prints(command, [arguments] { return Show(*arguments); });
}

}  // namespace

void AddConfigCommands(CommandLine& line) {
  CLI::App* group = line.AddGroup("config", "print configuration");
  AddShow(line, group);
  const auto add_text = [&](const char* name, const char* help, std::string (*text)(),
                            const char* example) {
    line.Prints(line.AddTo(group, name, help, {example}), text);
  };
  add_text("schema", "print the JSON Schema of the configuration file", &ConfigSchema,
           "neardup config schema > neardup.schema.json");
  add_text("example", "print a complete file with comments and the defaults", &ConfigExample,
           "neardup config example > neardup.yaml");
  add_text("reference", "print all settings as Markdown tables", &ConfigReference,
           "neardup config reference");
}

}  // namespace neardup
