// What every fuzz target has: LLVMFuzzerTestOneInput, as libFuzzer calls it, and inputs to begin
// with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// Returns 0. Ends the process if the input breaks a promise.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace neardup {

/// Valid inputs, from which others are made.
std::vector<std::string> Seeds();

/// Prints `text` and aborts unless `holds`.
void Require(bool holds, std::string_view text);

inline std::string_view TextOf(const uint8_t* data, size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

}  // namespace neardup
