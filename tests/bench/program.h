// What the main() of every benchmark has around it: a command line and an exit code.
#pragma once

#include <CLI/CLI.hpp>

#include "neardup/result.h"

namespace neardup {

/// Adds its description and options to `app`, has it parse the words, and measures. May throw.
using Benchmark = Result<void> (*)(CLI::App& app, int argc, char** argv);

/// For main(), which returns what this does: an ExitCode. What keeps the benchmark from its end is
/// told on standard error, after `name`.
int RunProgram(const char* name, Benchmark benchmark, int argc, char** argv);

}  // namespace neardup
