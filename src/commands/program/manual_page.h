// The manual page, for man(1).
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "commands/program/completion.h"

namespace neardup {

// What the exit codes of the program mean, for its help and the manual page.

struct ExitCodeRow {
  std::string_view code;
  std::string_view meaning;
};
/// docs/configure.md shows the same.
std::span<const ExitCodeRow> ExitCodeRows();

/// In roff.
std::string ManualPage(const CommandNode& program);

}  // namespace neardup
