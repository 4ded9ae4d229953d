// The changelog port on a real broker; it skips markers and aborted deltas.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "detect/base/hash.h"
#include "kafka/kafka_cluster.h"
#include "kafka/kafka_ports.h"
#include "stream/lane/changelog_follower.h"

namespace neardup {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class RealChangelog : public ::testing::Test {
 protected:
  void SetUp() override {
    options_ = FreshOptions(TestBrokers());
    topic_ = ChangelogTopic(options_);
    CreateTopic(options_.brokers, topic_, 1);
    Result<std::unique_ptr<Changelog>> changelog = NewKafkaChangelog(options_, 0, {});
    ASSERT_OK(changelog);
    changelog_ = std::move(changelog).value();
  }
  void WriteDelta(const std::string& delta, bool commit) {
    WriteInTransaction(options_.brokers, topic_, 0, {Record(delta)}, commit);
  }
  /// Visits until next_offset reaches `end`.
  std::vector<std::string> VisitTo(int64_t end) {
    std::vector<std::string> deltas;
    for (int polls = 0; changelog_->next_offset() < end && polls < 300; ++polls) {
      const Result<void> polled = changelog_->Poll(100, [&](const ChangelogRecord& record) {
        deltas.emplace_back(record.bytes);
        return Result<void>();
      });
      EXPECT_TRUE(polled.ok()) << polled.error().text;
    }
    EXPECT_EQ(changelog_->next_offset(), end);
    return deltas;
  }

  KafkaOptions options_;
  std::string topic_;
  std::unique_ptr<Changelog> changelog_;
};

TEST_F(RealChangelog, AnEmptyLogEndsWhereItBegins) {
  ASSERT_OK(changelog_->Open(0));
  const auto end = changelog_->End();
  ASSERT_OK(end);
  EXPECT_EQ(*end, 0);
  EXPECT_EQ(changelog_->next_offset(), 0);
}

TEST_F(RealChangelog, AClosedLogIsOpenedAgainWhereItsReaderWants) {
  for (const char* delta : {"a", "b", "c"}) WriteDelta(delta, true);
  ASSERT_OK(changelog_->Open(0));
  EXPECT_THAT(VisitTo(6), ElementsAre("a", "b", "c"));
  for (int times = 0; times < 3; ++times) {
    changelog_->Close();
    ASSERT_OK(changelog_->Open(2));
    EXPECT_THAT(VisitTo(6), ElementsAre("b", "c"));
  }
}

TEST_F(RealChangelog, TheEndIsReachedPastMarkersAndAbortedDeltas) {
  WriteDelta("a", true);
  WriteDelta("aborted", false);
  WriteDelta("b", true);
  WriteDelta("aborted at the end", false);
  ASSERT_OK(changelog_->Open(0));
  const auto end = changelog_->End();
  ASSERT_OK(end);
  EXPECT_EQ(*end, 8);  // four deltas and four markers
  EXPECT_THAT(VisitTo(*end), ElementsAre("a", "b"));
}

TEST_F(RealChangelog, ADeltaOfAnOpenTransactionCountsForTheEndAndIsNotVisited) {
  WriteDelta("a", true);
  ASSERT_OK(changelog_->Open(0));
  {
    const OpenRecords open(options_.brokers, topic_, 0, {Record("open")});
    const auto end = changelog_->End();
    ASSERT_OK(end);
    EXPECT_EQ(*end, 3);  // a delta, its marker, and the open delta
    const auto committed = changelog_->CommittedEnd();
    ASSERT_OK(committed);
    EXPECT_EQ(*committed, 2);
    EXPECT_THAT(VisitTo(2), ElementsAre("a"));
  }
  WriteDelta("b", true);
  EXPECT_THAT(VisitTo(6), ElementsAre("b"));
}

TEST_F(RealChangelog, OpensAgainAnywhereAndFollows) {
  WriteDelta("a", true);
  WriteDelta("b", true);
  ASSERT_OK(changelog_->Open(0));
  EXPECT_THAT(VisitTo(4), ElementsAre("a", "b"));
  ASSERT_OK(changelog_->Open(2));
  EXPECT_THAT(VisitTo(4), ElementsAre("b"));
  WriteDelta("c", true);
  EXPECT_THAT(VisitTo(6), ElementsAre("c"));
  ASSERT_OK(changelog_->Open(0));
  EXPECT_THAT(VisitTo(6), ElementsAre("a", "b", "c"));
}

TEST_F(RealChangelog, AnErrorOfTheVisitorStopsBeforeTheNextRecord) {
  WriteDelta("a", true);
  ASSERT_OK(changelog_->Open(0));
  Result<void> polled;
  for (int polls = 0; polls < 300 && polled.ok(); ++polls) {
    polled = changelog_->Poll(100, [](const ChangelogRecord&) -> Result<void> {
      return Fatal(ErrorCode::kCorrupt, "not a delta");
    });
  }
  ASSERT_FALSE(polled.ok());
  EXPECT_EQ(polled.error().text, "not a delta");
  EXPECT_EQ(changelog_->next_offset(), 0);
}

TEST_F(RealChangelog, ALogThatEndsBeforeTheOffsetReadBeforeMayBeShownByAStaleLeader) {
  WriteDelta("a", true);
  Result<void> opened = changelog_->Open(3);
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.error().code, ErrorCode::kUnavailable);
  EXPECT_TRUE(opened.error().retriable);
  EXPECT_THAT(opened.error().text, HasSubstr(topic_ + "/0"));
  WriteDelta("b", true);
  ASSERT_OK(changelog_->Open(3));
}

