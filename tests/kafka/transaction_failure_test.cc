#include <gtest/gtest.h>

#include "kafka/transaction_calls.h"

namespace neardup {
namespace {

TEST(TransactionFailure, IsTheNewestReasonThatTheLibraryLogged) {
  TransactionFailure failure;
  EXPECT_EQ(failure.Text(), "");
  failure.Logged("CONNECT", "[thrd:main]: connecting");
  EXPECT_EQ(failure.Text(), "");
  failure.Logged("TXNERR", "[thrd:main]: Fatal transaction error: fenced");
  EXPECT_EQ(failure.Text(), "Fatal transaction error: fenced");
  failure.Logged("TXNERR", "without a thread");
  EXPECT_EQ(failure.Text(), "without a thread");
}

TEST(TransactionFailure, NamesTheRefusedPartitionAndNotThoseThatWereNotTried) {
  TransactionFailure failure;
  failure.Logged("ADDPARTS", "[thrd:a]: Failed to add partition \"news\" [0]: not authorized");
  failure.Logged("ADDPARTS",
                 "[thrd:a]: Failed to add partition \"news\" [1] to transaction: Broker: Operation "
                 "not attempted");
  failure.Logged("TXNERR", "[thrd:a]: Current transaction failed");
  EXPECT_EQ(failure.Text(), "Failed to add partition \"news\" [0]: not authorized");
}

TEST(TransactionFailure, IsForgottenWhenTheNextTransactionBegins) {
  TransactionFailure failure;
  failure.Logged("ADDPARTS", "[thrd:a]: no");
  failure.Logged("TXNERR", "[thrd:");  // cut off
  failure.TransactionBegins();
  EXPECT_EQ(failure.Text(), "");
}

}  // namespace
}  // namespace neardup
