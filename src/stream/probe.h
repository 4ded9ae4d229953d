// What a lane tells about itself, in its own words; the edge turns it into metrics and log lines.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "neardup/result.h"
#include "neardup/verdict.h"
#include "state/input.h"
#include "stream/ports.h"

namespace neardup {

enum class LanePhase : uint8_t { kStarting, kStandby, kRestoring, kActive, kDraining, kFailed };
inline constexpr int kLanePhaseCount = 6;

constexpr const char* Name(LanePhase phase) {
  switch (phase) {
    case LanePhase::kStarting:
      return "starting";
    case LanePhase::kStandby:
      return "standby";
    case LanePhase::kRestoring:
      return "restoring";
    case LanePhase::kActive:
      return "active";
    case LanePhase::kDraining:
      return "draining";
    case LanePhase::kFailed:
      return "failed";
  }
  return "failed";
}

/// What one transaction did. Latencies are commit time minus record timestamp, clamped at 0.
struct CommittedBatch {
  uint64_t unique = 0;
  uint64_t exact_duplicates = 0;
  uint64_t near_duplicates = 0;
  uint64_t passed = 0;
  uint64_t late = 0;
  uint64_t clamped = 0;
  std::array<uint64_t, kReasonCount> dead_letters{};
  /// Duplicates by distance; the last: all beyond, as other schemes than the filter's own have
  /// them.
  std::array<uint64_t, 18> distances{};
  uint64_t distance_sum = 0;
  uint64_t bytes_in = 0;
  double duration_s = 0;  ///< from begin to commit
  std::vector<double> latencies_s;

  uint64_t duplicates() const { return exact_duplicates + near_duplicates; }
  uint64_t dead() const {
    uint64_t sum = 0;
    for (uint64_t n : dead_letters) sum += n;
    return sum;
  }
  uint64_t records() const { return unique + passed + duplicates() + dead(); }
};

/// Stages of a batch, timed once per batch.
enum class Stage : uint8_t { kPoll, kFingerprint, kDecide, kCommit };
inline constexpr int kStageCount = 4;

struct LaneGauges {
  uint64_t entries = 0;
  uint64_t entries_max = 0;
  uint64_t index_bytes = 0;
  uint64_t entries_evicted = 0;
  uint64_t entries_expired = 0;
  uint64_t candidates = 0;
  int64_t oldest_time_ms = INT64_MIN;
  int64_t watermark_ms = INT64_MIN;
  int64_t horizon_ms = INT64_MIN;
  uint64_t seq = 0;
};

/// All calls come from the lane's thread. The default does nothing.
class Probe {
 public:
  virtual ~Probe() = default;
  virtual void PhaseChanged(LanePhase) {}
  /// Once: a standby has read the changelog to the end it had when the standby began.
  virtual void CaughtUp(uint64_t /*seq*/, uint64_t /*entries*/) {}
  /// While the state is restored: the share of it that is, 0 to 1, and the live entries so far.
  virtual void Restoring(double /*share*/, uint64_t /*entries*/) {}
  /// A snapshot was restored before the lane began.
  virtual void SnapshotRestored(uint64_t /*entries*/, double /*seconds*/) {}
  /// What was known is given up and read from the changelog anew: a snapshot that does not fit, or
  /// a standby that fell behind what is kept of the changelog.
  virtual void StateDiscarded(std::string_view /*why*/) {}
  virtual void BatchPolled(const InputPartition&, uint64_t /*records*/, uint64_t /*bytes*/) {}
  virtual void StageTimed(Stage, double /*seconds*/) {}
  virtual void TransactionCommitted(const CommittedBatch&) {}
  virtual void TransactionAborted(const Error&) {}
  /// The lane was lost to another instance, or must be taken again after an error.
  virtual void LaneLost(const Error&) {}
  /// The lane was taken: newest seq and live entries after the restore, seconds it took.
  virtual void Promoted(uint64_t /*seq*/, uint64_t /*entries*/, double /*seconds*/) {}
  /// The group's offsets differ from those of the last delta; the delta's were taken.
  virtual void OffsetsDiffer(const InputPartition&, int64_t /*group*/, int64_t /*delta*/) {}
  virtual void Gauges(const LaneGauges&) {}
  virtual void InputLag(const InputPartition&, int64_t /*records*/, double /*seconds*/) {}
  virtual void RecordRefused(const InputPartition&, int64_t /*offset*/, std::string_view) {}
};

}  // namespace neardup
