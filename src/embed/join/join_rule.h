// Which of two records is a candidate, a match and still remembered, when there is no index.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "join/join_rows.h"
#include "neardup/options.h"
#include "neardup/verdict.h"

namespace neardup {

/// What is known about all records, before a pass over some of them.
struct JoinState {
  /// A filter commits whenever it has decided this many records. The records between two commits
  /// are an interval.
  int64_t commit_records = 2000;
  /// For each interval, the horizon (watermark.h) while its records are decided.
  std::vector<int64_t> horizons_ms;
  /// One bit for each record, the lowest first: it is decided to be unique, or a duplicate. Empty:
  /// nothing is decided.
  std::string unique;
  std::string duplicate;
  /// For each interval, the first record that is (or: that may be) unique, and whose event time is
  /// not before the horizon of the interval; INT64_MAX if there is none. Empty: not known.
  std::vector<int64_t> first_unique;
  std::vector<int64_t> first_possible;
};

/// Whether an entry is still remembered when a later record is decided.
enum class Remembered : uint8_t {
  kYes,
  kNo,
  kOpen,  ///< depends on records that are not decided
};

/// A match of an earlier record, with the order in which a filter prefers them.
struct JoinMatch {
  MatchKind kind = MatchKind::kExact;
  int distance = 0;
  int sum = 0;  ///< of the distances of simhash and order
  int64_t number = 0;

  /// As Better in index/match.h.
  bool operator<(const JoinMatch& other) const {
    return std::tie(kind, sum, number) < std::tie(other.kind, other.sum, other.number);
  }
};

/// The rule of a filter for two records.
class JoinRule {
 public:
  JoinRule(const FilterOptions& options, const JoinState& state);

  /// Whether `later` would be a duplicate of `earlier`, if that is remembered. The text keys may be
  /// null if they do not matter.
  std::optional<JoinMatch> Compare(const JoinRow& later, const JoinRows::Keys* later_keys,
                                   const JoinRow& earlier,
                                   const JoinRows::Keys* earlier_keys) const;
  /// A filter forgets from the front. At a commit it forgets the oldest entries up to the first one
  /// that is not before the horizon. So an older entry stays if that one stands before it.
  Remembered IsRemembered(const JoinRow& earlier, const JoinRow& later) const;
  /// While the record is decided. Of numbers after the last record: that of the last one.
  int64_t HorizonOf(int64_t number) const;

  bool IsUnique(int64_t number) const;
  bool IsDuplicate(int64_t number) const;
  bool IsUndecided(int64_t number) const { return !IsUnique(number) && !IsDuplicate(number); }

 private:
  size_t IntervalOf(int64_t number) const;

  MatchOptions match_;
  int64_t window_ms_;
  int distance_max_;
  const JoinState& state_;
};

}  // namespace neardup
