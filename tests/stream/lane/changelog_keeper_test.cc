// What a keeper does when the changelog cannot be purged.
#include "stream/lane/changelog_keeper.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "stream/lane/lane_world.h"
#include "stream/lane/memory_ports.h"
#include "stream/state/delta.h"
#include "stream/state/lane_state.h"

namespace neardup {
namespace {

/// A changelog whose purges fail.
class UnpurgedChangelog : public MemoryChangelog {
 public:
  using MemoryChangelog::MemoryChangelog;
  Result<bool> Purge(int64_t offset, const ChangelogMark& held) override {
    ++purges;
    if (!refusal) return MemoryChangelog::Purge(offset, held);
    return *refusal;
  }
  std::optional<Error> refusal;
  int purges = 0;
};

class ChangelogKeeperTest : public testing::Test, public SeesKeeper<ChangelogKeeperTest> {
 public:
  void Saw(const event::ChangelogPurged& seen) { purged_to_ = seen.offset; }
  void Saw(const event::PurgeRefused&) { ++refused_; }
  void Saw(const event::KeeperFailed&) { ++failed_; }
  void Saw(const event::InputUndecided& seen) { undecided_[seen.topic] = seen.records; }
  void Saw(const auto& /*ignored*/) {}

 protected:
  ChangelogKeeperTest() {
    options_.filter = TestOptions(3).filter;
    options_.snapshot_interval_ms = 10;
    auto state = LaneState::New(options_.filter, 0);
    EXPECT_TRUE(state.ok());
    EXPECT_TRUE((*state)->AddInput({"a", 0}, 0).ok());
    for (int64_t offset = 0; offset < 3; ++offset) {
      (*state)->Advance({0, offset});
      Delta delta = (*state)->Uncommitted().front();
      delta.watermark_ms = 1'000'000'000;
      delta.horizon_ms = 1000;
      broker_.changelog.push_back(Encode(delta));
      (*state)->Commit();
    }
  }

  void Steps(int steps) {
    ChangelogKeeper keeper(options_, log_, clock_, *this, std::nullopt);
    for (int step = 0; step < steps; ++step) {
      keeper.Step();
      clock_.SleepMs(options_.snapshot_interval_ms);
    }
  }

  Faults faults_{1, 0};
  MemoryBroker broker_;
  MemoryClock clock_;
  UnpurgedChangelog log_{broker_, faults_};
  KeeperOptions options_;
  int64_t purged_to_ = 0;
  int refused_ = 0;
  int failed_ = 0;
  std::map<std::string, int64_t> undecided_;
};

TEST_F(ChangelogKeeperTest, TellsHowManyRecordsAreUndecidedAsOftenAsItsPeriod) {
  int asked = 0;
  Result<int64_t> end = int64_t{10};
  options_.input_end = [&](const InputPartition& input) {
    EXPECT_EQ(input, (InputPartition{"a", 0}));
    ++asked;
    return end;
  };
  options_.snapshot_interval_ms = 1000;
  Steps(40);
  EXPECT_EQ(undecided_, (std::map<std::string, int64_t>{{"a", 7}})) << "3 of 10 are decided";
  EXPECT_GE(asked, 2);
  EXPECT_LE(asked, 4) << "in 40 s";
  undecided_.clear();
  end = Retriable(ErrorCode::kUnavailable, "no leader");
  Steps(40);
  EXPECT_TRUE(undecided_.empty()) << "nothing is known";
  EXPECT_EQ(failed_, 0);
}

TEST_F(ChangelogKeeperTest, PurgesWhatHoldsNoLiveEntry) {
  Steps(5);
  EXPECT_EQ(purged_to_, 2);
  EXPECT_EQ(log_.purges, 1);
}

TEST_F(ChangelogKeeperTest, AnErrorThatItDoesNotKnowDoesNotEndThePurges) {
  log_.refusal = Error{ErrorCode::kInternal, "an answer that means nothing to us"};
  Steps(5);
  EXPECT_GT(log_.purges, 2);
  EXPECT_EQ(failed_, log_.purges);
  EXPECT_EQ(refused_, 0);
}

TEST_F(ChangelogKeeperTest, AMissingRightEndsThePurges) {
  log_.refusal = Error{ErrorCode::kAuth, "not allowed"};
  Steps(5);
  EXPECT_EQ(log_.purges, 1);
  EXPECT_EQ(refused_, 1);
  EXPECT_EQ(failed_, 0);
}

class LearnedChangelogTest : public ChangelogKeeperTest {
 protected:
  /// A changelog in which the deltas at these places hold learned settings.
  void Learn(const std::vector<size_t>& places) {
    options_.learned = true;
    for (const size_t place : places) {
      Delta delta = DecodeDelta(broker_.changelog[place]).value();
      delta.learned = "{}";
      broker_.changelog[place] = Encode(delta);
    }
  }
};

TEST_F(LearnedChangelogTest, APurgeLeavesADeltaWithLearnedSettingsAtTheBeginning) {
  Learn({0, 1});
  Steps(5);
  EXPECT_EQ(purged_to_, 1) << "2 would be the first delta that is needed";
}

TEST_F(LearnedChangelogTest, IsNotPurgedWhileTheFirstDeltaAloneHoldsTheSettings) {
  Learn({0});
  Steps(5);
  EXPECT_EQ(log_.purges, 0);
}

TEST_F(LearnedChangelogTest, IsPurgedAsAnyOtherWhereTheOldestLiveDeltaHoldsThem) {
  Learn({0, 2});
  Steps(5);
  EXPECT_EQ(purged_to_, 2);
}

}  // namespace
}  // namespace neardup
