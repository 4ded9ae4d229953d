// What becomes of the records that an output refuses.
#include "stream/lane/refused_records.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace neardup {
namespace {

using ::testing::HasSubstr;

constexpr Position kFirst{0, 10};
constexpr Position kSecond{1, 20};
constexpr size_t kBytes = 100;
constexpr size_t kBytesMax = 1'000'000;
const InputPartition kInput{"orders", 3};

Transaction::Refusal Refused(const Position& position, Reason reason = Reason::kUndeliverable) {
  return {position, reason, "bad timestamp"};
}

TEST(RefusedRecords, OneRefusalMakesASuspectThatIsStillDeliverable) {
  RefusedRecords refused;
  EXPECT_FALSE(refused.IsSuspect(kFirst));
  ASSERT_TRUE(refused.Add(Refused(kFirst), kInput).ok());
  EXPECT_TRUE(refused.IsSuspect(kFirst));
  EXPECT_FALSE(refused.IsSuspect(kSecond));
  EXPECT_FALSE(refused.DeadLetter(kFirst, kBytes, kBytesMax));
}

TEST(RefusedRecords, ASecondRefusalMakesADeadLetterWithTheReasonOfTheOutput) {
  RefusedRecords refused;
  ASSERT_TRUE(refused.Add(Refused(kFirst), kInput).ok());
  ASSERT_TRUE(refused.Add(Refused(kFirst), kInput).ok());
  const auto verdict = refused.DeadLetter(kFirst, kBytes, kBytesMax);
  ASSERT_TRUE(verdict);
  EXPECT_EQ(verdict->decision, Decision::kDeadLetter);
  EXPECT_EQ(verdict->outcome.reason, Reason::kUndeliverable);
  EXPECT_EQ(verdict->outcome.error, "bad timestamp");
  EXPECT_TRUE(refused.IsSuspect(kFirst));
  EXPECT_FALSE(refused.DeadLetter(kSecond, kBytes, kBytesMax));
}

TEST(RefusedRecords, OneRefusalAsTooLargeMakesADeadLetter) {
  RefusedRecords refused;
  ASSERT_TRUE(refused.Add(Refused(kFirst, Reason::kTooLarge), kInput).ok());
  const auto verdict = refused.DeadLetter(kFirst, kBytes, kBytesMax);
  ASSERT_TRUE(verdict);
  EXPECT_EQ(verdict->outcome.reason, Reason::kTooLarge);
}

TEST(RefusedRecords, ARefusedReferenceIsFatalAndNamesTheRecord) {
  RefusedRecords refused;
  ASSERT_TRUE(refused.Add(Refused(kFirst, Reason::kTooLarge), kInput).ok());
  const Result<void> added = refused.Add(Refused(kFirst), kInput);
  ASSERT_FALSE(added.ok());
  EXPECT_TRUE(added.error().fatal);
  EXPECT_EQ(added.error().code, ErrorCode::kConfig);
  EXPECT_THAT(added.error().text, HasSubstr("orders/3 offset 10"));
  EXPECT_THAT(added.error().text, HasSubstr("bad timestamp"));
}

TEST(RefusedRecords, ARecordLargerThanItsOutputTakesIsADeadLetterWithoutARefusal) {
  const RefusedRecords refused;
  const auto verdict = refused.DeadLetter(kFirst, kBytesMax, kBytesMax);
  ASSERT_TRUE(verdict);
  EXPECT_EQ(verdict->outcome.reason, Reason::kTooLarge);
  EXPECT_FALSE(refused.IsSuspect(kFirst));
}

TEST(RefusedRecords, ACommitForgetsOnlyTheRecordsItCovers) {
  RefusedRecords refused;
  ASSERT_TRUE(refused.Add(Refused(kFirst), kInput).ok());
  ASSERT_TRUE(refused.Add(Refused(kSecond), kInput).ok());
  const std::vector<int64_t> offsets = {kFirst.offset + 1, kSecond.offset};
  refused.DropCommitted(offsets);
  EXPECT_FALSE(refused.IsSuspect(kFirst));
  EXPECT_TRUE(refused.IsSuspect(kSecond));
}

}  // namespace
}  // namespace neardup
