// A lane must not start while its changelog holds only a part of the entries that it is being
// given.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stream/lane/lane_instance.h"
#include "stream/lane/lane_world.h"
#include "stream/state/delta.h"

namespace neardup {
namespace {

using testing::HasSubstr;

TEST(UnfinishedBeginning, StopsALaneUntilItsLastDeltaIsWritten) {
  Faults none(1, 0);
  MemoryBroker broker;
  MemoryClock clock;
  LaneOptions options = TestOptions(3);
  FillInputs(broker, none.random(), 200);
  const auto run_to_the_end = [&]() -> std::optional<Error> {
    Instance instance(broker, none, clock, options);
    instance.lease.held = true;
    const auto failed = StepUntil(instance, [&] { return instance.AtEnd(); });
    if (failed) return failed;
    EXPECT_TRUE(instance.lane->Drain().ok());
    return std::nullopt;
  };
  const auto write = [&](const Delta& delta) {
    MemoryTransaction transaction(broker, none);
    EXPECT_TRUE(transaction.Fence().ok());
    EXPECT_TRUE(transaction.Begin().ok());
    EXPECT_TRUE(transaction.PublishDelta(Encode(delta)).ok());
    EXPECT_TRUE(transaction.Commit(delta.inputs).ok());
  };
  ASSERT_FALSE(run_to_the_end());
  const Delta last = DecodeDelta(broker.NewestDelta()).value();
  Delta given = last;
  given.entries.clear();
  given.entries_live = 0;
  given.fresh = true;
  given.writer_before = last.writer;
  given.writer = given.writer_before + 1;
  given.epoch = last.epoch + 1;
  given.seq_first = given.settings_seq = last.seq_last + 1;
  given.beginning = {BeganWith::kLanes, true, last.seq_last + 1, last.horizon_ms};
  write(given);
  const std::optional<Error> refused = run_to_the_end();
  ASSERT_TRUE(refused);
  EXPECT_TRUE(refused->fatal);
  EXPECT_THAT(refused->text, HasSubstr("was interrupted"));
  EXPECT_EQ(DecodeDelta(broker.NewestDelta()).value().writer, given.writer) << "it wrote nothing";

  given.fresh = false;
  given.writer_before = given.writer;
  given.beginning.unfinished = false;
  write(given);
  FillInputs(broker, none.random(), 100);
  EXPECT_FALSE(run_to_the_end());
  const Delta next = DecodeDelta(broker.NewestDelta()).value();
  EXPECT_GT(next.seq_last, last.seq_last);
  EXPECT_EQ(next.beginning, given.beginning);
}

}  // namespace
}  // namespace neardup
