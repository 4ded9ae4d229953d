// A fuzz target: code that parses bytes from outside, and inputs to start from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace neardup {

struct FuzzTarget {
  std::string_view name;
  /// Returns valid inputs, from which others are made.
  std::vector<std::string> (*seeds)();
  /// Ends the process if the input breaks a promise.
  void (*run)(std::string_view input);
};

std::span<const FuzzTarget* const> FuzzTargets();
/// Returns null if there is no such target.
const FuzzTarget* FindFuzzTarget(std::string_view name);
/// The names of all targets, for an error.
std::string FuzzTargetNames();

/// Prints `text` and aborts unless `holds`.
void Require(bool holds, std::string_view text);

}  // namespace neardup
