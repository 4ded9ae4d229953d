// The C interface against a plain Filter that decides the same records one by one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "bindings/c_caller.h"
#include "neardup/filter.h"
#include "neardup/neardup.h"

namespace neardup {
namespace {

constexpr const char* kSettings =
    R"({"record": {"fields": ["title"]},
        "match": {"mode": "near", "distance_max": 6},
        "window": {"entries_max": 1000, "window_ms": 900000, "lateness_ms": 0}})";
constexpr uint64_t kCommitRecords = 50;

FilterOptions ModelOptions() {
  FilterOptions options;
  options.record.fields = {{.path = "title"}};
  options.match.distance_max = 6;
  options.window.entries_max = 1000;
  options.window.window_ms = 900'000;
  options.window.lateness_ms = 0;
  return options;
}

/// A plain filter that commits as the handle does.
class Model {
 public:
  Model() : filter_(std::move(Filter::New(ModelOptions())).value()) {}

  neardup_verdict Decide(const neardup_record& record) {
    const int64_t number = decided_++;
    const Verdict verdict = filter_->Decide(fingerprinter_.Compute(ViewOf(record, number)));
    if (decided_ % static_cast<int64_t>(kCommitRecords) == 0) filter_->Commit();
    return Written(verdict, number);
  }

  neardup_verdict Check(const neardup_record& record) {
    const FingerprintedRecord computed = fingerprinter_.Compute(ViewOf(record, kOffsetMax));
    Verdict verdict;
    verdict.outcome = computed.outcome;
    if (computed.outcome.reason != Reason::kNone) {
      verdict.decision = Decision::kDeadLetter;
    } else if (const std::vector<Match> matches = filter_->FindAll(computed); !matches.empty()) {
      verdict.decision = Decision::kDuplicate;
      verdict.match = matches.front();
    }
    return Written(verdict, -1);
  }

  const Filter& filter() const { return *filter_; }

 private:
  static RecordView ViewOf(const neardup_record& record, int64_t number) {
    return {{0, number},
            record.time_ms,
            std::string_view(static_cast<const char*>(record.value), record.value_bytes)};
  }

  static neardup_verdict Written(const Verdict& verdict, int64_t number) {
    const bool duplicate = verdict.decision == Decision::kDuplicate;
    return {sizeof(neardup_verdict),
            number,
            duplicate ? verdict.match.original.offset : -1,
            duplicate ? verdict.match.distance : -1,
            static_cast<uint8_t>(verdict.decision),
            static_cast<uint8_t>(duplicate ? static_cast<int>(verdict.match.kind)
                                           : static_cast<int>(NEARDUP_NO_KIND)),
            static_cast<uint8_t>(verdict.outcome.reason),
            static_cast<uint8_t>(verdict.late ? 1 : 0)};
  }

  std::unique_ptr<Filter> filter_;
  Fingerprinter fingerprinter_{ModelOptions()};
  int64_t decided_ = 0;
};

TEST(CModel, DecidesAsAPlainFilterHoweverTheRecordsAreDivided) {
  const std::vector<std::string> payloads = SomePayloads(4000, 1);
  const std::vector<neardup_record> records = RecordsOf(payloads);
  Model model;
  std::vector<neardup_verdict> expected;
  for (const neardup_record& record : records) expected.push_back(model.Decide(record));
  for (const auto decision : {NEARDUP_UNIQUE, NEARDUP_DUPLICATE, NEARDUP_DEAD_LETTER}) {
    ASSERT_TRUE(std::any_of(expected.begin(), expected.end(),
                            [&](const auto& verdict) { return verdict.decision == decision; }));
  }
  for (const uint64_t seed : {1, 2, 3}) {
    SeededRandom random(seed);
    const OwnedFilter filter = NewFilter(kSettings, kCommitRecords, 1 + seed);
    std::vector<neardup_verdict> decided;
    for (size_t begin = 0; begin < records.size();) {
      const size_t count =
          std::min<size_t>(random.Below(seed == 1 ? 2000 : 300), records.size() - begin);
      const std::vector<neardup_verdict> some =
          Decide(filter.get(), {records.begin() + static_cast<ptrdiff_t>(begin),
                                records.begin() + static_cast<ptrdiff_t>(begin + count)});
      decided.insert(decided.end(), some.begin(), some.end());
      begin += count;
    }
    EXPECT_THAT(Shown(decided), testing::ElementsAreArray(Shown(expected))) << seed;
    const neardup_statistics statistics = StatisticsOf(filter.get());
    EXPECT_EQ(statistics.decided, records.size());
    EXPECT_EQ(statistics.entries, model.filter().entries());
    EXPECT_EQ(statistics.evicted, model.filter().entries_evicted());
    EXPECT_EQ(statistics.expired, model.filter().entries_expired());
    EXPECT_GT(statistics.expired + statistics.evicted, 0U);
    EXPECT_GT(statistics.bytes, model.filter().bytes());
  }
}

TEST(CModel, ChecksAsAPlainFilterAndRemembersNothing) {
  const std::vector<std::string> payloads = SomePayloads(1500, 2);
  const std::vector<neardup_record> records = RecordsOf(payloads);
  const std::vector<neardup_record> first(records.begin(), records.begin() + 1000);
  const OwnedFilter filter = NewFilter(kSettings, kCommitRecords);
  Model model;
  for (const neardup_record& record : first) model.Decide(record);
  Decide(filter.get(), first);
  std::vector<neardup_verdict> expected;
  for (const neardup_record& record : records) expected.push_back(model.Check(record));
  for (int times = 0; times < 2; ++times) {
    std::vector<neardup_verdict> verdicts = PlacesFor(records.size());
    ASSERT_EQ(neardup_filter_check(filter.get(), records.data(), records.size(), verdicts.data(),
                                   nullptr),
              NEARDUP_OK);
    EXPECT_THAT(Shown(verdicts), testing::ElementsAreArray(Shown(expected)));
  }
  EXPECT_EQ(StatisticsOf(filter.get()).decided, first.size());
}

}  // namespace
}  // namespace neardup
