// The process log on standard error, and what it says about a lane.
#pragma once

#include <string>

#include "service/config/settings.h"
#include "stream/lane/ports.h"
#include "stream/lane/probe.h"

namespace neardup {

/// Sets the process-wide spdlog logger. Text: `time level message`; JSON: one object per line
/// with time, level and message. Call once, before any thread logs.
void StartLog(LogLevel level, LogFormat format);

/// From now on. Any thread may call it.
void SetLogLevel(LogLevel level);

/// Logs the events that a person wants to see; while all is well, at most one line every 10 s.
class LogProbe final : public SeesLane<LogProbe>, public SeesKeeper<LogProbe> {
 public:
  explicit LogProbe(Clock& clock) : clock_(clock), logged_at_ms_(clock.SteadyMs()) {}
  void Saw(const event::PhaseChanged& seen);
  void Saw(const event::CaughtUp& seen);
  void Saw(const event::Restoring& seen);
  void Saw(const event::SnapshotRestored& seen);
  void Saw(const event::StateDiscarded& seen);
  void Saw(const event::TransactionCommitted& seen);
  void Saw(const event::TransactionAborted& seen);
  void Saw(const event::TransactionSized& seen);
  /// The first loss is a line. Failed attempts to take the lane again are counted, and reported
  /// every 30 s until it is taken; after a missing right, until a record went out.
  void Saw(const event::LaneLost& seen);
  void Saw(const event::TakesOver& seen);
  void Saw(const event::TookOverWrongly& seen);
  void Saw(const event::LeaseLeft& seen);
  void Saw(const event::Followed& seen);
  void Saw(const event::Promoted& seen);
  void Saw(const event::PipelineChanged& seen);
  void Saw(const event::OffsetsDiffer& seen);
  void Saw(const event::ChangelogLost& seen);
  void Saw(const event::InputLost& seen);
  void Saw(const event::InputMissing& seen);
  void Saw(const event::InputUnreachable& seen);
  void Saw(const event::PartitionAdded& seen);
  void Saw(const event::RecordRefused& seen);
  void Saw(const event::DeadLettersExcessive& seen);
  /// Every ten seconds in which records were decided, a line says how many.
  void Saw(const event::Gauges& seen);

  void Saw(const event::SnapshotWritten& seen);
  void Saw(const event::ChangelogPurged& seen);
  void Saw(const event::PurgeRefused& seen);
  void Saw(const event::KeeperFailed& seen);
  void Saw(const event::SnapshotRestarted& seen);
  void Saw(const auto& /*ignored*/) {}

 private:
  Clock& clock_;
  uint64_t keeper_failures_ = 0;  ///< since the last snapshot
  int64_t keeper_failed_at_ms_ = 0;
  uint64_t unique_ = 0;
  uint64_t duplicates_ = 0;
  uint64_t dead_ = 0;
  bool logged_first_ = false;
  int64_t logged_at_ms_;  ///< when the three were last logged
  uint64_t clamped_ = 0;  ///< since the last warning about them
  int64_t clamped_log_at_ms_ = 0;
  /// Counts from the moment when an error took the lane away. 0 losses: no error did.
  uint64_t losses_ = 0;
  bool lacks_entries_ = false;
  bool refused_ = false;  ///< the last loss was for a missing right, and no record went out since
  std::string loss_text_;
  int64_t lost_at_ms_ = 0;
  int64_t loss_log_at_ms_ = 0;
  int64_t restore_log_at_ms_ = 0;
  bool limited_ = false;  ///< event::TransactionSized::limited
};

}  // namespace neardup
