// Samples of files: one from the whole length, and one of the records that a source reads.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "neardup/result.h"
#include "stream/lane/ports.h"

namespace neardup {

/// Reads stretches of whole lines that are evenly distributed over a plain file, about `bytes_max`
/// bytes and at most `records_max` lines in all, in the order of the file. The positions are
/// {0, index}. Empty, if `path` is no file to seek in, is compressed, or holds no more than
/// `bytes_max` bytes: then read it from the beginning.
Result<std::vector<Message>> ReadSpreadSample(const std::string& path, size_t records_max,
                                              size_t bytes_max);

/// Reads the whole file, decompressed, and counts its lines; the last one may lack its line end. 0:
/// it is no regular file.
Result<uint64_t> CountLines(const std::string& path);

// Sources whose first records were read before their lane began, to learn from them.

/// Hands out the records of several sources, one source after the other. Reads the first records
/// ahead, and hands them out again before the other records. Each source must have one input
/// partition of its own, and is read once from front to back. Memory: the records read ahead, until
/// they are polled.
class SampledSource : public Source {
 public:
  explicit SampledSource(std::vector<std::unique_ptr<Source>> sources)
      : sources_(std::move(sources)) {}

  /// Reads up to `records_max` records ahead, and no more after `bytes_max` bytes. Waits for them,
  /// or for the end; once it has `records_enough`, it does not wait for an input that pauses.
  /// Returns them in order; call it once, before Assign.
  Result<std::span<const Message>> ReadAhead(size_t records_max, size_t bytes_max,
                                             size_t records_enough = SIZE_MAX);

  /// Whether ReadAhead reached the end of the last input.
  bool read_all() const { return reading_ == sources_.size(); }

  Result<FoundInputs> Find() override;
  Result<OffsetBounds> Bounds(const InputPartition& partition) override;
  Result<void> Assign(std::span<const InputAssignment> inputs) override;
  Result<void> Poll(size_t records_max, int timeout_ms, std::vector<Message>& out) override;
  std::vector<InputStatus> Status() override;
  bool exhausted() const override { return polled_ == ahead_.size() && read_all(); }
  bool polls_beside() const override { return sources_.back()->polls_beside(); }

 private:
  /// Appends records of the first source that is not exhausted.
  Result<void> PollNext(size_t records_max, int timeout_ms, std::vector<Message>& out);
  /// How many records of this source are read ahead and not handed out.
  int64_t AheadOf(size_t source) const;

  std::vector<std::unique_ptr<Source>> sources_;
  size_t reading_ = 0;  ///< the source that is read; those before it are exhausted
  std::vector<Message> ahead_;
  std::vector<size_t> source_of_;  ///< by record read ahead
  size_t polled_ = 0;              ///< how many of ahead_ are handed out
};

}  // namespace neardup
