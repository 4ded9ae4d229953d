// Running totals of a lane, and a live line of them on a terminal.
#pragma once

#include <cstdint>

#include "stream/lane/probe.h"

namespace neardup {

/// Sums what a lane commits. Can keep one line with the sums up to date on standard error. Its
/// calls come from the thread of the lane; read the sums after the lane has stopped.
class Totals final : public SeesLane<Totals> {
 public:
  /// `live` draws the line; standard error should be a terminal. `expected` is the number of
  /// records to come, 0 if unknown.
  Totals(Clock& clock, bool live, uint64_t expected = 0);

  void Saw(const event::TransactionCommitted& seen);
  void Saw(const auto& /*ignored*/) {}
  /// Draws the live line for the last time and ends it. Call it when the lane has stopped.
  void Finish();

  const CommittedBatch& sum() const { return sum_; }
  /// Takes the verdicts on records that were only remembered out of the sum.
  void LeaveOut(const CommittedBatch& remembered);
  /// Time from construction to the last commit of at least one record.
  double seconds() const;
  double records_per_s() const;

 private:
  void Draw();

  Clock& clock_;
  bool live_;
  uint64_t expected_;
  CommittedBatch sum_;
  int64_t started_ms_;
  int64_t last_ms_;
  int64_t draw_at_ms_ = 0;
  bool drawn_ = false;
};

}  // namespace neardup
