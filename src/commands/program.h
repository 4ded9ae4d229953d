// The program, from the words of its command line to its exit code.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace neardup {

/// `words` come from main: the first is the name of the program. Prints what is wrong with them.
int RunProgram(int count, const char* const* words);

// What is wrong with a command line.

/// A command, and how to call it.
struct NamedCommand {
  const CLI::App* command;
  std::string name;  ///< such as `neardup config show`
};

/// The error about a word that is neither an option nor a command of `named`. It names the nearest
/// one, if there is one.
std::string UnknownWordText(const NamedCommand& named, const std::string& word);

/// Says what is wrong with the words that the program has parsed. CLI11 complains about missing
/// words before it complains about unknown ones, although an unknown word is usually why another
/// one is missing.
std::string UsageText(const CLI::App& program, const CLI::ParseError& error);

}  // namespace neardup
