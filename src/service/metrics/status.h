// What this instance is and does, for /status: one JSON object for people and scripts.
// docs/monitoring.md describes its members.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "stream/lane/ports.h"
#include "stream/lane/probe.h"
#include "stream/state/route.h"

namespace neardup {

// The versions that a process reports of itself.

struct BuildInfo {
  std::string version;
  std::string revision;
  std::string compiler;
  std::string librdkafka_version;
};

/// What was decided within a minute of the clock.
struct VerdictMinute {
  std::string at;  ///< its begin, as in the answer
  uint64_t unique = 0;
  uint64_t exact = 0;
  uint64_t near = 0;
  uint64_t dead = 0;
};

/// The lane's thread calls the events of Probe, the keeper's thread the events of KeeperProbe, and
/// any thread Text.
class Status final : public SeesLane<Status>, public SeesKeeper<Status> {
 public:
  /// `settings`: a JSON object without secrets; empty: the answer has no settings. The clock must
  /// outlive this object.
  Status(BuildInfo build, std::string settings, const Clock& clock);

  void SetMemoryBound(uint64_t bytes);
  /// Replaces the settings of the constructor.
  void ShowSettings(std::string settings);

  /// `compared`: how records are compared, as a sentence. `learned`: what was learned, and from
  /// what; empty if nothing was.
  void ShowInForce(std::string compared, std::vector<std::string> learned);

  /// Keeps the parts of the event that Text shows.
  void Saw(const auto& seen) {
    const std::lock_guard lock(mutex_);
    Take(seen);
  }

  std::string Text() const;
  /// The minutes of the last hour with decisions, the oldest first.
  std::vector<VerdictMinute> Minutes() const;

 private:
  struct Input {
    int64_t next_offset = -1;
    int64_t lag_records = 0;
    double lag_s = 0;
    bool unreachable = false;
  };
  /// An error, and when it happened.
  struct Event {
    int64_t at_ms = 0;
    std::string text;
  };

  // The caller holds mutex_.
  void Take(const event::PhaseChanged& seen);
  void Take(const event::Followed& seen) { seq_ = seen.seq; }
  void Take(const event::CaughtUp& seen);
  void Take(const event::Promoted& seen);
  void Take(const event::TransactionCommitted& seen);
  void Take(const event::LaneLost& seen);
  void Take(const event::InputMissing& seen);
  void Take(const event::InputUnreachable& seen) {
    inputs_[seen.input].unreachable = seen.unreachable;
  }
  void Take(const event::Gauges& seen);
  void Take(const event::InputLag& seen);
  void Take(const event::InputPosition& seen) {
    inputs_[seen.input].next_offset = seen.next_offset;
  }
  void Take(const event::SnapshotWritten& seen);
  void Take(const event::ChangelogPurged& seen) { purged_to_ = seen.offset; }
  void Take(const event::KeeperFailed& seen) {
    keeper_failure_ = {clock_.WallMs(), seen.error.text};
  }
  void Take(const auto& /*ignored*/) {}

  const BuildInfo build_;
  std::string settings_;  ///< guarded by mutex_, like the next two
  std::string compared_;  ///< empty: not known yet
  std::vector<std::string> learned_;
  const Clock& clock_;
  mutable std::mutex mutex_;  ///< guards the members below
  int64_t started_at_ms_;
  LanePhase phase_ = LanePhase::kStarting;
  int64_t phase_since_ms_;
  bool caught_up_ = false;
  uint64_t seq_ = 0;
  uint64_t promotions_ = 0;
  double promotion_s_ = 0;
  uint64_t losses_ = 0;
  std::optional<Event> last_loss_;
  CommittedBatch decided_;  ///< since the start: the counts of records alone
  std::deque<std::pair<int64_t, VerdictMinute>> minutes_;  ///< by the number of the minute
  int64_t committed_at_ms_ = -1;
  /// Of an active lane; empty otherwise.
  std::map<InputPartition, Input> inputs_;
  std::set<std::string> missing_topics_;
  std::optional<LaneGauges> gauges_;
  uint64_t memory_bound_ = 0;
  std::optional<WrittenSnapshot> snapshot_;
  int64_t snapshot_at_ms_ = 0;
  std::optional<Event> keeper_failure_;
  int64_t purged_to_ = 0;
};

}  // namespace neardup
