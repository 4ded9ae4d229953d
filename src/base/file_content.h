// Reads and writes whole files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "neardup/result.h"

namespace neardup {

/// All bytes of a file, at most `bytes_max`. kNotFound: there is no such file. kIo: a folder, no
/// permission, more bytes, or a failing disk. The error's text does not name the file: the caller
/// does.
Result<std::string> ReadFile(const std::filesystem::path& path, size_t bytes_max = SIZE_MAX);

/// Creates the file or replaces what it held. After a crash it may hold part of the bytes;
/// WriteFileDurably (state/durable_file.h) prevents that. kIo, with a text as above.
Result<void> WriteFile(const std::filesystem::path& path, std::string_view bytes);

}  // namespace neardup
