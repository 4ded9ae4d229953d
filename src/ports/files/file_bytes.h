// The bytes of a file or of standard input, decompressed if they are gzip.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "neardup/result.h"

namespace neardup {

/// Reads once, from front to back. Gzip is recognised by its first two bytes; it may have several
/// members, one behind the other, and zero bytes behind the last one. Errors are kIo or kNotFound
/// and do not name the file: the caller does.
class FileBytes {
 public:
  /// "-" is standard input.
  static Result<std::unique_ptr<FileBytes>> Open(const std::string& path);
  ~FileBytes();

  /// Appends at most `bytes_max` bytes to `out`, and none if a pipe or a terminal has nothing for
  /// `timeout_ms`. -1 waits without end.
  Result<void> Read(size_t bytes_max, int timeout_ms, std::string& out);
  /// Nothing is left, and the end is as it must be.
  bool at_end() const;

 private:
  struct Parts;
  explicit FileBytes(std::unique_ptr<Parts> parts);
  Result<void> Fill(int timeout_ms);
  Result<void> Inflate(size_t bytes_max, std::string& out);
  Result<void> BetweenMembers();

  std::unique_ptr<Parts> parts_;
};

}  // namespace neardup
