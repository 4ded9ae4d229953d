#include "stream/state/durable_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

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
  const int descriptor = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return Failed(folder, "opening the folder");
  const int synced = fsync(descriptor);
  const Error error = Failed(folder, "syncing the folder");
  close(descriptor);
  return synced == 0 ? Result<void>() : error;
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

AppendedFile::AppendedFile(std::filesystem::path path, int descriptor)
    : path_(std::move(path)), descriptor_(descriptor) {}

AppendedFile::~AppendedFile() { Close(); }

AppendedFile::AppendedFile(AppendedFile&& other) noexcept { *this = std::move(other); }

AppendedFile& AppendedFile::operator=(AppendedFile&& other) noexcept {
  if (this == &other) return *this;
  Close();
  path_ = std::move(other.path_);
  descriptor_ = std::exchange(other.descriptor_, -1);
  folder_synced_ = other.folder_synced_;
  return *this;
}

void AppendedFile::Close() {
  if (descriptor_ >= 0) close(descriptor_);
  descriptor_ = -1;
}

Result<AppendedFile> AppendedFile::Open(const std::filesystem::path& path, uint64_t bytes) {
  const int descriptor =
      open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, kOwnerWrites);
  if (descriptor < 0) return Failed(path, "opening to append");
  AppendedFile file(path, descriptor);
  struct stat status = {};
  if (fstat(descriptor, &status) != 0) return Failed(path, "reading its size");
  if (static_cast<uint64_t>(status.st_size) < bytes) {
    return Error{ErrorCode::kCorrupt, fmt::format("{}: expected at least {} bytes, found {}",
                                                  path.string(), bytes, status.st_size)};
  }
  if (ftruncate(descriptor, static_cast<off_t>(bytes)) != 0) return Failed(path, "truncating");
  return file;
}

Result<void> AppendedFile::Append(std::string_view bytes) {
  return WriteAll(descriptor_, path_, bytes);
}

Result<void> AppendedFile::Sync() {
  if (fdatasync(descriptor_) != 0) return Failed(path_, "syncing");
  if (folder_synced_) return {};
  NEARDUP_TRY(SyncFolderOf(path_));
  folder_synced_ = true;
  return {};
}

// ---- FileLock

FileLock::~FileLock() {
  if (descriptor_ >= 0) close(descriptor_);
}

FileLock::FileLock(FileLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

FileLock& FileLock::operator=(FileLock&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

Result<FileLock> FileLock::Take(const std::filesystem::path& path) {
  const int descriptor = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, kOwnerWrites);
  if (descriptor < 0) return Failed(path, "creating the file");
  FileLock lock(descriptor);
  if (flock(descriptor, LOCK_EX | LOCK_NB) == 0) return lock;
  if (errno != EWOULDBLOCK) return Failed(path, "locking");
  return Retriable(
      ErrorCode::kUnavailable,
      fmt::format("{}: another process has this folder in use; give each instance a `state.dir` of "
                  "its own",
                  path.string()));
}

}  // namespace neardup
