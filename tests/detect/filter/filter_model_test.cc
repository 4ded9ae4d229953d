// Compares the filter with one that scans a vector of all entries, over random records of three
// inputs with times out of order, and random commits and rollbacks. Also tests the promise that a
// changelog relies on: a fresh filter with the committed entries decides later records in the same
// way.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <span>
#include <tuple>
#include <vector>

#include "neardup/filter.h"

namespace neardup {
namespace {

class ScannedFilter {
 public:
  explicit ScannedFilter(const FilterOptions& options) : options_(options) {}

  Verdict Decide(const FingerprintedRecord& record) {
    Verdict verdict;
    if (record.outcome.reason != Reason::kNone) {
      verdict.decision = Decision::kDeadLetter;
      verdict.outcome.reason = record.outcome.reason;
      return verdict;
    }
    now_.seen[record.position.input].push_back(record.outcome.time_ms);
    verdict.late =
        record.outcome.time_ms < (committing_ ? committing_->after.horizon_ms : now_.horizon_ms);
    const Entry* best = nullptr;
    // What the commit that has begun will drop is not found any more.
    const size_t hidden =
        committing_ ? committing_->entries - committing_->after.entries.size() : 0;
    for (const Entry& entry : std::span(now_.entries).subspan(hidden)) {
      if (Matches(entry, record) && (!best || Rank(entry, record) < Rank(*best, record))) {
        best = &entry;
      }
    }
    const bool suspects =
        !best && options_.match.suspect_distance_max > options_.match.distance_max;
    if (suspects) {
      for (const Entry& entry : std::span(now_.entries).subspan(hidden)) {
        if (IsSuspect(entry, record) && (!best || Rank(entry, record) < Rank(*best, record))) {
          best = &entry;
        }
      }
    }
    const bool unique = !best || suspects;
    verdict.match.suspect = best && suspects;
    verdict.decision = unique ? Decision::kUnique : Decision::kDuplicate;
    if (best) Name(*best, record, verdict);
    if (unique) {
      now_.entries.push_back({record.fingerprint, record.outcome.time_ms, record.position, {}});
    }
    return verdict;
  }
  static void Name(const Entry& best, const FingerprintedRecord& record, Verdict& verdict) {
    verdict.match.original = best.origin;
    verdict.match.kind = std::get<MatchKind>(Rank(best, record));
    verdict.match.distance = std::popcount(best.fingerprint.simhash ^ record.fingerprint.simhash);
  }
  void BeginCommit() {
    now_.watermark_ms = Watermark();
    for (const auto& [input, times] : now_.seen) now_.times[input] = TimeOf(input);
    now_.seen.clear();
    committing_ = {now_.entries.size(), Committed(now_)};
  }
  void Commit() {
    if (!committing_) BeginCommit();
    committed_ = committing_->after;
    const std::vector<Entry> later(
        now_.entries.begin() + static_cast<std::ptrdiff_t>(committing_->entries),
        now_.entries.end());
    committing_.reset();
    now_.entries = committed_.entries;
    now_.entries.insert(now_.entries.end(), later.begin(), later.end());
    now_.horizon_ms = committed_.horizon_ms;
    now_.expired = committed_.expired;
    now_.evicted = committed_.evicted;
  }
  void Rollback() {
    now_ = committed_;
    committing_.reset();
  }

  void ExpectSameState(const Filter& filter) const {
    ASSERT_EQ(filter.entries(), now_.entries.size());
    ASSERT_EQ(filter.uncommitted().size(), now_.entries.size() - committed_.entries.size());
    ASSERT_EQ(filter.watermark_ms(), Watermark());
    ASSERT_EQ(filter.horizon_ms(), now_.horizon_ms);
    ASSERT_EQ(filter.entries_expired(), now_.expired);
    ASSERT_EQ(filter.entries_evicted(), now_.evicted);
    ASSERT_EQ(filter.oldest_time_ms(),
              now_.entries.empty() ? INT64_MIN : now_.entries.front().time_ms);
  }

