// Records as rows, one for each key. Near records have rows with a common key.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bindings/batch_filter.h"
#include "detect/index/match.h"
#include "neardup/fingerprint.h"
#include "neardup/options.h"

namespace neardup {

/// A record under one of its keys: what a comparison needs, and no payload.
struct JoinRow {
  int64_t key = 0;
  int64_t number = 0;  ///< of the record in its order, from 0
  uint64_t simhash = 0;
  uint64_t order = 0;    ///< of the fingerprint; if only equal records match, all bits of `exact`
  uint64_t numbers = 0;  ///< of the fingerprint
  int64_t time_ms = 0;
  uint16_t exact = 0;     ///< the bits of the fingerprint's `exact` that an index keeps
  uint16_t features = 0;  ///< FingerprintedRecord::features, at most 65,535

  bool operator==(const JoinRow&) const = default;
};

/// Rows, and the text keys of their records where the comparison needs them (MatchOptions::widen).
struct JoinRows {
  using Keys = std::array<uint32_t, ProbedKeys::kMax>;

  std::vector<JoinRow> rows;
  std::vector<Keys> text_keys;  ///< empty, or one for each row; 0 fills the places after the last

  size_t size() const { return rows.size(); }
  const Keys* keys_of(size_t row) const { return text_keys.empty() ? nullptr : &text_keys[row]; }
  void Add(const JoinRow& row, const Keys* keys);
};

/// Whether a key is a block of a simhash or a text key.
enum class JoinKeyKind : uint8_t { kBlock, kText };

/// Turns fingerprints into rows, one for each key of a record. If an index would compare two
/// records because of their simhashes, they have rows with a common key. So do two records that
/// share a text key.
class JoinKeys {
 public:
  explicit JoinKeys(const FilterOptions& options);

  /// Appends the rows of all records that can be compared. The first record has the number `first`.
  /// Event times after `time_max_ms` are set back to it.
  void AddRows(const FingerprintColumns& records, int64_t first, int64_t time_max_ms,
               JoinRows& to) const;

  JoinKeyKind KindOf(int64_t key) const;
  /// The part of a simhash that the key of a block leaves open. In a group of one key, an index
  /// compares only records whose tags differ in at most one bit.
  uint16_t TagOf(int64_t key, uint64_t simhash) const;

 private:
  MatchOptions match_;
};

// The rule for two records where there is no index: do they match, and is the earlier one still
// remembered?

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
  /// to the first one whose event time is at or after the horizon. An entry after that one stays,
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
