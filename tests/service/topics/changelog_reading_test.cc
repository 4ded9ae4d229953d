// Reading a changelog that its lane purges meanwhile.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "service/topics/topic_reading.h"
#include "stream/lane/memory_ports.h"

namespace neardup {
namespace {

using ::testing::ElementsAre;

class ChangelogReading : public ::testing::Test {
 protected:
  /// Deltas with the seqs 1 to `count`, at the offsets 0 to count - 1.
  void Write(uint64_t count) {
    for (uint64_t seq = 1; seq <= count; ++seq) {
      Delta delta;
      delta.seq_first = delta.seq_last = seq;
      broker_.changelog.emplace_back(Encode(delta));
    }
  }
  /// Reads all deltas from the oldest on. When it has read `at`, everything below `to` is purged.
  Result<void> ReadDuringAPurge(uint64_t at, int64_t to) {
    return ReadOldestDeltas(changelog_, broker_.ChangelogEnd(), [&](const Delta& delta) {
      read_.push_back(delta.seq_last);
      if (delta.seq_last == at) broker_.changelog_begin = to;
      return true;
    });
  }

  MemoryBroker broker_;
  Faults faults_{1, 0};
  MemoryChangelog changelog_{broker_, faults_};
  std::vector<uint64_t> read_;
};

TEST_F(ChangelogReading, APurgeThatOvertakesTheReaderLeavesOutWhatItDeletes) {
  Write(9);
  const Result<void> done = ReadDuringAPurge(/*at=*/3, /*to=*/6);
  ASSERT_TRUE(done.ok()) << done.error().text;
  EXPECT_THAT(read_, ElementsAre(1, 2, 3, 7, 8, 9));
}

TEST_F(ChangelogReading, APurgeOfEverythingEndsTheReading) {
  Write(9);
  const Result<void> done = ReadDuringAPurge(/*at=*/3, /*to=*/9);
  ASSERT_TRUE(done.ok()) << done.error().text;
  EXPECT_THAT(read_, ElementsAre(1, 2, 3));
}

TEST_F(ChangelogReading, ARangeSaysThatItsNextDeltaWasPurged) {
  Write(9);
  const Result<void> done = ReadDeltas(changelog_, 0, 9, [&](const Delta&) {
    broker_.changelog_begin = 6;
    return true;
  });
  ASSERT_FALSE(done.ok());
  EXPECT_EQ(done.error().code, ErrorCode::kNotFound);
}

}  // namespace
}  // namespace neardup
