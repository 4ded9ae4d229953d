#include "neardup/filter.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <memory>
#include <optional>
#include <utility>

#include "detect/filter/remembered_entries.h"
#include "detect/filter/watermark.h"

namespace neardup {

struct Filter::State {
  explicit State(const FilterOptions& options_in)
      : options(options_in), entries(options), watermark(JumpMax(options.window)) {}

  int64_t Clamp(int64_t time_ms) const { return std::min(time_ms, time_max_ms); }
  /// The horizon after all commits that have begun.
  int64_t next_horizon_ms() const { return committing ? committing->horizon_ms : horizon_ms; }

  FilterOptions options;
  RememberedEntries entries;
  Watermark watermark;
  std::vector<Entry> uncommitted;
  struct Committing {
    size_t count = 0;        ///< how many of the uncommitted it covers
    int64_t horizon_ms = 0;  ///< afterwards
  };
  std::optional<Committing> committing;  ///< the coming Commit, if it has begun
  int64_t horizon_ms = INT64_MIN;
  int64_t time_max_ms = INT64_MAX;
  int64_t watermark_max_ms = INT64_MAX;  ///< a single record moves it no further
};

Result<std::unique_ptr<Filter>> Filter::New(const FilterOptions& options) {
  NEARDUP_TRY(CheckOptions(options));
  return std::unique_ptr<Filter>(new Filter(std::make_unique<State>(options)));
}

uint64_t FilterBytesMax(const FilterOptions& options, uint64_t uncommitted_max) {
  const uint64_t entries = options.window.entries_max + uncommitted_max;
  return RememberedEntries::BytesMax(options, entries) +
         std::bit_ceil(uncommitted_max) * sizeof(Entry);
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

void Filter::SetRetired(uint32_t input, bool retired) {
  state_->entries.SetRetired(input, retired);
}

void Filter::Prefetch(std::span<const FingerprintedRecord> records, size_t next) const {
  state_->entries.Prefetch(records, next);
}

void Filter::LookUp(std::span<const FingerprintedRecord> records, std::span<LookedUp> found) const {
  assert(records.size() == found.size());
  state_->entries.LookUp(records, state_->time_max_ms, found);
}

std::vector<Match> Filter::FindAll(const FingerprintedRecord& record) const {
  if (!record.outcome.comparable()) return {};
  return state_->entries.FindAll(record, state_->Clamp(record.outcome.time_ms));
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
  if (const std::optional<Match> match = state_->entries.FindNearest(record, time_ms, found)) {
    verdict.match = *match;
    if (!match->suspect) {
      verdict.decision = Decision::kDuplicate;
      return verdict;
    }
  }
  state_->uncommitted.push_back(state_->entries.Remember(record, time_ms));
  return verdict;
}

void Filter::BeginCommit() {
  state_->watermark.BeginCommit();
  const int64_t horizon_ms = HorizonAt(watermark_ms(), state_->options.window);
  state_->committing = {state_->uncommitted.size(), std::max(state_->horizon_ms, horizon_ms)};
  state_->entries.Hide(state_->committing->horizon_ms);
}

void Filter::Commit() {
  if (!state_->committing) BeginCommit();
  std::vector<Entry>& uncommitted = state_->uncommitted;
  uncommitted.erase(uncommitted.begin(),
                    uncommitted.begin() + static_cast<std::ptrdiff_t>(state_->committing->count));
  state_->horizon_ms = state_->committing->horizon_ms;
  state_->committing.reset();
  state_->watermark.Commit();
  state_->entries.Forget(state_->horizon_ms, uncommitted.size());
}

void Filter::Rollback() {
  state_->entries.Rollback(state_->uncommitted);
  state_->uncommitted.clear();
  state_->committing.reset();
  state_->watermark.Rollback();
}

std::span<const Entry> Filter::uncommitted() const { return state_->uncommitted; }

void Filter::KeepForgotten() { state_->entries.KeepForgotten(); }
std::vector<ForgottenRecord> Filter::TakeForgotten() { return state_->entries.TakeForgotten(); }

void Filter::Restore(std::span<const Entry> entries) {
  assert(state_->uncommitted.empty());
  state_->entries.Restore(entries);
  state_->entries.Forget(state_->horizon_ms, 0);
}

void Filter::BeginRestore() { state_->entries.BeginRestore(); }
void Filter::EndRestore() { state_->entries.EndRestore(); }

void Filter::RestoreTime(uint32_t input, int64_t time_ms) {
  assert(state_->uncommitted.empty());
  state_->watermark.RestoreTime(input, time_ms);
}

void Filter::RestoreHorizon(int64_t horizon_ms) {
  assert(state_->uncommitted.empty());
  state_->horizon_ms = std::max(state_->horizon_ms, horizon_ms);
  state_->entries.Forget(state_->horizon_ms, 0);
}

int64_t Filter::watermark_ms() const { return state_->watermark.value_ms(); }
int64_t Filter::horizon_ms() const { return state_->horizon_ms; }
int64_t Filter::time_ms(uint32_t input) const { return state_->watermark.time_ms(input); }

uint64_t Filter::entries() const { return state_->entries.size(); }
uint64_t Filter::begin_number() const { return state_->entries.begin_number(); }
uint64_t Filter::end_number() const { return state_->entries.end_number(); }
uint64_t Filter::entries_evicted() const { return state_->entries.forgotten().evicted; }
uint64_t Filter::entries_expired() const { return state_->entries.forgotten().expired; }
uint64_t Filter::bytes() const {
  return state_->entries.bytes() + state_->uncommitted.capacity() * sizeof(Entry);
}
uint64_t Filter::candidates() const { return state_->entries.candidates(); }
uint64_t Filter::keys_refused() const { return state_->entries.keys_refused(); }
IndexStatistics Filter::Statistics() const { return state_->entries.Statistics(); }
int64_t Filter::oldest_time_ms() const { return state_->entries.oldest_time_ms(); }

}  // namespace neardup
