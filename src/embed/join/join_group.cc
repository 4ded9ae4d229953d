#include "join/join_group.h"

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

/// Begins the stretch of a row: the holders of the stretch before join those of all before.
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

}  // namespace neardup
