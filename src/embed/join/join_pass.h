// Passes over groups of records that share a key: who is compared with whom, and what follows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "join/join_group.h"
#include "join/join_rows.h"
#include "join/join_rule.h"
#include "neardup/options.h"

namespace neardup {

/// A match of each record that is not decided, in each of its groups: pairs with an earlier one.
struct JoinMatches {
  /// There may be a match that the pass cannot name yet.
  static constexpr int64_t kUnknown = -1;

  std::vector<int64_t> number;
  std::vector<int64_t> earlier;

  void Add(int64_t record, int64_t earlier_record);
};

/// The best unique match of some duplicates, within one group each.
struct JoinBest {
  std::vector<int64_t> number;
  std::vector<int64_t> original;
  std::vector<uint8_t> kind;
  std::vector<int16_t> distance;
  std::vector<int16_t> sum;
};

/// What the parts before a part hold of its first group.
struct JoinTail {
  JoinRows rows;
  /// No record that may be unique is left out.
  bool complete = true;
};

/// Decides records that are sorted by key and number and lie in parts, in rounds: a record is
/// unique if no earlier record that it matches can be unique, and a duplicate if one of them is. A
/// record is decided once all before it are, so the rounds end. This is the lexicographically first
/// maximal independent set of the matches (Blelloch, Fineman, Shun, "Greedy sequential maximal
/// independent set and matching are parallel on average", 2012).
///
/// Records that are not decided may or may not be holders of a text key (join_group.h). Where that
/// matters, the match is unknown until a later round. So the verdicts depend on the records alone,
/// and not on the parts. A few records that are left may be decided by JoinFinish.
///
/// A part may begin and end within a group, but not within a stretch of one. Any number of threads
/// may use a pass.
class JoinPass {
 public:
  JoinPass(const FilterOptions& options, JoinState state, const JoinLimits& limits);
  JoinPass(const JoinPass&) = delete;
  JoinPass& operator=(const JoinPass&) = delete;

  /// The first pass, with nothing decided. Finds a first witness of the records that have one, and
  /// leaves out the rows that no later pass needs, because they match nothing in their group.
  JoinMatches Match(const JoinRows& part, JoinRows& kept) const;
  /// Names one match of each record that is not decided, in each of its groups: a unique one if
  /// there is one.
  JoinMatches FindWitnesses(const JoinRows& part, const JoinTail& before) const;
  /// What JoinFinish needs. `before` must be complete.
  JoinRows RowsLeft(const JoinRows& part, const JoinTail& before) const;
  /// Once everything is decided.
  JoinBest FindBest(const JoinRows& part, const JoinTail& before) const;
  /// What the parts after this one need of its last group: all of it, or less while much is open.
  JoinTail TailOf(const JoinRows& part, bool all) const;

 private:
  JoinGroup GroupOf(int64_t key, bool complete) const;
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
