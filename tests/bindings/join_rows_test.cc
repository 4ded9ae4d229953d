#include "bindings/join_rows.h"

#include <gtest/gtest.h>

#include <set>

#include "detect/base/random.h"
#include "detect/index/processor.h"

namespace neardup {
namespace {

FingerprintColumns ColumnsOf(const std::vector<Fingerprint>& fingerprints) {
  FingerprintColumns columns;
  for (const Fingerprint& fingerprint : fingerprints) {
    FingerprintedRecord record;
    record.fingerprint = fingerprint;
    record.features = 50;
    columns.Add(record);
  }
  return columns;
}

JoinRows RowsOf(const FilterOptions& options, const FingerprintColumns& columns) {
  JoinRows rows;
  JoinKeys(options).AddRows(columns, 10, INT64_MAX, rows);
  return rows;
}

TEST(JoinRows, LeadFromASimhashToAllThatAreWithinTheGuarantee) {
  FilterOptions options;
  options.match.text_keys = false;
  const JoinKeys keys(options);
  SeededRandom random(20261125);
  for (int round = 0; round < 3000; ++round) {
    const uint64_t a = random.Next();
    uint64_t b = a;
    for (uint64_t errors = random.Below(4); errors > 0; --errors) {
      b ^= uint64_t{1} << random.Below(64);
    }
    const JoinRows rows = RowsOf(options, ColumnsOf({{a, 0, 0}, {b, 0, 0}}));
    ASSERT_EQ(rows.size(), 12U);
    int met = 0;
    for (size_t i = 0; i < 6; ++i) {
      for (size_t j = 6; j < 12; ++j) {
        const int64_t key = rows.rows[i].key;
        if (key != rows.rows[j].key) continue;
        met += BitCount(uint64_t{keys.TagOf(key, a)} ^ keys.TagOf(key, b)) <= 1 ? 1 : 0;
      }
    }
    EXPECT_GT(met, 0) << std::hex << a << " " << b;
  }
}

TEST(JoinRows, HoldTheRecordsThatCanBeComparedUnderEachOfTheirKeys) {
  FingerprintColumns columns = ColumnsOf({{1, 2, 3}, {4, 5, 6}, {7, 8, 9, 70}, {10, 11, 12}});
  columns.reason[0] = 1;
  columns.passed[1] = 1;
  columns.text_keys[2] = {21, 22, 23};
  columns.time_ms[3] = 5000;
  columns.features[3] = 70'000;
  FilterOptions options;
  JoinRows rows;
  JoinKeys(options).AddRows(columns, 10, 4000, rows);
  ASSERT_EQ(rows.size(), 15U);
  std::set<int64_t> keys;
  for (size_t i = 0; i < 9; ++i) {
    EXPECT_EQ(rows.rows[i].number, 12);
    EXPECT_EQ(rows.rows[i].numbers, 70U);
    keys.insert(rows.rows[i].key);
  }
  EXPECT_EQ(keys.size(), 9U);
  EXPECT_EQ(rows.rows.back().number, 13);
  EXPECT_EQ(rows.rows.back().time_ms, 4000);
  EXPECT_EQ(rows.rows.back().features, 65'535);
  EXPECT_TRUE(rows.text_keys.empty());
  options.match.widen = true;
  EXPECT_EQ(RowsOf(options, columns).text_keys.size(), 15U);
}

TEST(JoinRows, BringEqualRecordsTogetherIfOnlyTheseMatch) {
  FilterOptions options;
  options.match.distance_max = 0;
  const JoinRows rows = RowsOf(options, ColumnsOf({{1, 2, 3}, {1, 2, 3}, {1, 2, 4}}));
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows.rows[0].key, rows.rows[1].key);
  EXPECT_EQ(rows.rows[0].order, 3U);
  EXPECT_EQ(rows.rows[2].order, 4U);
}

}  // namespace
}  // namespace neardup
