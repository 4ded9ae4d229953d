// Decides the last undecided records one after the other.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "join/join_group.h"
#include "join/join_rows.h"
#include "join/join_rule.h"
#include "neardup/options.h"

namespace neardup {

/// Decides records strictly in their order. All earlier records are decided before the next one, so
/// every match is certain. One thread.
class JoinFinish {
 public:
  /// `state`: what is known before the first of the undecided records is decided.
  JoinFinish(const FilterOptions& options, JoinState state, const JoinLimits& limits);
  JoinFinish(const JoinFinish&) = delete;
  JoinFinish& operator=(const JoinFinish&) = delete;

  /// `rows`: what JoinPass::RowsLeft gives of all parts, sorted by key and number, each row once.
  /// `undecided`: the numbers of all undecided records, in ascending order. Returns for
  /// each of them whether it is a duplicate (1) or unique (0).
  std::vector<uint8_t> Decide(const JoinRows& rows, std::span<const int64_t> undecided);

 private:
  void SetDecided(int64_t number, int64_t time_ms, bool duplicate);

  JoinState state_;
  JoinKeys keys_;
  JoinRule rule_;
  JoinLimits limits_;
};

}  // namespace neardup
