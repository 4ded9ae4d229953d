#include <gtest/gtest.h>

#include "kafka/transaction_calls.h"

namespace neardup {
namespace {

constexpr int kLongMs = 600'000;

TEST(BoundedCalls, ReturnTheAnswerOfACallThatEndsInTime) {
  BoundedCalls calls(0);
  Result<ErrorHandle> answer =
      calls.Await([] { return ErrorHandle(rd_kafka_error_new(RD_KAFKA_RESP_ERR__FENCED, "no")); },
                  kLongMs, "asking");
  ASSERT_TRUE(answer.ok());
  EXPECT_EQ(rd_kafka_error_code(answer->get()), RD_KAFKA_RESP_ERR__FENCED);
}

TEST(BoundedCalls, AbandonACallWhoseCheckFailsBeforeItsTimeOut) {
  std::promise<void> end;
  const std::shared_future<void> ended = end.get_future().share();
  BoundedCalls calls(0);
  int checks = 0;
  const Result<ErrorHandle> answer = calls.Await(
      [ended] {
        ended.wait();
        return ErrorHandle();
      },
      kLongMs, "adding the offsets",
      [&checks]() -> Result<void> {
        if (++checks < 2) return {};
        return Retriable(ErrorCode::kUnavailable, "the topic is gone");
      });
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.error().text, "the topic is gone");
  EXPECT_TRUE(answer.error().retriable);
  EXPECT_EQ(checks, 2);
  end.set_value();
}

TEST(BoundedCalls, AbandonACallThatHangsAndEndTheProcessWhenManyHang) {
  std::promise<void> end;
  const std::shared_future<void> ended = end.get_future().share();
  BoundedCalls calls(0);
  for (int n = 1; n <= 4; ++n) {
    const Result<ErrorHandle> answer = calls.Await(
        [ended] {
          ended.wait();
          return ErrorHandle();
        },
        1, "adding the offsets");
    ASSERT_FALSE(answer.ok());
    EXPECT_EQ(answer.error().code, ErrorCode::kUnavailable);
    EXPECT_EQ(answer.error().retriable, n < 4);
    EXPECT_EQ(answer.error().fatal, n == 4);
  }
  end.set_value();
}

}  // namespace
}  // namespace neardup
