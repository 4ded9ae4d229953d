// The scripts that let a shell complete the words of a command line: commands, options, and files
// where an option takes one. zsh and fish also show what each of them is.
#pragma once

#include <string>
#include <vector>

#include "program/command_tree.h"

namespace neardup {

/// The shells for which Completion has a script.
std::vector<std::string> CompletedShells();

/// `shell` is one of CompletedShells.
std::string Completion(const std::string& shell, const CommandNode& program);

}  // namespace neardup
