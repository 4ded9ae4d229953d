// A filter as a file: its settings and what it remembers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "bindings/batch_filter.h"
#include "neardup/result.h"

namespace neardup {

/// What a filter remembers, as the deltas that lead there, in memory: about 60 bytes an entry. It
/// gives up deltas at its beginning as soon as all their entries are forgotten.
class EntryLog {
 public:
  /// The next delta, before its commit.
  void Add(const Delta& delta);
  /// `entries` are remembered now.
  void DropForgotten(uint64_t entries);

  struct Part {
    std::string bytes;  ///< Encode(Delta)
    uint64_t entries = 0;
  };
  const std::deque<Part>& parts() const { return parts_; }
  size_t bytes() const { return bytes_; }

 private:
  std::deque<Part> parts_;
  uint64_t entries_ = 0;
  size_t bytes_ = 0;
};

/// A BatchFilter that can be saved: it keeps an EntryLog. Only one thread at a time may use it.
class SavedFilter {
 public:
  /// As BatchFilter::New.
  static Result<std::unique_ptr<SavedFilter>> New(const BatchOptions& options);
  /// Reads what Save wrote. kNotFound, kIo; kCorrupt: damaged, or no such file; kMismatch: a
  /// version of the format that this program does not know. The text names the file.
  static Result<std::unique_ptr<SavedFilter>> Load(const std::filesystem::path& path,
                                                   uint32_t threads);

  /// Commits, and writes the file in one step: after a crash it holds the new state or what it held
  /// before. A commit at another place than a multiple of BatchOptions::commit_records may change
  /// what is forgotten first. kIo names the file.
  ///
  /// FORMAT, version 1, little-endian, with the primitives of stream/state/byte_stream.h: "NDSF";
  /// u16 version; text settings (FilterSettingsText); varint commit_records; varint number of
  /// deltas; text each (stream/state/delta.h); u64 XXH3-64 of all bytes before.
  Result<void> Save(const std::filesystem::path& path);

  BatchFilter& filter() { return *filter_; }
  const BatchFilter& filter() const { return *filter_; }
  size_t log_bytes() const { return log_.bytes(); }

 private:
  SavedFilter(const BatchOptions& options, std::unique_ptr<BatchFilter> filter);

  static Result<std::unique_ptr<SavedFilter>> Decode(std::string_view bytes, uint32_t threads);

  BatchOptions options_;
  std::unique_ptr<BatchFilter> filter_;
  EntryLog log_;
};

}  // namespace neardup