TEST_F(RealChangelog, AMissingLogIsNamed) {
  options_.app = "nobody";
  auto changelog = NewKafkaChangelog(options_, 0, {});
  ASSERT_OK(changelog);
  const Result<void> opened = (*changelog)->Open(0);
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.error().code, ErrorCode::kNotFound) << opened.error().text;
  EXPECT_THAT(opened.error().text, HasSubstr("nobody-changelog"));
}

TEST_F(RealChangelog, PurgedRecordsAreGoneForEveryReader) {
  WriteDelta("a", true);
  WriteDelta("b", true);
  WriteDelta("c", true);
  const ChangelogMark newest{4, Hash64("c")};
  ASSERT_OK(changelog_->Purge(2, newest));
  ASSERT_OK(changelog_->Open(0));
  EXPECT_EQ(changelog_->next_offset(), 2);
  EXPECT_THAT(VisitTo(6), ElementsAre("b", "c"));
  ASSERT_OK(changelog_->Purge(2, newest));  // a second time has no effect
}

TEST_F(RealChangelog, NothingIsPurgedFromALogThatDoesNotHoldTheRecordThatWasReadLast) {
  WriteDelta("a", true);
  WriteDelta("b", true);
  for (const ChangelogMark& mark :
       {ChangelogMark{2, Hash64("of another log")}, ChangelogMark{1, Hash64("a")},
        ChangelogMark{200, Hash64("b")}}) {
    const Result<bool> held = changelog_->Holds(mark);
    ASSERT_OK(held);
    EXPECT_FALSE(*held) << mark.offset;
    const Result<bool> purged = changelog_->Purge(2, mark);
    ASSERT_OK(purged);
    EXPECT_FALSE(*purged) << mark.offset;
  }
  const Result<bool> held = changelog_->Holds({2, Hash64("b")});
  ASSERT_OK(held);
  EXPECT_TRUE(*held);
  ASSERT_OK(changelog_->Open(0));
  EXPECT_EQ(changelog_->next_offset(), 0);
}

TEST_F(RealChangelog, PurgingPastTheEndIsRefused) {
  WriteDelta("a", true);
  const Result<bool> purged = changelog_->Purge(100, {0, Hash64("a")});
  ASSERT_FALSE(purged.ok());
  EXPECT_THAT(purged.error().text, HasSubstr("below offset 100"));
}

TEST_F(RealChangelog, AReaderThatFellBehindThePurgeStartsAgainAndReadsTheRest) {
  WriteDelta("a", true);
  ChangelogFollower follower(*changelog_);
  std::vector<std::string> read;
  const auto poll_until = [&](const std::string& last, bool gap_expected) {
    bool gap = false;
    for (int polls = 0; (read.empty() || read.back() != last) && polls < 300; ++polls) {
      const Result<bool> polled = follower.Poll(100, [&](const ChangelogRecord& record) {
        read.emplace_back(record.bytes);
        return Result<void>();
      });
      ASSERT_TRUE(polled.ok()) << polled.error().text;
      gap = gap || !*polled;
    }
    EXPECT_EQ(gap, gap_expected) << follower.why();
  };
  poll_until("a", false);
  follower.Close();
  WriteDelta("b", true);
  WriteDelta("c", true);
  ASSERT_OK(changelog_->Purge(4, {4, Hash64("c")}));
  poll_until("c", true);
  EXPECT_THAT(read, ElementsAre("a", "c"));
}

}  // namespace
}  // namespace neardup
