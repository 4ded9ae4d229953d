#include "lane/probe_fan.h"

namespace neardup {

void ProbeFan::PhaseChanged(LanePhase phase) {
  for (Probe* probe : probes_) probe->PhaseChanged(phase);
}
void ProbeFan::CaughtUp(uint64_t seq, uint64_t entries) {
  for (Probe* probe : probes_) probe->CaughtUp(seq, entries);
}
void ProbeFan::Followed(uint64_t seq) {
  for (Probe* probe : probes_) probe->Followed(seq);
}
void ProbeFan::Restoring(double share, uint64_t entries) {
  for (Probe* probe : probes_) probe->Restoring(share, entries);
}
void ProbeFan::SnapshotRestored(uint64_t entries, double seconds) {
  for (Probe* probe : probes_) probe->SnapshotRestored(entries, seconds);
}
void ProbeFan::StateDiscarded(std::string_view why) {
  for (Probe* probe : probes_) probe->StateDiscarded(why);
}
void ProbeFan::BatchPolled(const InputPartition& input, uint64_t records, uint64_t bytes) {
  for (Probe* probe : probes_) probe->BatchPolled(input, records, bytes);
}
void ProbeFan::BatchFingerprinted(std::span<const Message> batch,
                                  std::span<const FingerprintedRecord> records) {
  for (Probe* probe : probes_) probe->BatchFingerprinted(batch, records);
}
void ProbeFan::StageTimed(Stage stage, double seconds) {
  for (Probe* probe : probes_) probe->StageTimed(stage, seconds);
}
void ProbeFan::TransactionCommitted(const CommittedBatch& batch) {
  for (Probe* probe : probes_) probe->TransactionCommitted(batch);
}
void ProbeFan::TransactionAborted(const Error& error) {
  for (Probe* probe : probes_) probe->TransactionAborted(error);
}
void ProbeFan::LaneLost(const Error& error) {
  for (Probe* probe : probes_) probe->LaneLost(error);
}
void ProbeFan::LateRequestFenced() {
  for (Probe* probe : probes_) probe->LateRequestFenced();
}
void ProbeFan::TakesOver(std::string_view endpoint) {
  for (Probe* probe : probes_) probe->TakesOver(endpoint);
}
void ProbeFan::TookOverWrongly(std::string_view endpoint) {
  for (Probe* probe : probes_) probe->TookOverWrongly(endpoint);
}
void ProbeFan::LeaseLeft(int64_t lasted_ms) {
  for (Probe* probe : probes_) probe->LeaseLeft(lasted_ms);
}
void ProbeFan::Promoted(uint64_t seq, uint64_t entries, double seconds) {
  for (Probe* probe : probes_) probe->Promoted(seq, entries, seconds);
}
void ProbeFan::PipelineChanged(const PipelineTopics& before, const PipelineTopics& now) {
  for (Probe* probe : probes_) probe->PipelineChanged(before, now);
}
void ProbeFan::OffsetsDiffer(const InputPartition& input, int64_t group, int64_t delta) {
  for (Probe* probe : probes_) probe->OffsetsDiffer(input, group, delta);
}
void ProbeFan::ChangelogLost(std::string_view name, std::string_view what) {
  for (Probe* probe : probes_) probe->ChangelogLost(name, what);
}
void ProbeFan::InputLost(const InputLoss& loss) {
  for (Probe* probe : probes_) probe->InputLost(loss);
}
void ProbeFan::InputMissing(const std::string& topic, bool missing) {
  for (Probe* probe : probes_) probe->InputMissing(topic, missing);
}
void ProbeFan::PartitionAdded(const InputPartition& input) {
  for (Probe* probe : probes_) probe->PartitionAdded(input);
}
void ProbeFan::InputUnreachable(const InputPartition& input, bool unreachable) {
  for (Probe* probe : probes_) probe->InputUnreachable(input, unreachable);
}
void ProbeFan::Gauges(const LaneGauges& gauges) {
  for (Probe* probe : probes_) probe->Gauges(gauges);
}
void ProbeFan::InputLag(const InputPartition& input, int64_t records, double seconds) {
  for (Probe* probe : probes_) probe->InputLag(input, records, seconds);
}
void ProbeFan::InputPosition(const InputPartition& input, int64_t next_offset) {
  for (Probe* probe : probes_) probe->InputPosition(input, next_offset);
}
void ProbeFan::RecordRefused(const InputPartition& input, int64_t offset, std::string_view text) {
  for (Probe* probe : probes_) probe->RecordRefused(input, offset, text);
}
void ProbeFan::DeadLettersExcessive(bool excessive, std::string_view why) {
  for (Probe* probe : probes_) probe->DeadLettersExcessive(excessive, why);
}

void KeeperProbeFan::SnapshotWritten(const WrittenSnapshot& snapshot) {
  for (KeeperProbe* probe : probes_) probe->SnapshotWritten(snapshot);
}
void KeeperProbeFan::ChangelogPurged(int64_t offset) {
  for (KeeperProbe* probe : probes_) probe->ChangelogPurged(offset);
}
void KeeperProbeFan::PurgeRefused(const Error& error) {
  for (KeeperProbe* probe : probes_) probe->PurgeRefused(error);
}
void KeeperProbeFan::KeeperFailed(const Error& error) {
  for (KeeperProbe* probe : probes_) probe->KeeperFailed(error);
}
void KeeperProbeFan::SnapshotRestarted(std::string_view why) {
  for (KeeperProbe* probe : probes_) probe->SnapshotRestarted(why);
}
void KeeperProbeFan::InputUndecided(const std::string& topic, int64_t records) {
  for (KeeperProbe* probe : probes_) probe->InputUndecided(topic, records);
}

}  // namespace neardup
