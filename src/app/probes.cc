#include "app/probes.h"

#include <spdlog/spdlog.h>

namespace neardup {
namespace {
constexpr int64_t kLogPeriodMs = 10'000;
}  // namespace

void LogProbe::PhaseChanged(LanePhase phase) { spdlog::info("lane is {}", Name(phase)); }

void LogProbe::CaughtUp(uint64_t seq, uint64_t entries) {
  spdlog::info("standby has caught up with the changelog: {} entries, seq {}", entries, seq);
}

void LogProbe::TransactionCommitted(const CommittedBatch& batch) {
  unique_ += batch.unique + batch.passed;
  duplicates_ += batch.duplicates();
  dead_ += batch.dead();
  const uint64_t records = unique_ + duplicates_ + dead_;
  if (records == 0) return;
  if (!logged_first_) {
    logged_first_ = true;
    spdlog::info("first output committed ({} records)", records);
  }
  const int64_t now_ms = clock_.SteadyMs();
  if (now_ms < log_at_ms_) return;
  log_at_ms_ = now_ms + kLogPeriodMs;
  spdlog::info("decided since the last line: {} unique, {} duplicate, {} dead letters", unique_,
               duplicates_, dead_);
  unique_ = duplicates_ = dead_ = 0;
}

void LogProbe::TransactionAborted(const Error& error) {
  spdlog::warn("transaction aborted, its records are decided again: {}", error.text);
}

void LogProbe::LaneLost(const Error& error) {
  logged_first_ = false;
  spdlog::warn("lane lost ({}), trying to take it again: {}", Name(error.code), error.text);
}

void LogProbe::Promoted(uint64_t seq, uint64_t entries, double seconds) {
  spdlog::info("lane taken in {:.3f} s: {} entries restored, going on after seq {}", seconds,
               entries, seq);
}

void LogProbe::OffsetsDiffer(const InputPartition& input, int64_t group, int64_t delta) {
  spdlog::warn(
      "{}/{}: the consumer group stands at offset {}, the changelog at {}; the changelog counts",
      input.topic, input.partition, group, delta);
}

void LogProbe::RecordRefused(const InputPartition& input, int64_t offset, std::string_view text) {
  spdlog::warn("{}/{} offset {}: refused by its output topic: {}", input.topic, input.partition,
               offset, text);
}

void ProbeFan::PhaseChanged(LanePhase phase) {
  for (Probe* probe : probes_) probe->PhaseChanged(phase);
}
void ProbeFan::CaughtUp(uint64_t seq, uint64_t entries) {
  for (Probe* probe : probes_) probe->CaughtUp(seq, entries);
}
void ProbeFan::BatchPolled(const InputPartition& input, uint64_t records, uint64_t bytes) {
  for (Probe* probe : probes_) probe->BatchPolled(input, records, bytes);
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
void ProbeFan::Promoted(uint64_t seq, uint64_t entries, double seconds) {
  for (Probe* probe : probes_) probe->Promoted(seq, entries, seconds);
}
void ProbeFan::OffsetsDiffer(const InputPartition& input, int64_t group, int64_t delta) {
  for (Probe* probe : probes_) probe->OffsetsDiffer(input, group, delta);
}
void ProbeFan::Gauges(const LaneGauges& gauges) {
  for (Probe* probe : probes_) probe->Gauges(gauges);
}
void ProbeFan::InputLag(const InputPartition& input, int64_t records, double seconds) {
  for (Probe* probe : probes_) probe->InputLag(input, records, seconds);
}
void ProbeFan::RecordRefused(const InputPartition& input, int64_t offset, std::string_view text) {
  for (Probe* probe : probes_) probe->RecordRefused(input, offset, text);
}

}  // namespace neardup
