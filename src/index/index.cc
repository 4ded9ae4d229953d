#include "index/index.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <limits>
#include <tuple>

#include "index/accept.h"

namespace neardup {

namespace {

constexpr size_t kBlocks = 4;
constexpr int kBlockBits = 16;
/// Errors in the better half of a simhash, at most: with 3 in all, and with 7.
constexpr int kHalfErrors = 1;
constexpr int kHalfErrorsOfNeighbours = 3;
/// Entries whose comparison is put off until the processor's cache has them.
constexpr size_t kMetMax = 32;
constexpr size_t kKeyHitsMax = ProbedKeys::kMax * KeyTable::kPostings;
/// A round of sweeping over all buckets takes as many insertions as there are buckets, or this
/// share of the live entries where that is more.
constexpr uint64_t kRoundShare = 8;

uint16_t Block(uint64_t simhash, size_t table) {
  return static_cast<uint16_t>(simhash >> (table * kBlockBits));
}
/// The other block of the same half.
uint16_t Partner(uint64_t simhash, size_t table) { return Block(simhash, table ^ 1); }

bool ExactOnly(const MatchOptions& match) { return match.distance_max == 0; }
bool UsesKeys(const MatchOptions& match) { return match.text_keys && !ExactOnly(match); }
/// Equal records need one table only.
size_t TableCount(const MatchOptions& match) { return ExactOnly(match) ? 1 : kBlocks; }

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

struct Index::Search {
  const IndexQuery& query;
  Fingerprint sought;
  int64_t time_ms = 0;
  std::optional<Match> best;
  std::array<uint32_t, kMetMax> met;
  size_t met_count = 0;
};

Index::Index(const IndexOptions& options)
    : match_(options.match), entries_(options.begin_id), tables_(TableCount(options.match)) {
  assert(match_.distance_max >= 0);
  if (!UsesKeys(match_)) return;
  text_keys_.emplace(options.entries_max * StoredKeys::kMax);
  key_hits_.reserve(kKeyHitsMax);
}

StoredKeys Index::ChooseKeys(const ProbedKeys& probed) const {
  StoredKeys chosen;
  if (!text_keys_) return chosen;
  for (const uint32_t key : probed.keys()) {
    if (chosen.full()) break;
    const auto taken =
        std::count_if(chosen.keys().begin(), chosen.keys().end(),
                      [&](uint32_t other) { return text_keys_->SameLine(key, other); });
    if (text_keys_->Room(key, live()) > static_cast<size_t>(taken)) chosen.Add(key);
  }
  return chosen;
}

uint64_t Index::Insert(const Entry& entry) {
  assert(size() < std::numeric_limits<uint32_t>::max());
  const uint64_t id = entries_.end_id();
  const uint64_t simhash = entry.fingerprint.simhash;
  entries_.PushBack({Kept(entry.fingerprint), entry.time_ms, entry.origin});
  for (size_t table = 0; table < tables_.size(); ++table) {
    tables_[table].Insert(Block(simhash, table), Partner(simhash, table), static_cast<uint32_t>(id),
                          live());
  }
  if (text_keys_) {
    for (const uint32_t key : entry.text_keys.keys()) {
      text_keys_->Insert(key, static_cast<uint32_t>(id), live());
    }
  }
  SweepNext();
  return id;
}

void Index::Rollback(std::span<const Entry> newest) {
  assert(newest.size() <= size());
  uint64_t id = entries_.end_id();
  for (size_t i = newest.size(); i-- > 0;) {
    const Entry& entry = newest[i];
    --id;
    for (size_t table = 0; table < tables_.size(); ++table) {
      tables_[table].RemoveNewest(Block(entry.fingerprint.simhash, table),
                                  static_cast<uint32_t>(id));
    }
    if (!text_keys_) continue;
    for (const uint32_t key : entry.text_keys.keys()) {
      text_keys_->Remove(key, static_cast<uint32_t>(id));
    }
  }
  entries_.TruncateBack(id);
}

void Index::Expire(uint64_t begin_id) { entries_.TruncateFront(begin_id); }

/// Dead numbers take a bounded place, and are gone long before 32 bits repeat.
void Index::SweepNext() {
  if (text_keys_) text_keys_->SweepNext(live());
  const size_t buckets = tables_.size() * BlockTable::kBuckets;
  const uint64_t period = std::max<uint64_t>(1, size() / (kRoundShare * buckets));
  if (++unswept_ < period) return;
  unswept_ = 0;
  tables_[swept_ / BlockTable::kBuckets].Sweep(static_cast<uint16_t>(swept_), live());
  swept_ = static_cast<uint32_t>((swept_ + 1) % buckets);
  tables_[swept_ / BlockTable::kBuckets].PrefetchOldest(static_cast<uint16_t>(swept_));
}

void Index::Prefetch(const Fingerprint& fingerprint, const ProbedKeys& text_keys) const {
  for (size_t table = 0; table < tables_.size(); ++table) {
    tables_[table].Prefetch(Block(fingerprint.simhash, table));
  }
  if (!text_keys_) return;
  for (const uint32_t key : text_keys.keys()) text_keys_->Prefetch(key);
}

std::optional<Match> Index::FindNearest(const IndexQuery& query) {
  Search search{query, Kept(query.fingerprint), StoredEntry::KeptTime(query.time_ms), {}, {}, 0};
  ScanKeys(query.text_keys);
  ScanBlocks(search);
  CompareMet(search);
  for (const KeyHit& hit : key_hits_) Compare(hit.id, hit.shared_keys, search);
  return search.best;
}

void Index::ScanKeys(const ProbedKeys& probed) {
  key_hits_.clear();
  if (!text_keys_) return;
  for (const uint32_t key : probed.keys()) {
    text_keys_->ForEach(key, live(), [this](uint32_t id) {
      for (KeyHit& hit : key_hits_) {
        if (hit.id == id) {
          ++hit.shared_keys;
          return;
        }
      }
      key_hits_.push_back({id, 1});
      entries_.Prefetch(FullId(id));
    });
  }
}

void Index::ScanBlocks(Search& search) {
  const uint64_t simhash = search.sought.simhash;
  for (size_t table = 0; table < tables_.size(); ++table) {
    const uint16_t block = Block(simhash, table);
    if (!match_.neighbours) {
      ScanBlock(table, block, kHalfErrors, search);
      continue;
    }
    for (int bit = 0; bit < kBlockBits; ++bit) {
      tables_[table].Prefetch(static_cast<uint16_t>(block ^ (1U << bit)));
    }
    ScanBlock(table, block, kHalfErrorsOfNeighbours, search);
    for (int bit = 0; bit < kBlockBits; ++bit) {
      ScanBlock(table, static_cast<uint16_t>(block ^ (1U << bit)), kHalfErrorsOfNeighbours - 1,
                search);
    }
  }
}

void Index::ScanBlock(size_t table, uint16_t block, int partner_errors, Search& search) {
  const uint16_t partner = Partner(search.sought.simhash, table);
  const LiveIds alive = live();
  tables_[table].ForEachNear(block, partner, partner_errors, [&](uint32_t id) {
    if (!alive.Holds(id)) return;
    entries_.Prefetch(FullId(id));
    search.met[search.met_count++] = id;
    if (search.met_count == kMetMax) CompareMet(search);
  });
}

void Index::CompareMet(Search& search) {
  for (size_t i = 0; i < search.met_count; ++i) Compare(search.met[i], 0, search);
  search.met_count = 0;
}

void Index::Compare(uint32_t id, int shared_keys, Search& search) {
  ++candidates_;
  const IndexQuery& query = search.query;
  const StoredEntry& entry = entries_[FullId(id)];
  Match match{FullId(id), std::popcount(entry.simhash() ^ search.sought.simhash),
              std::popcount(entry.order() ^ search.sought.order), MatchKind::kExact};
  if (!entry.IsExact(search.sought)) {
    match.kind = MatchKind::kNear;
    if (!Accepts(match_, {match.distance, match.order_distance, shared_keys, query.features})) {
      return;
    }
  }
  if (search.best && !Better(match, *search.best)) return;
  if (entry.origin() == query.position) return;
  if (!WithinWindow(entry.time_ms(), search.time_ms, query.window_ms)) return;
  search.best = match;
}

/// Where only equal records match, `exact` in all its bits is kept in the place of the order
/// sketch, which nothing asks for then.
Fingerprint Index::Kept(const Fingerprint& fingerprint) const {
  if (!ExactOnly(match_)) return fingerprint;
  return {fingerprint.simhash, fingerprint.exact, fingerprint.exact};
}

uint64_t Index::bytes() const {
  uint64_t sum = entries_.bytes() + key_hits_.capacity() * sizeof(KeyHit);
  for (const BlockTable& table : tables_) sum += table.bytes();
  return sum + (text_keys_ ? text_keys_->bytes() : 0);
}

uint64_t Index::BytesMax(const MatchOptions& match, uint64_t live_max) {
  const size_t tables = TableCount(match);
  // While fewer are live the period is shorter, so that a round never takes more insertions.
  const uint64_t round = std::max<uint64_t>(tables * BlockTable::kBuckets, live_max / kRoundShare);
  uint64_t sum = EntryStore::BytesMax(live_max) + tables * BlockTable::BytesMax(live_max, round);
  if (UsesKeys(match)) {
    sum += KeyTable::Bytes(live_max * StoredKeys::kMax) + kKeyHitsMax * sizeof(KeyHit);
  }
  return sum;
}

LiveIds Index::live() const {
  return {static_cast<uint32_t>(begin_id()), static_cast<uint32_t>(size())};
}

uint64_t Index::FullId(uint32_t id) const {
  return begin_id() + (id - static_cast<uint32_t>(begin_id()));
}

}  // namespace neardup
