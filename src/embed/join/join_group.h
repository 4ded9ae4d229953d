// The records of one key that a record is compared with.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "join/join_rows.h"
#include "join/join_rule.h"

namespace neardup {

/// How many records of a text key are compared.
struct JoinLimits {
  /// As open_max: everything that may be a holder, and perhaps a little more.
  static constexpr size_t kAll = std::numeric_limits<size_t>::max();

  int stretch_bits = 16;    ///< a stretch of the order has 2^stretch_bits records
  size_t holders_max = 32;  ///< of one stretch, and of all before it
  /// Records that may be holders, and records of a tail that are not decided. Where there are more,
  /// matches are unknown, so there may be more rounds. Changes no verdict.
  size_t open_max = 256;
};

/// A record of a group, as long as it may be unique.
struct JoinMember {
  const JoinRow* row = nullptr;
  const JoinRows::Keys* keys = nullptr;
  size_t index = 0;      ///< of the row in its part
  bool of_tail = false;  ///< of a part before
  /// If the record is unique, the key leads to it. Else that depends on other records.
  bool certain = true;
};

/// A block of a simhash leads to all earlier unique records of its group. A text key leads to a few
/// of them, the *holders*, so that a common key does not lead to very many. The numbers of records
/// are cut into equal stretches. A unique record becomes a holder of its stretch if the window
/// still holds fewer than `holders_max` others. Where a stretch ends, its holders join those of the
/// stretches before, under the same condition. A record is compared with both. Records that are not
/// decided may or may not be holders.
///
/// One thread. What the constructor takes must outlive the group, and so must the rows.
class JoinGroup {
 public:
  /// `complete`: no record of the group before the first one that is added may be unique.
  JoinGroup(const JoinRule& rule, const JoinKeys& keys, const JoinLimits& limits, int64_t key,
            bool complete);

  /// Adds a record that is not a duplicate. They come in order. Returns whether the key may lead to
  /// it.
  bool Add(const JoinMember& member);

  /// Calls `visit(member, match)` with all members that the record matches, until it returns false.
  template <class Visit>
  void ForEachMatch(const JoinMember& record, const Visit& visit);

  /// The record that was asked for last may match others than those of ForEachMatch.
  bool leaves_out() const { return before_.leaves_out || here_.leaves_out; }

 private:
  struct Members {
    std::vector<JoinMember> members;
    size_t holders = 0;       ///< certain and unique
    size_t swept_at = 0;      ///< number of members at which forgotten ones are removed
    bool leaves_out = false;  ///< some that may be holders, after all of these members
  };

  bool AddHolder(JoinMember member, int64_t horizon_ms, Members& to) const;
  bool IsHolder(const JoinMember& member) const;
  void GoTo(const JoinRow& row);

  const JoinRule& rule_;
  const JoinKeys& keys_;
  const JoinLimits& limits_;
  const int64_t key_;
  const bool is_text_;
  Members here_;                ///< of a text key: in this stretch
  std::vector<uint16_t> tags_;  ///< of the members of a block
  Members before_;              ///< of a text key: in the stretches before
  int64_t stretch_ = -1;
};

template <class Visit>
void JoinGroup::ForEachMatch(const JoinMember& record, const Visit& visit) {
  const auto goes_on = [&](const JoinMember& member) {
    const std::optional<JoinMatch> match =
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

}  // namespace neardup
