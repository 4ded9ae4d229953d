// What a repair command writes to the changelog: a large index takes several transactions, and a
// part of one is no index.
#include "service/topics/stopped_lane.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "neardup/filter.h"
#include "stream/lane/memory_ports.h"
#include "stream/state/fresh_deltas.h"
#include "stream/state/lane_state.h"

namespace neardup {
namespace {

constexpr size_t kEntries = 20'000;
constexpr size_t kBytesMax = kDeltaBytesTarget;

FilterOptions Options() {
  FilterOptions options;
  options.record.fields = {{"text", 1.0}};
  options.window.entries_max = 20'000;
  return options;
}

/// A lane decides records, and its index is made again.
std::vector<Delta> FreshIndex() {
  const FilterOptions options = Options();
  const std::unique_ptr<LaneState> state = LaneState::New(options, 0).value();
  const uint32_t input = *state->AddInput({"news", 0}, 0);
  Fingerprinter fingerprinter(options);
  std::vector<FingerprintedRecord> records;
  for (size_t i = 0; i < kEntries; ++i) {
    const std::string value = fmt::format(R"({{"text":"a{0} b{0} c{0} d{0}"}})", i);
    const Position position{input, static_cast<int64_t>(i)};
    records.push_back(fingerprinter.Compute({position, 1'700'000'000'000, value}));
    state->filter().Decide(records.back());
    state->Advance(position);
  }
  return FreshDeltas(options, state->Uncommitted().back(), records).value();
}

/// The second commit is lost, as if the process had ended.
class SecondCommitIsLost : public Faults {
 public:
  SecondCommitIsLost() : Faults(1, 0) {}
  Kind Draw(std::string_view call, std::initializer_list<Kind>) override {
    return call == "Commit" && ++commits_ == 2 ? Kind::kUnknownLost : Kind::kNone;
  }

 private:
  int commits_ = 0;
};

/// Readers see what was committed only when the transactional id has its next owner.
class ShowsLate : public MemoryTransaction {
 public:
  ShowsLate(MemoryBroker& broker, Faults& faults, size_t& shown)
      : MemoryTransaction(broker, faults), committed_(broker), shown_(shown) {}
  Result<void> Fence() override {
    shown_ = committed_.commits.size();
    return MemoryTransaction::Fence();
  }

 private:
  const MemoryBroker& committed_;
  size_t& shown_;
};

class StoppedLaneTest : public ::testing::Test {
 protected:
  Result<void> Write(Faults& faults) {
    auto transaction = std::make_unique<MemoryTransaction>(broker_, faults);
    NEARDUP_TRY(transaction->Fence());
    return StoppedLane(std::move(transaction), kBytesMax).Commit(FreshIndex());
  }
  /// What the next start reads.
  std::unique_ptr<LaneState> Restored() const {
    std::unique_ptr<LaneState> state = LaneState::New(Options(), 0).value();
    for (const MemoryDelta& delta : broker_.changelog) {
      if (delta.kind != MemoryDelta::Kind::kCommitted || delta.bytes.empty()) continue;
      const Result<void> applied = state->Apply(DecodeDelta(delta.bytes).value());
      EXPECT_TRUE(applied.ok()) << applied.error().text;
    }
    return state;
  }

  MemoryBroker broker_;
};

TEST_F(StoppedLaneTest, ALargeIndexTakesSeveralTransactionsAndIsWhole) {
  Faults none(1, 0);
  const Result<void> written = Write(none);
  ASSERT_TRUE(written.ok()) << written.error().text;
  EXPECT_GE(broker_.commits.size(), 3U);
  for (const MemoryCommit& commit : broker_.commits) {
    size_t bytes = 0;
    for (const std::string& delta : commit.deltas) bytes += delta.size();
    EXPECT_LE(bytes, 2 * kBytesMax);
  }
  const auto state = Restored();
  EXPECT_EQ(state->filter().entries(), kEntries);
  EXPECT_EQ(state->entries_missing(), 0U);
}

TEST_F(StoppedLaneTest, APartOfAnIndexSaysThatEntriesAreMissing) {
  SecondCommitIsLost faults;
  ASSERT_FALSE(Write(faults).ok());
  broker_.TimeOut("lane-0");
  ASSERT_EQ(broker_.commits.size(), 1U);
  const auto state = Restored();
  EXPECT_EQ(state->entries_missing(), kEntries - state->filter().entries());
  EXPECT_GT(state->entries_missing(), 0U);
}

TEST_F(StoppedLaneTest, WaitsUntilReadersSeeWhatWasCommitted) {
  Faults none(1, 0);
  size_t shown = 0;
  auto transaction = std::make_unique<ShowsLate>(broker_, none, shown);
  ASSERT_TRUE(transaction->Fence().ok());
  StoppedLane lane(std::move(transaction), kBytesMax);
  ASSERT_TRUE(lane.Commit(FreshIndex()).ok());
  ASSERT_LT(shown, broker_.commits.size());
  ASSERT_TRUE(lane.AwaitVisible().ok());
  EXPECT_EQ(shown, broker_.commits.size());
}

}  // namespace
}  // namespace neardup
