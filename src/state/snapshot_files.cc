#include "state/snapshot_files.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <functional>
#include <optional>
#include <string>
#include <system_error>

namespace neardup {
namespace {

namespace fs = std::filesystem;

constexpr size_t kDigits = 16;
constexpr const char* kSegment = ".segment";
constexpr const char* kManifest = ".manifest";

fs::path Numbered(const fs::path& folder, uint64_t number, const char* extension) {
  char digits[kDigits + 8];
  std::snprintf(digits, sizeof digits, "%016llu", static_cast<unsigned long long>(number));
  return folder / (std::string(digits) + extension);
}

std::optional<uint64_t> NumberOf(const fs::path& path) {
  const std::string stem = path.stem().string();
  uint64_t number = 0;
  const char* const end = stem.data() + stem.size();
  const auto [stop, error] = std::from_chars(stem.data(), end, number);
  if (stem.size() != kDigits || error != std::errc() || stop != end) return std::nullopt;
  return number;
}

Error CannotBeListed(const fs::path& folder, const std::error_code& error) {
  std::error_code ignored;
  const bool link = fs::is_symlink(fs::symlink_status(folder, ignored));
  const bool absent = error == std::errc::no_such_file_or_directory;
  if (absent && !link) {
    return Error{ErrorCode::kNotFound, folder.string() + ": there is no such folder"};
  }
  return Error{ErrorCode::kIo,
               folder.string() + ": cannot be listed: " +
                   (absent ? "a symbolic link that leads nowhere" : error.message()) +
                   "; expected a folder this user may read and write: mend it, or move it away"};
}

}  // namespace

fs::path SnapshotFolder(const fs::path& state_dir, uint16_t lane) {
  return state_dir / ("lane-" + std::to_string(lane));
}

Result<FileLock> TakeSnapshotFolder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) {
    return Error{ErrorCode::kIo, folder.string() + ": cannot be made: " + error.message()};
  }
  return FileLock::Take(folder / "lock");
}

fs::path SegmentPath(const fs::path& folder, uint64_t number) {
  return Numbered(folder, number, kSegment);
}

fs::path ManifestPath(const fs::path& folder, uint64_t number) {
  return Numbered(folder, number, kManifest);
}

Result<SnapshotNumbers> ListSnapshots(const fs::path& folder) {
  std::error_code error;
  SnapshotNumbers found;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const fs::path& path = at->path();
    if (path.extension() == ".tmp") found.left_over.push_back(path);
    const std::optional<uint64_t> number = NumberOf(path);
    if (!number) continue;
    if (path.extension() == kManifest) found.manifests.push_back(*number);
    if (path.extension() == kSegment) found.segments.push_back(*number);
  }
  if (error) return CannotBeListed(folder, error);
  std::sort(found.manifests.begin(), found.manifests.end(), std::greater<>());
  std::sort(found.segments.begin(), found.segments.end(), std::greater<>());
  return found;
}

}  // namespace neardup
