// The JSON Schema of the configuration file, for editors and other tools.
#pragma once

#include <string>

namespace neardup {

/// JSON Schema, draft-07. It takes every file that LoadConfig takes, and some that LoadConfig
/// refuses.
std::string ConfigSchema();

}  // namespace neardup
