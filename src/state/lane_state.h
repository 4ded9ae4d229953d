// Why state of another FingerprintSpec does not fit, for a person.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "neardup/filter.h"
#include "neardup/result.h"
#include "state/delta.h"

namespace neardup {

/// What differs between two JSON texts, key by key as JSON Pointers: `/features_min: 12 here, 8 in
/// the changelog; ...`. Texts that are no JSON are shown whole.
std::string SpecDifference(std::string_view here, std::string_view changelog);

// A lane's state as the fold of its deltas: the filter, the inputs' progress, seq and epoch.

/// Numbers the lane's input partitions: Position::input is an index into it. Grows only.
/// One owner thread.
class LaneState {
 public:
  static Result<std::unique_ptr<LaneState>> New(const FilterOptions& options, uint16_t lane);

  /// Folds the next delta of the changelog in. kCorrupt: a hole in seq; kMismatch: another lane or
  /// another FingerprintSpec, the text names what differs and what to do; kExhausted: more inputs
  /// or larger offsets than a Position takes. State is unchanged then. The first delta applied may
  /// start at any seq (the changelog's beginning may have been purged). Nothing may be uncommitted.
  /// Afterwards the horizon is as the delta's commit left it.
  Result<void> Apply(Delta delta);

  /// Number of an input partition; adds it when new, with `next_offset` as its start. kExhausted:
  /// it would be one too many, or starts behind kOffsetMax.
  Result<uint32_t> AddInput(const InputPartition& partition, int64_t next_offset);
  /// kExhausted: the index cannot remember a record of this offset.
  Result<void> CheckPosition(const Position& position) const;
  std::optional<uint32_t> FindInput(const InputPartition& partition) const;
  const std::vector<InputProgress>& inputs() const { return inputs_; }

  Filter& filter() { return *filter_; }
  const Filter& filter() const { return *filter_; }

  /// Counts a decided record in: the next seq, and the input's progress. Returns the seq. To be
  /// called for each record right after filter().Decide().
  uint64_t Advance(const Position& position);
  /// seq of the newest decided record, 0 before the first.
  uint64_t seq() const { return seq_; }
  uint64_t seq_committed() const { return seq_committed_; }
  uint64_t epoch() const { return epoch_; }
  bool empty() const { return !any_; }
  void StartEpoch() { ++epoch_; }

  /// Deltas for everything since the last Commit, at least one (it carries the offsets), each about
  /// kDeltaBytesTarget at most, and one entry. Offsets, event times and watermark are as of the
  /// delta's seq_last; the horizon is the one before the coming Commit, which Apply derives again.
  std::vector<Delta> Uncommitted() const;
  void Commit();
  /// Back to the last Commit: entries, seq, progress.
  void Rollback();

 private:
  /// Where an uncommitted delta ends, and what was so at that point.
  struct Seal {
    uint64_t seq_last = 0;
    size_t entries = 0;  ///< of filter().uncommitted(), those up to here
    int64_t watermark_ms = INT64_MIN;
    std::vector<InputProgress> inputs;
  };

  LaneState(const FilterOptions& options, uint16_t lane, std::unique_ptr<Filter> filter);

  Result<void> CheckBelongs(const Delta& delta) const;
  Result<void> CheckFollows(const Delta& delta) const;
  Result<void> CheckFits(const Delta& delta) const;
  Seal SealHere() const;
  void ForgetSeals();
  Delta MakeDelta(const Seal& before, const Seal& end) const;

  FilterOptions options_;
  uint16_t lane_;
  std::string spec_;
  std::unique_ptr<Filter> filter_;
  std::vector<InputProgress> inputs_;
  std::map<InputPartition, uint32_t> numbers_;
  std::vector<int64_t> committed_offsets_;
  std::vector<Seal> seals_;
  size_t counted_entries_ = 0;  ///< of filter().uncommitted()
  size_t unsealed_bytes_ = 0;   ///< of these, behind the last seal, at most
  uint64_t seq_ = 0;
  uint64_t seq_committed_ = 0;
  uint64_t epoch_ = 0;
  bool any_ = false;
};

}  // namespace neardup
