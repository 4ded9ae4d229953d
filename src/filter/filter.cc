#include "neardup/filter.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <optional>
#include <utility>

#include "filter/entry_index.h"
#include "filter/match_scheme.h"
#include "filter/watermark.h"
#include "index/index.h"

namespace neardup {

struct Filter::State {
  State(const FilterOptions& options_in, std::unique_ptr<EntryIndex> index_in)
      : options(options_in), index(std::move(index_in)) {}

  int64_t Clamp(int64_t time_ms) const;
  void Forget();
  bool StillHolds(const LookedUp& found, int64_t time_ms) const;

  FilterOptions options;
  std::unique_ptr<EntryIndex> index;
  Watermark watermark;
  std::vector<Entry> uncommitted;
  int64_t horizon_ms = INT64_MIN;
  int64_t time_max_ms = INT64_MAX;
  /// Changes whenever entries may have got the numbers of others; never 0.
  uint64_t revision = 1;
  uint64_t entries_evicted = 0;
  uint64_t entries_expired = 0;
};

int64_t Filter::State::Clamp(int64_t time_ms) const { return std::min(time_ms, time_max_ms); }

/// Drops the oldest entries, beyond capacity and below the horizon. What is left after a log of
/// entries and horizons does not depend on when in between this was called.
void Filter::State::Forget() {
  const uint64_t entries_max = options.window.entries_max;
  uint64_t begin_id = index->begin_id();
  const auto old = [&] { return index->time_ms(begin_id) < horizon_ms; };
  for (; index->end_id() - begin_id > entries_max; ++begin_id) {
    ++(old() ? entries_expired : entries_evicted);
  }
  for (; begin_id < index->end_id() && old(); ++begin_id) ++entries_expired;
  index->Expire(begin_id);
}

/// Of the entries there were, only the oldest can be gone: without the best one, the next one would
/// have to be looked for.
bool Filter::State::StillHolds(const LookedUp& found, int64_t time_ms) const {
  return found.revision == revision && found.time_ms == time_ms &&
         (!found.matches || found.id >= index->begin_id());
}

Result<std::unique_ptr<Filter>> Filter::New(const FilterOptions& options) {
  NEARDUP_TRY(CheckOptions(options));
  NEARDUP_ASSIGN(ChosenScheme chosen, ChooseScheme(options.scheme));
  auto index =
      chosen.scheme ? NewSketchEntries(std::move(chosen.scheme)) : NewFingerprintEntries(options);
  return std::unique_ptr<Filter>(new Filter(std::make_unique<State>(options, std::move(index))));
}

std::optional<uint64_t> FilterBytesMax(const FilterOptions& options, uint64_t uncommitted_max) {
  if (!options.scheme.is_own()) return std::nullopt;
  const uint64_t entries = options.window.entries_max + uncommitted_max;
  return Index::BytesMax({.match = options.match, .entries_max = options.window.entries_max},
                         entries) +
         std::bit_ceil(uncommitted_max) * sizeof(Entry);
}

Filter::Filter(std::unique_ptr<State> state) : state_(std::move(state)) {}
Filter::~Filter() = default;

void Filter::SetClock(int64_t now_ms) {
  const int64_t ahead_max_ms = state_->options.window.ahead_max_ms;
  state_->time_max_ms = now_ms > INT64_MAX - ahead_max_ms ? INT64_MAX : now_ms + ahead_max_ms;
}

void Filter::SetIdle(uint32_t input, bool idle) { state_->watermark.SetIdle(input, idle); }

void Filter::Prefetch(const FingerprintedRecord& record) const {
  if (!record.outcome.comparable()) return;
  state_->index->Prefetch(record);
}

void Filter::LookUp(std::span<const FingerprintedRecord> records, std::span<LookedUp> found) const {
  assert(records.size() == found.size());
  state_->index->LookUp(records, state_->time_max_ms, state_->options.window.window_ms, found);
  for (LookedUp& one : found) {
    if (one.revision != 0) one.revision = state_->revision;
  }
}

std::vector<Match> Filter::FindAll(const FingerprintedRecord& record) const {
  if (!record.outcome.comparable()) return {};
  return state_->index->FindAll(record, state_->Clamp(record.outcome.time_ms),
                                state_->options.window.window_ms);
}

Verdict Filter::Decide(const FingerprintedRecord& record) { return Decide(record, {}); }

Verdict Filter::Decide(const FingerprintedRecord& record, const LookedUp& found) {
  Verdict verdict;
  verdict.outcome = record.outcome;
  if (record.outcome.reason != Reason::kNone) {
    verdict.decision = Decision::kDeadLetter;
    return verdict;
  }
  // A record that passed has no payload and so perhaps no event time: it moves nothing.
  if (record.outcome.passed) return verdict;
  const int64_t time_ms = state_->Clamp(record.outcome.time_ms);
  verdict.outcome.time_ms = time_ms;
  verdict.clamped = time_ms != record.outcome.time_ms;
  verdict.late = time_ms < state_->horizon_ms;
  state_->watermark.Observe(record.position.input, time_ms);
  EntryIndex& index = *state_->index;
  const int64_t window_ms = state_->options.window.window_ms;
  const LookedUp* const ahead = state_->StillHolds(found, time_ms) ? &found : nullptr;
  if (const std::optional<Match> match = index.FindNearest(record, time_ms, window_ms, ahead)) {
    verdict.decision = Decision::kDuplicate;
    verdict.match = *match;
    return verdict;
  }
  state_->uncommitted.push_back(index.MakeEntry(record, time_ms));
  index.Insert(std::span(&state_->uncommitted.back(), 1));
  return verdict;
}

void Filter::Commit() {
  state_->uncommitted.clear();
  state_->watermark.Commit();
  const int64_t horizon_ms = HorizonAt(watermark_ms(), state_->options.window);
  state_->horizon_ms = std::max(state_->horizon_ms, horizon_ms);
  state_->Forget();
}

void Filter::Rollback() {
  state_->index->Rollback(state_->uncommitted);
  ++state_->revision;
  state_->uncommitted.clear();
  state_->watermark.Rollback();
}

std::span<const Entry> Filter::uncommitted() const { return state_->uncommitted; }

void Filter::Restore(std::span<const Entry> entries) {
  assert(state_->uncommitted.empty());
  state_->index->Insert(entries);
  ++state_->revision;
  state_->Forget();
}

void Filter::BeginRestore() { state_->index->BeginLoad(); }
void Filter::EndRestore() { state_->index->EndLoad(); }

void Filter::RestoreTime(uint32_t input, int64_t time_ms) {
  assert(state_->uncommitted.empty());
  state_->watermark.RestoreTime(input, time_ms);
}

void Filter::RestoreHorizon(int64_t horizon_ms) {
  assert(state_->uncommitted.empty());
  state_->horizon_ms = std::max(state_->horizon_ms, horizon_ms);
  state_->Forget();
}

int64_t Filter::watermark_ms() const { return state_->watermark.value_ms(); }
int64_t Filter::horizon_ms() const { return state_->horizon_ms; }
int64_t Filter::time_ms(uint32_t input) const { return state_->watermark.time_ms(input); }

uint64_t Filter::entries() const { return state_->index->end_id() - state_->index->begin_id(); }
uint64_t Filter::entries_evicted() const { return state_->entries_evicted; }
uint64_t Filter::entries_expired() const { return state_->entries_expired; }
uint64_t Filter::bytes() const {
  uint64_t sketch_bytes = 0;
  if (!state_->options.scheme.is_own()) {
    for (const Entry& entry : state_->uncommitted) sketch_bytes += entry.sketch.bytes();
  }
  return state_->index->bytes() + state_->uncommitted.capacity() * sizeof(Entry) + sketch_bytes;
}
uint64_t Filter::candidates() const { return state_->index->candidates(); }
std::optional<IndexStatistics> Filter::Statistics() const { return state_->index->Statistics(); }
int64_t Filter::oldest_time_ms() const {
  return entries() == 0 ? INT64_MIN : state_->index->time_ms(state_->index->begin_id());
}

}  // namespace neardup
