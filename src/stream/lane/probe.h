// The events of a lane and of its changelog keeper. Observers turn them into metrics and log lines.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "neardup/fingerprint.h"
#include "neardup/result.h"
#include "neardup/verdict.h"
#include "stream/lane/ports.h"
#include "stream/state/pipeline.h"
#include "stream/state/route.h"

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
  constexpr std::array<const char*, kLanePhaseCount> kNames = {
      "starting", "learning", "standby", "restoring", "active", "draining", "failed"};
  return kNames[static_cast<size_t>(phase)];
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
  /// Duplicates by distance. The last element counts every distance of 17 or more.
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
  // These two run while the previous batch goes through the other stages, if the source allows it.
  kPoll,
  kFingerprint,
  kLookUp,
  kDecide,  ///< publishing included, as far as the lane's thread does it
  kCommit,
};

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

constexpr const char* Name(InputLoss::Kind kind) {
  constexpr const char* kNames[] = {"unread_start", "deleted", "replaced"};
  return kNames[static_cast<size_t>(kind)];
}

struct LaneGauges {
  uint64_t entries = 0;
  uint64_t entries_max = 0;
  /// For a standby that has read the changelog to its end: how many live entries no delta holds,
  /// because the changelog lost records. A take-over is refused, unless on_changelog_loss is
  /// kContinue.
  uint64_t entries_missing = 0;
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

struct WrittenSnapshot {
  uint64_t entries = 0;
  uint64_t bytes = 0;
  uint64_t segments = 0;
  uint64_t seq = 0;
  int64_t changelog_offset = 0;
  double seconds = 0;  ///< for writing the manifest and syncing
};

/// Events hold references to what their sender owns. They are valid during the call of On.
namespace event {

// ---- of a lane

struct PhaseChanged {
  LanePhase phase;
};
/// Sent at most once. The standby has read everything that was in the changelog when the standby
/// began.
struct CaughtUp {
  uint64_t seq;
  uint64_t entries;
};
/// The standby has read deltas up to `seq` that another instance committed. Sent after each poll
/// that moved seq.
struct Followed {
  uint64_t seq;
};
/// Sent while the state is restored.
struct Restoring {
  double share;      ///< the part that is done, 0 to 1
  uint64_t entries;  ///< the live entries so far
};
/// A snapshot was restored before the lane began.
struct SnapshotRestored {
  uint64_t entries;
  double seconds;
};
/// A snapshot was refused, and the lane tries the next one. Or the lane drops its state and reads
/// the changelog again. It drops its state if a snapshot does not fit the changelog, or if the
/// changelog was purged of records that a standby had not read.
struct StateDiscarded {
  std::string_view why;
};
struct BatchPolled {
  const InputPartition& input;
  uint64_t records;
  uint64_t bytes;
};
/// Sent before the batch is decided. A batch that is read again, after an abort or after the lane
/// was lost, is reported again.
struct BatchFingerprinted {
  std::span<const Message> batch;
  std::span<const FingerprintedRecord> records;
};
struct StageTimed {
  Stage stage;
  double seconds;
};
struct TransactionCommitted {
  const CommittedBatch& batch;
};
struct TransactionAborted {
  const Error& error;
};
/// How many bytes a transaction holds from now on (stream/lane/open_transaction.h).
struct TransactionSized {
  size_t bytes_max;
  bool limited;  ///< it is less than LaneOptions::transaction_bytes_max
};
/// The lane was lost to another instance, or must be promoted again after an error.
struct LaneLost {
  const Error& error;
};
/// The lane is taken again, because a request of its last transaction may reach the broker late
/// (Transaction::must_fence). Sent after LaneLost, whose error names the request.
struct LateRequestFenced {};
/// The active process at this endpoint (Lease::endpoint) has ended. This instance takes the lane
/// before it has the lease.
struct TakesOver {
  std::string_view endpoint;
};
/// The process at this endpoint had not ended. It is active again, but this instance has already
/// taken its lane. From now on this instance takes the lane only when it has the lease.
struct TookOverWrongly {
  std::string_view endpoint;
};
/// The lane leaves the lease to another instance for a while.
struct LeaseLeft {
  int64_t lasted_ms;  ///< how long the lane has been in trouble
};
/// The lane became active.
struct Promoted {
  uint64_t seq;      ///< the newest one
  uint64_t entries;  ///< live ones after the restore
  double seconds;    ///< how long the promotion took
};
/// The lane has other topics than before. Sent after the commit that makes it durable.
struct PipelineChanged {
  const PipelineTopics& before;
  const PipelineTopics& now;
};
/// The offset of the consumer group is not the offset of the last delta. The lane uses the delta's.
struct OffsetsDiffer {
  const InputPartition& input;
  int64_t group;
  int64_t delta;
};
/// The changelog `name` lost records, and the lane goes on without them.
struct ChangelogLost {
  std::string_view name;
  std::string_view what;
};
/// The lane goes on without these offsets. Sent after the commit that makes it durable.
struct InputLost {
  const InputLoss& loss;
};
/// An input topic that was read before does not exist, or exists again.
struct InputMissing {
  const std::string& topic;
  bool missing;
};
/// An input partition cannot be read now, or can be read again.
struct InputUnreachable {
  const InputPartition& input;
  bool unreachable;
  std::string_view why;  ///< empty: its leader does not answer
};
/// A topic that several lanes share has a new partition, which this lane reads: keys have moved
/// between the lanes.
struct PartitionAdded {
  const InputPartition& input;
};
/// Sent about once a second, by an active lane and by a standby.
struct Gauges {
  const LaneGauges& gauges;
};
struct InputLag {
  const InputPartition& input;
  int64_t records;
  double seconds;
};
/// The next record that the lane will decide in this input. Sent about once a second.
struct InputPosition {
  const InputPartition& input;
  int64_t next_offset;
};
struct RecordRefused {
  const InputPartition& input;
  int64_t offset;
  std::string_view text;
};
/// The share of dead letters has become too large, or is normal again. Sent once for each change.
struct DeadLettersExcessive {
  bool excessive;
  std::string_view why;  ///< explains a share that is too large
};

// ---- of a changelog keeper

struct SnapshotWritten {
  const WrittenSnapshot& snapshot;
};
/// Every record of the changelog below this offset is deleted.
struct ChangelogPurged {
  int64_t offset;
};
/// The broker does not allow the purge. The keeper does not try again.
struct PurgeRefused {
  const Error& error;
};
/// The keeper could not read the changelog, write the snapshot or purge. It tries again after a
/// snapshot interval; nothing is lost.
struct KeeperFailed {
  const Error& error;
};
/// The snapshot does not fit the changelog; the keeper begins a new one.
struct SnapshotRestarted {
  std::string_view why;
};
/// The number of records of an input topic that the newest delta does not cover. Records that are
/// being decided and records of open transactions count.
struct InputUndecided {
  const std::string& topic;
  int64_t records;
};

}  // namespace event

using LaneEvent =
    std::variant<event::PhaseChanged, event::CaughtUp, event::Followed, event::Restoring,
                 event::SnapshotRestored, event::StateDiscarded, event::BatchPolled,
                 event::BatchFingerprinted, event::StageTimed, event::TransactionCommitted,
                 event::TransactionAborted, event::TransactionSized, event::LaneLost,
                 event::LateRequestFenced, event::TakesOver, event::TookOverWrongly,
                 event::LeaseLeft, event::Promoted, event::PipelineChanged, event::OffsetsDiffer,
                 event::ChangelogLost, event::InputLost, event::InputMissing,
                 event::InputUnreachable, event::PartitionAdded, event::Gauges, event::InputLag,
                 event::InputPosition, event::RecordRefused, event::DeadLettersExcessive>;

using KeeperEvent =
    std::variant<event::SnapshotWritten, event::ChangelogPurged, event::PurgeRefused,
                 event::KeeperFailed, event::SnapshotRestarted, event::InputUndecided>;

template <class Event>
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void On(const Event& event) = 0;
};

