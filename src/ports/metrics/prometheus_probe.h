// Turns the lane's events into Prometheus metrics.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lane/ports.h"
#include "lane/probe.h"
#include "metrics/build_info.h"

namespace neardup {

/// The lane's thread calls the events of Probe, the keeper's thread those of KeeperProbe, and any
/// thread Text. Every series of a closed label exists from the start. The clock must outlive the
/// probe.
class PrometheusProbe : public PartialProbe, public PartialKeeperProbe {
 public:
  PrometheusProbe(const BuildInfo& build, const Clock& clock);
  ~PrometheusProbe() override;

  void PhaseChanged(LanePhase phase) override;
  void Followed(uint64_t seq) override;
  void CaughtUp(uint64_t seq, uint64_t entries) override;
  void Restoring(double share, uint64_t entries) override;
  void StateDiscarded(std::string_view why) override;
  void BatchPolled(const InputPartition& input, uint64_t records, uint64_t bytes) override;
  void StageTimed(Stage stage, double seconds) override;
  void TransactionCommitted(const CommittedBatch& batch) override;
  void TransactionAborted(const Error& error) override;
  void LaneLost(const Error& error) override;
  void LateRequestFenced() override;
  void TakesOver(std::string_view endpoint) override;
  void TookOverWrongly(std::string_view endpoint) override;
  void LeaseLeft(int64_t lasted_ms) override;
  void Promoted(uint64_t seq, uint64_t entries, double seconds) override;
  void OffsetsDiffer(const InputPartition& input, int64_t group, int64_t delta) override;
  void ChangelogLost(std::string_view name, std::string_view what) override;
  void InputLost(const InputLoss& loss) override;
  void InputMissing(const std::string& topic, bool missing) override;
  void InputUnreachable(const InputPartition& input, bool unreachable) override;
  void PartitionAdded(const InputPartition& input) override;
  void Gauges(const LaneGauges& gauges) override;
  void InputLag(const InputPartition& input, int64_t records, double seconds) override;
  void DeadLettersExcessive(bool excessive, std::string_view why) override;

  void SnapshotWritten(const WrittenSnapshot& snapshot) override;
  void ChangelogPurged(int64_t offset) override;
  void PurgeRefused(const Error& error) override;
  void KeeperFailed(const Error& error) override;
  void SnapshotRestarted(std::string_view why) override;
  void InputUndecided(const std::string& topic, int64_t records) override;

  /// The lane that the process runs, and the number of lanes of the app.
  void SetLane(int32_t lane, int32_t lanes);
  /// Bytes that each part of a process takes at most.
  using MemoryParts = std::vector<std::pair<std::string, uint64_t>>;
  void SetMemoryBound(uint64_t total, const MemoryParts& parts);
  /// The Kafka client library reported an error or a warning. From any thread.
  void KafkaComplained(bool is_error);
  /// Whether changed secrets are not used, because they do not work. From any thread.
  void SetSecretsRefused(bool refused);
  /// By aspect, for the window of records that has ended.
  using DriftRatios = std::vector<std::pair<std::string, double>>;
  void SetDrift(const DriftRatios& ratios, bool detected);

  /// All metrics, those of the process included, in Prometheus' text format.
  std::string Text() const;

 private:
  struct Lag;
  struct State;
  void ForgetLag();
  void SetLag() const;

  std::unique_ptr<State> state_;
  const Clock& clock_;
  std::set<InputPartition> unreachable_;
};

}  // namespace neardup
