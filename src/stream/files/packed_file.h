// An output file that is compressed if its name asks for it.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "detect/base/file.h"
#include "neardup/result.h"

namespace neardup {

/// An OutputFile, gzip if the path ends with .gz. A path that ends with .zst is refused.
class PackedFile {
 public:
  static Result<PackedFile> Open(const std::string& path);
  PackedFile(PackedFile&&) noexcept;
  PackedFile& operator=(PackedFile&&) noexcept;
  ~PackedFile();

  Result<void> Write(std::string_view bytes);
  /// Passes everything written on to the system. A compressed file keeps what is not yet a block.
  Result<void> Flush();
  /// As OutputFile::Finish.
  static Result<void> Finish(std::span<PackedFile* const> files);

  const std::string& name() const { return file_.name(); }
  bool is_replaced() const { return file_.is_replaced(); }

 private:
  class Deflater;
  PackedFile(OutputFile file, std::unique_ptr<Deflater> deflater);

  OutputFile file_;
  std::unique_ptr<Deflater> deflater_;  ///< nullptr: not compressed
};

}  // namespace neardup
