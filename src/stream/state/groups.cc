#include "stream/state/groups.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "detect/base/hash.h"

namespace neardup {

size_t Groups::HashOfPosition::operator()(const Position& position) const {
  return Mix64(static_cast<uint64_t>(position.offset) ^ uint64_t{position.input} << 48);
}

JoinedGroup Groups::Join(const Match& match, const Position& copy, int64_t time_ms, Keep keep) {
  const auto [found, added] = groups_.try_emplace(match.original);
  NumberedGroup& group = found->second;
  joins_.push_back({match.original, added ? std::nullopt : std::optional(group)});
  if (added || group.number != match.number) {
    group = {{.original = match.original,
              .original_time_ms = match.time_ms,
              .copies = 0,
              .last = match.original,
              .last_time_ms = match.time_ms,
              .newest = match.original,
              .newest_time_ms = match.time_ms},
             match.number};
  }
  ++group.copies;
  group.last = copy;
  group.last_time_ms = std::max(group.last_time_ms, time_ms);
  const JoinedGroup joined{group.newest, keep == Keep::kNewest && time_ms >= group.newest_time_ms};
  if (joined.replaces) {
    group.newest = copy;
    group.newest_time_ms = time_ms;
  }
  return joined;
}

std::vector<NumberedGroup> Groups::Changed(size_t begin, size_t end) const {
  std::vector<NumberedGroup> changed;
  std::unordered_set<Position, HashOfPosition> seen;
  for (size_t i = begin; i < end; ++i) {
    const Position& original = joins_[i].original;
    if (seen.insert(original).second) changed.push_back(groups_.at(original));
  }
  return changed;
}

void Groups::Forget(std::span<const ForgottenRecord> originals) {
  if (groups_.empty()) return;
  for (const ForgottenRecord& original : originals) {
    const auto found = groups_.find(original.origin);
    const bool same = found != groups_.end() && found->second.number == original.number;
    if (same) groups_.erase(found);
  }
}

void Groups::Commit() {
  const size_t covered = std::exchange(committing_, std::nullopt).value_or(joins_.size());
  joins_.erase(joins_.begin(), joins_.begin() + static_cast<std::ptrdiff_t>(covered));
}

void Groups::Rollback() {
  for (; !joins_.empty(); joins_.pop_back()) {
    Undo& undo = joins_.back();
    if (undo.before) {
      groups_[undo.original] = *undo.before;
    } else {
      groups_.erase(undo.original);
    }
  }
  committing_.reset();
}

const Group* Groups::Find(const Position& original) const {
  const auto found = groups_.find(original);
  return found == groups_.end() ? nullptr : &found->second;
}

uint64_t Groups::BytesMax(uint64_t groups, uint64_t joins) {
  // A node of the map with its link, hash and allocation, and up to two pointers per bucket while
  // the table grows.
  constexpr uint64_t kNode = sizeof(std::pair<const Position, NumberedGroup>) + 32;
  constexpr uint64_t kBuckets = 4 * sizeof(void*);
  return groups * (kNode + kBuckets) + 2 * joins * sizeof(Undo);
}

}  // namespace neardup
