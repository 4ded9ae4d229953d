#include "bindings/join_pass.h"

#include <algorithm>
#include <cassert>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>

namespace neardup {
namespace {

constexpr size_t kSweepMin = 64;

}  // namespace

JoinGroup::JoinGroup(const JoinRule& rule, const JoinKeys& keys, const JoinLimits& limits,
                     int64_t key, bool complete)
    : rule_(rule),
      keys_(keys),
      limits_(limits),
      key_(key),
      is_text_(keys.KindOf(key) == JoinKeyKind::kText) {
  before_.leaves_out = !complete;
}

bool JoinGroup::Add(const JoinMember& member) {
  if (is_text_) {
    GoTo(*member.row);
    return AddHolder(member, rule_.HorizonOf(member.row->number), here_);
  }
  tags_.push_back(keys_.TagOf(key_, member.row->simhash));
  here_.members.push_back(member);
  return true;
}

/// A record is a holder if it is among the first members that the window still holds at
/// `horizon_ms`.
bool JoinGroup::AddHolder(JoinMember member, int64_t horizon_ms, Members& to) const {
  if (to.holders >= limits_.holders_max || to.members.size() >= to.swept_at) {
    std::erase_if(to.members, [&](const JoinMember& earlier) {
      const bool forgotten = earlier.row->time_ms < horizon_ms;
      to.holders -= forgotten && IsHolder(earlier) ? 1 : 0;
      return forgotten;
    });
    // Without a limit, forgotten members may stay for a while: they only make the answer "the key
    // may lead to it" more frequent.
    if (limits_.open_max == JoinLimits::kAll) to.swept_at = 2 * to.members.size() + kSweepMin;
  }
  if (to.holders >= limits_.holders_max) return false;
  if (to.members.size() >= limits_.open_max) {
    to.leaves_out = true;
    return false;
  }
  member.certain = member.certain && to.members.size() < limits_.holders_max && !to.leaves_out;
  to.holders += IsHolder(member) ? 1 : 0;
  to.members.push_back(member);
  return true;
}

bool JoinGroup::IsHolder(const JoinMember& member) const {
  return member.certain && rule_.IsUnique(member.row->number);
}

/// Begins the stretch of a row. The holders of the stretch that ends join the earlier holders.
void JoinGroup::GoTo(const JoinRow& row) {
  const int64_t stretch = row.number >> limits_.stretch_bits;
  if (stretch == stretch_) return;
  if (!here_.members.empty()) {
    const int64_t horizon_ms = rule_.HorizonOf((stretch_ + 1) << limits_.stretch_bits);
    Members all;
    const auto add_live = [&](JoinMember member, bool certain) {
      member.certain = member.certain && certain;
      if (member.row->time_ms >= horizon_ms) AddHolder(member, horizon_ms, all);
    };
    for (const JoinMember& member : before_.members) add_live(member, true);
    for (const JoinMember& member : here_.members) add_live(member, !before_.leaves_out);
    // If it is certain that all places are taken, no other record can be a holder.
    const bool sure =
        all.holders == limits_.holders_max && all.members.size() == limits_.holders_max;
    all.leaves_out = !sure && (all.leaves_out || leaves_out());
    before_ = std::move(all);
  }
  here_ = {};
  stretch_ = stretch;
}

namespace {

/// In a group with more rows than this, the search for a record ends at its first match, and no row
/// is left out.
constexpr size_t kSmallGroup = 1024;

int64_t NumberOf(const EntryMatch& match) { return static_cast<int64_t>(match.id); }

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

JoinPass::JoinPass(const FilterOptions& options, JoinState state, const JoinLimits& limits)
    : state_(std::move(state)), keys_(options), rule_(options, state_), limits_(limits) {}

JoinGroup JoinPass::GroupOf(int64_t key, bool complete, bool all) const {
  JoinLimits limits = limits_;
  if (all) limits.open_max = JoinLimits::kAll;
  return JoinGroup(rule_, keys_, limits, key, complete);
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
  JoinGroup group = GroupOf(key, begin != 0);
  for (size_t i = begin; i < end; ++i) {
    const JoinRow& row = part.rows[i];
    const JoinMember record{&row, part.keys_of(i), i};
    std::optional<int64_t> witness;
    group.ForEachMatch(record, [&](const JoinMember& member, const EntryMatch& match) {
      const Remembered remembered = rule_.IsRemembered(*member.row, row);
      if (remembered == Remembered::kNo) return true;
      matches[i - begin] = matches[member.index - begin] = true;
      const bool named = witness && *witness != JoinMatches::kUnknown;
      if (named) return small;
      const bool certain = member.certain && remembered == Remembered::kYes;
      witness = certain ? NumberOf(match) : JoinMatches::kUnknown;
      return small || !certain;
    });
    if (!witness && group.leaves_out()) witness = JoinMatches::kUnknown;
    if (witness) found.Add(row.number, *witness);
    group.Add(record);
  }
  // A row of a text key matters even if it matches nothing, since it may be a holder.
  const bool any = std::ranges::find(matches, true) != matches.end();
  const bool all = goes_on || (!small && text) || (any && (!small || text));
  for (size_t i = begin; i < end; ++i) {
    if (all || matches[i - begin]) kept.Add(part.rows[i], part.keys_of(i));
  }
}

/// Calls `visit(row, for_each_match)` for each record that is asked for. `for_each_match(take)`
/// calls `take(match, certain)` for each member that the record matches, until `take` returns
/// false. `certain` is false if the match depends on other undecided records. It returns whether
/// the record may match members that were left out.
template <class IsAsked, class Visit>
void JoinPass::ForEachAsked(const JoinRows& part, const JoinTail& before, const IsAsked& is_asked,
                            const Visit& visit) const {
  for (size_t begin = 0, end = 0; begin < part.size(); begin = end) {
    end = EndOfGroup(part, begin);
    size_t first = begin;
    while (first < end && !is_asked(part.rows[first].number)) ++first;
    if (first == end) continue;
    JoinGroup group = GroupOf(part.rows[begin].key, begin != 0 || before.complete);
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
          const auto meet = [&](const JoinMember& member, const EntryMatch& match) {
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
    const bool leaves_out = for_each_match([&](const EntryMatch& match, bool certain) {
      const bool unique = certain && rule_.IsUnique(NumberOf(match));
      const bool named = witness && *witness != JoinMatches::kUnknown;
      if (unique || !named) witness = certain ? NumberOf(match) : JoinMatches::kUnknown;
      return !unique;
    });
    if (!witness && leaves_out) witness = JoinMatches::kUnknown;
    if (witness) found.Add(row.number, *witness);
  });
  return found;
}

JoinRows JoinPass::RowsLeft(const JoinRows& part, const JoinTail& before) const {
  assert(before.complete);
  JoinRows left;
  for (size_t begin = 0, end = 0; begin < part.size(); begin = end) {
    end = EndOfGroup(part, begin);
    const int64_t key = part.rows[begin].key;
    const bool text = keys_.KindOf(key) == JoinKeyKind::kText;
    // Another part may need the holders of a text key in the first and the last group.
    bool any = text && (begin == 0 || end == part.size());
    for (size_t i = begin; i < end && !any; ++i) any = rule_.IsUndecided(part.rows[i].number);
    if (!any) continue;
    JoinGroup group = GroupOf(key, true, true);
    std::vector<bool> needed(end - begin);
    std::vector<bool> needed_of_tail(begin == 0 && !text ? before.rows.size() : 0);
    for (size_t i = 0; i < needed_of_tail.size(); ++i) {
      if (!rule_.IsUnique(before.rows.rows[i].number)) continue;
      group.Add({&before.rows.rows[i], before.rows.keys_of(i), i, true});
    }
    for (size_t i = begin; i < end; ++i) {
      const JoinRow& row = part.rows[i];
      if (rule_.IsDuplicate(row.number)) continue;
      const JoinMember record{&row, part.keys_of(i), i - begin};
      const bool undecided = rule_.IsUndecided(row.number);
      if (undecided && !text) {
        // One unique match is enough, if it is certain that the filter still remembers it.
        group.ForEachMatch(record, [&](const JoinMember& member, const EntryMatch&) {
          const Remembered remembered = rule_.IsRemembered(*member.row, row);
          if (remembered == Remembered::kNo) return true;
          (member.of_tail ? needed_of_tail : needed)[member.index] = true;
          return remembered != Remembered::kYes;
        });
      }
      // A unique record of a text key matters as a holder.
      const bool may_hold = (text || !undecided) && group.Add(record);
      if (undecided || (text && may_hold)) needed[i - begin] = true;
    }
    for (size_t i = 0; i < needed_of_tail.size(); ++i) {
      if (needed_of_tail[i]) left.Add(before.rows.rows[i], before.rows.keys_of(i));
    }
    for (size_t i = begin; i < end; ++i) {
      if (needed[i - begin]) left.Add(part.rows[i], part.keys_of(i));
    }
  }
  return left;
}

JoinBest JoinPass::FindBest(const JoinRows& part, const JoinTail& before) const {
  JoinBest found;
  const auto duplicate = [this](int64_t number) { return rule_.IsDuplicate(number); };
  ForEachAsked(part, before, duplicate, [&](const JoinRow& row, const auto& for_each_match) {
    std::optional<EntryMatch> best;
    for_each_match([&](const EntryMatch& match, [[maybe_unused]] bool certain) {
      assert(certain);
      if (!best || Better(match, *best)) best = match;
      return true;
    });
    if (!best) return;
    found.number.push_back(row.number);
    found.original.push_back(NumberOf(*best));
    found.kind.push_back(static_cast<uint8_t>(best->kind));
    found.distance.push_back(static_cast<int16_t>(best->distance));
    found.sum.push_back(static_cast<int16_t>(best->distance + best->order_distance));
  });
  return found;
}

JoinTail JoinPass::TailOf(const JoinRows& part, bool all) const {
  JoinTail tail;
  if (part.size() == 0) return tail;
  size_t begin = part.size() - 1;
  const int64_t key = part.rows[begin].key;
  while (begin > 0 && part.rows[begin - 1].key == key) --begin;
  const bool text = keys_.KindOf(key) == JoinKeyKind::kText;
  const size_t open_max = all ? JoinLimits::kAll : limits_.open_max;
  JoinGroup group = GroupOf(key, true, all);
  size_t undecided = 0;
  for (size_t i = begin; i < part.size(); ++i) {
    const JoinRow& row = part.rows[i];
    if (rule_.IsDuplicate(row.number)) continue;
    const JoinMember record{&row, part.keys_of(i), i};
    bool takes = true;
    if (text) {
      takes = group.Add(record);
      tail.complete = tail.complete && !group.leaves_out();
    } else if (rule_.IsUndecided(row.number)) {
      takes = undecided < open_max;
      // If not all undecided records fit, those that do not match each other help the most.
      if (takes && part.size() - begin > open_max) {
        group.ForEachMatch(record,
                           [&](const JoinMember&, const EntryMatch&) { return takes = false; });
      }
      if (takes) group.Add(record);
      undecided += takes ? 1 : 0;
      tail.complete = tail.complete && takes;
    }
    if (takes) tail.rows.Add(row, part.keys_of(i));
  }
  return tail;
}

namespace {

/// A group, and how far its rows are added.
struct Reader {
  std::unique_ptr<JoinGroup> group;
  size_t next = 0;
};

}  // namespace

JoinFinish::JoinFinish(const FilterOptions& options, JoinState state, const JoinLimits& limits)
    : state_(std::move(state)), keys_(options), rule_(options, state_), limits_(limits) {}

std::vector<uint8_t> JoinFinish::Decide(const JoinRows& rows, std::span<const int64_t> undecided) {
  std::unordered_map<int64_t, Reader> groups;
  std::vector<std::pair<int64_t, size_t>> by_number;  // of the undecided records
  for (size_t i = 0; i < rows.size(); ++i) {
    const JoinRow& row = rows.rows[i];
    if (const auto [at, added] = groups.try_emplace(row.key); added) {
      at->second = {std::make_unique<JoinGroup>(rule_, keys_, limits_, row.key, true), i};
    }
    if (rule_.IsUndecided(row.number)) by_number.emplace_back(row.number, i);
  }
  std::ranges::sort(by_number);

  std::vector<uint8_t> decisions;
  auto next = by_number.begin();
  for (const int64_t number : undecided) {
    bool duplicate = false;
    int64_t time_ms = INT64_MIN;
    for (; next != by_number.end() && next->first == number; ++next) {
      const size_t index = next->second;
      const JoinRow& row = rows.rows[index];
      time_ms = row.time_ms;
      Reader& reader = groups.at(row.key);
      for (; reader.next < index; ++reader.next) {
        const JoinRow& earlier = rows.rows[reader.next];
        if (!rule_.IsUnique(earlier.number)) continue;
        reader.group->Add({&earlier, rows.keys_of(reader.next), reader.next});
      }
      if (duplicate) continue;
      reader.group->ForEachMatch(
          {&row, rows.keys_of(index), index}, [&](const JoinMember& member, const EntryMatch&) {
            // kOpen depended on first_unique, which SetDecided has brought up to date.
            duplicate = rule_.IsRemembered(*member.row, row) == Remembered::kYes;
            return !duplicate;
          });
    }
    decisions.push_back(duplicate ? 1 : 0);
    SetDecided(number, time_ms, duplicate);
  }
  return decisions;
}

void JoinFinish::SetDecided(int64_t number, int64_t time_ms, bool duplicate) {
  std::string& bits = duplicate ? state_.duplicate : state_.unique;
  char& byte = bits[static_cast<size_t>(number / 8)];
  byte = static_cast<char>(byte | (1 << (number % 8)));
  if (duplicate || state_.first_unique.empty()) return;
  // Neither horizons nor first records ever decrease from one interval to the next.
  const auto later = std::ranges::upper_bound(state_.horizons_ms, time_ms);
  auto interval = later - state_.horizons_ms.begin();
  while (--interval >= 0 && state_.first_unique[static_cast<size_t>(interval)] > number) {
    state_.first_unique[static_cast<size_t>(interval)] = number;
  }
}

}  // namespace neardup
