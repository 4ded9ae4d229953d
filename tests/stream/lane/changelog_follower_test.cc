#include "stream/lane/changelog_follower.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "detect/base/hash.h"
#include "stream/lane/memory_ports.h"

namespace neardup {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class ChangelogFollowerTest : public testing::Test {
 protected:
  ChangelogFollowerTest() { broker_.changelog = {"a", "b", "c", "d", "e"}; }

  ChangelogMark MarkOf(int64_t offset) const {
    return {offset, Hash64(broker_.changelog[static_cast<size_t>(offset)])};
  }
  /// One Poll. Appends what it hands out to `read_`.
  bool Poll() {
    const Result<bool> polled = follower_.Poll(0, [this](const ChangelogRecord& record) {
      read_.emplace_back(record.bytes);
      return Result<void>();
    });
    EXPECT_TRUE(polled.ok()) << polled.error().text;
    return *polled;
  }
  void PollToEnd() {
    while (!follower_.is_open() ||
           follower_.next_offset() < static_cast<int64_t>(broker_.changelog.size())) {
      ASSERT_TRUE(Poll());
    }
  }

  MemoryBroker broker_;
  Faults faults_{1, 0};
  MemoryChangelog log_{broker_, faults_};
  ChangelogFollower follower_{log_};
  std::vector<std::string> read_;
};

TEST_F(ChangelogFollowerTest, ReadsFromTheOldestRecordThatIsLeft) {
  broker_.changelog_begin = 2;
  PollToEnd();
  EXPECT_THAT(read_, ElementsAre("c", "d", "e"));
}

TEST_F(ChangelogFollowerTest, ResumesAfterTheMarkedRecord) {
  follower_.StartBehind(MarkOf(2));
  EXPECT_EQ(follower_.next_offset(), 3);
  PollToEnd();
  EXPECT_THAT(read_, ElementsAre("d", "e"));
}

TEST_F(ChangelogFollowerTest, ResumesWhereItWasClosed) {
  PollToEnd();
  follower_.Close();
  broker_.changelog.push_back("f");
  read_.clear();
  PollToEnd();
  EXPECT_THAT(read_, ElementsAre("f"));
}

TEST_F(ChangelogFollowerTest, StartsOverWhenTheMarkedRecordDiffers) {
  follower_.StartBehind({2, Hash64("of another log")});
  EXPECT_FALSE(Poll());
  EXPECT_THAT(follower_.why(), HasSubstr("deleted and created again"));
  EXPECT_THAT(follower_.why(), HasSubstr("offset 2"));
  EXPECT_TRUE(follower_.is_another_log());
  EXPECT_THAT(read_, IsEmpty());
  PollToEnd();
  EXPECT_THAT(read_, ElementsAre("a", "b", "c", "d", "e"));
}

TEST_F(ChangelogFollowerTest, StartsOverWhenOnlyControlRecordsAreWhereTheMarkedRecordWas) {
  const ChangelogMark mark = MarkOf(3);
  broker_.changelog = {"z", "", "", "", ""};
  follower_.StartBehind(mark);
  bool resumed = true;
  for (int polls = 0; resumed && polls < 10; ++polls) resumed = Poll();
  EXPECT_FALSE(resumed);
  EXPECT_TRUE(follower_.is_another_log());
  EXPECT_THAT(follower_.why(), HasSubstr("expected a record at offset 3, found none"));
  EXPECT_THAT(read_, IsEmpty());
}

TEST_F(ChangelogFollowerTest, StartsOverWhenTheLogEndsBeforeTheMark) {
  follower_.StartBehind({5, 0});
  EXPECT_FALSE(Poll());
  EXPECT_THAT(follower_.why(), HasSubstr("ends at offset 5"));
  PollToEnd();
  EXPECT_THAT(read_, ElementsAre("a", "b", "c", "d", "e"));
}

TEST_F(ChangelogFollowerTest, StartsOverWhenTheMarkedRecordWasPurged) {
  broker_.changelog_begin = 3;
  follower_.StartBehind(MarkOf(2));
  EXPECT_FALSE(Poll());
  EXPECT_THAT(follower_.why(), HasSubstr("purged up to offset 3"));
  EXPECT_FALSE(follower_.is_another_log());
  PollToEnd();
  EXPECT_THAT(read_, ElementsAre("d", "e"));
}

TEST_F(ChangelogFollowerTest, StartsOverWhenRecordsItHasNotReadArePurgedWhileItIsOpen) {
  broker_.changelog.resize(10, "x");
  ASSERT_TRUE(Poll());
  const auto reached = static_cast<int64_t>(read_.size());
  ASSERT_LT(reached, 8);
  broker_.changelog_begin = 8;
  ASSERT_TRUE(Poll());   // finds that its place is gone
  EXPECT_FALSE(Poll());  // finds how much is gone
  EXPECT_THAT(follower_.why(), HasSubstr("only read to offset " + std::to_string(reached)));
  read_.clear();
  PollToEnd();
  EXPECT_EQ(read_.size(), 2U);
}

TEST_F(ChangelogFollowerTest, ResumesWhenOnlyRecordsThatItHasReadWerePurged) {
  PollToEnd();
  follower_.Close();
  broker_.changelog_begin = 5;
  broker_.changelog.push_back("f");
  read_.clear();
  PollToEnd();
  EXPECT_THAT(read_, ElementsAre("f"));
}

TEST_F(ChangelogFollowerTest, StartsOverWhenALogThatWasEmptyGrewAndWasPurged) {
  const auto grown = std::exchange(broker_.changelog, {});
  ASSERT_TRUE(Poll());
  follower_.Close();
  follower_.MoveTo(0);
  broker_.changelog = grown;
  broker_.changelog_begin = 2;
  EXPECT_FALSE(Poll()) << "its owner may have written the records that are purged";
  EXPECT_THAT(follower_.why(), HasSubstr("purged up to offset 2, but only read to offset 0"));
  EXPECT_THAT(read_, IsEmpty());
  PollToEnd();
  EXPECT_THAT(read_, ElementsAre("c", "d", "e"));
}

}  // namespace
}  // namespace neardup
