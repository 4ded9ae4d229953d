// Passes over groups of records that share a key. They compare the records of a group.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "bindings/join_rows.h"
#include "neardup/options.h"

namespace neardup {

// The records of one key that a record is compared with.

/// How many records of a text key are compared.
struct JoinLimits {
  /// A value of open_max that keeps every possible holder, and perhaps a few more records.
  static constexpr size_t kAll = std::numeric_limits<size_t>::max();

  int stretch_bits = 16;    ///< a stretch of the order has 2^stretch_bits records
  size_t holders_max = 32;  ///< of one stretch, and of all stretches before it
  /// Limit for the possible holders of a text key, and for the undecided records that a part hands
  /// on. Beyond it some matches stay unknown. That may add rounds, and changes no verdict.
  size_t open_max = 256;
};

/// A record of a group that later records are compared with. It is unique or undecided.
struct JoinMember {
  const JoinRow* row = nullptr;
  const JoinRows::Keys* keys = nullptr;
  size_t index = 0;      ///< of the row in its part
  bool of_tail = false;  ///< the row comes from an earlier part
  /// True: if the record turns out to be unique, the key leads to it. False: whether the key leads
  /// to it also depends on other undecided records.
  bool certain = true;
};

/// A block of a simhash leads to all earlier unique records of its group. A text key leads to a few
/// of them, the *holders*, so that a common key does not lead to very many. The numbers of records
/// are cut into equal stretches. A unique record becomes a holder of its stretch if the window
/// still holds fewer than `holders_max` others. Where a stretch ends, its holders join the holders
/// of earlier stretches, under the same condition. A record is compared with the holders of its
/// stretch and of earlier stretches. An undecided record may or may not be a holder.
///
/// One thread. Rule, keys and rows must outlive the group.
class JoinGroup {
 public:
  /// `complete`: false if the caller leaves out records at the beginning of the group that may be
  /// unique.
  JoinGroup(const JoinRule& rule, const JoinKeys& keys, const JoinLimits& limits, int64_t key,
            bool complete);

  /// Adds a unique or undecided record. Records are added in their order. Returns whether the key
  /// may lead to the record.
  bool Add(const JoinMember& member);

  /// Calls `visit(member, match)` with all members that the record matches, until it returns false.
  template <class Visit>
  void ForEachMatch(const JoinMember& record, const Visit& visit);

  /// Whether the record that ForEachMatch was called for last may match records that it left out.
  bool leaves_out() const { return before_.leaves_out || here_.leaves_out; }

 private:
  struct Members {
    std::vector<JoinMember> members;
    size_t holders = 0;       ///< certain and unique
    size_t swept_at = 0;      ///< number of members at which forgotten ones are removed
    bool leaves_out = false;  ///< there are more possible holders after these members
  };

  bool AddHolder(JoinMember member, int64_t horizon_ms, Members& to) const;
  bool IsHolder(const JoinMember& member) const;
  void GoTo(const JoinRow& row);

  const JoinRule& rule_;
  const JoinKeys& keys_;
  const JoinLimits limits_;
  const int64_t key_;
  const bool is_text_;
  Members here_;                ///< of a text key: in this stretch
  std::vector<uint16_t> tags_;  ///< of the members of a block
  Members before_;              ///< of a text key: in earlier stretches
  int64_t stretch_ = -1;
};

template <class Visit>
void JoinGroup::ForEachMatch(const JoinMember& record, const Visit& visit) {
  const auto goes_on = [&](const JoinMember& member) {
    const std::optional<EntryMatch> match =
        rule_.Compare(*record.row, record.keys, *member.row, member.keys);
    return !match || visit(member, *match);
  };
  if (is_text_) {
    GoTo(*record.row);
    const int64_t horizon_ms = rule_.HorizonOf(record.row->number);
    for (const Members* members : {&before_, &here_}) {
      for (const JoinMember& member : members->members) {
        if (member.row->time_ms >= horizon_ms && !goes_on(member)) return;
      }
    }
    return;
  }
  const uint16_t tag = keys_.TagOf(key_, record.row->simhash);
  for (size_t i = 0; i < here_.members.size(); ++i) {
    const unsigned errors = tag ^ tags_[i];
    if ((errors & (errors - 1)) == 0 && !goes_on(here_.members[i])) return;
  }
}

/// Pairs of an undecided record and an earlier record that it matches, at most one in each group.
struct JoinMatches {
  /// There may be a match that the pass cannot name yet.
  static constexpr int64_t kUnknown = -1;

  std::vector<int64_t> number;
  std::vector<int64_t> earlier;

  void Add(int64_t record, int64_t earlier_record);
};

/// The best original (Better in detect/index/match.h) that a group has for each of its duplicates.
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

// Decides the last undecided records one after the other.

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
