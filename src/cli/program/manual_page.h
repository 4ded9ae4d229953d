// The manual page, for man(1).
#pragma once

#include <string>

#include "program/command_tree.h"

namespace neardup {

/// In roff. config/package/neardup.1 is a copy.
std::string ManualPage(const CommandNode& program);

}  // namespace neardup
