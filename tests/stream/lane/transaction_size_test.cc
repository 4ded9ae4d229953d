#include <gtest/gtest.h>

#include <algorithm>

#include "stream/lane/open_transaction.h"

namespace neardup {
namespace {

constexpr size_t kMiB = size_t{1} << 20;

LaneOptions Options() {
  LaneOptions options;
  options.transaction_bytes_max = 32 * kMiB;
  options.transaction_interval_ms = 100;
  options.transaction_timeout_ms = 30'000;
  return options;
}

TEST(TransactionSize, IsTheLargestThatTheOptionsAllowWhileTransactionsAreFast) {
  const LaneOptions options = Options();
  TransactionSize size(options);
  size.Committed(20 * kMiB, 3000);
  size.Committed(1000, options.transaction_interval_ms + 10);
  size.Lost(20 * kMiB, 200);  // another reason than its size
  EXPECT_EQ(size.bytes_max(), 32 * kMiB);
  EXPECT_FALSE(size.is_limited());
}

TEST(TransactionSize, FitsALinkOfAnySpeedAfterAFewTransactions) {
  const LaneOptions options = Options();
  for (const size_t bytes_per_s : {20'000U, 300'000U, 2'000'000U, 500'000'000U}) {
    TransactionSize size(options);
    int lost = 0;
    for (int i = 0; i < 50; ++i) {
      const size_t bytes = size.bytes_max();
      const auto lasted_ms = static_cast<int64_t>(bytes * 1000 / bytes_per_s);
      if (lasted_ms > options.transaction_timeout_ms) {
        ++lost;
        size.Lost(bytes, options.transaction_timeout_ms);
      } else {
        size.Committed(bytes, lasted_ms);
      }
    }
    EXPECT_LE(lost, 3) << bytes_per_s;
    const size_t most = std::min(options.transaction_bytes_max, bytes_per_s * 30 / 4 + 100'000);
    EXPECT_LE(size.bytes_max(), most) << bytes_per_s;
    EXPECT_GE(size.bytes_max(), most / 8) << bytes_per_s;
  }
}

TEST(TransactionSize, GrowsAgainWhenTheLinkIsFastAgain) {
  const LaneOptions options = Options();
  TransactionSize size(options);
  size.Lost(24 * kMiB, 30'000);
  EXPECT_EQ(size.bytes_max(), 6 * kMiB);
  size.Lost(100, 30'000);  // nobody answers at all
  EXPECT_EQ(size.bytes_max(), 64 * 1024U);
  for (int i = 0; i < 10; ++i) size.Committed(1000, 50);
  EXPECT_EQ(size.bytes_max(), 32 * kMiB);
}

TEST(TransactionSize, IsNeverLargerThanTheOptionsAllow) {
  LaneOptions options = Options();
  options.transaction_bytes_max = 1000;
  TransactionSize size(options);
  size.Lost(1000, 30'000);
  EXPECT_EQ(size.bytes_max(), 1000U);
}

}  // namespace
}  // namespace neardup
