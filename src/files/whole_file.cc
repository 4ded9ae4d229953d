#include "files/whole_file.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "files/file_source.h"

namespace neardup {

namespace {

constexpr size_t kPollLines = 10'000;

Error WriteError(const std::string& path) {
  return {ErrorCode::kIo, path + ": cannot be written: " + std::strerror(errno)};
}

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
  const bool standard = path == "-";
  std::FILE* file = standard ? stdout : std::fopen(path.c_str(), "wb");
  if (file == nullptr) return WriteError(path);
  const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  const bool flushed = (standard ? std::fflush(file) : std::fclose(file)) == 0;
  return written && flushed ? Result<void>() : WriteError(path);
}

Result<void> CheckNew(const std::vector<std::filesystem::path>& files) {
  for (const std::filesystem::path& file : files) {
    std::error_code error;
    if (!std::filesystem::exists(file, error)) continue;
    return Error{
        ErrorCode::kIo,
        file.string() + ": is there already; --force overwrites it, or choose another name"};
  }
  return {};
}

}  // namespace neardup
