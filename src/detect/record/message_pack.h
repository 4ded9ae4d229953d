// Writes MessagePack as JSON.
#pragma once

#include <string>
#include <string_view>

#include "detect/record/json_output.h"

namespace neardup {

/// The payload must be one value of MessagePack, nested at most 128 levels deep. Stops where `out`
/// is full. Returns what is wrong with the payload; empty: nothing.
std::string WriteMessagePack(std::string_view payload, JsonOutput& out);

}  // namespace neardup
