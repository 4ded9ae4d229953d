// Passes over groups of records that share a key. They compare the records of a group.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "join/join_group.h"
#include "join/join_rows.h"
#include "join/join_rule.h"
#include "neardup/options.h"

namespace neardup {

/// Pairs of an undecided record and an earlier record that it matches, at most one in each group.
struct JoinMatches {
  /// There may be a match that the pass cannot name yet.
  static constexpr int64_t kUnknown = -1;

  std::vector<int64_t> number;
  std::vector<int64_t> earlier;

  void Add(int64_t record, int64_t earlier_record);
};

/// The best original (Better in index/match.h) that a group has for each of its duplicates.
struct JoinBest {
  std::vector<int64_t> number;
  std::vector<int64_t> original;
  std::vector<uint8_t> kind;
  std::vector<int16_t> distance;
  std::vector<int16_t> sum;
};

/// The tail of the parts before a part: the records of its first group that these parts hand on.
struct JoinTail {
  JoinRows rows;
  bool complete = true;  ///< the rows are all records that may be unique
};

/// Decides records in rounds. Their rows are sorted by key and number, and cut into parts. A record
/// is unique if every earlier record that it matches is known to be a duplicate, and a duplicate if
/// one of them is known to be unique. Each round decides at least the first undecided record, so
/// the rounds end. This is the lexicographically first maximal independent set of the matches
/// (Blelloch, Fineman, Shun, "Greedy sequential maximal independent set and matching are parallel
/// on average", 2012).
///
/// An undecided record may or may not be a holder of a text key (join_group.h). Where that matters,
/// the match is unknown until a later round. So the verdicts depend on the records alone, and not
/// on the parts. JoinFinish can decide the last records without more rounds.
///
/// A part may begin and end within a group, but not within a stretch of one. Any number of threads
/// may use a pass.
class JoinPass {
 public:
  JoinPass(const FilterOptions& options, JoinState state, const JoinLimits& limits);
  JoinPass(const JoinPass&) = delete;
  JoinPass& operator=(const JoinPass&) = delete;

  /// The first pass, before anything is decided. Names a match of each record that has one, and
  /// keeps the rows that later passes need: those that match another row of their group.
  JoinMatches Match(const JoinRows& part, JoinRows& kept) const;
  /// Names a match of each undecided record in each of its groups: a unique record if there is one.
  JoinMatches FindWitnesses(const JoinRows& part, const JoinTail& before) const;
  /// The rows that JoinFinish needs to decide all undecided records. `before` must be complete.
  JoinRows RowsLeft(const JoinRows& part, const JoinTail& before) const;
  /// For a state in which every record is decided.
  JoinBest FindBest(const JoinRows& part, const JoinTail& before) const;
  /// The rows of the last group that later parts need. With `all` false, at most
  /// JoinLimits::open_max undecided records are among them.
  JoinTail TailOf(const JoinRows& part, bool all) const;

 private:
  JoinGroup GroupOf(int64_t key, bool complete, bool all = false) const;
  void MatchGroup(const JoinRows& part, size_t begin, size_t end, JoinRows& kept,
                  JoinMatches& found) const;
  template <class IsAsked, class Visit>
  void ForEachAsked(const JoinRows& part, const JoinTail& before, const IsAsked& is_asked,
                    const Visit& visit) const;

  JoinState state_;
  JoinKeys keys_;
  JoinRule rule_;
  JoinLimits limits_;
};

}  // namespace neardup
