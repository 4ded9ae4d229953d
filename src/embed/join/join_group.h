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
/// still holds fewer than `holders_max` others. Where a stretch ends, its holders join those of the
/// stretches before, under the same condition. A record is compared with the holders of its stretch
/// and with those of the stretches before. An undecided record may or may not be a holder.
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
  Members before_;              ///< of a text key: in the stretches before
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

}  // namespace neardup
