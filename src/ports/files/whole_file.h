// Whole text files, read by the commands.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "neardup/result.h"

namespace neardup {

/// The lines of a file of records (FileContent::kRecords), as FileSource splits them. "-" is
/// standard input.
Result<std::vector<std::string>> ReadRecords(const std::string& path);

/// A file or standard input as one text, with an LF after each line.
Result<std::string> ReadText(const std::string& path);

/// Checks that no output overwrites anything: kIo names the first file that already exists.
Result<void> CheckNew(const std::vector<std::filesystem::path>& files);

}  // namespace neardup
