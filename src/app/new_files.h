// Outputs that must not overwrite anything.
#pragma once

#include <filesystem>
#include <vector>

#include "neardup/result.h"

namespace neardup {

/// kIo naming the first that exists already.
Result<void> CheckNew(const std::vector<std::filesystem::path>& files);

}  // namespace neardup
