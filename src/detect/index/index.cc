#include "detect/index/index.h"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <future>
#include <limits>
#include <system_error>
#include <thread>

namespace neardup {
namespace {

/// A round of sweeping over all buckets takes kPeriodMin insertions per bucket, or one insertion
/// for every kRoundShare live entries if that is more.
constexpr uint64_t kRoundShare = 8;
constexpr uint64_t kPeriodMin = 2;

/// One line of text keys is swept for every 4 insertions. A round over all lines then takes less
/// than 1.5 times entries_max insertions: together with the live entries, less than 2^32.
constexpr uint64_t kEntriesPerLineSwept = 4;
/// Distance, in entries, between the steps that prefetch the lines of an entry and insert it.
constexpr size_t kEntriesAhead = 24;
/// A bucket is prefetched this many sweeps before it is swept.
constexpr size_t kBucketsAhead = 2;

bool UsesKeys(const MatchOptions& match) { return match.text_keys && !ExactOnly(match); }

BlockLayout LayoutOf(const IndexOptions& options) {
  return options.layout.value_or(BlockLayout::For(options.match, options.entries_max));
}
std::vector<BlockTable> TablesOf(const BlockLayout& layout, LineHeap& heap, Pages pages) {
  std::vector<BlockTable> tables;
  tables.reserve(layout.tables());
  while (tables.size() < layout.tables()) tables.emplace_back(layout.buckets(), heap, pages);
  return tables;
}

/// A small index touches few pages, so it takes small ones.
Pages PagesFor(const IndexOptions& options) {
  return options.entries_max <= BlockLayout::kFew ? Pages::kAsNeeded : Pages::kLarge;
}

}  // namespace

Index::Index(const IndexOptions& options)
    : parts_{.match = options.match,
             .layout = LayoutOf(options),
             .entries = EntryStore(options.begin_id, !ExactOnly(options.match), PagesFor(options)),
             .heap = std::make_unique<LineHeap>(PagesFor(options)),
             .tables = {},
             .text_keys = {}} {
  parts_.tables = TablesOf(parts_.layout, *parts_.heap, PagesFor(options));
  assert(options.match.distance_max >= 0);
  assert(!options.match.neighbours || parts_.layout.tables() < BlockLayout::kTablesMax);
  if (UsesKeys(options.match)) parts_.text_keys.emplace(options.entries_max * StoredKeys::kMax);
}

StoredKeys Index::ChooseKeys(const ProbedKeys& probed) {
  StoredKeys chosen;
  if (!parts_.text_keys) return chosen;
  const KeyTable& table = *parts_.text_keys;
  const LiveIds live = parts_.live();
  for (const uint32_t key : probed.keys()) {
    if (chosen.full()) break;
    size_t room = table.Room(key, live);
    for (const uint32_t other : chosen.keys()) {
      if (room > 0 && table.SameLine(key, other)) --room;
    }
    if (room > 0) {
      chosen.Add(key);
    } else {
      ++keys_refused_;
    }
  }
  return chosen;
}

uint64_t Index::Insert(const Entry& entry) {
  assert(size() < std::numeric_limits<uint32_t>::max());
  const uint64_t id = parts_.entries.end_id();
  parts_.entries.PushBack({parts_.Kept(entry.fingerprint), entry.time_ms, entry.origin},
                          entry.fingerprint.numbers);
  if (!loading_) InsertBlocks(entry.fingerprint.simhash, static_cast<uint32_t>(id));
  InsertKeys(entry, static_cast<uint32_t>(id));
  if (id >= marks_.begin_id()) Mark(entry);
  SweepNext();
  return id;
}

void Index::InsertBlocks(uint64_t simhash, uint32_t id) {
  for (size_t table = 0; table < parts_.tables.size(); ++table) {
    parts_.tables[table].Insert(parts_.layout.BucketOf(simhash, table),
                                parts_.layout.TagOf(simhash, table), id, parts_.live());
  }
}

void Index::InsertKeys(const Entry& entry, uint32_t id) {
  if (!parts_.text_keys) return;
  for (const uint32_t key : entry.text_keys.keys()) {
    parts_.text_keys->Insert(key, id, parts_.live());
  }
}

void Index::Mark(const Entry& entry) {
  for (size_t table = 0; table < parts_.tables.size(); ++table) {
    marks_.MarkBucket(table, parts_.layout.BucketOf(entry.fingerprint.simhash, table));
  }
  for (const uint32_t key : entry.text_keys.keys()) marks_.MarkKey(key);
}

void Index::Insert(std::span<const Entry> entries) {
  if (entries.size() < kEntriesAhead) {
    for (const Entry& entry : entries) Insert(entry);
    return;
  }
  for (size_t step = 0; step < entries.size() + 2 * kEntriesAhead; ++step) {
    if (step < entries.size()) {
      FetchKeys(entries[step].text_keys.keys());
      if (!loading_) FetchBuckets(entries[step].fingerprint.simhash);
    }
    // Both indices wrap around in the steps before the first entry.
    const size_t next = step - kEntriesAhead;
    if (next < entries.size() && !loading_) FetchNewest(entries[next].fingerprint.simhash);
    const size_t inserted = next - kEntriesAhead;
    if (inserted < entries.size()) Insert(entries[inserted]);
  }
}

void Index::BeginLoad() {
  assert(size() == 0 && !loading_);
  loading_ = true;
}

void Index::EndLoad() {
  assert(loading_);
  loading_ = false;
  // The tables share the entries, which are only read, and the heap.
  std::atomic<size_t> next_table = 0;
  const auto load_some = [&] {
    for (size_t table; (table = next_table++) < parts_.tables.size();) Load(table);
  };
  std::vector<std::future<void>> others;
  const size_t processors = std::thread::hardware_concurrency();
  try {
    while (others.size() + 1 < std::min(processors, parts_.tables.size())) {
      others.push_back(std::async(std::launch::async, load_some));
    }
  } catch (
      const std::system_error&) {  // no more threads available: the existing ones load all tables
  }
  load_some();
  for (std::future<void>& other : others) other.get();
}

void Index::Load(size_t table) {
  const EntryStore& entries = parts_.entries;
  const auto bucket_of = [&](uint64_t id) {
    return parts_.layout.BucketOf(entries[id].simhash(), table);
  };
  BlockTable& loaded = parts_.tables[table];
  std::vector<uint32_t> counts(loaded.buckets());
  for (uint64_t id = entries.begin_id(); id < entries.end_id(); ++id) ++counts[bucket_of(id)];
  loaded.Reserve(counts);
  for (uint64_t id = entries.begin_id(); id < entries.end_id(); ++id) {
    const uint64_t left = entries.end_id() - id;
    if (left > 2 * kEntriesAhead) loaded.PrefetchBucket(bucket_of(id + 2 * kEntriesAhead));
    if (left > kEntriesAhead) loaded.PrefetchNewest(bucket_of(id + kEntriesAhead));
    const uint16_t tag = parts_.layout.TagOf(entries[id].simhash(), table);
    loaded.Insert(bucket_of(id), tag, static_cast<uint32_t>(id), parts_.live());
  }
}

void Index::PrefetchFirst(const Fingerprint& fingerprint, const ProbedKeys& text_keys) const {
  FetchBuckets(fingerprint.simhash);
  FetchKeys(text_keys.keys());
}

void Index::FetchBuckets(uint64_t simhash) const {
  for (size_t table = 0; table < parts_.tables.size(); ++table) {
    parts_.tables[table].PrefetchBucket(parts_.layout.BucketOf(simhash, table));
  }
}

void Index::FetchNewest(uint64_t simhash) const {
  for (size_t table = 0; table < parts_.tables.size(); ++table) {
    parts_.tables[table].PrefetchNewest(parts_.layout.BucketOf(simhash, table));
  }
}

void Index::FetchKeys(std::span<const uint32_t> keys) const {
  if (!parts_.text_keys) return;
  for (const uint32_t key : keys) parts_.text_keys->Prefetch(key);
}

void Index::Rollback(std::span<const Entry> newest) {
  assert(newest.size() <= size() && !loading_);
  has_forgotten_ |= !newest.empty();
  uint64_t id = parts_.entries.end_id();
  for (size_t i = newest.size(); i-- > 0;) {
    const Entry& entry = newest[i];
    --id;
    for (size_t table = 0; table < parts_.tables.size(); ++table) {
      parts_.tables[table].RemoveNewest(parts_.layout.BucketOf(entry.fingerprint.simhash, table),
                                        static_cast<uint32_t>(id));
    }
    if (!parts_.text_keys) continue;
    for (const uint32_t key : entry.text_keys.keys()) {
      parts_.text_keys->Remove(key, static_cast<uint32_t>(id));
    }
  }
  parts_.entries.TruncateBack(id);
}

void Index::SetRetired(uint32_t input, bool retired) {
  if (input >= parts_.retired.size()) parts_.retired.resize(input + size_t{1});
  parts_.retired[input] = retired;
}

void Index::Expire(uint64_t begin_id) {
  has_forgotten_ |= begin_id > parts_.entries.begin_id();
  parts_.entries.TruncateFront(begin_id);
}

/// Keeps the memory of dead postings bounded, and removes them long before 32-bit numbers repeat.
void Index::SweepNext() {
  if (!has_forgotten_ || loading_) return;
  const uint64_t id = parts_.entries.end_id();
  if (parts_.text_keys && id % kEntriesPerLineSwept == 0) {
    parts_.text_keys->SweepNext(parts_.live());
  }
  const size_t buckets = parts_.layout.tables() * parts_.layout.buckets();
  const uint64_t period = std::max(kPeriodMin, size() / (kRoundShare * buckets));
  if (++unswept_ < period) return;
  unswept_ = 0;
  const auto table_of = [&](size_t bucket) -> BlockTable& {
    return parts_.tables[bucket % buckets / parts_.layout.buckets()];
  };
  const auto bucket_of = [&](size_t bucket) {
    return static_cast<uint32_t>(bucket % parts_.layout.buckets());
  };
  table_of(swept_).Sweep(bucket_of(swept_), parts_.live());
  swept_ = static_cast<uint32_t>((swept_ + 1) % buckets);
  table_of(swept_).PrefetchOldest(bucket_of(swept_));
  const size_t later = swept_ + kBucketsAhead;
  table_of(later).PrefetchBucket(bucket_of(later));
}

std::optional<EntryMatch> Index::FindNearest(const IndexQuery& query) {
  if (query.since_id >= end_id()) {
    marks_.StartAt(end_id());
    return std::nullopt;
  }
  Nearest nearest;
  if (query.since_id >= marks_.begin_id()) {
    nearest = FindNearestMarked(parts_, marks_, query);
  } else {
    FindNearest(std::span(&query, 1), std::span(&nearest, 1));
  }
  candidates_ += nearest.candidates;
  return nearest.match;
}

uint64_t Index::bytes() const {
  uint64_t sum = sizeof(Index) + sizeof(LineHeap) + parts_.entries.bytes();
  for (const BlockTable& table : parts_.tables) sum += table.bytes();
  sum += parts_.heap->held_bytes() - parts_.heap->taken_bytes();
  return sum + (parts_.text_keys ? parts_.text_keys->bytes() : 0);
}

IndexStatistics Index::Statistics() const {
  std::vector<uint32_t> sizes;
  sizes.reserve(parts_.layout.tables() * parts_.layout.buckets());
  for (const BlockTable& table : parts_.tables) {
    for (uint32_t bucket = 0; bucket < table.buckets(); ++bucket) {
      sizes.push_back(table.size(bucket));
    }
  }
  const auto below = [&](size_t share) {
    const auto at = sizes.begin() + static_cast<int64_t>(sizes.size() / 100 * share);
    std::nth_element(sizes.begin(), at, sizes.end());
    return *at;
  };
  const bool uses_keys = parts_.text_keys.has_value();
  return {.bucket_median = below(50),
          .bucket_p99 = below(99),
          .bucket_max = *std::max_element(sizes.begin(), sizes.end()),
          .full_key_lines_share = uses_keys ? parts_.text_keys->FullShare(parts_.live()) : 0,
          .keys_refused = keys_refused_};
}

uint64_t Index::BytesMax(const IndexOptions& options, uint64_t live_max) {
  const BlockLayout layout = LayoutOf(options);
  // With fewer live entries the period is shorter, so that no round takes more insertions.
  const uint64_t round =
      std::max(kPeriodMin * layout.tables() * layout.buckets(), live_max / kRoundShare);
  uint64_t sum =
      sizeof(Index) + sizeof(LineHeap) + EntryStore::BytesMax(live_max, !ExactOnly(options.match));
  const uint64_t tables = layout.tables() * BlockTable::BytesMax(layout.buckets(), live_max, round);
  sum += tables + LineHeap::GapsMax(tables);
  return sum +
         (UsesKeys(options.match) ? KeyTable::Bytes(options.entries_max * StoredKeys::kMax) : 0);
}

}  // namespace neardup
