// Whole text files, read by the commands.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "neardup/result.h"

namespace neardup {

/// The lines of a file, a .gz file, or standard input ("-"), as FileSource splits them.
Result<std::vector<std::string>> ReadLines(const std::string& path);

/// The same as one text, with an LF after each line.
Result<std::string> ReadText(const std::string& path);

/// Checks that no output overwrites anything: kIo names the first file that already exists.
Result<void> CheckNew(const std::vector<std::filesystem::path>& files);

}  // namespace neardup
