// Reads whole files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

#include "neardup/result.h"

namespace neardup {

/// All bytes of a file, at most `bytes_max`. kNotFound: there is no such file. kIo: a folder, no
/// permission, more bytes, or a failing disk. The error's text does not name the file: the caller
/// does.
Result<std::string> ReadFile(const std::filesystem::path& path, size_t bytes_max = SIZE_MAX);

}  // namespace neardup
