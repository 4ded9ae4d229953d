#include "stream/state/durable_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace neardup {
namespace {

constexpr mode_t kOwnerWrites = 0644;

Error Failed(const std::filesystem::path& path, const char* what) {
  return Retriable(ErrorCode::kIo,
                   fmt::format("{}: {}: {}", path.string(), what, std::strerror(errno)));
}

Result<void> WriteAll(int descriptor, const std::filesystem::path& path, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return Failed(path, "writing");
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return {};
}

Result<void> SyncFolderOf(const std::filesystem::path& path) {
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  const Descriptor descriptor(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (descriptor.get() < 0) return Failed(folder, "opening the folder");
  if (fsync(descriptor.get()) != 0) return Failed(folder, "syncing the folder");
  return {};
}

Result<void> WriteAndSync(const std::filesystem::path& path, std::string_view bytes) {
  const int descriptor = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, kOwnerWrites);
  if (descriptor < 0) return Failed(path, "creating the file");
  Result<void> written = WriteAll(descriptor, path, bytes);
  if (written.ok() && fsync(descriptor) != 0) written = Failed(path, "syncing");
  if (close(descriptor) != 0 && written.ok()) written = Failed(path, "closing");
  return written;
}

}  // namespace

Result<void> WriteFileDurably(const std::filesystem::path& path, std::string_view bytes) {
  std::filesystem::path temporary = path;
  temporary += ".tmp";
  if (const Result<void> written = WriteAndSync(temporary, bytes); !written.ok()) {
    unlink(temporary.c_str());  // it may hold the last free bytes of the disk
    return written;
  }
  if (rename(temporary.c_str(), path.c_str()) != 0) return Failed(path, "renaming to this name");
  return SyncFolderOf(path);
}

// ---- AppendedFile

Result<AppendedFile> AppendedFile::Open(const std::filesystem::path& path, uint64_t bytes) {
  Descriptor descriptor(
      open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, kOwnerWrites));
  if (descriptor.get() < 0) return Failed(path, "opening to append");
  struct stat status = {};
  if (fstat(descriptor.get(), &status) != 0) return Failed(path, "reading its size");
  if (static_cast<uint64_t>(status.st_size) < bytes) {
    return Error{ErrorCode::kCorrupt, fmt::format("{}: expected at least {} bytes, found {}",
                                                  path.string(), bytes, status.st_size)};
  }
  if (ftruncate(descriptor.get(), static_cast<off_t>(bytes)) != 0) {
    return Failed(path, "truncating");
  }
  return AppendedFile(path, std::move(descriptor));
}

Result<void> AppendedFile::Append(std::string_view bytes) {
  return WriteAll(descriptor_.get(), path_, bytes);
}

Result<void> AppendedFile::Sync() {
  if (fdatasync(descriptor_.get()) != 0) return Failed(path_, "syncing");
  if (folder_synced_) return {};
  NEARDUP_TRY(SyncFolderOf(path_));
  folder_synced_ = true;
  return {};
}

// ---- FileLock

Result<FileLock> FileLock::Take(const std::filesystem::path& path) {
  Descriptor descriptor(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, kOwnerWrites));
  if (descriptor.get() < 0) return Failed(path, "creating the file");
  if (flock(descriptor.get(), LOCK_EX | LOCK_NB) == 0) return FileLock(std::move(descriptor));
  if (errno != EWOULDBLOCK) return Failed(path, "locking");
  return Retriable(
      ErrorCode::kUnavailable,
      fmt::format("{}: another process has this folder in use; give each instance a `state.dir` of "
                  "its own",
                  path.string()));
}

}  // namespace neardup
