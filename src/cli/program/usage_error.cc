#include "program/usage_error.h"

#include <fmt/format.h>

#include <vector>

#include "base/nearest_name.h"

namespace neardup {
namespace {

/// The innermost command that the words name.
NamedCommand CommandIn(const CLI::App& app) {
  NamedCommand named{&app, "neardup"};
  while (!named.command->get_subcommands().empty()) {
    named.command = named.command->get_subcommands().front();
    named.name += " " + named.command->get_name();
  }
  return named;
}

/// The names of a command's options, such as --input.
std::vector<std::string> OptionNames(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

std::vector<std::string> CommandNames(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::App* each : command.get_subcommands({})) names.push_back(each->get_name());
  return names;
}

}  // namespace

std::string UnknownWordText(const NamedCommand& named, const std::string& word) {
  const bool takes_commands = named.command->get_require_subcommand_min() > 0;
  if (!word.starts_with('-')) {
    if (!takes_commands) {
      return fmt::format("{}: found an extra word; see `{} --help`", word, named.name);
    }
    if (const auto meant = NearestName(word, CommandNames(*named.command))) {
      return fmt::format("{}: unknown command; did you mean `{} {}`?", word, named.name, *meant);
    }
    return fmt::format("{}: unknown command; `{} --help` lists all commands", word, named.name);
  }
  const std::string name = word.substr(0, word.find('='));
  if (const auto meant = NearestName(name, OptionNames(*named.command))) {
    return fmt::format("{}: unknown option; did you mean {}?", name, *meant);
  }
  return fmt::format("{}: unknown option; see `{} --help`", name, named.name);
}

std::string UsageText(const CLI::App& program, const CLI::ParseError& error) {
  const NamedCommand named = CommandIn(program);
  std::vector<std::string> unknown = named.command->remaining();
  if (unknown.empty()) unknown = program.remaining(true);
  if (!unknown.empty()) return UnknownWordText(named, unknown.front());
  std::string text = error.what();
  const std::string option = text.substr(0, text.find(':'));
  if (named.command->get_require_subcommand_min() > 0) {
    return fmt::format("found no command; `{} --help` lists all commands", named.name);
  }
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) {
    if (text.ends_with(" missing")) {
      text = fmt::format("{}: found no value, expected one", option);
    } else if (text.find(": At Most 1 ") != std::string::npos) {
      text = fmt::format("{}: found more than one value, expected one", option);
    } else if (text.find(": At Most 2 ") != std::string::npos) {
      text = fmt::format("{}: found more than two values, expected one or two", option);
    }
  }
  return fmt::format("{}; see `{} --help`", text, named.name);
}

}  // namespace neardup
