// When a lane that found too few records to learn from tries again.
#pragma once

#include <cstdint>

namespace neardup {

/// Counts in records that the lane has decided. The changelog holds that number, so that a restart
/// and a take-over go on from it.
class LaterLearning {
 public:
  LaterLearning() = default;  ///< never
  explicit LaterLearning(uint64_t records_min) : next_seq_(records_min) {}

  /// `seq`: of the newest committed record.
  bool IsDue(uint64_t seq) const { return !HasPassed(seq) && seq >= next_seq_; }
  /// The next time is when twice as many records are decided, because an attempt may interrupt the
  /// lane.
  void Failed(uint64_t seq) { next_seq_ = 2 * seq; }
  /// The lane does not try any more. To learn again means to read and hold all unique records of
  /// the window. Up to kSeqMax of them are little beside the memory that a service takes anyway.
  static bool HasPassed(uint64_t seq) { return seq > kSeqMax; }
  uint64_t next_seq() const { return next_seq_; }

  static constexpr uint64_t kSeqMax = 200'000;

 private:
  uint64_t next_seq_ = UINT64_MAX;
};

}  // namespace neardup
