#include "bindings/batch_filter.h"

#include <gtest/gtest.h>

#include <tuple>

#include "bindings/batches.h"

namespace neardup {
namespace {

constexpr uint64_t kSeed = 20261125;
constexpr uint64_t kCommitRecords = 300;

/// Everything that a verdict says, one row for each record.
using Rows = std::vector<std::tuple<int, int64_t, int, int, int, int>>;

Rows RowsOf(const VerdictColumns& verdicts) {
  Rows rows;
  for (size_t i = 0; i < verdicts.size(); ++i) {
    rows.emplace_back(verdicts.decision[i], verdicts.original[i], verdicts.distance[i],
                      verdicts.kind[i], verdicts.reason[i], verdicts.late[i]);
  }
  return rows;
}

/// One record after the other, in a plain filter with commits at the same places.
Rows Model(const std::vector<std::string>& records, const FilterOptions& options) {
  const auto filter = Filter::New(options);
  Fingerprinter fingerprinter(options);
  VerdictColumns verdicts;
  for (size_t i = 0; i < records.size(); ++i) {
    verdicts.Add(
        (*filter)->Decide(fingerprinter.Compute({{0, static_cast<int64_t>(i)}, 0, records[i]})));
    if ((i + 1) % kCommitRecords == 0) (*filter)->Commit();
  }
  EXPECT_GT((*filter)->entries_evicted() + (*filter)->entries_expired(), 1000U);
  return RowsOf(verdicts);
}

std::unique_ptr<BatchFilter> NewFilter(uint32_t threads, const FilterOptions& options) {
  auto filter = BatchFilter::New({options, threads, kCommitRecords});
  EXPECT_TRUE(filter.ok());
  return std::move(*filter);
}

TEST(BatchFilter, GivesTheVerdictsOfAPlainFilterWhateverTheBatchesAndThreads) {
  const FilterOptions options = TextAndTime();
  const std::vector<std::string> records = SomeRecords(kSeed, 12'000);
  const Rows expected = Model(records, options);
  for (const uint32_t threads : {1U, 3U}) {
    for (const size_t batch : {size_t{1}, size_t{77}, size_t{300}, size_t{5000}, records.size()}) {
      const auto filter = NewFilter(threads, options);
      VerdictColumns verdicts;
      for (size_t begin = 0; begin < records.size(); begin += batch) {
        filter->Decide(BatchOf(records, begin, std::min(batch, records.size() - begin)), verdicts);
      }
      EXPECT_TRUE(RowsOf(verdicts) == expected) << threads << " threads, batches of " << batch;
      EXPECT_EQ(filter->decided(), static_cast<int64_t>(records.size()));
    }
  }
}

TEST(BatchFilter, DecidesKeptFingerprintsAsItDecidesTheirRecords) {
  const FilterOptions options = TextAndTime();
  const std::vector<std::string> records = SomeRecords(kSeed + 1, 6000);
  VerdictColumns verdicts;
  FingerprintColumns kept;
  NewFilter(2, options)->Decide(BatchOf(records, 0, records.size()), verdicts, &kept);
  ASSERT_EQ(kept.size(), records.size());

  VerdictColumns again;
  const auto filter = NewFilter(2, options);
  for (size_t begin = 0; begin < kept.size(); begin += 999) {
    filter->Decide(kept, begin, std::min(begin + 999, kept.size()), again);
  }
  EXPECT_TRUE(RowsOf(again) == RowsOf(verdicts));

  FilterOptions stricter = options;
  stricter.match.distance_max = 0;
  VerdictColumns exact;
  NewFilter(1, stricter)->Decide(kept, 0, kept.size(), exact);
  EXPECT_TRUE(RowsOf(exact) == Model(records, stricter));

  // Kept fingerprints of exact mode can be decided again at a distance.
  FingerprintColumns of_exact;
  VerdictColumns near;
  const auto exact_filter = BatchFilter::New(
      {.filter = stricter, .threads = 2, .commit_records = kCommitRecords, .near_features = true});
  VerdictColumns equal;
  (*exact_filter)->Decide(BatchOf(records, 0, records.size()), equal, &of_exact);
  EXPECT_TRUE(RowsOf(equal) == Model(records, stricter));
  NewFilter(1, options)->Decide(of_exact, 0, of_exact.size(), near);
  EXPECT_TRUE(RowsOf(near) == RowsOf(verdicts));

  FingerprintPool pool(options, 2);
  FingerprintColumns computed;
  ComputeFingerprints(pool, BatchOf(records, 0, records.size()), computed);
  EXPECT_EQ(computed.simhash, kept.simhash);
  EXPECT_EQ(computed.text_keys, kept.text_keys);
  EXPECT_EQ(computed.errors, kept.errors);
}

}  // namespace
}  // namespace neardup
