// The process log: one line an event, on standard error.
#pragma once

#include <utility>
#include <vector>

#include "config/settings.h"
#include "stream/changelog_keeper.h"
#include "stream/probe.h"

namespace neardup {

/// Sets the process-wide spdlog logger. Text: `time level message`; JSON: one object a line with
/// time, level, message. Call once, before any thread logs.
void StartLog(LogLevel level, LogFormat format);

// Receivers of the events of a lane and its keeper: the log, and several receivers as one.

/// Writes what a person wants to see in the log; a line at most every 10 s while all is well.
class LogProbe : public Probe, public KeeperProbe {
 public:
  explicit LogProbe(Clock& clock) : clock_(clock) {}
  void PhaseChanged(LanePhase phase) override;
  void CaughtUp(uint64_t seq, uint64_t entries) override;
  void Restoring(double share, uint64_t entries) override;
  void SnapshotRestored(uint64_t entries, double seconds) override;
  void StateDiscarded(std::string_view why) override;
  void TransactionCommitted(const CommittedBatch& batch) override;
  void TransactionAborted(const Error& error) override;
  void LaneLost(const Error& error) override;
  void Promoted(uint64_t seq, uint64_t entries, double seconds) override;
  void OffsetsDiffer(const InputPartition& input, int64_t group, int64_t delta) override;
  void RecordRefused(const InputPartition& input, int64_t offset, std::string_view text) override;

  void SnapshotWritten(const WrittenSnapshot& snapshot) override;
  void ChangelogPurged(int64_t offset) override;
  void PurgeRefused(const Error& error) override;
  void KeeperFailed(const Error& error) override;
  void SnapshotRestarted(std::string_view why) override;

 private:
  Clock& clock_;
  uint64_t unique_ = 0;
  uint64_t duplicates_ = 0;
  uint64_t dead_ = 0;
  bool logged_first_ = false;
  int64_t log_at_ms_ = 0;
  int64_t restore_log_at_ms_ = 0;
};

/// Passes every event on, in order.
class ProbeFan : public Probe {
 public:
  explicit ProbeFan(std::vector<Probe*> probes) : probes_(std::move(probes)) {}
  void PhaseChanged(LanePhase phase) override;
  void CaughtUp(uint64_t seq, uint64_t entries) override;
  void Restoring(double share, uint64_t entries) override;
  void SnapshotRestored(uint64_t entries, double seconds) override;
  void StateDiscarded(std::string_view why) override;
  void BatchPolled(const InputPartition& input, uint64_t records, uint64_t bytes) override;
  void StageTimed(Stage stage, double seconds) override;
  void TransactionCommitted(const CommittedBatch& batch) override;
  void TransactionAborted(const Error& error) override;
  void LaneLost(const Error& error) override;
  void Promoted(uint64_t seq, uint64_t entries, double seconds) override;
  void OffsetsDiffer(const InputPartition& input, int64_t group, int64_t delta) override;
  void Gauges(const LaneGauges& gauges) override;
  void InputLag(const InputPartition& input, int64_t records, double seconds) override;
  void RecordRefused(const InputPartition& input, int64_t offset, std::string_view text) override;

 private:
  std::vector<Probe*> probes_;
};

/// The same for a keeper's.
class KeeperProbeFan : public KeeperProbe {
 public:
  explicit KeeperProbeFan(std::vector<KeeperProbe*> probes) : probes_(std::move(probes)) {}
  void SnapshotWritten(const WrittenSnapshot& snapshot) override;
  void ChangelogPurged(int64_t offset) override;
  void PurgeRefused(const Error& error) override;
  void KeeperFailed(const Error& error) override;
  void SnapshotRestarted(std::string_view why) override;

 private:
  std::vector<KeeperProbe*> probes_;
};

}  // namespace neardup
