#include "neardup/filter.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <memory>
#include <optional>
#include <utility>

#include "filter/entry_index.h"
#include "filter/match_scheme.h"
#include "filter/near_entries.h"
#include "filter/watermark.h"

namespace neardup {

struct Filter::State {
  State(const FilterOptions& options_in, std::shared_ptr<const Scheme> scheme)
      : options(options_in),
        index(EntryIndex::New(options, std::move(scheme))),
        watermark(JumpMax(options.window)) {}

  int64_t Clamp(int64_t time_ms) const { return std::min(time_ms, time_max_ms); }
  /// The horizon behind all commits that have begun.
  int64_t next_horizon_ms() const { return committing ? committing->horizon_ms : horizon_ms; }

  FilterOptions options;
  std::unique_ptr<EntryIndex> index;
  Watermark watermark;
  std::vector<Entry> uncommitted;
  struct Committing {
    size_t entries = 0;      ///< how many of the uncommitted it covers
    int64_t horizon_ms = 0;  ///< afterwards
  };
  std::optional<Committing> committing;  ///< the coming Commit, if it has begun
  int64_t horizon_ms = INT64_MIN;
  int64_t time_max_ms = INT64_MAX;
  int64_t watermark_max_ms = INT64_MAX;  ///< a single record moves it no further
};

Result<std::unique_ptr<Filter>> Filter::New(const FilterOptions& options) {
  NEARDUP_TRY(CheckOptions(options));
  NEARDUP_ASSIGN(ChosenScheme chosen, ChooseScheme(options.scheme));
  return std::unique_ptr<Filter>(
      new Filter(std::make_unique<State>(options, std::move(chosen.scheme))));
}

std::optional<uint64_t> FilterBytesMax(const FilterOptions& options, uint64_t uncommitted_max) {
  if (!options.scheme.is_own()) return std::nullopt;
  const uint64_t entries = options.window.entries_max + uncommitted_max;
  return NearEntries::BytesMax(options, entries) + std::bit_ceil(uncommitted_max) * sizeof(Entry);
}

Filter::Filter(std::unique_ptr<State> state) : state_(std::move(state)) {}
Filter::~Filter() = default;

void Filter::SetClock(int64_t now_ms) {
  // If the clock is slow, times up to the watermark must stay as they are. Otherwise all of them
  // would be set back to the same time.
  const WindowOptions& window = state_->options.window;
  state_->time_max_ms = std::max(LatestTime(now_ms, window), watermark_ms());
  state_->watermark_max_ms =
      now_ms > INT64_MAX - JumpMax(window) ? INT64_MAX : now_ms + JumpMax(window);
}

void Filter::SetIdle(uint32_t input, bool idle) { state_->watermark.SetIdle(input, idle); }

void Filter::Prefetch(std::span<const FingerprintedRecord> records, size_t next) const {
  state_->index->Prefetch(records, next);
}

void Filter::LookUp(std::span<const FingerprintedRecord> records, std::span<LookedUp> found) const {
  assert(records.size() == found.size());
  state_->index->LookUp(records, state_->time_max_ms, found);
}

std::vector<Match> Filter::FindAll(const FingerprintedRecord& record) const {
  if (!record.outcome.comparable()) return {};
  return state_->index->FindAll(record, state_->Clamp(record.outcome.time_ms));
}

Verdict Filter::Decide(const FingerprintedRecord& record) { return Decide(record, {}); }

Verdict Filter::Decide(const FingerprintedRecord& record, const LookedUp& found) {
  Verdict verdict;
  verdict.outcome = record.outcome;
  if (record.outcome.reason != Reason::kNone) {
    verdict.decision = Decision::kDeadLetter;
    state_->watermark.Observe(record.position.input, INT64_MIN);
    return verdict;
  }
  if (record.outcome.passed) {
    // A null value may have no event time, so it does not move the watermark.
    state_->watermark.Observe(record.position.input, INT64_MIN);
    return verdict;
  }
  const int64_t time_ms = state_->Clamp(record.outcome.time_ms);
  verdict.outcome.time_ms = time_ms;
  verdict.clamped = time_ms != record.outcome.time_ms;
  verdict.late = time_ms < state_->next_horizon_ms();
  // A time that was set back says nothing about the others.
  state_->watermark.Observe(
      record.position.input,
      verdict.clamped ? INT64_MIN : std::min(time_ms, state_->watermark_max_ms));
  if (const std::optional<Match> match = state_->index->FindNearest(record, time_ms, found)) {
    verdict.match = *match;
    if (!match->suspect) {
      verdict.decision = Decision::kDuplicate;
      return verdict;
    }
  }
  state_->uncommitted.push_back(state_->index->Remember(record, time_ms));
  return verdict;
}

void Filter::BeginCommit() {
  state_->watermark.BeginCommit();
  const int64_t horizon_ms = HorizonAt(watermark_ms(), state_->options.window);
  state_->committing = {state_->uncommitted.size(), std::max(state_->horizon_ms, horizon_ms)};
  state_->index->Hide(state_->committing->horizon_ms);
}

void Filter::Commit() {
  if (!state_->committing) BeginCommit();
  std::vector<Entry>& uncommitted = state_->uncommitted;
  uncommitted.erase(uncommitted.begin(),
                    uncommitted.begin() + static_cast<std::ptrdiff_t>(state_->committing->entries));
  state_->horizon_ms = state_->committing->horizon_ms;
  state_->committing.reset();
  state_->watermark.Commit();
  state_->index->Forget(state_->horizon_ms, uncommitted.size());
}

void Filter::Rollback() {
  state_->index->Rollback(state_->uncommitted);
  state_->uncommitted.clear();
  state_->committing.reset();
  state_->watermark.Rollback();
}

std::span<const Entry> Filter::uncommitted() const { return state_->uncommitted; }

void Filter::KeepForgotten() { state_->index->KeepForgotten(); }
std::vector<ForgottenRecord> Filter::TakeForgotten() { return state_->index->TakeForgotten(); }

void Filter::Restore(std::span<const Entry> entries) {
  assert(state_->uncommitted.empty());
  state_->index->Restore(entries);
  state_->index->Forget(state_->horizon_ms, 0);
}

void Filter::BeginRestore() { state_->index->BeginRestore(); }
void Filter::EndRestore() { state_->index->EndRestore(); }

void Filter::RestoreTime(uint32_t input, int64_t time_ms) {
  assert(state_->uncommitted.empty());
  state_->watermark.RestoreTime(input, time_ms);
}

void Filter::RestoreHorizon(int64_t horizon_ms) {
  assert(state_->uncommitted.empty());
  state_->horizon_ms = std::max(state_->horizon_ms, horizon_ms);
  state_->index->Forget(state_->horizon_ms, 0);
}

int64_t Filter::watermark_ms() const { return state_->watermark.value_ms(); }
int64_t Filter::horizon_ms() const { return state_->horizon_ms; }
int64_t Filter::time_ms(uint32_t input) const { return state_->watermark.time_ms(input); }

uint64_t Filter::entries() const { return state_->index->size(); }
uint64_t Filter::begin_number() const { return state_->index->begin_number(); }
uint64_t Filter::end_number() const { return state_->index->end_number(); }
uint64_t Filter::entries_evicted() const { return state_->index->forgotten().evicted; }
uint64_t Filter::entries_expired() const { return state_->index->forgotten().expired; }
uint64_t Filter::bytes() const {
  uint64_t sketch_bytes = 0;
  if (!state_->options.scheme.is_own()) {
    for (const Entry& entry : state_->uncommitted)
      sketch_bytes += sizeof(Sketch) + entry.sketch->bytes();
  }
  return state_->index->bytes() + state_->uncommitted.capacity() * sizeof(Entry) + sketch_bytes;
}
uint64_t Filter::candidates() const { return state_->index->candidates(); }
uint64_t Filter::keys_refused() const { return state_->index->keys_refused(); }
std::optional<IndexStatistics> Filter::Statistics() const { return state_->index->Statistics(); }
int64_t Filter::oldest_time_ms() const { return state_->index->oldest_time_ms(); }

}  // namespace neardup
