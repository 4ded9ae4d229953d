#include "stream/files/whole_file.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <memory>
#include <optional>

#include "detect/base/file.h"
#include "stream/files/file_source.h"

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

namespace {

struct Identity {
  std::optional<struct stat> status;  ///< none: the file does not exist
  std::filesystem::path place;        ///< where it would be created
};

bool IsNullDevice(const Identity& file) {
  struct stat null = {};
  return file.status && S_ISCHR(file.status->st_mode) && stat("/dev/null", &null) == 0 &&
         null.st_rdev == file.status->st_rdev;
}

Identity IdentityOf(const NamedFile& file, int standard_stream) {
  Identity identity;
  struct stat status = {};
  const bool standard = file.path == "-";
  if ((standard ? fstat(standard_stream, &status) : stat(file.path.c_str(), &status)) == 0) {
    identity.status = status;
  } else if (!standard) {
    const Result<std::filesystem::path> place = PlaceOf(file.path);
    identity.place = place.ok() ? *place : std::filesystem::path(file.path);
  }
  return identity;
}

bool Same(const Identity& a, const Identity& b) {
  if (a.status.has_value() != b.status.has_value()) return false;
  if (!a.status) return a.place == b.place;
  return a.status->st_dev == b.status->st_dev && a.status->st_ino == b.status->st_ino;
}

std::string TextOf(const NamedFile& file) { return file.option + " " + file.path; }

/// A terminal is read and written at the same time without harm.
Result<void> CheckRead(const NamedFile& read, const NamedFile& write) {
  const Identity input = IdentityOf(read, STDIN_FILENO);
  if (!input.status || !S_ISREG(input.status->st_mode)) return {};
  if (!Same(input, IdentityOf(write, STDOUT_FILENO))) return {};
  return Error{ErrorCode::kConfig,
               fmt::format("{}: this is the file that {} reads; write to another file",
                           TextOf(write), TextOf(read))};
}

Result<void> CheckWritten(const NamedFile& first, const NamedFile& second) {
  const Identity output = IdentityOf(first, STDOUT_FILENO);
  const bool named_twice = first.path == second.path && first.path == "-";
  if (!named_twice && IsNullDevice(output)) return {};
  if (!named_twice && !Same(output, IdentityOf(second, STDOUT_FILENO))) return {};
  return Error{ErrorCode::kConfig,
               fmt::format("{}: {} writes to the same place; give each output a place of its own",
                           TextOf(second), TextOf(first))};
}

}  // namespace

Result<void> CheckFiles(std::span<const NamedFile> reads, std::span<const NamedFile> writes) {
  for (size_t i = 0; i < writes.size(); ++i) {
    if (writes[i].path.empty()) continue;
    for (const NamedFile& read : reads) {
      if (!read.path.empty()) NEARDUP_TRY(CheckRead(read, writes[i]));
    }
    for (size_t earlier = 0; earlier < i; ++earlier) {
      if (!writes[earlier].path.empty()) NEARDUP_TRY(CheckWritten(writes[earlier], writes[i]));
    }
  }
  return {};
}

}  // namespace neardup
