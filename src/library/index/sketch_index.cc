#include "index/sketch_index.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace neardup {
SketchIndex::SketchIndex(const Scheme& scheme, uint64_t begin_id)
    : scheme_(scheme), scans_all_(scheme.scans_all()), begin_id_(begin_id) {}

uint64_t SketchIndex::Insert(const Entry& entry) {
  const uint64_t id = end_id();
  Stored stored;
  const auto& [words, keys] = *entry.sketch;
  stored.content.reserve(words.size() + (scans_all_ ? 0 : keys.size()));
  stored.content = words;
  if (!scans_all_) stored.content.insert(stored.content.end(), keys.begin(), keys.end());
  stored.word_count = static_cast<uint32_t>(words.size());
  stored.time_ms = entry.time_ms;
  stored.origin = entry.origin;
  stored.exact = entry.fingerprint.exact;
  for (const uint64_t key : stored.keys()) {
    auto& ids = entries_by_key_[key].ids;
    held_words_ -= ids.capacity();
    ids.push_back(id);
    held_words_ += ids.capacity();
  }
  held_words_ += stored.content.capacity();
  entries_.push_back(std::move(stored));
  return id;
}

void SketchIndex::Rollback(uint64_t end_id) {
  assert(begin_id_ <= end_id && end_id <= this->end_id());
  while (this->end_id() > end_id) {
    const Stored& newest = entries_.back();
    for (const uint64_t key : newest.keys()) RemoveNewest(key);
    held_words_ -= newest.content.capacity();
    entries_.pop_back();
  }
}

void SketchIndex::Expire(uint64_t begin_id) {
  assert(begin_id_ <= begin_id && begin_id <= end_id());
  for (; begin_id_ < begin_id; ++begin_id_) {
    const Stored& oldest = entries_.front();
    for (const uint64_t key : oldest.keys()) RemoveOldest(key);
    held_words_ -= oldest.content.capacity();
    entries_.pop_front();
  }
}

void SketchIndex::RemoveNewest(uint64_t key) {
  const auto found = entries_by_key_.find(key);
  assert(found != entries_by_key_.end());
  auto& [ids, dead] = found->second;
  ids.pop_back();
  if (ids.size() > dead) return;
  held_words_ -= ids.capacity();
  entries_by_key_.erase(found);
}

/// Drops the dead ids only when they are half of all, so that the cost per id stays constant.
void SketchIndex::RemoveOldest(uint64_t key) {
  const auto found = entries_by_key_.find(key);
  assert(found != entries_by_key_.end());
  auto& [ids, dead] = found->second;
  ++dead;
  if (2 * dead < ids.size()) return;
  held_words_ -= ids.capacity();
  if (dead == ids.size()) {
    entries_by_key_.erase(found);
    return;
  }
  ids = std::vector<uint64_t>(ids.begin() + static_cast<ptrdiff_t>(dead), ids.end());
  dead = 0;
  held_words_ += ids.capacity();
}

std::optional<EntryMatch> SketchIndex::FindNearest(const Entry& sought, int64_t window_ms,
                                                   uint64_t since_id) {
  std::optional<EntryMatch> best;
  // True once nothing can be better. Ids ascend, so of equally near entries the oldest stays best.
  const auto settled_by = [&](uint64_t id) {
    const Stored& stored = entry(id);
    if (MayMatch(stored, sought, window_ms)) {
      ++candidates_;
      const std::optional<EntryMatch> match = Compare(id, sought);
      if (match && (!best || match->distance < best->distance)) best = match;
    }
    return best && best->distance == 0;
  };
  if (scans_all_) {
    for (uint64_t id = std::max(begin_id_, since_id); id < end_id() && !settled_by(id); ++id) {
    }
    return best;
  }
  Meet(*sought.sketch, met_);
  for (const uint64_t id : met_) {
    if (id >= since_id && settled_by(id)) break;
  }
  return best;
}

std::vector<EntryMatch> SketchIndex::FindAll(const Entry& sought, int64_t window_ms,
                                             uint64_t since_id) const {
  std::vector<uint64_t> met;
  if (scans_all_) {
    for (uint64_t id = begin_id_; id < end_id(); ++id) met.push_back(id);
  } else {
    Meet(*sought.sketch, met);
  }
  std::vector<EntryMatch> all;
  for (const uint64_t id : met) {
    if (id < since_id || !MayMatch(entry(id), sought, window_ms)) continue;
    if (const std::optional<EntryMatch> match = Compare(id, sought)) all.push_back(*match);
  }
  std::stable_sort(all.begin(), all.end(), [](const EntryMatch& a, const EntryMatch& b) {
    return a.distance < b.distance;
  });
  return all;
}

void SketchIndex::Meet(const Sketch& sought, std::vector<uint64_t>& met) const {
  met.clear();
  for (const uint64_t key : sought.keys) {
    const auto found = entries_by_key_.find(key);
    if (found == entries_by_key_.end()) continue;
    const auto& [ids, dead] = found->second;
    met.insert(met.end(), ids.begin() + static_cast<ptrdiff_t>(dead), ids.end());
  }
  std::sort(met.begin(), met.end());
  met.erase(std::unique(met.begin(), met.end()), met.end());
}

bool SketchIndex::MayMatch(const Stored& stored, const Entry& sought, int64_t window_ms) {
  return stored.origin != sought.origin && WithinWindow(stored.time_ms, sought.time_ms, window_ms);
}

std::optional<EntryMatch> SketchIndex::Compare(uint64_t id, const Entry& sought) const {
  const Stored& stored = entry(id);
  const std::optional<int> distance = scheme_.Distance(stored.words(), sought.sketch->words);
  if (!distance) return std::nullopt;
  const bool exact = stored.exact == sought.fingerprint.exact;
  return EntryMatch{.id = id,
                    .distance = *distance,
                    .order_distance = 0,
                    .kind = exact ? MatchKind::kExact : MatchKind::kNear};
}

uint64_t SketchIndex::bytes() const {
  constexpr uint64_t kNodeBytes = sizeof(void*) + sizeof(uint64_t) + sizeof(KeyEntries);
  return entries_.size() * sizeof(Stored) + held_words_ * sizeof(uint64_t) +
         entries_by_key_.size() * kNodeBytes + entries_by_key_.bucket_count() * sizeof(void*);
}

}  // namespace neardup
