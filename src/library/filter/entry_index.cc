#include "filter/entry_index.h"

#include <algorithm>
#include <array>
#include <utility>

namespace neardup {
namespace {

/// Number of records whose look-ups overlap: while one waits for memory, others are compared.
constexpr size_t kGroup = 256;
/// How many records ahead memory is fetched: first a record's buckets, later the postings in them.
/// The look-up of the batch has read both, but other data may have taken their place in the cache.
constexpr size_t kBucketsAhead = 16;
constexpr size_t kPostingsAhead = 8;

IndexOptions IndexOptionsOf(const FilterOptions& options) {
  return {.match = options.match, .entries_max = options.window.entries_max};
}

/// The entry that a record becomes with a comparison scheme.
Entry SketchEntry(const FingerprintedRecord& record, int64_t time_ms) {
  return {record.fingerprint, time_ms, record.position, {}, record.sketch};
}

}  // namespace

EntryIndex::EntryIndex(const FilterOptions& options, std::shared_ptr<const Scheme> scheme)
    : scheme_(std::move(scheme)),
      window_ms_(options.window.window_ms),
      entries_max_(options.window.entries_max),
      index_(scheme_ ? decltype(index_)(std::in_place_type<SketchIndex>, *scheme_)
                     : decltype(index_)(std::in_place_type<Index>, IndexOptionsOf(options))) {}

void EntryIndex::Prefetch(std::span<const FingerprintedRecord> records, size_t next) const {
  const auto* index = std::get_if<Index>(&index_);
  if (index == nullptr) return;
  const auto comparable = [records](size_t number) {
    return number < records.size() && records[number].outcome.comparable();
  };
  const size_t first = next + kBucketsAhead;
  if (comparable(first)) index->PrefetchFirst(records[first].fingerprint, records[first].text_keys);
  const size_t second = next + kPostingsAhead;
  if (comparable(second)) index->PrefetchPostings(records[second].fingerprint);
}

void EntryIndex::LookUp(std::span<const FingerprintedRecord> records, int64_t time_max_ms,
                        std::span<LookedUp> found) const {
  std::fill(found.begin(), found.end(), LookedUp());
  const auto* index = std::get_if<Index>(&index_);
  if (index == nullptr) return;
  for (size_t begin = 0; begin < records.size(); begin += kGroup) {
    const size_t count = std::min(kGroup, records.size() - begin);
    LookUpGroup(*index, records.subspan(begin, count), time_max_ms, found.subspan(begin, count));
  }
}

void EntryIndex::LookUpGroup(const Index& index, std::span<const FingerprintedRecord> records,
                             int64_t time_max_ms, std::span<LookedUp> found) const {
  std::array<IndexQuery, kGroup> queries;
  std::array<Nearest, kGroup> nearest;
  for (size_t i = 0; i < records.size(); ++i) {
    queries[i] = QueryOf(records[i], std::min(records[i].outcome.time_ms, time_max_ms));
  }
  index.FindNearest(std::span(queries).first(records.size()),
                    std::span(nearest).first(records.size()));
  for (size_t i = 0; i < records.size(); ++i) {
    LookedUp& result = found[i];
    result.revision_ = revision_;
    result.end_id_ = index.end_id();
    result.time_ms_ = queries[i].time_ms;
    result.candidates_ = nearest[i].candidates;
    if (const std::optional<EntryMatch>& best = nearest[i].match) {
      result.match_ = index.MatchOf(*best);
      result.id_ = best->id;
      result.order_distance_ = best->order_distance;
    }
  }
}

std::optional<Match> EntryIndex::FindNearest(const FingerprintedRecord& record, int64_t time_ms,
                                             const LookedUp& ahead) {
  if (auto* sketches = std::get_if<SketchIndex>(&index_)) {
    const auto best = sketches->FindNearest(SketchEntry(record, time_ms), window_ms_, visible_id_);
    if (!best) return std::nullopt;
    return sketches->MatchOf(*best);
  }
  auto& index = std::get<Index>(index_);
  IndexQuery query = QueryOf(record, time_ms);
  const bool holds = StillHolds(ahead, time_ms);
  if (holds) {
    query.since_id = std::max(ahead.end_id_, visible_id_);
    candidates_ahead_ += ahead.candidates_;
  }
  const std::optional<EntryMatch> best = index.FindNearest(query);
  if (holds && ahead.match_) {
    const EntryMatch earlier{ahead.id_, ahead.match_->distance, ahead.order_distance_,
                             ahead.match_->kind};
    if (!best || Better(earlier, *best)) return ahead.match_;
  }
  if (!best) return std::nullopt;
  return index.MatchOf(*best);
}

/// While the revision is the same, only the oldest entries can have been forgotten or hidden since.
/// If the best match is one of them, the second best is not known.
bool EntryIndex::StillHolds(const LookedUp& ahead, int64_t time_ms) const {
  const uint64_t begin_id = std::max(std::get<Index>(index_).begin_id(), visible_id_);
  return ahead.revision_ == revision_ && ahead.time_ms_ == time_ms &&
         (!ahead.match_ || ahead.id_ >= begin_id);
}

std::vector<Match> EntryIndex::FindAll(const FingerprintedRecord& record, int64_t time_ms) const {
  std::vector<Match> all;
  if (const auto* sketches = std::get_if<SketchIndex>(&index_)) {
    for (const EntryMatch& found :
         sketches->FindAll(SketchEntry(record, time_ms), window_ms_, visible_id_)) {
      all.push_back(sketches->MatchOf(found));
    }
    return all;
  }
  const auto& index = std::get<Index>(index_);
  for (const EntryMatch& found : index.FindAll(QueryOf(record, time_ms))) {
    all.push_back(index.MatchOf(found));
  }
  return all;
}

IndexQuery EntryIndex::QueryOf(const FingerprintedRecord& record, int64_t time_ms) const {
  return {.fingerprint = record.fingerprint,
          .text_keys = record.text_keys,
          .features = record.features,
          .position = record.position,
          .time_ms = time_ms,
          .window_ms = window_ms_,
          .since_id = visible_id_};
}

Entry EntryIndex::Remember(const FingerprintedRecord& record, int64_t time_ms) {
  if (auto* sketches = std::get_if<SketchIndex>(&index_)) {
    Entry entry = SketchEntry(record, time_ms);
    sketches->Insert(entry);
    return entry;
  }
  auto& index = std::get<Index>(index_);
  Entry entry{record.fingerprint, time_ms, record.position, index.ChooseKeys(record.text_keys), {}};
  index.Insert(entry);
  return entry;
}

void EntryIndex::Restore(std::span<const Entry> entries) {
  ++revision_;
  if (auto* index = std::get_if<Index>(&index_)) return index->Insert(entries);
  for (const Entry& entry : entries) std::get<SketchIndex>(index_).Insert(entry);
}

void EntryIndex::BeginRestore() {
  if (auto* index = std::get_if<Index>(&index_)) index->BeginLoad();
}

void EntryIndex::EndRestore() {
  if (auto* index = std::get_if<Index>(&index_)) index->EndLoad();
}

void EntryIndex::Rollback(std::span<const Entry> newest) {
  ++revision_;
  visible_id_ = 0;
  if (auto* index = std::get_if<Index>(&index_)) return index->Rollback(newest);
  auto& sketches = std::get<SketchIndex>(index_);
  sketches.Rollback(sketches.end_id() - newest.size());
}

template <class AnyIndex>
uint64_t EntryIndex::FirstLeft(const AnyIndex& index, int64_t horizon_ms, size_t kept) const {
  const uint64_t end_id = index.end_id() - kept;
  uint64_t id = index.begin_id();
  if (end_id - id > entries_max_) id = end_id - entries_max_;
  while (id < end_id && index.time_ms(id) < horizon_ms) ++id;
  return id;
}

void EntryIndex::Hide(int64_t horizon_ms) {
  visible_id_ =
      std::visit([&](const auto& index) { return FirstLeft(index, horizon_ms, 0); }, index_);
}

void EntryIndex::Forget(int64_t horizon_ms, size_t kept) {
  const auto forget = [&](auto& index) {
    const uint64_t left = FirstLeft(index, horizon_ms, kept);
    for (uint64_t id = index.begin_id(); id < left; ++id) {
      ++(index.time_ms(id) < horizon_ms ? forgotten_.expired : forgotten_.evicted);
    }
    index.Expire(left);
  };
  std::visit(forget, index_);
  visible_id_ = 0;
}

uint64_t EntryIndex::size() const {
  return std::visit([](const auto& index) { return index.size(); }, index_);
}

int64_t EntryIndex::oldest_time_ms() const {
  const auto oldest = [](const auto& index) {
    return index.size() == 0 ? INT64_MIN : index.time_ms(index.begin_id());
  };
  return std::visit(oldest, index_);
}

uint64_t EntryIndex::bytes() const {
  return std::visit([](const auto& index) { return index.bytes(); }, index_);
}

uint64_t EntryIndex::BytesMax(const FilterOptions& options, uint64_t live_max) {
  return Index::BytesMax(IndexOptionsOf(options), live_max);
}

uint64_t EntryIndex::candidates() const {
  return candidates_ahead_ +
         std::visit([](const auto& index) { return index.candidates(); }, index_);
}

uint64_t EntryIndex::keys_refused() const {
  const auto* index = std::get_if<Index>(&index_);
  return index == nullptr ? 0 : index->keys_refused();
}

std::optional<IndexStatistics> EntryIndex::Statistics() const {
  const auto* index = std::get_if<Index>(&index_);
  if (index == nullptr) return std::nullopt;
  return index->Statistics();
}

}  // namespace neardup
