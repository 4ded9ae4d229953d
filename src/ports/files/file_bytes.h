// The bytes of a file or of standard input, decompressed if they are gzip or zstd.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "neardup/result.h"

namespace neardup {

/// Reads once, from front to back. Compressed bytes are recognised by their beginning. They may
/// have several members (frames, in zstd), one behind the other; gzip may have zero bytes behind
/// the last one. Errors are kIo or kNotFound and do not name the file: the caller does.
class FileBytes {
 public:
  /// "-" is standard input.
  static Result<std::unique_ptr<FileBytes>> Open(const std::string& path);
  ~FileBytes();

  /// Appends at most `bytes_max` bytes to `out`, and none if a pipe or a terminal has nothing for
  /// `timeout_ms`. -1 waits without end.
  Result<void> Read(size_t bytes_max, int timeout_ms, std::string& out);
  /// How many bytes a regular file held when it was opened, behind the place where reading began.
  /// nullopt: it is no regular file, is compressed, or was empty. Call it after the first Read.
  std::optional<uint64_t> bytes_at_open() const;
  /// Nothing is left, and the end is as it must be.
  bool at_end() const;

 private:
  struct Parts;
  explicit FileBytes(std::unique_ptr<Parts> parts);
  Result<void> Fill(int timeout_ms);
  /// True if nothing can be handed out before more bytes are read.
  bool NeedsBytes() const;
  Result<void> Decompress(size_t bytes_max, std::string& out);
  Result<void> BetweenMembers();

  std::unique_ptr<Parts> parts_;
};

}  // namespace neardup
