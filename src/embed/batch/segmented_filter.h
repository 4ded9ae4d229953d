// A filter whose memory is kept in pieces: one segment for each part of a long input.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "batch/batch_filter.h"
#include "neardup/result.h"

namespace neardup {

/// A BatchFilter that gives out what it remembers, part by part, and takes it back after a crash.
/// Only one thread at a time may use it.
///
/// Commits stay at the multiples of BatchOptions::commit_records, so a segment holds what was
/// committed while its part was decided. The last records of a part may be in the next segment:
/// decide the records from decided() on again after a Restore.
class SegmentedFilter {
 public:
  /// As BatchFilter::New.
  static Result<std::unique_ptr<SegmentedFilter>> New(const BatchOptions& options);

  /// The deltas of all commits since the last call, in the format of a snapshot segment
  /// (docs/snapshot.md) of lane 0.
  std::string TakeSegment();
  /// How many entries the segment of the next TakeSegment holds so far.
  uint64_t segment_entries() const { return entries_; }

  /// Takes the next segment. Call it before any decision. The first segment may be a later one than
  /// the first of all: those before it may be left out if all their entries are forgotten. kCorrupt
  /// says what is wrong with the bytes; otherwise an error of BatchFilter::Restore.
  Result<void> Restore(std::string_view segment);

  BatchFilter& filter() { return *filter_; }

 private:
  explicit SegmentedFilter(std::unique_ptr<BatchFilter> filter);

  std::unique_ptr<BatchFilter> filter_;
  std::string segment_;
  uint64_t entries_ = 0;
};

}  // namespace neardup
