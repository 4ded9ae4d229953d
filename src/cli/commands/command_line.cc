#include "commands/command_line.h"

#include <algorithm>
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

void CommandLine::Renamed(const CLI::App* command, const char* old_name, const char* name) {
  renamed_[command][old_name] = name;
}

std::vector<std::string> CommandLine::WithNewNames(std::vector<std::string> words) const {
  const CLI::App* command = &program_;
  size_t at = 1;
  for (; at < words.size(); ++at) {
    const auto of_name = [&](const CLI::App* each) { return each->get_name() == words[at]; };
    const std::vector<const CLI::App*> found = command->get_subcommands(of_name);
    if (found.empty()) break;
    command = found.front();
  }
  const auto renamed = renamed_.find(command);
  if (renamed == renamed_.end()) return words;
  for (; at < words.size() && words[at] != "--"; ++at) {
    const size_t end = std::min(words[at].find('='), words[at].size());
    const auto found = renamed->second.find(words[at].substr(0, end));
    if (found != renamed->second.end()) words[at].replace(0, end, found->second);
  }
  return words;
}

const CommandLine::Examples& CommandLine::examples(const CLI::App& command) const {
  static const Examples kNone;
  const auto found = examples_.find(&command);
  return found == examples_.end() ? kNone : found->second;
}

}  // namespace neardup
