// Turns the members of a compressed file back into its bytes.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "neardup/result.h"

namespace neardup {

/// A compressed file is a row of members: those of gzip, or the frames of zstd. Errors are fatal
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
  /// How many of these bytes behind a member are padding.
  virtual size_t Padding(std::string_view bytes) const = 0;
  /// Begins a member.
  virtual Result<void> Start() = 0;
  /// Takes bytes from the front of `in`, and appends at most `bytes_max` to `out`. Returns true at
  /// the end of the member.
  virtual Result<bool> Run(std::string_view& in, size_t bytes_max, std::string& out) = 0;
  /// It may have more to append without new input.
  virtual bool holds_more() const = 0;
};

}  // namespace neardup
