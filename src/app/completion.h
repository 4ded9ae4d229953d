// The script that lets a shell complete the words of a command line.
#pragma once

#include <string>

#include "app/command_tree.h"

namespace neardup {

/// For bash: commands, options, and files where an option takes one.
std::string BashCompletion(const CommandNode& program);

}  // namespace neardup
