// What the help of a command says besides its options: examples and exit codes.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace neardup {

struct CommandExample {
  std::string_view command;  ///< as it is called, such as `neardup config show`
  std::string_view line;
};
/// At least one for each command that takes no other command.
std::span<const CommandExample> CommandExamples();

struct ExitCodeRow {
  std::string_view code;
  std::string_view meaning;
};
/// docs/configure.md shows the same.
std::span<const ExitCodeRow> ExitCodeRows();

/// What follows the options in the help of a command. Empty if there is nothing to say.
std::string HelpFooter(std::string_view command);

}  // namespace neardup
