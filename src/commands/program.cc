#include "commands/program.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "commands/program/commands.h"
#include "commands/program/completion.h"
#include "commands/program/manual_page.h"
#include "commands/program/message.h"
#include "detect/base/message_text.h"
#include "kafka/library.h"
#include "service/run/version.h"

namespace neardup {
namespace {

// What is wrong with a command line.

/// A command, and how to call it.
struct NamedCommand {
  const CLI::App* command;
  std::string name;  ///< such as `neardup config show`
};

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

/// The error about a word that is neither an option nor a command of `named`. It names the nearest
/// one, if there is one.
std::string UnknownWordText(const NamedCommand& named, const std::string& word) {
  const bool takes_commands = named.command->get_require_subcommand_min() > 0;
  if (!word.starts_with('-')) {
    if (!takes_commands && named.command->get_option_no_throw("--input") != nullptr) {
      return fmt::format("{}: found an extra word; did you mean --input {}?", word, word);
    }
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

/// Says what is wrong with the words that the program has parsed. CLI11 complains about missing
/// words earlier than about unknown ones, although an unknown word is usually why another one is
/// missing.
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

std::string VersionText() {
  return fmt::format("neardup {} ({}, {}), {}", kVersion, kRevision, kCompiler,
                     ClientLibraryName());
}

// Commands that say what the program is.

void AddVersion(CommandLine& line) {
  const std::string help = "print the versions of neardup and of the Kafka library";
  line.program().set_version_flag("--version", VersionText, help);
  line.Prints(line.Add("version", help, {"neardup version"}), [] { return VersionText() + "\n"; });
}

void AddCompletion(CommandLine& line) {
  /// The scripts call `neardup completion words -- WORD...`.
  constexpr const char* kWords = "words";
  const auto shell = std::make_shared<std::string>();
  const auto words = std::make_shared<std::vector<std::string>>();
  CLI::App* command =
      line.Add("completion", "print a script that completes command lines in a shell",
               {"source <(neardup completion bash)"});
  AddOption(command, "SHELL", "", *shell, "the shell: bash, zsh, fish")
      ->required()
      ->check(CLI::Validator(
          [](const std::string& text) {
            const bool known = text == kWords || !CompletionScript(text).empty();
            return known ? "" : fmt::format("found {}, expected bash, zsh, fish", text);
          },
          ""));
  command->add_option("WORD", *words)->group("");
  line.Prints(command, [&line, shell, words] {
    return *shell == kWords ? CompletedWords(TreeOf(line), *words) : CompletionScript(*shell);
  });
}

void AddManual(CommandLine& line) {
  line.Prints(line.Add("manual", "print the manual page, for man", {"neardup manual | man -l -"}),
              [&line] { return ManualPage(TreeOf(line)); });
}

/// Throws CLI11's request for help on the command that `words` name, as --help does. If a word
/// names no command, prints an error and returns kExitUsage.
int ShowHelp(CLI::App& program, const std::vector<std::string>& words) {
  NamedCommand named{&program, "neardup"};
  for (const std::string& word : words) {
    const auto of_name = [&](const CLI::App* each) { return each->get_name() == word; };
    const std::vector<const CLI::App*> found = named.command->get_subcommands(of_name);
    if (found.empty()) {
      Say("neardup: {}", UnknownWordText(named, word));
      return kExitUsage;
    }
    named = {found.front(), named.name + " " + word};
  }
  std::vector<std::string> reversed(words.rbegin(), words.rend());
  reversed.insert(reversed.begin(), "--help");
  program.parse(reversed);
  return kExitInternal;
}

void AddHelp(CommandLine& line) {
  const auto words = std::make_shared<std::vector<std::string>>();
  CLI::App* command = line.Add("help", "print the help of a command", {"neardup help config show"});
  command->add_option("COMMAND", *words, "the command, such as: config show");
  line.Runs(command, [&line, words] {
    const std::vector<std::string> named = *words;  // the next parse clears it
    return ShowHelp(line.program(), named);
  });
}

/// The help as CLI11 prints it, but with `RECORD [RECORD]` for one or two words, not `RECORD(1x)`.
class HelpFormat : public CLI::Formatter {
 public:
  std::string make_option_usage(const CLI::Option* option) const override {
    const bool one_or_two = option->get_expected_min() == 1 && option->get_expected_max() == 2;
    if (!one_or_two) return CLI::Formatter::make_option_usage(option);
    const std::string name = option->get_name(true);
    return fmt::format("{} [{}]", name, name);
  }
};

/// What follows the options in the help of a command.
std::string FooterOf(const CommandLine& line, const CLI::App& command) {
  std::string text = command.get_footer();
  if (!text.empty()) text += "\n\n";
  if (&command == &line.program()) {
    text += "Exit codes:\n";
    for (const ExitCodeRow& row : ExitCodeRows()) {
      text += fmt::format("  {:<14} {}\n", row.code, row.meaning);
    }
    return text + "\n`neardup COMMAND --help` shows the options and examples of a command.";
  }
  if (line.examples(command).empty()) return command.get_footer();
  text += "Examples:\n";
  for (const std::string& example : line.examples(command)) text += fmt::format("  {}\n", example);
  return text + "\n`neardup --help` lists the exit codes.";
}

void AddFooters(const CommandLine& line, CLI::App& command) {
  command.footer(FooterOf(line, command));
  for (CLI::App* each : command.get_subcommands({})) AddFooters(line, *each);
}

}  // namespace

int RunProgram(int count, const char* const* words) {
  CLI::App program(
      "neardup: separates near-duplicate records from unique ones in Kafka streams, exactly once");
  program.name(words[0]);
  program.formatter(std::make_shared<HelpFormat>());
  program.require_subcommand(1);
  program.failure_message(CLI::FailureMessage::help);
  CommandLine line(program);
  for (const auto add : kCommands) add(line);
  for (const auto add : {AddVersion, AddCompletion, AddManual, AddHelp}) add(line);
  AddFooters(line, program);
  try {
    std::vector<std::string> parsed = line.WithNewNames({words, words + count});
    parsed.erase(parsed.begin());  // the name of the program
    std::reverse(parsed.begin(), parsed.end());
    program.parse(std::move(parsed));
    return line.RunChosen();
  } catch (const CLI::Success& success) {
    return program.exit(success);
  } catch (const CLI::ParseError& error) {
    Say("neardup: {}", UsageText(program, error));
    return kExitUsage;
  }
}

}  // namespace neardup
