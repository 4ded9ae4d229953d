#include "detect/base/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <map>
#include <mutex>
#include <sstream>

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

namespace {

namespace fs = std::filesystem;

constexpr mode_t kNewFile = 0666;
constexpr mode_t kPermissions = 07777;
constexpr int kLinksMax = 40;
constexpr int kNamesMax = 1000;
constexpr std::string_view kDescriptors = "/proc/";

Error CannotWriteTo(const std::string& name, const std::string& why) {
  return Fatal(ErrorCode::kIo, fmt::format("{}: cannot be written: {}", name, why));
}

/// All files that are not finished, by their names until then, and those that are. Never destroyed,
/// because a process may be ended by a thread of its own.
struct Registry {
  std::mutex mutex;
  std::map<fs::path, std::string> unfinished;
  std::vector<std::string> finished;
};

Registry& TheRegistry() {
  static auto* const registry = new Registry;
  return *registry;
}

/// Opens a new file beside the target, and stores its name.
int OpenNew(const fs::path& target, mode_t mode, fs::path& name) {
  for (int number = 0; number < kNamesMax; ++number) {
    name = target;
    name += fmt::format(".{}.tmp", number);
    const int descriptor = open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (descriptor >= 0 || errno != EEXIST) return descriptor;
  }
  return -1;
}

void SyncFolderOf(const fs::path& file) {
  const Descriptor folder(open(file.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.get() >= 0) fsync(folder.get());
}

/// A file that is mounted itself, as containers do with single files.
bool IsMountPoint(const fs::path& place) {
  std::ifstream mounts("/proc/self/mountinfo");
  for (std::string line; std::getline(mounts, line);) {
    std::istringstream columns(line);
    std::string id;
    std::string parent;
    std::string device;
    std::string root;
    std::string point;  // a space in it is written as \040, and then it is not found
    columns >> id >> parent >> device >> root >> point;
    if (point == place) return true;
  }
  return false;
}

}  // namespace

Result<fs::path> PlaceOf(const std::string& path) {
  std::error_code error;
  fs::path place = fs::absolute(path, error);
  for (int links = 0; !error && links < kLinksMax; ++links) {
    const fs::path folder = fs::canonical(place.parent_path(), error);
    if (error) break;
    place = folder / place.filename();
    if (place.native().starts_with(kDescriptors)) return place;
    if (!fs::is_symlink(fs::symlink_status(place, error))) return place;
    place = folder / fs::read_symlink(place, error);
  }
  if (error == std::errc::no_such_file_or_directory) {
    return CannotWriteTo(path, "no such folder: " + place.parent_path().string());
  }
  return CannotWriteTo(path, error ? error.message() : "it is a circle of links");
}

Result<OutputFile> OutputFile::Open(const std::string& path) {
  if (path == "-") return OutputFile("standard output", {stdout, &std::fflush});
  struct stat status = {};
  const bool exists = stat(path.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) {
    return CannotWriteTo(path, "found a folder, expected a file");
  }
  NEARDUP_ASSIGN(const fs::path place, PlaceOf(path));
  if (exists && IsMountPoint(place)) {
    return CannotWriteTo(path,
                         "it is a mount point, which no new file can replace; mount its folder, or "
                         "write to another place");
  }
  const bool is_descriptor = place.native().starts_with(kDescriptors);
  if (!is_descriptor && (!exists || S_ISREG(status.st_mode))) return OpenBeside(path, place);
  OutputFile file(path, {std::fopen(path.c_str(), "ab"), &std::fclose});
  if (!file.handle_) return file.CannotWrite();
  return file;
}

Result<OutputFile> OutputFile::OpenBeside(const std::string& name, const fs::path& target) {
  OutputFile file(name, {nullptr, &std::fclose});
  struct stat old = {};
  const bool exists = stat(target.c_str(), &old) == 0;
  if (exists && access(target.c_str(), W_OK) != 0) return file.CannotWrite();
  fs::path temporary;
  const int descriptor = OpenNew(target, exists ? S_IRUSR | S_IWUSR : kNewFile, temporary);
  if (descriptor < 0) {
    return CannotWriteTo(name, fmt::format("no new file can be made in {}: {}",
                                           target.parent_path().string(), std::strerror(errno)));
  }
  file.target_ = target;
  file.temporary_ = temporary;
  {
    const std::lock_guard lock(TheRegistry().mutex);
    TheRegistry().unfinished[temporary] = name;
  }
  if (exists) {
    // Only root may change the owner of a file. Other users own the new file.
    [[maybe_unused]] const int given = fchown(descriptor, old.st_uid, old.st_gid);
    fchmod(descriptor, old.st_mode & kPermissions);
  }
  file.handle_.reset(fdopen(descriptor, "wb"));
  if (!file.handle_) {
    close(descriptor);
    return file.CannotWrite();
  }
  return file;
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : name_(std::move(other.name_)),
      handle_(std::move(other.handle_)),
      target_(std::move(other.target_)),
      temporary_(std::exchange(other.temporary_, {})) {}

OutputFile& OutputFile::operator=(OutputFile&& other) noexcept {
  std::swap(name_, other.name_);
  std::swap(handle_, other.handle_);
  std::swap(target_, other.target_);
  std::swap(temporary_, other.temporary_);
  return *this;
}

OutputFile::~OutputFile() { Discard(); }

void OutputFile::Discard() {
  handle_.reset();
  if (temporary_.empty()) return;
  const std::lock_guard lock(TheRegistry().mutex);
  TheRegistry().unfinished.erase(temporary_);
  unlink(temporary_.c_str());
  temporary_.clear();
}

Error OutputFile::CannotWrite() const { return CannotWriteTo(name_, std::strerror(errno)); }

Result<void> OutputFile::Write(std::string_view bytes) {
  const bool written = std::fwrite(bytes.data(), 1, bytes.size(), handle_.get()) == bytes.size();
  return written ? Result<void>() : CannotWrite();
}

Result<void> OutputFile::Flush() {
  return std::fflush(handle_.get()) == 0 ? Result<void>() : CannotWrite();
}

Result<void> OutputFile::Complete() {
  NEARDUP_TRY(Flush());
  if (!is_replaced()) return {};
  if (fsync(fileno(handle_.get())) != 0) return CannotWrite();
  return std::fclose(handle_.release()) == 0 ? Result<void>() : CannotWrite();
}

Result<void> OutputFile::TakeName() {
  if (!is_replaced()) return {};
  const std::lock_guard lock(TheRegistry().mutex);
  const fs::path temporary = std::exchange(temporary_, {});
  TheRegistry().unfinished.erase(temporary);
  if (rename(temporary.c_str(), target_.c_str()) != 0) {
    return CannotWriteTo(name_, fmt::format("{} cannot get this name: {}; the new content is there",
                                            temporary.string(), std::strerror(errno)));
  }
  TheRegistry().finished.push_back(name_);
  SyncFolderOf(target_);
  return {};
}

Result<void> OutputFile::Finish(std::span<OutputFile* const> files) {
  for (OutputFile* file : files) NEARDUP_TRY(file->Complete());
  for (OutputFile* file : files) NEARDUP_TRY(file->TakeName());
  return {};
}

Result<void> OutputFile::Finish() {
  OutputFile* const self = this;
  return Finish(std::span(&self, 1));
}

AbandonedFiles AbandonOutputFiles() {
  // Held until the process ends, so that no file takes its name after this.
  TheRegistry().mutex.lock();
  AbandonedFiles files{TheRegistry().finished, {}};
  for (const auto& [temporary, name] : TheRegistry().unfinished) {
    unlink(temporary.c_str());
    files.not_written.push_back(name);
  }
  return files;
}

}  // namespace neardup
