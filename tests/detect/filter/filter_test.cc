// The rules of the filter one by one. filter_model_test.cc compares it with a full scan.
#include "neardup/filter.h"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <string>

namespace neardup {
namespace {

constexpr uint64_t kCode = 0x0123456789abcdef;

FilterOptions SmallOptions() {
  FilterOptions options;
  options.match.distance_max = 3;
  options.window = {
      .window_ms = 1000, .lateness_ms = 100, .ahead_max_ms = 500, .entries_max = 1000};
  return options;
}

std::unique_ptr<Filter> MakeFilter(const FilterOptions& options = SmallOptions()) {
  auto filter = Filter::New(options);
  EXPECT_TRUE(filter.ok());
  return std::move(filter).value();
}

FingerprintedRecord MakeRecord(int64_t offset, int64_t time_ms, uint64_t code, uint32_t input = 0) {
  FingerprintedRecord record;
  record.position = {input, offset};
  record.outcome.time_ms = time_ms;
  record.fingerprint = {code, ~code, code * 31};
  record.features = 50;
  return record;
}

TEST(Filter, RefusesOptionsOutOfRange) {
  FilterOptions options = SmallOptions();
  options.match.distance_max = 13;
  const auto filter = Filter::New(options);
  ASSERT_FALSE(filter.ok());
  EXPECT_EQ(filter.error().code, ErrorCode::kConfig);
}

TEST(Filter, AClampedTimeMovesNothing) {
  auto filter = MakeFilter();
  filter->SetClock(1'000'000);
  filter->Decide(MakeRecord(1, 1000, kCode));
  EXPECT_TRUE(filter->Decide(MakeRecord(2, INT64_MAX, ~kCode)).clamped);
  filter->Commit();
  EXPECT_EQ(filter->watermark_ms(), 1000);
  EXPECT_EQ(filter->Decide(MakeRecord(3, 1000, kCode)).decision, Decision::kDuplicate);
}

TEST(Filter, FindsCopiesAlthoughItsClockIsLate) {
  auto filter = MakeFilter();
  filter->Decide(MakeRecord(1, 1'000'000, kCode));
  filter->Commit();
  filter->SetClock(1000);  // longer ago than the window
  const Verdict copy = filter->Decide(MakeRecord(2, 1'000'100, kCode));
  EXPECT_EQ(copy.decision, Decision::kDuplicate);
  EXPECT_FALSE(copy.late);
  EXPECT_TRUE(copy.clamped);
  EXPECT_EQ(copy.outcome.time_ms, 1'000'000) << "not set back below the watermark";
}

TEST(Filter, ReportsOriginalDistanceAndKind) {
  auto filter = MakeFilter();
  EXPECT_EQ(filter->Decide(MakeRecord(1, 0, kCode, 3)).decision, Decision::kUnique);
  const Verdict exact = filter->Decide(MakeRecord(2, 0, kCode));
  EXPECT_EQ(exact.decision, Decision::kDuplicate);
  EXPECT_EQ(exact.match.original, (Position{3, 1}));
  EXPECT_EQ(exact.match.distance, 0);
  EXPECT_EQ(exact.match.kind, MatchKind::kExact);
  const Verdict near = filter->Decide(MakeRecord(3, 0, kCode ^ 0x8001));
  EXPECT_EQ(near.decision, Decision::kDuplicate);
  EXPECT_EQ(near.match.distance, 2);
  EXPECT_EQ(near.match.kind, MatchKind::kNear);
  EXPECT_EQ(filter->entries(), 1U);
}

TEST(Filter, DuplicatesAreNotRememberedSoNoChainForms) {
  auto filter = MakeFilter();
  filter->Decide(MakeRecord(1, 0, kCode));
  EXPECT_EQ(filter->Decide(MakeRecord(2, 0, kCode ^ 0x7)).decision, Decision::kDuplicate);
  EXPECT_EQ(filter->Decide(MakeRecord(3, 0, kCode ^ 0x77)).decision, Decision::kUnique);
}

TEST(Filter, TheWindowIsPairwiseAndInclusive) {
  auto filter = MakeFilter();
  filter->Decide(MakeRecord(1, 5000, kCode));
  EXPECT_EQ(filter->Decide(MakeRecord(2, 6000, kCode)).decision, Decision::kDuplicate);
  EXPECT_EQ(filter->Decide(MakeRecord(3, 4000, kCode)).decision, Decision::kDuplicate);
  EXPECT_EQ(filter->Decide(MakeRecord(4, 6001, kCode)).decision, Decision::kUnique);
  EXPECT_EQ(filter->Decide(MakeRecord(5, 3999, kCode)).decision, Decision::kUnique);
}

TEST(Filter, ARecordIsNeverItsOwnDuplicate) {
  auto filter = MakeFilter();
  filter->Decide(MakeRecord(1, 0, kCode));
  filter->Commit();
  EXPECT_EQ(filter->Decide(MakeRecord(1, 0, kCode)).decision, Decision::kUnique);
}

TEST(Reasons, TheNumberOfReasonsCountsEveryNamedReason) {
  std::set<std::string> names;
  for (int i = 0; i < kReasonCount; ++i) names.insert(Name(static_cast<Reason>(i)));
  EXPECT_EQ(names.size(), static_cast<size_t>(kReasonCount));
  EXPECT_STREQ(Name(static_cast<Reason>(kReasonCount)), "unknown");
}

TEST(Filter, DeadLettersCarryTheirReasonAndLeaveNoTrace) {
  auto filter = MakeFilter();
  FingerprintedRecord record = MakeRecord(1, 9000, kCode);
  record.outcome.reason = Reason::kParse;
  record.outcome.error = "byte 7: a comma was expected";
  const Verdict verdict = filter->Decide(record);
  EXPECT_EQ(verdict.decision, Decision::kDeadLetter);
  EXPECT_EQ(verdict.outcome.reason, Reason::kParse);
  EXPECT_EQ(verdict.outcome.error, "byte 7: a comma was expected");
  EXPECT_EQ(filter->entries(), 0U);
  EXPECT_EQ(filter->watermark_ms(), INT64_MIN);
}

TEST(Filter, NullValuesThatPassAreUniqueAndLeaveNoTrace) {
  auto filter = MakeFilter();
  for (int64_t offset : {1, 2}) {
    FingerprintedRecord record = MakeRecord(offset, 9000, 0);
    record.outcome.passed = true;
    const Verdict verdict = filter->Decide(record);
    EXPECT_EQ(verdict.decision, Decision::kUnique);
    EXPECT_TRUE(verdict.outcome.passed);
  }
  EXPECT_EQ(filter->entries(), 0U);
  EXPECT_EQ(filter->watermark_ms(), INT64_MIN);
}

TEST(Filter, TimesAheadOfTheClockAreClamped) {
  auto filter = MakeFilter();
  EXPECT_FALSE(filter->Decide(MakeRecord(1, 1'000'000, kCode, 1)).clamped);  // no clock yet
  filter->SetClock(2000);
  EXPECT_FALSE(filter->Decide(MakeRecord(2, 2500, ~kCode)).clamped);
  EXPECT_TRUE(filter->Decide(MakeRecord(3, INT64_MAX, kCode)).clamped);
  EXPECT_EQ(filter->time_ms(0), 2250)
      << "a time ahead of the clock moves it by a quarter of the window";
  EXPECT_EQ(filter->uncommitted().back().time_ms, 2500);
  filter->SetClock(INT64_MAX - 10);
  EXPECT_FALSE(filter->Decide(MakeRecord(4, INT64_MAX, kCode)).clamped);
}

TEST(Filter, TheHorizonMovesOnlyInCommitAndNeverBack) {
  auto filter = MakeFilter();
  filter->Decide(MakeRecord(1, 10'000, kCode));
  EXPECT_EQ(filter->horizon_ms(), INT64_MIN);
  filter->Commit();
  EXPECT_EQ(filter->horizon_ms(), 8900);
  filter->RestoreHorizon(9500);
  filter->Decide(MakeRecord(2, 10'100, ~kCode));
  filter->Commit();
  EXPECT_EQ(filter->horizon_ms(), 9500);
}

TEST(Filter, RecordsOlderThanTheHorizonAreLateAndDecidedLikeOthers) {
  auto filter = MakeFilter();
  filter->Decide(MakeRecord(1, 8900, kCode));
  filter->Decide(MakeRecord(2, 10'000, ~kCode));
  filter->Commit();  // horizon 8900
  EXPECT_FALSE(filter->Decide(MakeRecord(3, 8900, kCode)).late);
  const Verdict late = filter->Decide(MakeRecord(4, 8899, kCode));
  EXPECT_TRUE(late.late);
  EXPECT_EQ(late.decision, Decision::kDuplicate);
  const Verdict unique = filter->Decide(MakeRecord(5, 100, kCode));
  EXPECT_TRUE(unique.late);
  EXPECT_EQ(unique.decision, Decision::kUnique);
}

TEST(Filter, CommitDropsAndCountsEntriesOlderThanTheHorizon) {
  auto filter = MakeFilter();
  filter->Decide(MakeRecord(1, 1000, kCode));
  filter->Decide(MakeRecord(2, 2000, ~kCode));
  filter->Decide(MakeRecord(3, 3000, kCode + 1'000'000'007));
  EXPECT_EQ(filter->entries(), 3U);
  EXPECT_EQ(filter->oldest_time_ms(), 1000);
  filter->Commit();  // horizon 1900
  EXPECT_EQ(filter->entries(), 2U);
  EXPECT_EQ(filter->entries_expired(), 1U);
  EXPECT_EQ(filter->entries_evicted(), 0U);
  EXPECT_EQ(filter->oldest_time_ms(), 2000);
}

TEST(Filter, CommitDropsTheOldestEntriesBeyondCapacityAndCountsThoseInsideTheWindow) {
  FilterOptions options = SmallOptions();
  auto filter = MakeFilter(options);
  std::mt19937_64 random(3);
  for (int64_t i = 0; i < 1500; ++i) filter->Decide(MakeRecord(i, i < 100 ? 0 : 5000, random()));
  EXPECT_EQ(filter->entries(), 1500U);
  filter->Commit();
  EXPECT_EQ(filter->entries(), 1000U);
  EXPECT_EQ(filter->entries_expired(), 100U);
  EXPECT_EQ(filter->entries_evicted(), 400U);
}

TEST(Filter, RollbackUndoesEverythingSinceTheLastCommit) {
  auto filter = MakeFilter();
  filter->Decide(MakeRecord(1, 1000, kCode));
  filter->Commit();
  const int64_t horizon_ms = filter->horizon_ms();
  filter->Decide(MakeRecord(2, 9000, ~kCode));
  filter->Decide(MakeRecord(1, 9000, kCode + 99'999'999, 4));
  EXPECT_EQ(filter->uncommitted().size(), 2U);
  filter->Rollback();
  EXPECT_TRUE(filter->uncommitted().empty());
  EXPECT_EQ(filter->entries(), 1U);
  EXPECT_EQ(filter->watermark_ms(), 1000);
  EXPECT_EQ(filter->time_ms(4), INT64_MIN);
  EXPECT_EQ(filter->horizon_ms(), horizon_ms);
  EXPECT_EQ(filter->Decide(MakeRecord(3, 1000, ~kCode)).decision, Decision::kUnique);
  EXPECT_EQ(filter->Decide(MakeRecord(4, 1000, kCode)).decision, Decision::kDuplicate);
}

TEST(Filter, RestoringMoreThanCapacityKeepsTheNewest) {
  auto filter = MakeFilter();
  std::mt19937_64 random(4);
  std::vector<Entry> entries;
  for (int64_t i = 0; i < 1500; ++i) entries.push_back({{random(), 0, 1}, i, {0, i}, {}});
  filter->Restore(entries);
  EXPECT_EQ(filter->entries(), 1000U);
  EXPECT_EQ(filter->oldest_time_ms(), 500);
}

TEST(Filter, RemembersTheTextKeysThatHadRoomAndFindsByThem) {
  FilterOptions options = SmallOptions();
  options.match.distance_max = 8;
  auto filter = MakeFilter(options);
  FingerprintedRecord record = MakeRecord(1, 0, kCode);
  for (const uint32_t key : {5, 6, 7, 8}) record.text_keys.Add(key);
  filter->Decide(record);
  StoredKeys stored;
  for (const uint32_t key : {5, 6, 7}) stored.Add(key);
  EXPECT_EQ(filter->uncommitted()[0].text_keys, stored);
  FingerprintedRecord five_away = MakeRecord(2, 0, kCode ^ 0x0001000100010003);
  five_away.text_keys.Add(8);
  EXPECT_EQ(filter->Decide(five_away).decision, Decision::kUnique);
  filter->Rollback();
  filter->Decide(record);
  five_away.text_keys.Add(7);
  const Verdict verdict = filter->Decide(five_away);
  EXPECT_EQ(verdict.decision, Decision::kDuplicate);
  EXPECT_EQ(verdict.match.original, (Position{0, 1}));
  EXPECT_EQ(verdict.match.distance, 5);
}

TEST(Filter, NeverHoldsMoreMemoryThanFilterBytesMax) {
  std::mt19937_64 random(9);
  for (const uint64_t uncommitted_max : {1, 700, 5000}) {
    FilterOptions options = SmallOptions();
    options.window.entries_max = 3000;
    auto filter = MakeFilter(options);
    const uint64_t bound = FilterBytesMax(options, uncommitted_max);
    int64_t offset = 0;
    for (int round = 0; round < 40; ++round) {
      while (filter->uncommitted().size() < uncommitted_max) {
        FingerprintedRecord record = MakeRecord(++offset, 0, random());
        for (uint32_t key = 0; key < 3; ++key) {
          record.text_keys.Add(static_cast<uint32_t>(random()) << 2 | (key + 1));
        }
        filter->Decide(record);
        ASSERT_LE(filter->bytes(), bound) << uncommitted_max;
      }
      if (round % 5 == 4) filter->Rollback();
      filter->Commit();
      ASSERT_LE(filter->bytes(), bound) << uncommitted_max;
    }
  }
}

TEST(Filter, TimesAtTheEndsOfTheRangeAreSafe) {
  auto filter = MakeFilter();
  int64_t offset = 0;
  for (const int64_t time_ms : {int64_t{-1}, INT64_MIN, INT64_MIN + 1, INT64_MAX, int64_t{0}}) {
    filter->Decide(MakeRecord(++offset, time_ms, kCode));
    filter->Decide(MakeRecord(++offset, time_ms, ~kCode, 1));
    filter->Commit();
  }
  EXPECT_EQ(filter->horizon_ms(), INT64_MAX - 1100);
  EXPECT_TRUE(filter->Decide(MakeRecord(++offset, 0, kCode)).late);
}

TEST(Filter, UncommittedEntriesAreInOrderOfDecision) {
  auto filter = MakeFilter();
  filter->Decide(MakeRecord(5, 10, kCode));
  filter->Decide(MakeRecord(6, 11, kCode));
  filter->Decide(MakeRecord(7, 12, ~kCode));
  ASSERT_EQ(filter->uncommitted().size(), 2U);
  EXPECT_EQ(filter->uncommitted()[0], (Entry{{kCode, ~kCode, kCode * 31}, 10, {0, 5}, {}}));
  EXPECT_EQ(filter->uncommitted()[1], (Entry{{~kCode, kCode, ~kCode * 31}, 12, {0, 7}, {}}));
}

}  // namespace
}  // namespace neardup
