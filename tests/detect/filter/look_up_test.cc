// A batch that is looked up ahead, in parts on any number of threads, is decided exactly as if its
// records came one after the other, even with commits, rollbacks, restores and clock changes in the
// middle of the batch.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "neardup/filter.h"

namespace neardup {
namespace {

/// Records around a few centres, with a few text keys. Many repeat a record of the same batch, at
/// equal distances, and many are beyond the guarantee. Some have a position that was used before.
class Source {
 public:
  explicit Source(uint64_t seed) : random_(seed) {
    for (uint64_t& centre : centres_) centre = random_();
  }

  std::vector<FingerprintedRecord> Batch(size_t count) {
    std::vector<FingerprintedRecord> batch;
    while (batch.size() < count) batch.push_back(Next());
    return batch;
  }
  uint64_t Below(uint64_t end) { return random_() % end; }

 private:
  FingerprintedRecord Next() {
    FingerprintedRecord record;
    ++offset_;
    record.position = {static_cast<uint32_t>(Below(2)),
                       offset_ - static_cast<int64_t>(Below(20) == 0 ? Below(30) : 0)};
    record.outcome.time_ms = offset_ * 3 - static_cast<int64_t>(Below(400));
    record.features = 20 + static_cast<uint32_t>(Below(40));
    const uint64_t centre = centres_[Below(std::size(centres_))];
    record.fingerprint = {Flipped(centre, Below(12)), Flipped(~centre, Below(14)), 0};
    record.fingerprint.exact = record.fingerprint.simhash * 31 ^ record.fingerprint.order * 17;
    for (uint32_t key = 1; key <= Below(9); ++key) {
      record.text_keys.Add((key << 8 | static_cast<uint32_t>(Below(25))) << 16);
    }
    if (Below(30) == 0) record.outcome.passed = true;
    if (Below(30) == 0) record.outcome.Fail(Reason::kParse, "not JSON");
    return record;
  }
  uint64_t Flipped(uint64_t code, uint64_t flips) {
    for (; flips > 0; --flips) code ^= uint64_t{1} << Below(64);
    return code;
  }

  std::mt19937_64 random_;
  uint64_t centres_[6];
  int64_t offset_ = 40;
};

std::vector<LookedUp> LookUpOn(const Filter& filter, const std::vector<FingerprintedRecord>& batch,
                               size_t thread_count) {
  std::vector<LookedUp> found(batch.size());
  std::vector<std::thread> threads;
  for (size_t i = 0; i < thread_count; ++i) {
    const size_t begin = batch.size() * i / thread_count;
    const size_t count = batch.size() * (i + 1) / thread_count - begin;
    threads.emplace_back([&filter, &batch, &found, begin, count] {
      filter.LookUp(std::span(batch).subspan(begin, count), std::span(found).subspan(begin, count));
    });
  }
  for (std::thread& thread : threads) thread.join();
  return found;
}

/// What a run met, so that the test can check that it covered enough.
struct Met {
  size_t within_a_batch = 0;
  size_t before_it = 0;
  size_t unique = 0;
};

/// Two filters that get the same calls and must give the same verdicts.
class Twins {
 public:
  explicit Twins(const FilterOptions& options)
      : options_(options), alone_(NewFilter()), ahead_(NewFilter()) {}

  void Decide(const std::vector<FingerprintedRecord>& batch, size_t threads, Source& dice) {
    const std::vector<LookedUp> found = LookUpOn(*ahead_, batch, threads);
    for (size_t i = 0; i < batch.size(); ++i) {
      if (dice.Below(150) == 0) Interrupt(dice);
      const Verdict expected = alone_->Decide(batch[i]);
      const Verdict verdict = ahead_->Decide(batch[i], found[i]);
      ASSERT_EQ(Told(verdict), Told(expected)) << "record " << i;
      const auto is_original = [&](const FingerprintedRecord& earlier) {
        return expected.match.original == earlier.position;
      };
      const auto earlier = batch.begin() + static_cast<int64_t>(i);
      if (expected.decision == Decision::kUnique) {
        ++met.unique;
      } else if (std::any_of(batch.begin(), earlier, is_original)) {
        ++met.within_a_batch;
      } else {
        ++met.before_it;
      }
    }
    ExpectEqualState();
  }
  void ExpectEqualStatistics() const { EXPECT_EQ(ahead_->Statistics(), alone_->Statistics()); }
  Met met;

 private:
  std::unique_ptr<Filter> NewFilter() const { return std::move(Filter::New(options_)).value(); }

