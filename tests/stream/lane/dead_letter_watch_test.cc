#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stream/lane/dead_letters.h"

namespace neardup {
namespace {

using testing::HasSubstr;
using testing::Not;

CommittedBatch Batch(uint64_t unique, uint64_t missing, uint64_t broken = 0) {
  CommittedBatch batch;
  batch.unique = unique;
  batch.dead_letters[static_cast<size_t>(Reason::kMissingField)] = missing;
  batch.dead_letters[static_cast<size_t>(Reason::kParse)] = broken;
  return batch;
}

class DeadLetterWatchTest : public testing::Test {
 protected:
  /// What a lane does with a transaction; the text if the share has become too large.
  std::optional<std::string> Commit(const CommittedBatch& batch, int64_t now_ms = 1000) {
    std::optional<std::string> why = watch.Judge(batch, false);
    watch.Committed(batch, now_ms);
    return why;
  }
  void See(Reason reason, const std::string& payload) {
    Message message;
    message.position.offset = 17;
    message.value = payload;
    Verdict verdict;
    verdict.decision = Decision::kDeadLetter;
    verdict.outcome.Fail(reason, "the field is missing");
    watch.Saw(message, {"news", 3}, verdict);
  }

  DeadLetterOptions options;
  RecordOptions record;
  DeadLetterWatch watch{options, record};
};

TEST_F(DeadLetterWatchTest, AWrongFieldNameShowsInTheFirstTransactionWithTheNameThatWasMeant) {
  record.fields = {{"titel", 1.0}, {"/text", 1.0}};
  See(Reason::kMissingField, R"({"title": "x", "text": "y", "url": "z"})");
  const auto why = Commit(Batch(0, 9038));
  ASSERT_TRUE(why);
  EXPECT_EQ(
      *why,
      "9038 of 9038 records are dead letters (100 %), and dead_letters.share_max is 50 %; the "
      "most frequent reason is missing_field (9,038 records), such as news/3/17: the field is "
      "missing; expected field `titel`, found `title` in 100 % of records; these records have the "
      "fields title, text, url");
}

TEST_F(DeadLetterWatchTest, AMissingTimeFieldIsNamedToo) {
  record.time_field = "tiem";
  See(Reason::kEventTime, R"({"time": 1})");
  CommittedBatch batch;
  batch.dead_letters[static_cast<size_t>(Reason::kEventTime)] = 200;
  EXPECT_THAT(*Commit(batch), HasSubstr("expected field `tiem`, found `time` in 100 % of records"));
}

TEST_F(DeadLetterWatchTest, AnotherReasonNeedsNoNames) {
  record.fields = {{"titel", 1.0}};
  See(Reason::kParse, "{");
  EXPECT_THAT(*Commit(Batch(0, 10, 200)), Not(HasSubstr("expected field")));
}

TEST_F(DeadLetterWatchTest, FewRecordsAreNotJudged) {
  EXPECT_FALSE(Commit(Batch(0, 60)));
  EXPECT_TRUE(Commit(Batch(0, 60)));  // 120 together
}

TEST_F(DeadLetterWatchTest, BeforeTheFirstCommitTwentyRecordsAreEnough) {
  EXPECT_FALSE(watch.Judge(Batch(0, 19), true));
  EXPECT_FALSE(watch.Judge(Batch(0, 20), false));
  EXPECT_FALSE(watch.Judge(Batch(10, 10), true));
  EXPECT_TRUE(watch.Judge(Batch(9, 11), true));
}

TEST_F(DeadLetterWatchTest, SaysInHowManyRecordsTheFieldIsThatWasMeant) {
  record.fields = {{"title", 1.0}};
  for (int i = 0; i < 3; ++i) See(Reason::kMissingField, R"({"TITLE": "x"})");
  See(Reason::kMissingField, R"({"text": "x"})");
  EXPECT_THAT(*Commit(Batch(0, 200)), HasSubstr("found `TITLE` in 75 % of records"));
}

TEST_F(DeadLetterWatchTest, AFieldInAnotherObjectIsFoundByItsLastName) {
  record.fields = {{"headline", 1.0}};
  See(Reason::kMissingField, R"({"id": 1, "article": {"headline": "x"}})");
  EXPECT_THAT(*Commit(Batch(0, 200)), HasSubstr("found `/article/headline` in 100 % of records"));
}

TEST_F(DeadLetterWatchTest, ASharePreciselyAtTheBoundIsNormal) {
  EXPECT_FALSE(Commit(Batch(100, 100)));
  EXPECT_TRUE(Commit(Batch(100, 101)));
}

TEST_F(DeadLetterWatchTest, WithTheBoundOneNoShareIsTooLarge) {
  options.share_max = 1;
  EXPECT_FALSE(Commit(Batch(0, 5000)));
}

TEST_F(DeadLetterWatchTest, EachChangeIsReportedOnce) {
  EXPECT_TRUE(Commit(Batch(0, 200), 1000));
  for (int64_t now_ms = 2000; now_ms < 60'000; now_ms += 1000) {
    EXPECT_FALSE(Commit(Batch(0, 200), now_ms));
  }
  EXPECT_FALSE(Commit(Batch(0, 200), 61'000));  // ends a window that was too large
  EXPECT_TRUE(watch.excessive());
  EXPECT_FALSE(Commit(Batch(200, 0), 62'000));
  EXPECT_TRUE(watch.excessive());
  EXPECT_FALSE(Commit(Batch(200, 0), 122'000));  // ends a normal one
  EXPECT_FALSE(watch.excessive());
  EXPECT_TRUE(Commit(Batch(0, 200), 123'000));
}

TEST_F(DeadLetterWatchTest, ALaterMinuteIsJudgedByItself) {
  EXPECT_FALSE(Commit(Batch(1'000'000, 0), 1000));
  EXPECT_FALSE(Commit(Batch(1, 0), 61'000));
  EXPECT_TRUE(Commit(Batch(0, 150), 62'000));
}

}  // namespace
}  // namespace neardup