/// All calls come from the lane's thread, except those during the restore of a snapshot. These come
/// before the lane starts, from the thread that builds the service.
using Probe = Observer<LaneEvent>;
/// All calls come from the keeper's thread.
using KeeperProbe = Observer<KeeperEvent>;

/// Calls Self::Saw with each event. The code does not compile if Self has no Saw for the type of an
/// event. An observer of some events declares `void Saw(const auto&) {}`, and so ignores the
/// others. Self should be final. Saw is not virtual, so a Saw in a derived class is never called.
template <class Self, class Event>
class Sees : public Observer<Event> {
 public:
  void On(const Event& event) final {
    std::visit([this](const auto& each) { static_cast<Self*>(this)->Saw(each); }, event);
  }
};
template <class Self>
using SeesLane = Sees<Self, LaneEvent>;
template <class Self>
using SeesKeeper = Sees<Self, KeeperEvent>;

/// Passes every event on to several observers, in their order. They must outlive it.
template <class Event>
class ObserverFan : public Observer<Event> {
 public:
  explicit ObserverFan(std::vector<Observer<Event>*> observers)
      : observers_(std::move(observers)) {}
  void On(const Event& event) final {
    for (Observer<Event>* each : observers_) each->On(event);
  }

 private:
  std::vector<Observer<Event>*> observers_;
};
using ProbeFan = ObserverFan<LaneEvent>;
using KeeperProbeFan = ObserverFan<KeeperEvent>;

}  // namespace neardup