  using Telling = std::tuple<Decision, Reason, Position, int, MatchKind, bool, bool, bool>;
  static Telling Told(const Verdict& verdict) {
    return {verdict.decision,       verdict.outcome.reason, verdict.match.original,
            verdict.match.distance, verdict.match.kind,     verdict.late,
            verdict.clamped,        verdict.outcome.passed};
  }
  void Interrupt(Source& dice) {
    const uint64_t kind = dice.Below(4);
    if (kind == 3) now_ms_ += static_cast<int64_t>(dice.Below(300));
    std::vector<Entry> log(alone_->uncommitted().begin(), alone_->uncommitted().end());
    for (Filter* filter : {alone_.get(), ahead_.get()}) {
      if (kind == 0) filter->Commit();
      if (kind == 1) filter->Rollback();
      if (kind == 2) {  // other entries get the same numbers
        filter->Rollback();
        std::reverse(log.begin(), log.end());
        filter->Restore(log);
        std::reverse(log.begin(), log.end());
      }
      if (kind == 3) filter->SetClock(now_ms_);
    }
  }
  void ExpectEqualState() const {
    const auto entries = ahead_->uncommitted();
    ASSERT_TRUE(std::equal(entries.begin(), entries.end(), alone_->uncommitted().begin(),
                           alone_->uncommitted().end()));
    ASSERT_EQ(ahead_->entries(), alone_->entries());
    // Some entries that were compared ahead had expired when the record was decided.
    ASSERT_GE(ahead_->candidates(), alone_->candidates());
    ASSERT_LE(ahead_->candidates(), alone_->candidates() * 11 / 10 + 100);
    ASSERT_EQ(ahead_->watermark_ms(), alone_->watermark_ms());
  }

  FilterOptions options_;
  std::unique_ptr<Filter> alone_;
  std::unique_ptr<Filter> ahead_;
  int64_t now_ms_ = 1000;
};

class LookUp : public testing::TestWithParam<std::tuple<size_t, bool>> {};

TEST_P(LookUp, DecidesBatchesAsIfRecordsCameOneByOne) {
  const auto [threads, neighbours] = GetParam();
  for (const bool text_keys : {false, true}) {
    const uint64_t seed = 8 * threads + (neighbours ? 2 : 0) + (text_keys ? 1 : 0);
    SCOPED_TRACE("seed " + std::to_string(seed));
    FilterOptions options;
    options.match.neighbours = neighbours;
    options.match.text_keys = text_keys;
    options.match.widen = text_keys;
    options.window = {
        .window_ms = 4000, .lateness_ms = 100, .ahead_max_ms = 500, .entries_max = 1000};
    Twins twins(options);
    Source source(seed);
    for (const size_t size : {1, 2, 7, 64, 100, 257, 1000, 3000, 31, 500}) {
      twins.Decide(source.Batch(size), threads, source);
      if (HasFatalFailure()) return;
    }
    twins.ExpectEqualStatistics();
    EXPECT_GT(twins.met.within_a_batch, 100U);
    EXPECT_GT(twins.met.before_it, 100U);
    EXPECT_GT(twins.met.unique, 500U);
  }
}

INSTANTIATE_TEST_SUITE_P(Threads, LookUp,
                         testing::Combine(testing::Values<size_t>(1, 2, 3, 8), testing::Bool()));

FingerprintedRecord RecordOf(int64_t offset, uint64_t simhash) {
  FingerprintedRecord record;
  record.position = {0, offset};
  record.fingerprint = {simhash, 0, simhash * 3 + 1};
  record.features = 100;
  return record;
}

TEST(FindAll, ListsTheMatchOfDecideFirstAndThenAllOthers) {
  FilterOptions options;
  options.match = {.distance_max = 3, .distance_sum_max = 3};
  auto filter = std::move(Filter::New(options)).value();
  EXPECT_TRUE(filter->FindAll(RecordOf(9, 0)).empty());
  // The first three are 4 bits from each other and 2 bits from the record that is looked up.
  for (const auto& [offset, simhash] : std::vector<std::pair<int64_t, uint64_t>>{
           {1, 0b0011}, {2, 0b1100}, {3, 0b110000}, {4, 0xffff}}) {
    ASSERT_EQ(filter->Decide(RecordOf(offset, simhash)).decision, Decision::kUnique);
  }
  const FingerprintedRecord sought = RecordOf(9, 0);
  const auto all = filter->FindAll(sought);
  ASSERT_EQ(all.size(), 3U);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(all[i], (Match{{0, static_cast<int64_t>(i) + 1}, 0, 2, MatchKind::kNear}));
  }
  EXPECT_EQ(filter->entries(), 4U);
  EXPECT_EQ(filter->Decide(sought).match.original, all[0].original);
  FingerprintedRecord passed = sought;
  passed.outcome.passed = true;
  EXPECT_TRUE(filter->FindAll(passed).empty());
  FingerprintedRecord late = sought;
  late.outcome.time_ms = options.window.window_ms + 1;
  EXPECT_TRUE(filter->FindAll(late).empty());
}

TEST(FilterStatistics, ShowHotBlocksAndHotKeys) {
  FilterOptions options;
  options.match = {.distance_max = 3, .distance_sum_max = 3};
  auto filter = std::move(Filter::New(options)).value();
  std::mt19937_64 random(1);
  EXPECT_EQ(filter->Statistics(), IndexStatistics());
  for (int64_t i = 0; i < 3000; ++i) {  // all share one block and one key
    FingerprintedRecord record = RecordOf(i, random() << 16 | 7);
    record.text_keys.Add(77);
    ASSERT_EQ(filter->Decide(record).decision, Decision::kUnique);
  }
  const IndexStatistics statistics = filter->Statistics();
  EXPECT_EQ(statistics.bucket_max, 3000U);
  EXPECT_EQ(statistics.bucket_median, 0U);
  EXPECT_EQ(statistics.bucket_p99, 1U);
  EXPECT_EQ(statistics.keys_refused, 2992U) << "a key leads to eight entries";
  EXPECT_EQ(statistics.full_key_lines_share, 0);
}

}  // namespace
}  // namespace neardup
