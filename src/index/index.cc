#include "index/index.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <limits>
#include <tuple>

namespace neardup {

namespace {

constexpr int kBlocks = 4;
constexpr int kBlockBits = 16;
/// Up to this distance some block is equal; above it, some block differs in one bit at most.
constexpr int kEqualBlockDistanceMax = kBlocks - 1;

uint16_t Block(uint64_t simhash, size_t table) {
  return static_cast<uint16_t>(simhash >> (table * kBlockBits));
}

bool WithinWindow(int64_t a_ms, int64_t b_ms, int64_t window_ms) {
  const auto [low, high] = std::minmax(a_ms, b_ms);
  return static_cast<uint64_t>(high) - static_cast<uint64_t>(low) <=
         static_cast<uint64_t>(window_ms);
}

bool Better(const Match& a, const Match& b) {
  return std::tie(a.kind, a.distance, a.id) < std::tie(b.kind, b.distance, b.id);
}

}  // namespace

// d errors leave one of any d + 1 blocks without error, so small distances need fewer tables.
Index::Index(const IndexOptions& options)
    : distance_max_(options.distance_max),
      entries_(options.begin_id),
      tables_(static_cast<size_t>(std::min(options.distance_max + 1, kBlocks))) {
  assert(options.distance_max >= 0 && options.distance_max < 2 * kBlocks);
}

uint64_t Index::Insert(const Entry& entry) {
  assert(size() < std::numeric_limits<uint32_t>::max());
  const uint64_t id = entries_.end_id();
  entries_.PushBack(entry);
  for (size_t table = 0; table < tables_.size(); ++table) {
    tables_[table].Insert(Block(entry.fingerprint.simhash, table), static_cast<uint32_t>(id),
                          live());
  }
  SweepNext();
  return id;
}

void Index::Rollback(uint64_t end_id) {
  for (uint64_t id = entries_.end_id(); id > end_id; --id) {
    const uint64_t simhash = entries_.simhash(id - 1);
    for (size_t table = 0; table < tables_.size(); ++table) {
      tables_[table].RemoveNewest(Block(simhash, table), static_cast<uint32_t>(id - 1));
    }
  }
  entries_.TruncateBack(end_id);
}

void Index::Expire(uint64_t begin_id) { entries_.TruncateFront(begin_id); }

std::optional<Match> Index::FindNearest(const IndexQuery& query) {
  std::optional<Match> best;
  const uint64_t simhash = query.fingerprint.simhash;
  for (size_t table = 0; table < tables_.size(); ++table) {
    Scan(table, Block(simhash, table), query, best);
    // Equal fingerprints meet in the first bucket, the oldest first.
    if (best && best->kind == MatchKind::kExact) return best;
  }
  // What was not met in these buckets is further away than kEqualBlockDistanceMax.
  if ((best ? best->distance : distance_max_) <= kEqualBlockDistanceMax) return best;
  for (size_t table = 0; table < tables_.size(); ++table) {
    for (int bit = 0; bit < kBlockBits; ++bit) {
      Scan(table, static_cast<uint16_t>(Block(simhash, table) ^ (1U << bit)), query, best);
    }
  }
  return best;
}

void Index::Scan(size_t table, uint16_t block, const IndexQuery& query,
                 std::optional<Match>& best) {
  const LiveIds alive = live();
  for (const uint32_t id : tables_[table].bucket(block)) {
    if (!alive.Holds(id)) continue;
    ++candidates_;
    const uint64_t full_id = begin_id() + (id - alive.begin);
    const int distance = std::popcount(entries_.simhash(full_id) ^ query.fingerprint.simhash);
    if (distance > (best ? best->distance : distance_max_)) continue;
    const Entry& entry = entries_.entry(full_id);
    const bool exact = entry.fingerprint.exact == query.fingerprint.exact;
    if (distance_max_ == 0 && !exact) continue;
    const Match match{full_id, distance, exact ? MatchKind::kExact : MatchKind::kNear};
    if (best && !Better(match, *best)) continue;
    if (entry.origin == query.position) continue;
    if (!WithinWindow(entry.time_ms, query.time_ms, query.window_ms)) continue;
    best = match;
    if (exact) return;
  }
}

uint64_t Index::bytes() const {
  uint64_t sum = entries_.bytes();
  for (const BlockTable& table : tables_) sum += table.bytes();
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
