#include "config/small_file.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

namespace neardup {

Result<std::string> ReadSmallFile(const std::filesystem::path& path) {
  std::error_code problem;
  if (std::filesystem::is_directory(path, problem)) {
    return Error{ErrorCode::kIo, "found a folder, expected a file"};
  }
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    int reason = errno;
    return Error{reason == ENOENT ? ErrorCode::kNotFound : ErrorCode::kIo,
                 std::string("cannot be read: ") + std::strerror(reason)};
  }
  std::string text(kSmallFileBytesMax + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (file.bad()) return Error{ErrorCode::kIo, "cannot be read to its end"};
  text.resize(static_cast<size_t>(file.gcount()));
  if (text.size() > kSmallFileBytesMax) {
    return Error{ErrorCode::kIo, "larger than 1 MiB, expected a small text file"};
  }
  return text;
}

}  // namespace neardup
