#include "commands/command_line.h"

#include <utility>

namespace neardup {

CLI::App* CommandLine::Add(const char* name, const std::string& help, Examples examples) {
  return AddTo(&program_, name, help, std::move(examples));
}

CLI::App* CommandLine::AddGroup(const char* name, const std::string& help) {
  CLI::App* group = program_.add_subcommand(name, help);
  group->require_subcommand(1);
  return group;
}

CLI::App* CommandLine::AddTo(CLI::App* group, const char* name, const std::string& help,
                             Examples examples) {
  CLI::App* command = group->add_subcommand(name, help);
  examples_[command] = std::move(examples);
  return command;
}

void CommandLine::Runs(CLI::App* command, std::function<int()> run) {
  command->callback([this, run = std::move(run)] { chosen_ = run; });
}

const CommandLine::Examples& CommandLine::examples(const CLI::App& command) const {
  static const Examples kNone;
  const auto found = examples_.find(&command);
  return found == examples_.end() ? kNone : found->second;
}

}  // namespace neardup
