// The manual page, for man(1).
#pragma once

#include <string>

#include "program/command_tree.h"

namespace neardup {

/// In roff.
std::string ManualPage(const CommandNode& program);

}  // namespace neardup
