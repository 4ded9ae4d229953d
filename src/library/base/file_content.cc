#include "base/file_content.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

namespace neardup {
namespace {

constexpr size_t kChunkBytes = size_t{1} << 16;

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using FilePointer = std::unique_ptr<std::FILE, CloseFile>;

Error Failed(const char* what) {
  return {errno == ENOENT ? ErrorCode::kNotFound : ErrorCode::kIo,
          fmt::format("{}: {}", what, std::strerror(errno))};
}

}  // namespace

Result<std::string> ReadFile(const std::filesystem::path& path, size_t bytes_max) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    return Error{ErrorCode::kIo, "found a folder, expected a file"};
  }
  const FilePointer file(std::fopen(path.c_str(), "rb"));
  if (!file) return Failed("cannot be read");
  std::string bytes;
  const uintmax_t size = std::filesystem::file_size(path, ignored);
  if (!ignored) bytes.reserve(std::min<uintmax_t>(size, bytes_max) + kChunkBytes);
  size_t read = 0;
  do {
    const size_t before = bytes.size();
    bytes.resize(before + kChunkBytes);
    read = std::fread(bytes.data() + before, 1, kChunkBytes, file.get());
    bytes.resize(before + read);
    if (bytes.size() > bytes_max) {
      return Error{ErrorCode::kIo,
                   fmt::format("found more than {0} bytes, expected at most {0}", bytes_max)};
    }
  } while (read == kChunkBytes);
  if (std::ferror(file.get()) != 0) return Failed("cannot be read to its end");
  return bytes;
}

}  // namespace neardup