 private:
  struct State {
    std::vector<Entry> entries;
    std::map<uint32_t, int64_t> times;
    std::map<uint32_t, std::vector<int64_t>> seen;  ///< times since the last commit has begun
    int64_t watermark_ms = INT64_MIN;
    int64_t horizon_ms = INT64_MIN;
    uint64_t expired = 0;
    uint64_t evicted = 0;
  };
  struct Committing {
    size_t entries = 0;
    State after;
  };

  State Committed(State state) const {
    if (state.watermark_ms != INT64_MIN) {
      state.horizon_ms = std::max(state.horizon_ms, state.watermark_ms - options_.window.window_ms -
                                                        options_.window.lateness_ms);
    }
    const auto drop = [&state] {
      const bool old = state.entries.front().time_ms < state.horizon_ms;
      ++(old ? state.expired : state.evicted);
      state.entries.erase(state.entries.begin());
    };
    while (state.entries.size() > options_.window.entries_max) drop();
    while (!state.entries.empty() && state.entries.front().time_ms < state.horizon_ms) drop();
    return state;
  }

  int64_t TimeOf(uint32_t input) const {
    constexpr size_t kWitnesses = 10;
    const auto before = now_.times.find(input);
    int64_t time_ms = before == now_.times.end() ? INT64_MIN : before->second;
    std::vector<int64_t> times =
        now_.seen.contains(input) ? now_.seen.at(input) : std::vector<int64_t>();
    std::sort(times.begin(), times.end());
    int64_t most_ms = INT64_MAX;
    if (times.size() >= kWitnesses) {
      most_ms = std::max(time_ms, times[times.size() - kWitnesses]) + options_.window.window_ms / 4;
    }
    for (const int64_t each : times) {
      if (each <= most_ms) time_ms = std::max(time_ms, each);
    }
    return time_ms;
  }

  int64_t Watermark() const {
    std::set<uint32_t> inputs;
    for (const auto& [input, time_ms] : now_.times) inputs.insert(input);
    for (const auto& [input, times] : now_.seen) inputs.insert(input);
    int64_t smallest_ms = INT64_MAX;
    for (const uint32_t input : inputs) smallest_ms = std::min(smallest_ms, TimeOf(input));
    return inputs.empty() ? now_.watermark_ms : std::max(now_.watermark_ms, smallest_ms);
  }
  /// Smaller is better; among equals the oldest wins.
  static std::tuple<MatchKind, int> Rank(const Entry& entry, const FingerprintedRecord& record) {
    const Fingerprint& ours = entry.fingerprint;
    const Fingerprint& theirs = record.fingerprint;
    if (ours.exact == theirs.exact) return {MatchKind::kExact, 0};
    return {MatchKind::kNear, std::popcount(ours.simhash ^ theirs.simhash) +
                                  std::popcount(ours.order ^ theirs.order)};
  }
  bool Matches(const Entry& entry, const FingerprintedRecord& record) const {
    const auto [kind, sum] = Rank(entry, record);
    const int distance = std::popcount(entry.fingerprint.simhash ^ record.fingerprint.simhash);
    const MatchOptions& match = options_.match;
    const bool near =
        match.distance_max > 0 && distance <= match.distance_max &&
        distance * static_cast<int>(match.features_per_bit) <= static_cast<int>(record.features) &&
        sum <= match.distance_sum_max && !Conflict(entry, record);
    return (kind == MatchKind::kExact || near) &&
           std::abs(entry.time_ms - record.outcome.time_ms) <= options_.window.window_ms &&
           entry.origin != record.position;
  }

  /// The records of the source have fewer than 50 tokens: none of their numbers may conflict.
  bool Conflict(const Entry& entry, const FingerprintedRecord& record) const {
    const uint64_t ours = entry.fingerprint.numbers;
    const uint64_t theirs = record.fingerprint.numbers;
    return options_.match.numbers && (ours & ~theirs) != 0 && (theirs & ~ours) != 0;
  }
  bool IsSuspect(const Entry& entry, const FingerprintedRecord& record) const {
    const auto [kind, sum] = Rank(entry, record);
    const MatchOptions& match = options_.match;
    const int distance = std::popcount(entry.fingerprint.simhash ^ record.fingerprint.simhash);
    return match.distance_max > 0 && distance <= match.suspect_distance_max &&
           sum <= match.distance_sum_max + match.suspect_distance_max - match.distance_max &&
           !Conflict(entry, record) &&
           std::abs(entry.time_ms - record.outcome.time_ms) <= options_.window.window_ms &&
           entry.origin != record.position;
  }

