// The thread rule: filters are independent, and one thread at a time uses a filter.
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "bindings/c_caller.h"

namespace neardup {
namespace {

TEST(CThreads, TwoFiltersOnTwoThreadsDecideAsOnOne) {
  const std::vector<std::string> payloads = SomePayloads(3000, 11);
  const std::vector<neardup_record> records = RecordsOf(payloads);
  const std::vector<std::string> expected = Shown(Decide(NewFilter().get(), records));
  std::vector<std::string> found[2];
  std::vector<std::thread> threads;
  for (std::vector<std::string>& mine : found) {
    threads.emplace_back([&] { mine = Shown(Decide(NewFilter().get(), records)); });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(found[0], expected);
  EXPECT_EQ(found[1], expected);
}

TEST(CThreads, ASecondThreadIsRefusedAndEachRecordIsDecidedOnce) {
  const std::vector<std::string> payloads = SomePayloads(100, 12);
  const std::vector<neardup_record> records = RecordsOf(payloads);
  const OwnedFilter filter = NewFilter(kTitles, 0, 1);
  std::atomic<uint64_t> calls = 0;
  std::atomic<uint64_t> refused = 0;
  const auto work = [&] {
    std::vector<neardup_verdict> verdicts = PlacesFor(records.size());
    // Until both outcomes were seen; a thread alone sees only one.
    while (calls < 20 || refused == 0) {
      const neardup_status status = neardup_filter_decide(filter.get(), records.data(),
                                                          records.size(), verdicts.data(), nullptr);
      ASSERT_TRUE(status == NEARDUP_OK || status == NEARDUP_BUSY);
      ++(status == NEARDUP_OK ? calls : refused);
    }
  };
  std::thread other(work);
  work();
  other.join();
  EXPECT_EQ(StatisticsOf(filter.get()).decided, calls * records.size());
}

}  // namespace
}  // namespace neardup
