#include "files/whole_file.h"

#include <fmt/format.h>

#include <memory>

#include "files/file_source.h"

namespace neardup {

namespace {

constexpr size_t kPollLines = 10'000;
constexpr int kWaitMs = 1000;

Result<std::vector<std::string>> ReadAll(const std::string& path, FileContent content) {
  NEARDUP_ASSIGN(const std::unique_ptr<FileSource> source,
                 FileSource::Open(path, FileSource::kUnlimited, content));
  std::vector<std::string> lines;
  while (!source->exhausted()) {
    std::vector<Message> messages;
    NEARDUP_TRY(source->Poll(kPollLines, kWaitMs, messages));
    for (const Message& message : messages) lines.emplace_back(message.value.value_or(""));
  }
  return lines;
}

}  // namespace

Result<std::vector<std::string>> ReadRecords(const std::string& path) {
  return ReadAll(path, FileContent::kRecords);
}

Result<std::string> ReadText(const std::string& path) {
  NEARDUP_ASSIGN(const std::vector<std::string> lines, ReadAll(path, FileContent::kLines));
  std::string text;
  for (const std::string& line : lines) text += line + '\n';
  return text;
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
