// Receivers of a lane's events: the log, and several receivers as one.
#pragma once

#include <utility>
#include <vector>

#include "stream/probe.h"

namespace neardup {

/// Writes what a person wants to see in the log; a line at most every 10 s while all is well.
class LogProbe : public Probe {
 public:
  explicit LogProbe(Clock& clock) : clock_(clock) {}
  void PhaseChanged(LanePhase phase) override;
  void CaughtUp(uint64_t seq, uint64_t entries) override;
  void TransactionCommitted(const CommittedBatch& batch) override;
  void TransactionAborted(const Error& error) override;
  void LaneLost(const Error& error) override;
  void Promoted(uint64_t seq, uint64_t entries, double seconds) override;
  void OffsetsDiffer(const InputPartition& input, int64_t group, int64_t delta) override;
  void RecordRefused(const InputPartition& input, int64_t offset, std::string_view text) override;

 private:
  Clock& clock_;
  uint64_t unique_ = 0;
  uint64_t duplicates_ = 0;
  uint64_t dead_ = 0;
  bool logged_first_ = false;
  int64_t log_at_ms_ = 0;
};

/// Passes every event on, in order.
class ProbeFan : public Probe {
 public:
  explicit ProbeFan(std::vector<Probe*> probes) : probes_(std::move(probes)) {}
  void PhaseChanged(LanePhase phase) override;
  void CaughtUp(uint64_t seq, uint64_t entries) override;
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

}  // namespace neardup