  FilterOptions options_;
  State now_;
  State committed_;
  std::optional<Committing> committing_;
};

/// Records of three inputs around a few centres, with times that rise overall but are not in order.
class RecordSource {
 public:
  RecordSource(uint64_t seed, bool keys) : random_(seed), keys_(keys) {
    for (uint64_t& centre : centres_) centre = random_();
  }
  FingerprintedRecord Next() {
    FingerprintedRecord record;
    const auto input = static_cast<uint32_t>(random_() % 3);
    record.position = {input, random_() % 50 == 0 ? offsets_[input] : ++offsets_[input]};
    time_ms_ += static_cast<int64_t>(random_() % 20);
    record.outcome.time_ms = time_ms_ - static_cast<int64_t>(random_() % 600) * (input + 1);
    uint64_t code = random_() % 4 == 0 ? random_() : centres_[random_() % std::size(centres_)];
    const uint64_t centre = code;
    uint64_t order = ~code;
    for (uint64_t flips = random_() % 6; flips > 0; --flips) code ^= uint64_t{1} << random_() % 64;
    const uint64_t order_flips = random_() % 2 * (random_() % 8);
    for (uint64_t flips = order_flips; flips > 0; --flips) order ^= uint64_t{1} << random_() % 64;
    record.fingerprint = {
        code, order,
        code * 0x9e3779b97f4a7c15 ^ std::rotl(order * 0xc2b2ae3d27d4eb4f, 29) ^ random_() % 2, 0};
    // Equal records have equal numbers; of the others, two in nine pairs conflict.
    record.fingerprint.numbers = record.fingerprint.exact % 3 + 1;
    record.features = static_cast<uint32_t>(random_() % 40);
    if (keys_) AddKeys(centre, record.text_keys);
    if (random_() % 40 == 0) record.outcome.reason = Reason::kParse;
    return record;
  }
  uint64_t Dice(uint64_t sides) { return random_() % sides; }

 private:
  /// Some keys of the text's own, and some of a stock that all texts share.
  void AddKeys(uint64_t centre, ProbedKeys& keys) {
    for (uint32_t i = 0; i < 8; ++i) {
      const bool own = random_() % 3 != 0;
      const uint64_t text = own ? centre >> 40 : random_() % 20;
      if (random_() % 5 != 0) keys.Add(static_cast<uint32_t>(text << 4) | (i + 1));
    }
  }

