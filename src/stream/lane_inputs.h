// The input partitions that a lane reads: which, from where, and how far behind they are.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "neardup/result.h"
#include "state/lane_state.h"
#include "stream/changelog_loss.h"
#include "stream/lane_options.h"
#include "stream/ports.h"
#include "stream/probe.h"

namespace neardup {

/// Input numbers are those of the LaneState that is passed in. One owner thread; the options and
/// the ports must outlive it.
class LaneInputs {
 public:
  LaneInputs(const LaneOptions& options, Source& source, const Clock& clock, Probe& probe)
      : options_(options), source_(source), clock_(clock), probe_(probe) {}

  /// Finds all partitions and adds new ones to `state`. Call Rewind to read them.
  Result<void> Find(LaneState& state) { return FindPartitions(state, state.empty()); }
  /// Reads all partitions that were found from where `state` ends.
  Result<void> Rewind(LaneState& state);
  /// Looks for new partitions, at most once each LaneOptions::partitions_refresh_ms. No transaction
  /// may be open.
  Result<void> Refresh(LaneState& state);
  /// Where the consumer group is in each partition that was found. Tells the probe where it is
  /// behind `state`.
  Result<std::vector<GroupPosition>> GroupOffsets(const LaneState& state, Transaction& transaction);

  /// Appends up to `records_max` records to `batch`, waiting `timeout_ms` at most for the first.
  Result<void> Poll(const LaneState& state, size_t records_max, int timeout_ms,
                    std::vector<Message>& batch);
  /// Remembers how old the newest decided record of an input is.
  void Decided(const Message& message);
  /// Call when every polled record is decided. Inputs that are read to their end move to that end,
  /// past offsets that hold no record. Inputs that have been at their end for LaneOptions::idle_ms
  /// no longer hold the watermark back.
  void UpdateEnds(LaneState& state);
  void ReportLag(const LaneState& state);

  /// No record will come any more.
  bool exhausted() const { return source_.exhausted(); }

 private:
  Result<void> FindPartitions(LaneState& state, bool first_start);
  void ReportPolled(const LaneState& state, std::span<const Message> batch);

  const LaneOptions& options_;
  Source& source_;
  const Clock& clock_;
  Probe& probe_;

  std::vector<uint32_t> assigned_;  ///< the inputs that are read
  /// By input. -1: not at its end; no record decided.
  std::vector<int64_t> at_end_since_ms_;
  std::vector<int64_t> last_timestamp_ms_;
  int64_t refresh_at_ms_ = 0;
  /// Scratch: records and bytes, by input.
  std::vector<std::pair<uint64_t, uint64_t>> polled_;
};

}  // namespace neardup
