// The process log on standard error, and what it says about a lane.
#pragma once

#include <string>

#include "config/settings.h"
#include "lane/ports.h"
#include "lane/probe.h"

namespace neardup {

/// Sets the process-wide spdlog logger. Text: `time level message`; JSON: one object per line
/// with time, level and message. Call once, before any thread logs.
void StartLog(LogLevel level, LogFormat format);

/// From now on. Any thread may call it.
void SetLogLevel(LogLevel level);

/// Logs the events that a person wants to see; while all is well, at most one line every 10 s.
class LogProbe : public PartialProbe, public PartialKeeperProbe {
 public:
  explicit LogProbe(Clock& clock) : clock_(clock) {}
  void PhaseChanged(LanePhase phase) override;
  void CaughtUp(uint64_t seq, uint64_t entries) override;
  void Restoring(double share, uint64_t entries) override;
  void SnapshotRestored(uint64_t entries, double seconds) override;
  void StateDiscarded(std::string_view why) override;
  void TransactionCommitted(const CommittedBatch& batch) override;
  void TransactionAborted(const Error& error) override;
  /// The first loss is a line. Failed attempts to take the lane again are counted, and reported
  /// every 30 s until it is taken; after a missing right, until a record went out.
  void LaneLost(const Error& error) override;
  void TakesOver(std::string_view endpoint) override;
  void TookOverWrongly(std::string_view endpoint) override;
  void LeaseLeft(int64_t lasted_ms) override;
  void Followed(uint64_t seq) override;
  void Promoted(uint64_t seq, uint64_t entries, double seconds) override;
  void PipelineChanged(const PipelineTopics& before, const PipelineTopics& now) override;
  void OffsetsDiffer(const InputPartition& input, int64_t group, int64_t delta) override;
  void ChangelogLost(std::string_view name, std::string_view what) override;
  void InputLost(const InputLoss& loss) override;
  void InputMissing(const std::string& topic, bool missing) override;
  void InputUnreachable(const InputPartition& input, bool unreachable) override;
  void PartitionAdded(const InputPartition& input) override;
  void RecordRefused(const InputPartition& input, int64_t offset, std::string_view text) override;
  void DeadLettersExcessive(bool excessive, std::string_view why) override;

  void SnapshotWritten(const WrittenSnapshot& snapshot) override;
  void ChangelogPurged(int64_t offset) override;
  void PurgeRefused(const Error& error) override;
  void KeeperFailed(const Error& error) override;
  void SnapshotRestarted(std::string_view why) override;
  void InputUndecided(const std::string&, int64_t) override {}

 private:
  Clock& clock_;
  uint64_t unique_ = 0;
  uint64_t duplicates_ = 0;
  uint64_t dead_ = 0;
  bool logged_first_ = false;
  int64_t log_at_ms_ = 0;
  /// Counts from the moment when an error took the lane away. 0 losses: no error did.
  uint64_t losses_ = 0;
  bool refused_ = false;  ///< the last loss was for a missing right, and no record went out since
  std::string loss_text_;
  int64_t lost_at_ms_ = 0;
  int64_t loss_log_at_ms_ = 0;
  int64_t restore_log_at_ms_ = 0;
};

}  // namespace neardup
