// What all benchmark programs share: the command line, the line that names the machine, and the
// file with the figures.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "neardup/result.h"

namespace neardup {

/// Adds a description and options to `app`, lets it parse the command line, and measures. May
/// throw.
using Benchmark = Result<void> (*)(CLI::App& app, int argc, char** argv);

/// Runs a benchmark and returns the exit code for main(). Prints an error on standard error, after
/// `name`.
int RunProgram(const char* name, Benchmark benchmark, int argc, char** argv);

/// What a measured time depends on besides the code, in one line: processor, number of cores,
/// compiler and build type.
std::string MachineLine();

struct Measurement {
  std::string name;  ///< words joined by dots or underscores, the general ones first
  double value = 0;
  std::string unit;
};

/// Replaces the file by a JSON array of {"name", "value", "unit"}.
Result<void> WriteJson(const std::vector<Measurement>& measurements, const std::string& path);

}  // namespace neardup
