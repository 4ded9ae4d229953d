// How far the dead letters of a partition are replayed, for each reason.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>

#include "kafka/consumer_group.h"
#include "neardup/result.h"
#include "neardup/verdict.h"

namespace neardup {

/// `neardup replay --reason` leaves the dead letters of other reasons for a later replay. One
/// committed offset cannot say that, so the offset is the lowest of all reasons, and the note that
/// is committed with it names the reasons that are further: "missing_field=120 parse=80".
class ReplayPositions {
 public:
  /// Everything below `begin` counts as replayed, because it does not exist any more. A note that
  /// is not understood counts as empty: then records could be replayed twice, so it is kCorrupt.
  static Result<ReplayPositions> Parse(const GroupOffset& committed, int64_t begin);

  /// The record at this offset has not been replayed for this reason.
  bool IsDue(Reason reason, int64_t offset) const;
  /// Every record of these reasons below `offset` is replayed.
  void MoveTo(std::span<const Reason> reasons, int64_t offset);
  /// The lowest offset at which a record of one of these reasons may be due.
  int64_t First(std::span<const Reason> reasons) const;

  GroupOffset ToCommit() const;

 private:
  std::array<int64_t, kReasonCount> next_{};
};

}  // namespace neardup
