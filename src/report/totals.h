// Running totals of a lane, and the live line a person watches.
#pragma once

#include <array>
#include <cstdint>

#include "stream/probe.h"

namespace neardup {

/// Sums what was committed; on a terminal keeps one line of it up to date on standard error.
class Totals : public PartialProbe {
 public:
  /// `live`: draw the line. `expected` 0: not known how many records come.
  Totals(Clock& clock, bool live, uint64_t expected = 0);

  void TransactionCommitted(const CommittedBatch& batch) override;
  /// Takes the live line away.
  void Finish();

  const CommittedBatch& sum() const { return sum_; }
  /// From construction to the last commit with records.
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
