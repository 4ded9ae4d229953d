// Whole text files that commands read, and whether two names mean one file.
#pragma once

#include <filesystem>
#include <span>
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

// Whether two names mean one file.

/// A file on a command line. An empty path names none; "-" is standard input, or standard output.
struct NamedFile {
  std::string option;  ///< such as --input
  std::string path;
};

/// Checks that no output is a file that the command reads, and that each output is a file of its
/// own. Files are the same if they are the same on disk, whatever links and names lead there; files
/// that do not exist are the same if they would be. kConfig names the two options. Several outputs
/// may go to /dev/null.
Result<void> CheckFiles(std::span<const NamedFile> reads, std::span<const NamedFile> writes);

}  // namespace neardup
