// Runs the program in the process of a test.
#pragma once

#include <string>
#include <vector>

#include "commands/program.h"

namespace neardup {

/// Returns the exit code of `neardup WORDS`.
inline int RunWords(const std::vector<std::string>& words) {
  std::vector<const char*> all = {"neardup"};
  for (const std::string& word : words) all.push_back(word.c_str());
  return RunProgram(static_cast<int>(all.size()), all.data());
}

}  // namespace neardup
