// The scripts that let a shell complete the words of a command line: commands, options, and files
// where an option takes one. zsh and fish also show what each of them is.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "commands/program/command_line.h"

namespace neardup {

// The commands of the program as data: what help, completion and the manual page are made of.

struct OptionNode {
  std::vector<std::string> names;  ///< such as -i and --input
  std::string value;               ///< what it takes, such as FILE; empty: nothing
  std::string help;
  bool required = false;

  bool takes_file() const { return value == "FILE" || value == "FOLDER"; }
};

struct CommandNode {
  std::string name;  ///< as it is called, such as `neardup config show`
  std::string help;
  std::string words;  ///< what it takes besides options, such as RECORD; empty: nothing
  std::vector<OptionNode> options;
  std::vector<std::string> examples;  ///< whole lines
  std::vector<CommandNode> commands;

  /// The last word of the name.
  std::string word() const { return name.substr(name.rfind(' ') + 1); }
};

/// The whole program. Options are in the order of the help.
CommandNode TreeOf(const CommandLine& line);

/// The script for bash, zsh or fish; empty for another shell.
std::string CompletionScript(std::string_view shell);

/// Completions of the last of `words`, which follow the name of the program. Each line has a word,
/// a tab and its help. The line `:files` says that the name of a file may stand there.
std::string CompletedWords(const CommandNode& program, std::span<const std::string> words);

}  // namespace neardup
