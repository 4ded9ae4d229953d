#include "index/index.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <limits>
#include <tuple>

#include "index/accept.h"

namespace neardup {

namespace {

constexpr int kBlocks = 4;
constexpr int kBlockBits = 16;

uint16_t Block(uint64_t simhash, size_t table) {
  return static_cast<uint16_t>(simhash >> (table * kBlockBits));
}

bool WithinWindow(int64_t a_ms, int64_t b_ms, int64_t window_ms) {
  const auto [low, high] = std::minmax(a_ms, b_ms);
  return static_cast<uint64_t>(high) - static_cast<uint64_t>(low) <=
         static_cast<uint64_t>(window_ms);
}

bool Better(const Match& a, const Match& b) {
  const int sum_a = a.distance + a.order_distance;
  const int sum_b = b.distance + b.order_distance;
  return std::tie(a.kind, sum_a, a.id) < std::tie(b.kind, sum_b, b.id);
}

}  // namespace

// d errors leave one of any d + 1 blocks without error, so small distances need fewer tables.
size_t Index::Tables(const MatchOptions& match) {
  return static_cast<size_t>(std::min(match.distance_max + 1, kBlocks));
}

Index::Index(const IndexOptions& options)
    : match_(options.match), entries_(options.begin_id), tables_(Tables(options.match)) {
  assert(match_.distance_max >= 0);
}

StoredKeys Index::ChooseKeys(const ProbedKeys& probed) const {
  StoredKeys chosen;
  if (!UsesKeys(match_)) return chosen;
  for (const uint32_t key : probed.keys()) {
    if (chosen.full()) break;
    if (text_keys_.HasRoom(key)) chosen.Add(key);
  }
  return chosen;
}

uint64_t Index::Insert(const Entry& entry) {
  assert(size() < std::numeric_limits<uint32_t>::max());
  const uint64_t id = entries_.end_id();
  entries_.PushBack(entry);
  for (size_t table = 0; table < tables_.size(); ++table) {
    tables_[table].Insert(Block(entry.fingerprint.simhash, table), static_cast<uint32_t>(id),
                          live());
  }
  if (UsesKeys(match_)) {
    for (const uint32_t key : entry.text_keys.keys()) {
      text_keys_.Insert(key, static_cast<uint32_t>(id));
    }
  }
  SweepNext();
  return id;
}

void Index::Rollback(uint64_t end_id) {
  for (uint64_t id = entries_.end_id(); id > end_id; --id) {
    const uint64_t simhash = entries_.entry(id - 1).fingerprint.simhash;
    for (size_t table = 0; table < tables_.size(); ++table) {
      tables_[table].RemoveNewest(Block(simhash, table), static_cast<uint32_t>(id - 1));
    }
    RemoveKeys(id - 1);
  }
  entries_.TruncateBack(end_id);
}

void Index::Expire(uint64_t begin_id) {
  for (uint64_t id = entries_.begin_id(); id < begin_id; ++id) RemoveKeys(id);
  entries_.TruncateFront(begin_id);
}

void Index::RemoveKeys(uint64_t id) {
  if (!UsesKeys(match_)) return;
  for (const uint32_t key : entries_.entry(id).text_keys.keys()) {
    text_keys_.Remove(key, static_cast<uint32_t>(id));
  }
}

std::optional<Match> Index::FindNearest(const IndexQuery& query) {
  std::optional<Match> best;
  const uint64_t simhash = query.fingerprint.simhash;
  for (size_t table = 0; table < tables_.size(); ++table) {
    ScanBlock(table, Block(simhash, table), query, best);
    // Equal fingerprints meet in the first bucket, the oldest first.
    if (best && best->kind == MatchKind::kExact) return best;
  }
  if (match_.distance_max == 0) return best;
  if (UsesKeys(match_)) ScanKeys(query, best);
  if (!match_.neighbours) return best;
  for (size_t table = 0; table < tables_.size(); ++table) {
    for (int bit = 0; bit < kBlockBits; ++bit) {
      ScanBlock(table, static_cast<uint16_t>(Block(simhash, table) ^ (1U << bit)), query, best);
    }
  }
  return best;
}

void Index::ScanBlock(size_t table, uint16_t block, const IndexQuery& query,
                      std::optional<Match>& best) {
  const LiveIds alive = live();
  for (const uint32_t id : tables_[table].bucket(block)) {
    if (!alive.Holds(id)) continue;
    Compare(id, 0, query, best);
    if (best && best->kind == MatchKind::kExact) return;
  }
}

void Index::ScanKeys(const IndexQuery& query, std::optional<Match>& best) {
  key_hits_.clear();
  for (const uint32_t key : query.text_keys.keys()) {
    text_keys_.ForEach(key, [this](uint32_t id) {
      for (KeyHit& hit : key_hits_) {
        if (hit.id == id) {
          ++hit.shared_keys;
          return;
        }
      }
      key_hits_.push_back({id, 1});
    });
  }
  for (const KeyHit& hit : key_hits_) Compare(hit.id, hit.shared_keys, query, best);
}

void Index::Compare(uint32_t id, int shared_keys, const IndexQuery& query,
                    std::optional<Match>& best) {
  ++candidates_;
  const uint64_t full_id = begin_id() + (id - static_cast<uint32_t>(begin_id()));
  const Fingerprint& sought = query.fingerprint;
  const Nearness nearness{std::popcount(entries_.simhash(full_id) ^ sought.simhash), 0, shared_keys,
                          query.features};
  if (nearness.distance != 0 && !Accepts(match_, nearness)) return;
  const Entry& entry = entries_.entry(full_id);
  const bool exact = entry.fingerprint.exact == sought.exact;
  Match match{full_id, nearness.distance, 0, MatchKind::kExact};
  if (!exact) {
    match.kind = MatchKind::kNear;
    match.order_distance = std::popcount(entry.fingerprint.order ^ sought.order);
    if (!Accepts(match_, {match.distance, match.order_distance, shared_keys, query.features}))
      return;
  }
  if (best && !Better(match, *best)) return;
  if (entry.origin == query.position) return;
  if (!WithinWindow(entry.time_ms, query.time_ms, query.window_ms)) return;
  best = match;
}

uint64_t Index::bytes() const {
  uint64_t sum = entries_.bytes() + text_keys_.bytes();
  for (const BlockTable& table : tables_) sum += table.bytes();
  return sum;
}

uint64_t Index::BytesMax(const MatchOptions& match, uint64_t live_max) {
  const size_t tables = Tables(match);
  const uint64_t sweep_round = tables * BlockTable::kBuckets;
  uint64_t sum = EntryRing::BytesMax(live_max);
  sum += tables * BlockTable::BytesMax(live_max, sweep_round);
  if (UsesKeys(match)) sum += TextKeyTable::BytesMax(live_max * StoredKeys::kMax);
  return sum;
}

LiveIds Index::live() const {
  return {static_cast<uint32_t>(begin_id()), static_cast<uint32_t>(size())};
}

/// One bucket for each insertion: all are swept within 262,144 of them, so dead numbers take a
/// bounded place and are gone long before 32 bits repeat.
void Index::SweepNext() {
  const size_t table = swept_ / BlockTable::kBuckets;
  tables_[table].Sweep(static_cast<uint16_t>(swept_), live());
  swept_ = static_cast<uint32_t>((swept_ + 1) % (tables_.size() * BlockTable::kBuckets));
}

}  // namespace neardup
