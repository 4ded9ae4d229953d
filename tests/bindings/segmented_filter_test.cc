#include <gtest/gtest.h>

#include <algorithm>

#include "bindings/batch_filter.h"
#include "bindings/batches.h"

namespace neardup {
namespace {

constexpr uint64_t kSeed = 20261125;
constexpr uint64_t kCommitRecords = 300;
constexpr size_t kPart = 1111;  ///< no multiple of a commit

std::unique_ptr<SegmentedFilter> NewFilter() {
  auto filter = SegmentedFilter::New({TextAndTime(), 1, kCommitRecords});
  EXPECT_TRUE(filter.ok());
  return std::move(*filter);
}

/// A run that decides `records` part by part.
struct PartRun {
  VerdictColumns verdicts;
  std::vector<std::string> segments;
  std::vector<uint64_t> entries;  ///< in each segment
  std::vector<uint64_t> live;     ///< after each part
};

PartRun RunOf(const std::vector<std::string>& records) {
  PartRun run;
  const auto filter = NewFilter();
  for (size_t begin = 0; begin < records.size(); begin += kPart) {
    filter->filter().Decide(BatchOf(records, begin, std::min(kPart, records.size() - begin)),
                            run.verdicts);
    run.entries.push_back(filter->segment_entries());
    run.live.push_back(filter->filter().filter().entries());
    run.segments.push_back(filter->TakeSegment());
  }
  EXPECT_GT(filter->filter().filter().entries_evicted(), 1000U);
  EXPECT_GT(filter->filter().filter().entries_expired(), 1000U);
  return run;
}

std::vector<std::string> Records() {
  // The first half comes so fast that entries are evicted, the second so slowly that they expire.
  std::vector<std::string> records = SomeRecords(kSeed, 12'000);
  uint64_t time_ms = 1'700'000'000'000;
  for (size_t i = 0; i < records.size(); ++i) {
    time_ms += i < records.size() / 2 ? 100 : 5000;
    const size_t at = records[i].find("\"at\":");
    if (at == std::string::npos) continue;
    records[i].replace(at, records[i].find(',') - at, "\"at\":" + std::to_string(time_ms));
  }
  return records;
}

TEST(SegmentedFilter, GoesOnAfterAnyPartAsIfNothingHadHappened) {
  const std::vector<std::string> records = Records();
  const PartRun expected = RunOf(records);
  for (size_t parts = 1; parts < expected.segments.size(); ++parts) {
    const auto filter = NewFilter();
    // Only the segments that hold live entries.
    size_t first = parts;
    for (uint64_t held = 0; first > 0 && (first == parts || held < expected.live[parts - 1]);) {
      held += expected.entries[--first];
    }
    for (size_t i = first; i < parts; ++i) {
      ASSERT_TRUE(filter->Restore(expected.segments[i]).ok());
    }
    const auto decided = static_cast<size_t>(filter->filter().decided());
    EXPECT_EQ(decided, parts * kPart / kCommitRecords * kCommitRecords);
    VerdictColumns verdicts;
    filter->filter().Decide(BatchOf(records, decided, parts * kPart - decided), verdicts);
    for (size_t i = parts; i < expected.segments.size(); ++i) {
      const size_t begin = i * kPart;
      filter->filter().Decide(BatchOf(records, begin, std::min(kPart, records.size() - begin)),
                              verdicts);
      ASSERT_EQ(filter->TakeSegment(), expected.segments[i]) << parts << " parts, segment " << i;
    }
    const auto same = [&](const auto& column, const auto& whole) {
      return std::equal(column.begin(), column.end(), whole.begin() + decided, whole.end());
    };
    EXPECT_TRUE(same(verdicts.decision, expected.verdicts.decision)) << parts;
    EXPECT_TRUE(same(verdicts.original, expected.verdicts.original)) << parts;
    EXPECT_TRUE(same(verdicts.distance, expected.verdicts.distance)) << parts;
    EXPECT_TRUE(same(verdicts.late, expected.verdicts.late)) << parts;
  }
}

TEST(SegmentedFilter, RefusesASegmentThatIsCutOrChangedAnywhere) {
  const std::vector<std::string> records = SomeRecords(kSeed, 300);
  const auto filter = NewFilter();
  VerdictColumns verdicts;
  filter->filter().Decide(BatchOf(records, 0, records.size()), verdicts);
  const std::string whole = filter->TakeSegment();
  constexpr size_t kHeader = 8;  // without a delta, it is an empty segment
  const auto other = NewFilter();
  for (size_t place = 0; place < whole.size(); ++place) {
    std::string changed = whole;
    changed[place] = static_cast<char>(changed[place] ^ 0x41);
    const Result<void> restored = other->Restore(changed);
    ASSERT_FALSE(restored.ok()) << place;
    EXPECT_EQ(restored.error().code, ErrorCode::kCorrupt);
    if (place == kHeader) continue;
    EXPECT_FALSE(other->Restore(whole.substr(0, place)).ok()) << place;
  }
  EXPECT_EQ(other->filter().decided(), 0);
  EXPECT_TRUE(other->Restore(whole).ok());
}

TEST(SegmentedFilter, GivesAnEmptySegmentForAPartWithoutACommit) {
  const std::vector<std::string> records = SomeRecords(kSeed, 100);
  const auto filter = NewFilter();
  VerdictColumns verdicts;
  filter->filter().Decide(BatchOf(records, 0, records.size()), verdicts);
  EXPECT_EQ(filter->segment_entries(), 0U);
  const auto restored = NewFilter();
  ASSERT_TRUE(restored->Restore(filter->TakeSegment()).ok());
  EXPECT_EQ(restored->filter().decided(), 0);
}

}  // namespace
}  // namespace neardup
