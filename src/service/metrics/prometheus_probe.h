// Turns the lane's events into Prometheus metrics.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "service/metrics/status.h"
#include "stream/lane/ports.h"
#include "stream/lane/probe.h"

namespace neardup {

/// The lane's thread calls the events of Probe, the keeper's thread the events of KeeperProbe, and
/// any thread Text. Every series of a closed label exists from the start. The clock must outlive
/// the probe.
class PrometheusProbe final : public SeesLane<PrometheusProbe>, public SeesKeeper<PrometheusProbe> {
 public:
  PrometheusProbe(const BuildInfo& build, const Clock& clock);
  ~PrometheusProbe() override;

  void Saw(const event::PhaseChanged& seen);
  void Saw(const event::Followed& seen);
  void Saw(const event::CaughtUp& seen);
  void Saw(const event::Restoring& seen);
  void Saw(const event::StateDiscarded& seen);
  void Saw(const event::BatchPolled& seen);
  void Saw(const event::StageTimed& seen);
  void Saw(const event::TransactionCommitted& seen);
  void Saw(const event::TransactionAborted& seen);
  void Saw(const event::TransactionSized& seen);
  void Saw(const event::LaneLost& seen);
  void Saw(const event::LateRequestFenced& seen);
  void Saw(const event::TakesOver& seen);
  void Saw(const event::TookOverWrongly& seen);
  void Saw(const event::LeaseLeft& seen);
  void Saw(const event::Promoted& seen);
  void Saw(const event::OffsetsDiffer& seen);
  void Saw(const event::ChangelogLost& seen);
  void Saw(const event::InputLost& seen);
  void Saw(const event::InputMissing& seen);
  void Saw(const event::InputUnreachable& seen);
  void Saw(const event::PartitionAdded& seen);
  void Saw(const event::Gauges& seen);
  void Saw(const event::InputLag& seen);
  void Saw(const event::DeadLettersExcessive& seen);
  void Saw(const event::SnapshotRestored&) {}
  void Saw(const event::BatchFingerprinted&) {}
  void Saw(const event::PipelineChanged&) {}
  void Saw(const event::InputPosition&) {}
  void Saw(const event::RecordRefused&) {}

  void Saw(const event::SnapshotWritten& seen);
  void Saw(const event::ChangelogPurged& seen);
  void Saw(const event::PurgeRefused& seen);
  void Saw(const event::KeeperFailed& seen);
  void Saw(const event::SnapshotRestarted& seen);
  void Saw(const event::InputUndecided& seen);

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

  /// All metrics, also the metrics of the process, in Prometheus' text format.
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
