// What the exit codes of the program mean, for its help and the manual page.
#pragma once

#include <span>
#include <string_view>

namespace neardup {

struct ExitCodeRow {
  std::string_view code;
  std::string_view meaning;
};
/// docs/configure.md shows the same.
std::span<const ExitCodeRow> ExitCodeRows();

}  // namespace neardup
