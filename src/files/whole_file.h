// Whole files at once.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "neardup/result.h"

namespace neardup {

/// The lines of a file, a .gz file, or standard input ("-"), as FileSource cuts them.
Result<std::vector<std::string>> ReadLines(const std::string& path);

/// The same as one text, each line with its LF.
Result<std::string> ReadText(const std::string& path);

/// Replaces what the file held; "-" is standard output.
Result<void> WriteText(const std::string& path, std::string_view text);

// Outputs that must not overwrite anything.

/// kIo naming the first that exists already.
Result<void> CheckNew(const std::vector<std::filesystem::path>& files);

}  // namespace neardup
