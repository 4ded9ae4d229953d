// Which records are refused when the broker refuses a batch, and for which reason.
#include <gtest/gtest.h>

#include "kafka/transaction_calls.h"

namespace neardup {
namespace {

constexpr Position kFirst{0, 10};
constexpr Position kSecond{1, 20};

TEST(Refusals, ARefusedBatchRefusesEachOfItsRecordsWithoutBlame) {
  Refusals refusals;
  refusals.StartTransaction();
  void* first = refusals.Tag(kFirst, false);
  void* second = refusals.Tag(kSecond, false);
  refusals.Report(first, RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE);
  refusals.Report(second, RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE);
  const auto refused = refusals.Take();
  ASSERT_EQ(refused.size(), 2U);
  EXPECT_EQ(refused[0].position, kFirst);
  EXPECT_EQ(refused[0].reason, Reason::kUndeliverable);
  EXPECT_EQ(refused[1].position, kSecond);
  EXPECT_EQ(refused[1].reason, Reason::kUndeliverable);
}

TEST(Refusals, ARecordThatWentAloneIsRefusedForItsOwnReason) {
  Refusals refusals;
  refusals.StartTransaction();
  refusals.Report(refusals.Tag(kFirst, false), RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE);
  refusals.StartTransaction();
  EXPECT_FALSE(refusals.any());
  refusals.Report(refusals.Tag(kFirst, true), RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE);
  const auto refused = refusals.Take();
  ASSERT_EQ(refused.size(), 1U);
  EXPECT_EQ(refused[0].reason, Reason::kTooLarge);
}

TEST(Refusals, IgnoresReportsOfAnEarlierTransactionAndOtherErrors) {
  Refusals refusals;
  refusals.StartTransaction();
  void* old = refusals.Tag(kFirst, false);
  refusals.StartTransaction();
  refusals.Tag(kSecond, false);
  refusals.Report(old, RD_KAFKA_RESP_ERR_INVALID_TIMESTAMP);
  refusals.Report(refusals.Tag(kFirst, false), RD_KAFKA_RESP_ERR__PURGE_QUEUE);
  refusals.Report(nullptr, RD_KAFKA_RESP_ERR_INVALID_TIMESTAMP);
  EXPECT_FALSE(refusals.any());
}

}  // namespace
}  // namespace neardup
