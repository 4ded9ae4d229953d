// Files that are read whole.
#pragma once

#include <filesystem>
#include <string>

#include "neardup/result.h"

namespace neardup {

/// Configuration files and secrets are small; anything larger is another kind of file.
inline constexpr size_t kSmallFileBytesMax = size_t{1} << 20;

/// kNotFound or kIo; the text does not repeat the path.
Result<std::string> ReadSmallFile(const std::filesystem::path& path);

}  // namespace neardup