  std::mt19937_64 random_;
  bool keys_;
  uint64_t centres_[300];
  int64_t offsets_[3] = {};
  int64_t time_ms_ = 1'700'000'000'000;
};

void ExpectSame(const Verdict& a, const Verdict& b) {
  ASSERT_EQ(a.decision, b.decision);
  ASSERT_EQ(a.outcome.reason, b.outcome.reason);
  ASSERT_EQ(a.late, b.late);
  ASSERT_EQ(a.match.suspect, b.match.suspect);
  if (!a.has_match()) return;
  ASSERT_EQ(a.match.original, b.match.original);
  ASSERT_EQ(a.match.distance, b.match.distance);
  ASSERT_EQ(a.match.kind, b.match.kind);
}

FilterOptions TestOptions(int distance_max, bool small, int suspect_distance_max = 0) {
  FilterOptions options;
  options.match.distance_max = distance_max;
  options.match.distance_sum_max = 12;
  options.match.suspect_distance_max = suspect_distance_max;
  options.match.neighbours = true;  // so that up to distance 7 every match is found
  options.window = {.window_ms = small ? 30'000 : 8'000,
                    .lateness_ms = 500,
                    .ahead_max_ms = 1000,
                    .entries_max = small ? uint64_t{1000} : uint64_t{100'000}};
  return options;
}

class FilterModel : public testing::TestWithParam<std::tuple<int, bool, int>> {};

TEST_P(FilterModel, DecidesAsAFullScanDoes) {
  const auto [distance_max, small, suspect_distance_max] = GetParam();
  const FilterOptions options = TestOptions(distance_max, small, suspect_distance_max);
  const uint64_t seed = 500 + static_cast<uint64_t>(distance_max);
  SCOPED_TRACE("seed " + std::to_string(seed));
  RecordSource records(seed, false);
  auto filter = Filter::New(options);
  ASSERT_TRUE(filter.ok());
  ScannedFilter model(options);
  size_t duplicates = 0;
  size_t suspects = 0;
  for (int step = 0; step < 9000; ++step) {
    SCOPED_TRACE("step " + std::to_string(step));
    const FingerprintedRecord record = records.Next();
    const Verdict verdict = (*filter)->Decide(record);
    ExpectSame(verdict, model.Decide(record));
    duplicates += verdict.decision == Decision::kDuplicate ? 1 : 0;
    suspects += verdict.is_suspect() ? 1 : 0;
    const uint64_t dice = records.Dice(200);
    if (dice < 2) {
      (*filter)->BeginCommit();
      model.BeginCommit();
    } else if (dice < 6) {
      (*filter)->Commit();
      model.Commit();
    } else if (dice == 6) {
      (*filter)->Rollback();
      model.Rollback();
    }
    model.ExpectSameState(**filter);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(duplicates, 20U);
  EXPECT_EQ(suspects > 20, distance_max > 0 && suspect_distance_max > distance_max);
  EXPECT_GT(small ? (*filter)->entries_evicted() : (*filter)->entries_expired(), 1000U);
}

INSTANTIATE_TEST_SUITE_P(EveryDistance, FilterModel,
                         testing::Combine(testing::Range(0, 8), testing::Bool(),
                                          testing::Values(0, 7)));

TEST(FilterRestore, AFreshFilterWithTheCommittedEntriesDecidesLaterRecordsTheSame) {
  for (uint64_t seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    FilterOptions options = TestOptions(static_cast<int>(seed % 13), seed % 3 == 0);
    options.match.neighbours = seed % 4 == 0;
    options.match.widen = seed % 2 == 0;
    options.match.suspect_distance_max = seed % 3 == 1 ? options.match.distance_max + 3 : 0;
    RecordSource records(seed, true);
    auto filter = Filter::New(options);
    auto restored = Filter::New(options);
    ASSERT_TRUE(filter.ok() && restored.ok());
    std::vector<Entry> log;
    size_t keys = 0;
    for (int step = 0; step < 4000; ++step) {
      (*filter)->Decide(records.Next());
      const uint64_t dice = records.Dice(100);
      if (dice < 2 || step == 3999) {
        const auto entries = (*filter)->uncommitted();
        log.insert(log.end(), entries.begin(), entries.end());
        for (const Entry& entry : entries) keys += entry.text_keys.keys().size();
        (*filter)->Commit();
      } else if (dice == 2) {
        (*filter)->Rollback();
      }
    }
    EXPECT_EQ(keys > 500, options.match.distance_max > 0);
    // Two portions, because it must not matter how the log is cut.
    const size_t cut = records.Dice(log.size());
    (*restored)->Restore(std::span(log).first(cut));
    (*restored)->Restore(std::span(log).subspan(cut));
    for (uint32_t input = 0; input < 3; ++input) {
      (*restored)->RestoreTime(input, (*filter)->time_ms(input));
    }
    (*restored)->RestoreHorizon((*filter)->horizon_ms());
    EXPECT_EQ((*restored)->entries(), (*filter)->entries());
    EXPECT_EQ((*restored)->watermark_ms(), (*filter)->watermark_ms());
    for (int step = 0; step < 4000; ++step) {
      const FingerprintedRecord record = records.Next();
      ExpectSame((*restored)->Decide(record), (*filter)->Decide(record));
      ASSERT_EQ((*restored)->watermark_ms(), (*filter)->watermark_ms());
      if (HasFatalFailure()) return;
      if (records.Dice(50) == 0) {
        (*filter)->Commit();
        (*restored)->Commit();
        ASSERT_EQ((*restored)->entries(), (*filter)->entries());
      }
    }
  }
}

}  // namespace
}  // namespace neardup
