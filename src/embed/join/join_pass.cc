#include "join/join_pass.h"

#include <algorithm>
#include <cassert>
#include <optional>
#include <utility>

namespace neardup {
namespace {

/// In a larger group a record stops at its first match, and all rows stay.
constexpr size_t kSmallGroup = 1024;

/// The end of the group that begins in this row.
size_t EndOfGroup(const JoinRows& part, size_t begin) {
  size_t end = begin + 1;
  while (end < part.size() && part.rows[end].key == part.rows[begin].key) ++end;
  return end;
}

}  // namespace

void JoinMatches::Add(int64_t record, int64_t earlier_record) {
  number.push_back(record);
  earlier.push_back(earlier_record);
}

/// A record of a group that later records are compared with, as long as it may be unique.
struct JoinPass::Member {
  const JoinRow* row;
  const JoinRows::Keys* keys;
  size_t index = 0;  ///< of the row in the part
  /// If the record is unique, the key leads to it. Else that depends on other records.
  bool certain = true;

  bool operator==(const Member&) const = default;
};

/// The members of one group that the next record is compared with.
class JoinPass::Group {
 public:
  /// `complete`: no record of the group before the first one that is added may be unique.
  Group(const JoinPass& pass, int64_t key, bool complete)
      : pass_(pass), key_(key), is_text_(pass.keys_.KindOf(key) == JoinKeyKind::kText) {
    before_.leaves_out = !complete;
  }

  /// Adds a record that is not a duplicate. They come in order. Returns whether the key may lead to
  /// it.
  bool Add(const Member& member) {
    if (is_text_) {
      GoTo(*member.row);
      return AddHolder(member, pass_.rule_.HorizonOf(member.row->number), here_);
    }
    tags_.push_back(pass_.keys_.TagOf(key_, member.row->simhash));
    here_.members.push_back(member);
    return true;
  }

  /// Calls `visit(member, match)` with all members that the record matches, until it returns false.
  template <class Visit>
  void ForEachMatch(const Member& record, const Visit& visit) {
    const auto goes_on = [&](const Member& member) {
      const std::optional<JoinMatch> match =
          pass_.rule_.Compare(*record.row, record.keys, *member.row, member.keys);
      return !match || visit(member, *match);
    };
    if (is_text_) {
      GoTo(*record.row);
      const int64_t horizon_ms = pass_.rule_.HorizonOf(record.row->number);
      for (const Members* members : {&before_, &here_}) {
        for (const Member& member : members->members) {
          if (member.row->time_ms >= horizon_ms && !goes_on(member)) return;
        }
      }
      return;
    }
    const uint16_t tag = pass_.keys_.TagOf(key_, record.row->simhash);
    for (size_t i = 0; i < here_.members.size(); ++i) {
      const unsigned errors = tag ^ tags_[i];
      if ((errors & (errors - 1)) == 0 && !goes_on(here_.members[i])) return;
    }
  }

  /// The record that was asked for last may match others than those of ForEachMatch.
  bool leaves_out() const { return before_.leaves_out || here_.leaves_out; }

 private:
  struct Members {
    std::vector<Member> members;
    size_t holders = 0;       ///< certain and unique
    bool leaves_out = false;  ///< some that may be holders, after all of these members
  };

  /// The first ones of those that the window still holds at `horizon_ms` are holders.
  bool AddHolder(Member member, int64_t horizon_ms, Members& to) const {
    std::erase_if(to.members, [&](const Member& earlier) {
      const bool forgotten = earlier.row->time_ms < horizon_ms;
      to.holders -= forgotten && IsHolder(earlier) ? 1 : 0;
      return forgotten;
    });
    if (to.holders >= pass_.limits_.holders_max) return false;
    if (to.members.size() >= pass_.limits_.open_max) {
      to.leaves_out = true;
      return false;
    }
    member.certain =
        member.certain && to.members.size() < pass_.limits_.holders_max && !to.leaves_out;
    to.holders += IsHolder(member) ? 1 : 0;
    to.members.push_back(member);
    return true;
  }
  bool IsHolder(const Member& member) const {
    return member.certain && pass_.rule_.IsUnique(member.row->number);
  }

