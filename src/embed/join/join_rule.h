// The rule for two records where there is no index: do they match, and is the earlier one still
// remembered?
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "index/match.h"
#include "join/join_rows.h"
#include "neardup/options.h"

namespace neardup {

/// What is known about all records, before a pass over some of them.
struct JoinState {
  /// A filter commits whenever it has decided this many records. The records between two commits
  /// are an interval.
  int64_t commit_records = 2000;
  /// For each interval, the horizon (watermark.h) while its records are decided.
  std::vector<int64_t> horizons_ms;
  /// One bit for each record, the lowest first: the record is decided to be unique, or to be a
  /// duplicate. Empty: nothing is decided.
  std::string unique;
  std::string duplicate;
  /// For each interval, the first record with an event time at or after the horizon of the interval
  /// that is unique (first_unique), or that may be unique (first_possible). INT64_MAX: there is
  /// none. Empty: not known.
  std::vector<int64_t> first_unique;
  std::vector<int64_t> first_possible;
};

/// Whether a filter still remembers the earlier record when it decides the later one.
enum class Remembered : uint8_t {
  kYes,
  kNo,
  kOpen,  ///< depends on undecided records
};

/// The rule of a filter for two records. It gives the matches that an index gives (the class
/// Comparison in index/search.cc); EntryMatch::id is the number of the earlier record.
class JoinRule {
 public:
  JoinRule(const FilterOptions& options, const JoinState& state);

  /// The match of `later` with `earlier`, if the filter still remembers `earlier`. The text keys
  /// may be null if MatchOptions::widen is off.
  std::optional<EntryMatch> Compare(const JoinRow& later, const JoinRows::Keys* later_keys,
                                    const JoinRow& earlier,
                                    const JoinRows::Keys* earlier_keys) const;
  /// A filter forgets entries in the order of arrival. A commit removes entries from the front, up
  /// to the first one whose event time is at or after the horizon. An entry behind that one stays,
  /// even if its own event time is before the horizon.
  Remembered IsRemembered(const JoinRow& earlier, const JoinRow& later) const;
  /// The horizon while this record is decided. For a number after the last record: the horizon of
  /// the last record.
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
