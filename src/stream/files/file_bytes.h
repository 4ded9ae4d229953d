// The bytes of a file or of standard input, decompressed if they are gzip or zstd.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "detect/base/file.h"
#include "neardup/result.h"

namespace neardup {

// Turns the members of a compressed file back into its bytes.

/// A compressed file is a row of members: members of gzip, or frames of zstd. Errors are fatal
/// kIo and do not name the file. One owner thread.
class Decompressor {
 public:
  /// The one for a file that begins with these bytes; nullptr if it is not compressed.
  static std::unique_ptr<Decompressor> For(std::string_view beginning);
  /// True if more bytes are needed to tell whether a file that begins with these is compressed.
  static bool IsUndecided(std::string_view beginning);

  virtual ~Decompressor() = default;
  virtual const char* name() const = 0;
  /// True if a member begins with these bytes.
  virtual bool Begins(std::string_view bytes) const = 0;
  /// Number of bytes that tell a beginning.
  virtual size_t beginning_bytes() const = 0;
  /// How many of these bytes after a member are padding.
  virtual size_t Padding(std::string_view bytes) const = 0;
  /// Begins a member.
  virtual Result<void> Start() = 0;
  /// Takes bytes from the front of `in`, and appends at most `bytes_max` to `out`. Returns true at
  /// the end of the member.
  virtual Result<bool> Run(std::string_view& in, size_t bytes_max, std::string& out) = 0;
  /// It may have more to append without new input.
  virtual bool holds_more() const = 0;
};

/// Reads once, from front to back. Compressed bytes are recognised by their beginning. They may
/// have several members (frames, in zstd), one after the other; gzip may have zero bytes after
/// the last one. Errors are kIo or kNotFound and do not name the file: the caller does.
class FileBytes {
 public:
  /// "-" is standard input.
  static Result<std::unique_ptr<FileBytes>> Open(const std::string& path);

  /// Appends at most `bytes_max` bytes to `out`, and none if a pipe or a terminal has nothing for
  /// `timeout_ms`. -1 waits without end.
  Result<void> Read(size_t bytes_max, int timeout_ms, std::string& out);
  /// How many bytes a regular file held when it was opened, after the place where reading began.
  /// nullopt: it is no regular file, is compressed, or was empty. Call it after the first Read.
  std::optional<uint64_t> bytes_at_open() const;
  /// Nothing is left, and the end is as it must be.
  bool at_end() const;

 private:
  enum class State : uint8_t { kUnknown, kPlain, kMember, kBetween };

  explicit FileBytes(Descriptor descriptor) : descriptor_(std::move(descriptor)) {}
  std::string_view rest() const { return std::string_view(pending_).substr(begin_); }
  Result<void> Fill(int timeout_ms);
  /// True if nothing can be handed out before more bytes are read.
  bool NeedsBytes() const;
  Result<void> Decompress(size_t bytes_max, std::string& out);
  Result<void> BetweenMembers();

  Descriptor descriptor_;
  std::optional<uint64_t> bytes_at_open_;
  State state_ = State::kUnknown;
  std::string pending_;  ///< read, but not passed on
  size_t begin_ = 0;     ///< where the bytes in `pending_` begin that are not handed out yet
  bool end_of_file_ = false;
  uint64_t members_ = 0;                        ///< that have begun
  std::unique_ptr<Decompressor> decompressor_;  ///< nullptr: the bytes are not compressed
};

}  // namespace neardup
