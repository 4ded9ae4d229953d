// The events of a lane and of its changelog keeper. Receivers turn them into metrics and log lines.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lane/message.h"
#include "lane/ports.h"
#include "neardup/fingerprint.h"
#include "neardup/result.h"
#include "neardup/verdict.h"
#include "state/input.h"
#include "state/pipeline.h"

namespace neardup {

enum class LanePhase : uint8_t {
  kStarting,
  kLearning,  ///< before the first record: learns from the stream how to compare
  kStandby,
  kRestoring,
  kActive,
  kDraining,
  kFailed
};
inline constexpr int kLanePhaseCount = 7;

constexpr const char* Name(LanePhase phase) {
  switch (phase) {
    case LanePhase::kStarting:
      return "starting";
    case LanePhase::kLearning:
      return "learning";
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

/// What one transaction did. A latency is the commit time minus the record's timestamp, at least 0.
struct CommittedBatch {
  uint64_t unique = 0;
  uint64_t exact_duplicates = 0;
  uint64_t near_duplicates = 0;
  uint64_t passed = 0;
  uint64_t late = 0;
  uint64_t clamped = 0;
  uint64_t suspects = 0;  ///< among `unique`
  uint64_t released = 0;  ///< duplicates that went to the unique topic by RoutingOptions::release_*
  uint64_t replaced = 0;  ///< duplicates that took the place of an earlier record (Keep::kNewest)
  uint64_t dropped = 0;   ///< duplicates that went to no topic
  uint64_t observed = 0;  ///< duplicates and dead letters that went to the unique topic
  std::array<uint64_t, kReasonCount> dead_letters{};
  /// Duplicates by distance. The last element counts every distance of 17 or more. Only comparison
  /// schemes have such distances.
  std::array<uint64_t, 18> distances{};
  uint64_t distance_sum = 0;
  uint64_t bytes_in = 0;
  uint64_t delta_bytes = 0;  ///< written to the changelog
  double duration_s = 0;     ///< from begin to commit
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
enum class Stage : uint8_t {
  // These two run while the batch before goes through the other stages, if the source allows it.
  kPoll,
  kFingerprint,
  kLookUp,
  kDecide,  ///< publishing included, as far as the lane's thread does it
  kCommit,
};
inline constexpr int kStageCount = 5;

/// Offsets of an input that are no longer read, because its log does not hold them.
struct InputLoss {
  enum class Kind : uint8_t {
    kUnreadStart,  ///< deleted after the start was chosen and before anything was read
    kDeleted,      ///< deleted before they were read
    kReplaced,     ///< the topic was created again, or its log was cut and has grown again
  };
  InputPartition partition;
  Kind kind = Kind::kDeleted;
  int64_t from = 0;  ///< the lane was to continue here
  int64_t to = 0;    ///< it continues here
};
inline constexpr int kInputLossKinds = 3;

constexpr const char* Name(InputLoss::Kind kind) {
  switch (kind) {
    case InputLoss::Kind::kUnreadStart:
      return "unread_start";
    case InputLoss::Kind::kDeleted:
      return "deleted";
    case InputLoss::Kind::kReplaced:
      return "replaced";
  }
  return "replaced";
}

struct LaneGauges {
  uint64_t entries = 0;
  uint64_t entries_max = 0;
  uint64_t groups = 0;  ///< Groups::size
  uint64_t index_bytes = 0;
  uint64_t entries_evicted = 0;
  uint64_t entries_expired = 0;
  uint64_t candidates = 0;
  uint64_t keys_refused = 0;
  int64_t oldest_time_ms = INT64_MIN;
  int64_t watermark_ms = INT64_MIN;
  int64_t horizon_ms = INT64_MIN;
  uint64_t seq = 0;
  /// Every record of the changelog below this offset is known. An active lane, which writes these
  /// records, renews it once a minute.
  int64_t changelog_offset = 0;
  /// Offsets of the changelog that a standby has not read yet. Markers of transactions count, too.
  int64_t changelog_lag = 0;
};

/// Receives the events of a lane. All calls come from the lane's thread, except those during the
/// restore of a snapshot. These come before the lane starts, from the thread that builds the
/// service.
///
/// Every event is pure virtual, so that a receiver that passes events on (ProbeFan) cannot miss
/// one. Receivers of some events derive from PartialProbe.
class Probe {
 public:
  virtual ~Probe() = default;
  virtual void PhaseChanged(LanePhase phase) = 0;
  /// Called at most once. The standby has read everything that was in the changelog when the
  /// standby began.
  virtual void CaughtUp(uint64_t seq, uint64_t entries) = 0;
  /// The standby read deltas up to `seq` that another instance committed. It calls this after each
  /// poll that moved seq.
  virtual void Followed(uint64_t seq) = 0;
  /// Called while the state is restored. `share` is the part that is done, 0 to 1; `entries` is the
  /// number of live entries so far.
  virtual void Restoring(double share, uint64_t entries) = 0;
  /// A snapshot was restored before the lane began.
  virtual void SnapshotRestored(uint64_t entries, double seconds) = 0;
  /// A snapshot was refused and the next one is tried, or the lane drops its state and reads it
  /// from the changelog again. The lane does that if a snapshot does not fit the changelog, or if
  /// records were purged that a standby had not read.
  virtual void StateDiscarded(std::string_view why) = 0;
  virtual void BatchPolled(const InputPartition& input, uint64_t records, uint64_t bytes) = 0;
  /// Before the batch is decided. A batch that is read again, after an abort or after the lane was
  /// lost, is reported again.
  virtual void BatchFingerprinted(std::span<const Message> batch,
                                  std::span<const FingerprintedRecord> records) = 0;
  virtual void StageTimed(Stage stage, double seconds) = 0;
  virtual void TransactionCommitted(const CommittedBatch& batch) = 0;
  virtual void TransactionAborted(const Error& error) = 0;
  /// The lane was lost to another instance, or must be promoted again after an error.
  virtual void LaneLost(const Error& error) = 0;
  /// The lane is taken again, because a request of its last transaction may reach the broker late
  /// (Transaction::must_fence). Called after LaneLost, whose error names the request.
  virtual void LateRequestFenced() = 0;
  /// The process at this endpoint (Lease::endpoint), which was active, has ended. This instance
  /// takes the lane before it has the lease.
  virtual void TakesOver(std::string_view endpoint) = 0;
  /// The process at this endpoint is active again, though this instance has taken the lane from it
  /// as from one that had ended. From now on this instance waits for the lease each time.
  virtual void TookOverWrongly(std::string_view endpoint) = 0;
  /// The lane has been in trouble for `lasted_ms`, and leaves the lease to another instance for a
  /// while.
  virtual void LeaseLeft(int64_t lasted_ms) = 0;
  /// The lane became active. `seq` is the newest seq, `entries` the number of live entries after
  /// the restore, `seconds` the time that the promotion took.
  virtual void Promoted(uint64_t seq, uint64_t entries, double seconds) = 0;
  /// The lane has other topics than before. Called after the commit that makes it durable.
  virtual void PipelineChanged(const PipelineTopics& before, const PipelineTopics& now) = 0;
  /// The offset of the consumer group is not that of the last delta. The lane uses the delta's.
  virtual void OffsetsDiffer(const InputPartition& input, int64_t group, int64_t delta) = 0;
  /// The changelog `name` lost records, and the lane goes on without them.
  virtual void ChangelogLost(std::string_view name, std::string_view what) = 0;
  /// The lane goes on without these offsets. Called after the commit that makes it durable.
  virtual void InputLost(const InputLoss& loss) = 0;
  /// An input topic that was read before does not exist, or exists again.
  virtual void InputMissing(const std::string& topic, bool missing) = 0;
  /// The leader of an input partition does not answer, or answers again.
  virtual void InputUnreachable(const InputPartition& input, bool unreachable) = 0;
  /// A topic that several lanes share has a new partition, which this lane reads: keys have moved
  /// between the lanes.
  virtual void PartitionAdded(const InputPartition& input) = 0;
  /// About once a second, from an active lane and from a standby.
  virtual void Gauges(const LaneGauges& gauges) = 0;
  virtual void InputLag(const InputPartition& input, int64_t records, double seconds) = 0;
  /// The next record that the lane will decide in this input. Called about once a second.
  virtual void InputPosition(const InputPartition& input, int64_t next_offset) = 0;
  virtual void RecordRefused(const InputPartition& input, int64_t offset,
                             std::string_view text) = 0;
  /// The share of dead letters has become too large, or is no longer; called once for each change.
  /// `why` explains a share that is too large.
  virtual void DeadLettersExcessive(bool excessive, std::string_view why) = 0;
};

/// Ignores every event that is not overridden.
class PartialProbe : public Probe {
 public:
  void PhaseChanged(LanePhase) override {}
  void CaughtUp(uint64_t, uint64_t) override {}
  void Followed(uint64_t) override {}
  void Restoring(double, uint64_t) override {}
  void SnapshotRestored(uint64_t, double) override {}
  void StateDiscarded(std::string_view) override {}
  void BatchPolled(const InputPartition&, uint64_t, uint64_t) override {}
  void BatchFingerprinted(std::span<const Message>, std::span<const FingerprintedRecord>) override {
  }
  void StageTimed(Stage, double) override {}
  void TransactionCommitted(const CommittedBatch&) override {}
  void TransactionAborted(const Error&) override {}
  void LaneLost(const Error&) override {}
  void LateRequestFenced() override {}
  void TakesOver(std::string_view) override {}
  void TookOverWrongly(std::string_view) override {}
  void LeaseLeft(int64_t) override {}
  void Promoted(uint64_t, uint64_t, double) override {}
  void PipelineChanged(const PipelineTopics&, const PipelineTopics&) override {}
  void OffsetsDiffer(const InputPartition&, int64_t, int64_t) override {}
  void ChangelogLost(std::string_view, std::string_view) override {}
  void InputLost(const InputLoss&) override {}
  void InputMissing(const std::string&, bool) override {}
  void InputUnreachable(const InputPartition&, bool) override {}
  void PartitionAdded(const InputPartition&) override {}
  void Gauges(const LaneGauges&) override {}
  void InputLag(const InputPartition&, int64_t, double) override {}
  void InputPosition(const InputPartition&, int64_t) override {}
  void RecordRefused(const InputPartition&, int64_t, std::string_view) override {}
  void DeadLettersExcessive(bool, std::string_view) override {}
};

struct WrittenSnapshot {
  uint64_t entries = 0;
  uint64_t bytes = 0;
  uint64_t segments = 0;
  uint64_t seq = 0;
  int64_t changelog_offset = 0;
  double seconds = 0;  ///< for writing the manifest and syncing
};

/// Receives the events of a ChangelogKeeper. All calls come from the keeper's thread.
class KeeperProbe {
 public:
  virtual ~KeeperProbe() = default;
  virtual void SnapshotWritten(const WrittenSnapshot& snapshot) = 0;
  /// Every record of the changelog below this offset is deleted.
  virtual void ChangelogPurged(int64_t offset) = 0;
  /// The broker does not allow the purge. The keeper does not try again.
  virtual void PurgeRefused(const Error& error) = 0;
  /// The keeper could not read the changelog, write the snapshot or purge. It tries again after a
  /// snapshot interval; nothing is lost.
  virtual void KeeperFailed(const Error& error) = 0;
  /// The snapshot does not fit the changelog; the keeper begins a new one.
  virtual void SnapshotRestarted(std::string_view why) = 0;
  /// The number of records of an input topic that the newest delta does not cover. Records that are
  /// being decided and those of open transactions count.
  virtual void InputUndecided(const std::string& topic, int64_t records) = 0;
};

/// Ignores every event that is not overridden.
class PartialKeeperProbe : public KeeperProbe {
 public:
  void SnapshotWritten(const WrittenSnapshot&) override {}
  void ChangelogPurged(int64_t) override {}
  void PurgeRefused(const Error&) override {}
  void KeeperFailed(const Error&) override {}
  void SnapshotRestarted(std::string_view) override {}
  void InputUndecided(const std::string&, int64_t) override {}
};

}  // namespace neardup