  /// Begins the stretch of a row: the holders of the stretch before join those of all before.
  void GoTo(const JoinRow& row) {
    const int64_t stretch = row.number >> pass_.limits_.stretch_bits;
    if (stretch == stretch_) return;
    if (!here_.members.empty()) {
      const int64_t horizon_ms = pass_.HorizonAfter(stretch_);
      Members all;
      const auto add_live = [&](Member member, bool certain) {
        member.certain = member.certain && certain;
        if (member.row->time_ms >= horizon_ms) AddHolder(member, horizon_ms, all);
      };
      for (const Member& member : before_.members) add_live(member, true);
      for (const Member& member : here_.members) add_live(member, !before_.leaves_out);
      // If all places are taken for sure, all others are left out for good.
      const bool sure = all.holders == pass_.limits_.holders_max &&
                        all.members.size() == pass_.limits_.holders_max;
      all.leaves_out = !sure && (all.leaves_out || leaves_out());
      before_ = std::move(all);
    }
    here_ = {};
    stretch_ = stretch;
  }

  const JoinPass& pass_;
  const int64_t key_;
  const bool is_text_;
  Members here_;                ///< of a text key: in this stretch
  std::vector<uint16_t> tags_;  ///< of the members of a block
  Members before_;              ///< of a text key: in the stretches before
  int64_t stretch_ = -1;
};

JoinPass::JoinPass(const FilterOptions& options, JoinState state, const JoinLimits& limits)
    : state_(std::move(state)), keys_(options), rule_(options, state_), limits_(limits) {}

int64_t JoinPass::HorizonAfter(int64_t stretch) const {
  const auto records = static_cast<int64_t>(state_.horizons_ms.size()) * state_.commit_records;
  return rule_.HorizonOf(std::min((stretch + 1) << limits_.stretch_bits, records - 1));
}

JoinMatches JoinPass::Match(const JoinRows& part, JoinRows& kept) const {
  JoinMatches found;
  for (size_t begin = 0, end = 0; begin < part.size(); begin = end) {
    end = EndOfGroup(part, begin);
    MatchGroup(part, begin, end, kept, found);
  }
  return found;
}

void JoinPass::MatchGroup(const JoinRows& part, size_t begin, size_t end, JoinRows& kept,
                          JoinMatches& found) const {
  // The first and the last group of a part may go on in other parts.
  const bool goes_on = begin == 0 || end == part.size();
  const size_t size = end - begin;
  if (size == 1 && !goes_on) return;
  const int64_t key = part.rows[begin].key;
  const bool text = keys_.KindOf(key) == JoinKeyKind::kText;
  const bool small = size <= (text ? limits_.open_max : kSmallGroup);
  std::vector<bool> matches(size);
  Group group(*this, key, begin != 0);
  for (size_t i = begin; i < end; ++i) {
    const JoinRow& row = part.rows[i];
    const Member record{&row, part.keys_of(i), i};
    std::optional<int64_t> witness;
    group.ForEachMatch(record, [&](const Member& member, const JoinMatch& match) {
      const Remembered remembered = rule_.IsRemembered(*member.row, row);
      if (remembered == Remembered::kNo) return true;
      matches[i - begin] = matches[member.index - begin] = true;
      const bool named = witness && *witness != JoinMatches::kUnknown;
      if (named) return small;
      const bool certain = member.certain && remembered == Remembered::kYes;
      witness = certain ? match.number : JoinMatches::kUnknown;
      return small || !certain;
    });
    if (!witness && group.leaves_out()) witness = JoinMatches::kUnknown;
    if (witness) found.Add(row.number, *witness);
    group.Add(record);
  }
  // A row of a text key matters even if it matches nothing, since it may be a holder.
  const bool any = std::find(matches.begin(), matches.end(), true) != matches.end();
  const bool all = goes_on || (!small && text) || (any && (!small || text));
  for (size_t i = begin; i < end; ++i) {
    if (all || matches[i - begin]) kept.Add(part.rows[i], part.keys_of(i));
  }
}

/// Calls `visit(row, for_each_match, leaves_out)` for each record that is asked for.
/// `for_each_match(take)` calls `take(match, certain)` with the members that it matches, until that
/// returns false; a match that is not certain depends on other records.
template <class IsAsked, class Visit>
void JoinPass::ForEachAsked(const JoinRows& part, const JoinTail& before, const IsAsked& is_asked,
                            const Visit& visit) const {
  for (size_t begin = 0, end = 0; begin < part.size(); begin = end) {
    end = EndOfGroup(part, begin);
    size_t first = begin;
    while (first < end && !is_asked(part.rows[first].number)) ++first;
    if (first == end) continue;
    Group group(*this, part.rows[begin].key, begin != 0 || before.complete);
    const auto add = [&](const JoinRows& all, size_t i) {
      if (!rule_.IsDuplicate(all.rows[i].number)) group.Add({&all.rows[i], all.keys_of(i), i});
    };
    if (begin == 0) {
      for (size_t i = 0; i < before.rows.size(); ++i) add(before.rows, i);
    }
    for (size_t i = begin; i < end; ++i) {
      const JoinRow& row = part.rows[i];
      if (is_asked(row.number)) {
        const auto for_each_match = [&](const auto& take) {
          const auto meet = [&](const Member& member, const JoinMatch& match) {
            const Remembered remembered = rule_.IsRemembered(*member.row, row);
            if (remembered == Remembered::kNo) return true;
            return take(match, member.certain && remembered == Remembered::kYes);
          };
          group.ForEachMatch({&row, part.keys_of(i), i}, meet);
          return group.leaves_out();
        };
        visit(row, for_each_match);
      }
      add(part, i);
    }
  }
}

JoinMatches JoinPass::FindWitnesses(const JoinRows& part, const JoinTail& before) const {
  JoinMatches found;
  const auto undecided = [this](int64_t number) { return rule_.IsUndecided(number); };
  ForEachAsked(part, before, undecided, [&](const JoinRow& row, const auto& for_each_match) {
    std::optional<int64_t> witness;
    const bool leaves_out = for_each_match([&](const JoinMatch& match, bool certain) {
      const bool unique = certain && rule_.IsUnique(match.number);
      const bool named = witness && *witness != JoinMatches::kUnknown;
      if (unique || !named) witness = certain ? match.number : JoinMatches::kUnknown;
      return !unique;
    });
    if (!witness && leaves_out) witness = JoinMatches::kUnknown;
    if (witness) found.Add(row.number, *witness);
  });
  return found;
}

JoinMatches JoinPass::FindMatches(const JoinRows& part, const JoinTail& before,
                                  size_t named_max) const {
  JoinMatches found;
  const auto undecided = [this](int64_t number) { return rule_.IsUndecided(number); };
  std::vector<int64_t> open;
  ForEachAsked(part, before, undecided, [&](const JoinRow& row, const auto& for_each_match) {
    open.clear();
    std::optional<int64_t> unique;
    bool unknown = false;
    unknown |= for_each_match([&](const JoinMatch& match, bool certain) {
      if (certain && rule_.IsUnique(match.number)) {
        unique = match.number;
      } else if (certain && open.size() < named_max) {
        open.push_back(match.number);
      } else {
        unknown = true;
      }
      return !unique;
    });
    if (unique) {
      found.Add(row.number, *unique);
      return;
    }
    for (const int64_t number : open) found.Add(row.number, number);
    if (unknown) found.Add(row.number, JoinMatches::kUnknown);
  });
  return found;
}

JoinBest JoinPass::FindBest(const JoinRows& part, const JoinTail& before) const {
  JoinBest found;
  const auto duplicate = [this](int64_t number) { return rule_.IsDuplicate(number); };
  ForEachAsked(part, before, duplicate, [&](const JoinRow& row, const auto& for_each_match) {
    std::optional<JoinMatch> best;
    for_each_match([&](const JoinMatch& match, [[maybe_unused]] bool certain) {
      assert(certain);
      if (!best || match < *best) best = match;
      return true;
    });
    if (!best) return;
    found.number.push_back(row.number);
    found.original.push_back(best->number);
    found.kind.push_back(static_cast<uint8_t>(best->kind));
    found.distance.push_back(static_cast<int16_t>(best->distance));
    found.sum.push_back(static_cast<int16_t>(best->sum));
  });
  return found;
}

JoinTail JoinPass::TailOf(const JoinRows& part) const {
  JoinTail tail;
  if (part.size() == 0) return tail;
  size_t begin = part.size() - 1;
  const int64_t key = part.rows[begin].key;
  while (begin > 0 && part.rows[begin - 1].key == key) --begin;
  const bool text = keys_.KindOf(key) == JoinKeyKind::kText;
  Group group(*this, key, true);
  size_t undecided = 0;
  for (size_t i = begin; i < part.size(); ++i) {
    const JoinRow& row = part.rows[i];
    if (rule_.IsDuplicate(row.number)) continue;
    const Member record{&row, part.keys_of(i), i};
    bool takes = true;
    if (text) {
      takes = group.Add(record);
      tail.complete = tail.complete && !group.leaves_out();
    } else if (rule_.IsUndecided(row.number)) {
      takes = undecided < limits_.open_max;
      // Where not all fit, records that are unlike each other help the most.
      if (takes && part.size() - begin > limits_.open_max) {
        group.ForEachMatch(record, [&](const Member&, const JoinMatch&) { return takes = false; });
      }
      if (takes) group.Add(record);
      undecided += takes ? 1 : 0;
      tail.complete = tail.complete && takes;
    }
    if (takes) tail.rows.Add(row, part.keys_of(i));
  }
  return tail;
}

}  // namespace neardup
