// Files that are still whole after a crash of the machine.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>
#include <utility>

#include "detect/base/file.h"
#include "neardup/result.h"

namespace neardup {

/// Replaces a file atomically: after a crash it holds `bytes`, or what it held before, or is still
/// absent. kIo with the path.
Result<void> WriteFileDurably(const std::filesystem::path& path, std::string_view bytes);

/// A file that grows at its end. Errors are kIo with the path. One owner at a time.
class AppendedFile {
 public:
  /// Creates the file if it is absent, and cuts it to `bytes` if it is longer. kCorrupt if it is
  /// shorter.
  static Result<AppendedFile> Open(const std::filesystem::path& path, uint64_t bytes);

  Result<void> Append(std::string_view bytes);
  /// Returns when everything appended, and the file's entry in its folder, would survive a crash.
  Result<void> Sync();

 private:
  AppendedFile(std::filesystem::path path, Descriptor descriptor)
      : path_(std::move(path)), descriptor_(std::move(descriptor)) {}

  std::filesystem::path path_;
  Descriptor descriptor_;
  bool folder_synced_ = false;
};

/// An exclusive lock on a file, which is created if absent. Held until it is destroyed or the
/// process ends.
class FileLock {
 public:
  FileLock() = default;

  /// kUnavailable when another process holds it.
  static Result<FileLock> Take(const std::filesystem::path& path);

 private:
  explicit FileLock(Descriptor descriptor) : descriptor_(std::move(descriptor)) {}
  Descriptor descriptor_;
};

}  // namespace neardup
