#include "files/whole_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "base/file_content.h"
#include "files/file_source.h"

namespace neardup {

namespace {

constexpr size_t kPollLines = 10'000;

}  // namespace

Result<std::vector<std::string>> ReadLines(const std::string& path) {
  NEARDUP_ASSIGN(const std::unique_ptr<FileSource> source, FileSource::Open(path));
  std::vector<std::string> lines;
  while (!source->exhausted()) {
    std::vector<Message> messages;
    NEARDUP_TRY(source->Poll(kPollLines, 0, messages));
    for (const Message& message : messages) lines.emplace_back(message.value.value_or(""));
  }
  return lines;
}

Result<std::string> ReadText(const std::string& path) {
  NEARDUP_ASSIGN(const std::vector<std::string> lines, ReadLines(path));
  std::string text;
  for (const std::string& line : lines) text += line + '\n';
  return text;
}

Result<void> WriteText(const std::string& path, std::string_view text) {
  if (path != "-") {
    const Result<void> written = WriteFile(path, text);
    return written.ok()
               ? written
               : Error{written.error().code, fmt::format("{}: {}", path, written.error().text)};
  }
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (written && std::fflush(stdout) == 0) return {};
  return Error{ErrorCode::kIo,
               fmt::format("standard output: cannot be written: {}", std::strerror(errno))};
}

Result<void> CheckNew(const std::vector<std::filesystem::path>& files) {
  for (const std::filesystem::path& file : files) {
    std::error_code error;
    if (!std::filesystem::exists(file, error)) continue;
    return Error{
        ErrorCode::kIo,
        fmt::format("{}: already exists; overwrite it with --force, or choose another name",
                    file.string())};
  }
  return {};
}

}  // namespace neardup
