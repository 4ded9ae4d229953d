// Files: read as a whole, written for a command, and owned by a descriptor.
#pragma once

#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "neardup/result.h"

namespace neardup {

/// All bytes of a file, at most `bytes_max`. kNotFound: there is no such file. kIo: a folder, no
/// permission, more bytes, or a failing disk. The error's text does not name the file: the caller
/// does.
Result<std::string> ReadFile(const std::filesystem::path& path, size_t bytes_max = SIZE_MAX);

// A file that a command writes.

/// Standard output, a pipe, a device, or a file. A file is written under another name beside its
/// place, and takes its own name at the end: until then the place holds what it held before. A file
/// that is not finished is removed. Errors are final and kIo, and name the file.
class OutputFile {
 public:
  /// "-" is standard output. A symbolic link stays: the file that it names is replaced, and keeps
  /// its permissions. A path of a descriptor, such as /dev/fd/3, is appended to directly.
  static Result<OutputFile> Open(const std::string& path);

  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&& other) noexcept;
  ~OutputFile();

  Result<void> Write(std::string_view bytes);
  /// Passes everything written on to the system.
  Result<void> Flush();

  /// Makes all of them durable, and only then gives each its name. A file that cannot get its name
  /// keeps the other one, which the error says.
  static Result<void> Finish(std::span<OutputFile* const> files);
  Result<void> Finish();

  /// The path as given; "standard output" for "-".
  const std::string& name() const { return name_; }
  /// Nothing is seen of it before Finish.
  bool is_replaced() const { return !temporary_.empty(); }

 private:
  using Handle = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

  OutputFile(std::string name, Handle handle)
      : name_(std::move(name)), handle_(std::move(handle)) {}
  static Result<OutputFile> OpenBeside(const std::string& name,
                                       const std::filesystem::path& target);
  Error CannotWrite() const;
  Result<void> Complete();
  Result<void> TakeName();
  void Discard();

  std::string name_;
  Handle handle_;
  std::filesystem::path target_;     ///< the place of the file; empty if it is written directly
  std::filesystem::path temporary_;  ///< the name until the end; empty if it is written directly
};

/// The output files of a process that ends at once.
struct AbandonedFiles {
  std::vector<std::string> written;      ///< finished
  std::vector<std::string> not_written;  ///< they hold what they held before
};

/// Removes what every unfinished OutputFile has written beside its place. No file takes its name
/// any more: end the process. Any thread may call it.
AbandonedFiles AbandonOutputFiles();

/// Where a file with this path is, or would be created: the absolute path, with all symbolic links
/// followed. A link to an open descriptor is not followed: its place is below /proc. kIo: its
/// folder does not exist.
Result<std::filesystem::path> PlaceOf(const std::string& path);

// Ownership of a file descriptor.

/// A file descriptor, closed at the end. -1: none.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor() {
    if (number_ >= 0) close(number_);
  }
  int get() const { return number_; }

 private:
  int number_;
};

}  // namespace neardup
