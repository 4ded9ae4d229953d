// A probe that passes every event on to several probes.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lane/probe.h"

namespace neardup {

/// Passes every event on to several receivers, in their order. They must outlive it.
class ProbeFan : public Probe {
 public:
  explicit ProbeFan(std::vector<Probe*> probes) : probes_(std::move(probes)) {}
  void PhaseChanged(LanePhase phase) override;
  void CaughtUp(uint64_t seq, uint64_t entries) override;
  void Followed(uint64_t seq) override;
  void Restoring(double share, uint64_t entries) override;
  void SnapshotRestored(uint64_t entries, double seconds) override;
  void StateDiscarded(std::string_view why) override;
  void BatchPolled(const InputPartition& input, uint64_t records, uint64_t bytes) override;
  void BatchFingerprinted(std::span<const Message> batch,
                          std::span<const FingerprintedRecord> records) override;
  void StageTimed(Stage stage, double seconds) override;
  void TransactionCommitted(const CommittedBatch& batch) override;
  void TransactionAborted(const Error& error) override;
  void LaneLost(const Error& error) override;
  void LateRequestFenced() override;
  void TakesOver(std::string_view endpoint) override;
  void TookOverWrongly(std::string_view endpoint) override;
  void LeaseLeft(int64_t lasted_ms) override;
  void Promoted(uint64_t seq, uint64_t entries, double seconds) override;
  void PipelineChanged(const PipelineTopics& before, const PipelineTopics& now) override;
  void OffsetsDiffer(const InputPartition& input, int64_t group, int64_t delta) override;
  void ChangelogLost(std::string_view name, std::string_view what) override;
  void InputLost(const InputLoss& loss) override;
  void InputMissing(const std::string& topic, bool missing) override;
  void InputUnreachable(const InputPartition& input, bool unreachable) override;
  void PartitionAdded(const InputPartition& input) override;
  void Gauges(const LaneGauges& gauges) override;
  void InputLag(const InputPartition& input, int64_t records, double seconds) override;
  void InputPosition(const InputPartition& input, int64_t next_offset) override;
  void RecordRefused(const InputPartition& input, int64_t offset, std::string_view text) override;
  void DeadLettersExcessive(bool excessive, std::string_view why) override;

 private:
  std::vector<Probe*> probes_;
};

/// Passes every event of a keeper on to several receivers, in their order. They must outlive it.
class KeeperProbeFan : public KeeperProbe {
 public:
  explicit KeeperProbeFan(std::vector<KeeperProbe*> probes) : probes_(std::move(probes)) {}
  void SnapshotWritten(const WrittenSnapshot& snapshot) override;
  void ChangelogPurged(int64_t offset) override;
  void PurgeRefused(const Error& error) override;
  void KeeperFailed(const Error& error) override;
  void SnapshotRestarted(std::string_view why) override;
  void InputUndecided(const std::string& topic, int64_t records) override;

 private:
  std::vector<KeeperProbe*> probes_;
};

}  // namespace neardup
