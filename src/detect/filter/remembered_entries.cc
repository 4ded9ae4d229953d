#include "detect/filter/remembered_entries.h"

#include <algorithm>
#include <array>

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

}  // namespace

RememberedEntries::RememberedEntries(const FilterOptions& options)
    : window_ms_(options.window.window_ms),
      entries_max_(options.window.entries_max),
      index_(IndexOptionsOf(options)) {}

uint64_t RememberedEntries::BytesMax(const FilterOptions& options, uint64_t live_max) {
  return Index::BytesMax(IndexOptionsOf(options), live_max);
}

void RememberedEntries::Prefetch(std::span<const FingerprintedRecord> records, size_t next) const {
  const auto comparable = [records](size_t number) {
    return number < records.size() && records[number].outcome.comparable();
  };
  const size_t first = next + kBucketsAhead;
  if (comparable(first)) index_.PrefetchFirst(records[first].fingerprint, records[first].text_keys);
  const size_t second = next + kPostingsAhead;
  if (comparable(second)) index_.PrefetchPostings(records[second].fingerprint);
}

void RememberedEntries::LookUp(std::span<const FingerprintedRecord> records, int64_t time_max_ms,
                               std::span<LookedUp> found) const {
  for (size_t begin = 0; begin < records.size(); begin += kGroup) {
    const size_t count = std::min(kGroup, records.size() - begin);
    LookUpGroup(records.subspan(begin, count), time_max_ms, found.subspan(begin, count));
  }
}

void RememberedEntries::LookUpGroup(std::span<const FingerprintedRecord> records,
                                    int64_t time_max_ms, std::span<LookedUp> found) const {
  std::array<IndexQuery, kGroup> queries;
  std::array<Nearest, kGroup> nearest;
  for (size_t i = 0; i < records.size(); ++i) {
    queries[i] = QueryOf(records[i], std::min(records[i].outcome.time_ms, time_max_ms));
  }
  index_.FindNearest(std::span(queries).first(records.size()),
                     std::span(nearest).first(records.size()));
  for (size_t i = 0; i < records.size(); ++i) {
    LookedUp& result = found[i];
    result = {};
    result.revision_ = revision_;
    result.end_id_ = index_.end_id();
    result.time_ms_ = queries[i].time_ms;
    result.candidates_ = nearest[i].candidates;
    if (const std::optional<EntryMatch>& best = nearest[i].match) {
      result.match_ = index_.MatchOf(*best);
      result.id_ = best->id;
      result.order_distance_ = best->order_distance;
    }
  }
}

std::optional<Match> RememberedEntries::FindNearest(const FingerprintedRecord& record,
                                                    int64_t time_ms, const LookedUp& ahead) {
  IndexQuery query = QueryOf(record, time_ms);
  const bool holds = StillHolds(ahead, time_ms);
  if (holds) {
    query.since_id = std::max(ahead.end_id_, visible_id_);
    candidates_ahead_ += ahead.candidates_;
  }
  const std::optional<EntryMatch> best = index_.FindNearest(query);
  if (holds && ahead.match_) {
    const EntryMatch earlier{ahead.id_, ahead.match_->distance, ahead.order_distance_,
                             ahead.match_->kind, ahead.match_->suspect};
    if (!best || Better(earlier, *best)) return ahead.match_;
  }
  if (!best) return std::nullopt;
  return index_.MatchOf(*best);
}

/// While the revision is the same, only the oldest entries can have been forgotten or hidden since.
/// If the best match is one of them, the second best is not known.
bool RememberedEntries::StillHolds(const LookedUp& ahead, int64_t time_ms) const {
  const uint64_t begin_id = std::max(index_.begin_id(), visible_id_);
  return ahead.revision_ == revision_ && ahead.time_ms_ == time_ms &&
         (!ahead.match_ || ahead.id_ >= begin_id);
}

std::vector<Match> RememberedEntries::FindAll(const FingerprintedRecord& record,
                                              int64_t time_ms) const {
  std::vector<Match> matches;
  for (const EntryMatch& match : index_.FindAll(QueryOf(record, time_ms))) {
    matches.push_back(index_.MatchOf(match));
  }
  return matches;
}

IndexQuery RememberedEntries::QueryOf(const FingerprintedRecord& record, int64_t time_ms) const {
  return {.fingerprint = record.fingerprint,
          .text_keys = record.text_keys,
          .features = record.features,
          .position = record.position,
          .time_ms = time_ms,
          .window_ms = window_ms_,
          .since_id = visible_id_};
}

Entry RememberedEntries::Remember(const FingerprintedRecord& record, int64_t time_ms) {
  Entry entry{record.fingerprint, time_ms, record.position, index_.ChooseKeys(record.text_keys)};
  index_.Insert(entry);
  return entry;
}

void RememberedEntries::Restore(std::span<const Entry> entries) {
  ++revision_;
  index_.Insert(entries);
}

void RememberedEntries::Rollback(std::span<const Entry> newest) {
  ++revision_;
  visible_id_ = 0;
  index_.Rollback(newest);
}

void RememberedEntries::SetRetired(uint32_t input, bool retired) {
  ++revision_;
  index_.SetRetired(input, retired);
}

void RememberedEntries::Forget(int64_t horizon_ms, size_t kept) {
  const uint64_t left = FirstLeft(horizon_ms, kept);
  for (uint64_t id = index_.begin_id(); id < left; ++id) {
    ++(index_.time_ms(id) < horizon_ms ? forgotten_.expired : forgotten_.evicted);
    if (keeps_forgotten_) taken_.push_back({index_.origin(id), id});
  }
  index_.Expire(left);
  visible_id_ = 0;
}

/// The first entry that Forget would leave.
uint64_t RememberedEntries::FirstLeft(int64_t horizon_ms, size_t kept) const {
  const uint64_t end_id = index_.end_id() - kept;
  uint64_t id = index_.begin_id();
  if (end_id - id > entries_max_) id = end_id - entries_max_;
  while (id < end_id && index_.time_ms(id) < horizon_ms) ++id;
  return id;
}

}  // namespace neardup
