// What a lane does when its inputs change under it: topics that vanish or are created again,
// records that are deleted, leaders that are silent.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "stream/lane/lane_instance.h"
#include "stream/lane/lane_world.h"
#include "stream/state/delta.h"

namespace neardup {
namespace {

const InputPartition kA0{"a", 0};
const InputPartition kB0{"b", 0};

void Append(MemoryBroker& broker, const InputPartition& input, int records) {
  for (int i = 0; i < records; ++i) {
    const int64_t offset = broker.End(input);
    broker.inputs[input].push_back(
        {offset, 1'700'000'000'000 + offset,
         R"({"text":"record )" + input.topic + std::to_string(offset) + R"( of some words"})"});
  }
}

size_t OutputsOf(const MemoryBroker& broker, const InputPartition& input) {
  return static_cast<size_t>(
      std::count_if(broker.outputs.begin(), broker.outputs.end(),
                    [&](const MemoryOutput& output) { return output.input == input; }));
}

struct LaneInputsTest : testing::Test {
  LaneInputsTest() {
    options.transaction_interval_ms = 20;
    options.partitions_refresh_ms = 1000;
    Append(broker, kA0, 20);
    Append(broker, kB0, 20);
  }
  std::unique_ptr<Instance> Start() {
    auto instance = std::make_unique<Instance>(broker, faults, clock, options);
    instance->lease.held = true;
    return instance;
  }
  /// The error with which the lane ends.
  static Error EndOf(Instance& instance) {
    const std::optional<Error> error = StepUntil(instance, [] { return false; });
    EXPECT_TRUE(error.has_value());
    return error.value_or(Error{});
  }
  bool Decided(const InputPartition& input, size_t records) {
    return OutputsOf(broker, input) == records;
  }
  /// Runs a lane until everything is decided, and stops it.
  void DecideAll() {
    const auto instance = Start();
    ASSERT_FALSE(StepUntil(*instance, [&] { return AllPositionsAreAtTheEnd(broker); }));
    ASSERT_TRUE(instance->lane->Drain().ok());
  }
  InputProgress ProgressOf(const InputPartition& input) const {
    const Result<Delta> newest = DecodeDelta(broker.NewestDelta());
    for (const InputProgress& each : newest->inputs) {
      if (each.partition == input) return each;
    }
    return {};
  }

  Faults faults{41, 0};
  MemoryBroker broker;
  MemoryClock clock;
  LaneOptions options = TestOptions(3);
};

TEST_F(LaneInputsTest, CopiesOfARemovedTopicBeginGroupsOnTheirOwnTopicIfGroupsAreKeys) {
  for (const UniqueKey key : {UniqueKey::kGroup, UniqueKey::kRecord}) {
    broker = MemoryBroker();
    Append(broker, kA0, 1);
    Append(broker, kB0, 1);
    options.routing.keep = Keep::kNewest;
    options.unique_key = key;
    options.pipeline.topics = {{"a", "b"}, "{topic}.u", "{topic}.d", "{topic}.x"};
    DecideAll();
    options.pipeline.before = options.pipeline.topics;
    options.pipeline.topics.inputs = {"a"};
    const std::string of_b = broker.inputs[kB0][0].value.value();
    broker.inputs.erase(kB0);
    for (int copy = 0; copy < 3; ++copy) {
      const int64_t offset = broker.End(kA0);
      broker.inputs[kA0].push_back({offset, 1'700'000'000'100 + offset, of_b});
    }
    DecideAll();
    std::vector<std::string> originals;
    for (const MemoryOutput& output : broker.outputs) {
      const Match& match = output.verdict.match;
      originals.push_back(output.verdict.has_match()
                              ? output.original_input.topic + std::to_string(match.original.offset)
                              : "none");
    }
    const std::string of_first = key == UniqueKey::kGroup ? "none" : "b0";
    const std::string of_later = key == UniqueKey::kGroup ? "a1" : "b0";
    EXPECT_THAT(originals,
                testing::UnorderedElementsAre("none", "none", of_first, of_later, of_later));
  }
}

TEST_F(LaneInputsTest, ATopicThatIsNoLongerConfiguredKeepsItsProgressAndIsNotCommitted) {
  DecideAll();
  broker.inputs.erase(kB0);  // neither configured nor there
  broker.unknown_topics.insert("b");
  Append(broker, kA0, 5);
  const auto instance = Start();
  ASSERT_FALSE(StepUntil(*instance, [&] { return Decided(kA0, 25); }));
  EXPECT_EQ(ProgressOf(kB0).next_offset, 20);
  EXPECT_TRUE(instance->probe.missing_events.empty());
}

TEST_F(LaneInputsTest, AnInputThatIsNoLongerReadDoesNotHoldTheWatermarkBack) {
  DecideAll();
  broker.inputs.erase(kB0);
  broker.unknown_topics.insert("b");
  Append(broker, kA0, 5);
  const auto instance = Start();
  ASSERT_FALSE(StepUntil(*instance, [&] { return Decided(kA0, 25); }));
  EXPECT_EQ(instance->lane->state().filter().watermark_ms(), 1'700'000'000'024);
}

TEST_F(LaneInputsTest, AnOffsetAboveTheLargestThatAnEntryCanHoldEndsTheLaneAndSaysWhatToDo) {
  broker.inputs[kA0].push_back({kOffsetMax + 1, 1'700'000'000'100, R"({"text":"too far away"})"});
  const auto instance = Start();
  const Error error = EndOf(*instance);
  EXPECT_EQ(error.code, ErrorCode::kExhausted);
  EXPECT_TRUE(error.fatal);
  EXPECT_THAT(error.text, testing::HasSubstr("a/0 is at offset 281474976710656"));
  EXPECT_THAT(error.text, testing::HasSubstr("continue with a new topic"));
  EXPECT_LE(ProgressOf(kA0).next_offset, 20);
}

TEST_F(LaneInputsTest, WhenATopicVanishesTheOthersGoOnAndOneEventSaysSo) {
  const auto instance = Start();
  ASSERT_FALSE(StepUntil(*instance, [&] { return Decided(kA0, 20) && Decided(kB0, 20); }));
  broker.missing_topics.insert("b");
  Append(broker, kA0, 5);
  ASSERT_FALSE(StepUntil(*instance, [&] { return Decided(kA0, 25); }));
  ASSERT_FALSE(StepUntil(*instance, [&] { return !instance->probe.missing_events.empty(); }));
  for (int step = 0; step < 200; ++step) ASSERT_TRUE(instance->lane->Step().ok());
  EXPECT_THAT(instance->probe.missing_events, testing::ElementsAre(std::pair("b", true)));
  EXPECT_EQ(instance->lane->phase(), LanePhase::kActive);
}

TEST_F(LaneInputsTest, AVanishedTopicEndsTheLaneIfTheOptionsSaySo) {
  options.on_missing_topic = OnLoss::kFail;
  DecideAll();
  broker.missing_topics.insert("b");
  const auto instance = Start();
  const Error error = EndOf(*instance);
  EXPECT_EQ(error.code, ErrorCode::kNotFound);
  EXPECT_TRUE(error.fatal);
  EXPECT_THAT(error.text, testing::HasSubstr("topic b does not exist any more"));
}

TEST_F(LaneInputsTest, ATopicThatWasNeverReadAndDoesNotExistEndsTheLane) {
  broker.missing_topics.insert("c");
  const auto instance = Start();
  const Error error = EndOf(*instance);
  EXPECT_EQ(error.code, ErrorCode::kNotFound);
  EXPECT_THAT(error.text, testing::HasSubstr("topic c does not exist"));
}

TEST_F(LaneInputsTest, ATopicIsNotMissingBecauseOneAnswerSaysSo) {
  const auto instance = Start();
  ASSERT_FALSE(StepUntil(*instance, [&] { return Decided(kA0, 20) && Decided(kB0, 20); }));
  broker.missing_topics.insert("b");
  Append(broker, kA0, 1);
  ASSERT_FALSE(StepUntil(*instance, [&] { return Decided(kA0, 21); }));
  broker.missing_topics.clear();
  Append(broker, kB0, 5);
  ASSERT_FALSE(StepUntil(*instance, [&] { return Decided(kB0, 25); }));
  EXPECT_TRUE(instance->probe.missing_events.empty());
  EXPECT_TRUE(instance->probe.losses.empty());
}

/// Deletes a topic, lets the lane notice, and creates it with records that are not those before.
void ReplaceB(LaneInputsTest& world, Instance& instance, int records) {
  world.broker.missing_topics.insert("b");
  ASSERT_FALSE(StepUntil(instance, [&] { return !instance.probe.missing_events.empty(); }));
  world.broker.inputs[kB0].clear();
  Append(world.broker, kB0, records);
  for (MemoryRecord& record : world.broker.inputs[kB0]) ++record.timestamp_ms;
  world.broker.missing_topics.clear();
}

TEST_F(LaneInputsTest, ATopicThatWasCreatedAgainIsADataLoss) {
  const auto instance = Start();
  ASSERT_FALSE(StepUntil(*instance, [&] { return Decided(kB0, 20); }));
  ReplaceB(*this, *instance, 30);  // it has grown past the old position
  const Error error = EndOf(*instance);
  EXPECT_TRUE(error.fatal);
  EXPECT_THAT(error.text, testing::HasSubstr("b/0: the lane was to continue at offset 20"));
  EXPECT_THAT(error.text, testing::HasSubstr("input.on_data_loss"));
}

TEST_F(LaneInputsTest, ATopicThatWasCreatedAgainIsReadFromItsBeginningIfTheOptionsSaySo) {
  options.on_data_loss = OnLoss::kContinue;
  const auto instance = Start();
  ASSERT_FALSE(StepUntil(*instance, [&] { return Decided(kB0, 20); }));
  ReplaceB(*this, *instance, 30);
  ASSERT_FALSE(StepUntil(*instance, [&] { return Decided(kB0, 20 + 30); }));
  ASSERT_EQ(instance->probe.losses.size(), 1U);
  EXPECT_EQ(instance->probe.losses[0].kind, InputLoss::Kind::kReplaced);
  EXPECT_THAT(instance->probe.missing_events,
              testing::ElementsAre(std::pair("b", true), std::pair("b", false)));
}

TEST_F(LaneInputsTest, ATopicThatIsBackIsComparedUntilItsLeaderAnswers) {
  const auto instance = Start();
  ASSERT_FALSE(StepUntil(*instance, [&] { return Decided(kB0, 20); }));
  broker.unreachable.insert(kB0);
  ReplaceB(*this, *instance, 30);
  for (int step = 0; step < 300; ++step) ASSERT_TRUE(instance->lane->Step().ok());
  EXPECT_TRUE(Decided(kB0, 20));
  broker.unreachable.clear();
  EXPECT_THAT(EndOf(*instance).text,
              testing::HasSubstr("b/0: the lane was to continue at offset 20"));
}

TEST_F(LaneInputsTest, ATopicThatABrokerDidNotKnowForAWhileGoesOn) {
  for (const bool retention : {false, true}) {
    broker = MemoryBroker();
    for (const InputPartition& input : {kA0, kB0}) Append(broker, input, 20);
    const auto instance = Start();
    ASSERT_FALSE(StepUntil(*instance, [&] { return Decided(kB0, 20); }));
    broker.missing_topics.insert("b");
    ASSERT_FALSE(StepUntil(*instance, [&] { return !instance->probe.missing_events.empty(); }));
    if (retention) broker.deleted_below[kB0] = 20;
    Append(broker, kB0, 5);
    broker.missing_topics.clear();
    ASSERT_FALSE(StepUntil(*instance, [&] { return Decided(kB0, 25); }));
    EXPECT_TRUE(instance->probe.losses.empty());
    EXPECT_THAT(instance->probe.missing_events,
                testing::ElementsAre(std::pair("b", true), std::pair("b", false)));
  }
}

TEST_F(LaneInputsTest, ATopicThatWasCreatedAgainBeforeAPromotionIsNoLossOfTheChangelog) {
  options.on_data_loss = OnLoss::kContinue;
  const auto instance = Start();
  ASSERT_FALSE(StepUntil(*instance, [&] { return Decided(kB0, 20); }));
  broker.missing_topics.insert("b");
  ASSERT_FALSE(StepUntil(*instance, [&] { return !instance->probe.missing_events.empty(); }));
  instance->lease.held = false;
  ASSERT_FALSE(
      StepUntil(*instance, [&] { return instance->lane->phase() == LanePhase::kStandby; }));
  broker.inputs[kB0].clear();
  Append(broker, kB0, 5);
  broker.missing_topics.clear();
  instance->lease.held = true;
  const auto error = StepUntil(*instance, [&] { return Decided(kB0, 20 + 5); });
  ASSERT_FALSE(error) << error->text;
  ASSERT_EQ(instance->probe.losses.size(), 1U);
  EXPECT_EQ(instance->probe.losses[0].kind, InputLoss::Kind::kReplaced);
}

TEST_F(LaneInputsTest, ALogThatEndsBeforeThePositionIsADataLossOnlyAfterAWhile) {
  DecideAll();
  auto cut = broker.inputs[kB0];
  cut.resize(5);
  std::swap(broker.inputs[kB0], cut);
  options.on_data_loss = OnLoss::kContinue;
  const auto instance = Start();
  Append(broker, kA0, 5);
  ASSERT_FALSE(StepUntil(*instance, [&] { return Decided(kA0, 25); }));
  EXPECT_TRUE(instance->probe.losses.empty());  // a leader that lags would look the same
  std::swap(broker.inputs[kB0], cut);
  Append(broker, kB0, 2);
  ASSERT_FALSE(StepUntil(*instance, [&] { return Decided(kB0, 22); }));
  EXPECT_TRUE(instance->probe.losses.empty());
  broker.inputs[kB0].resize(5);
  ASSERT_FALSE(StepUntil(*instance, [&] { return !instance->probe.losses.empty(); }));
  EXPECT_EQ(instance->probe.losses[0].kind, InputLoss::Kind::kReplaced);
  ASSERT_FALSE(StepUntil(*instance, [&] { return Decided(kB0, 22 + 5); }));
}

TEST_F(LaneInputsTest, DeletedRecordsEndTheLaneAndTheMessageSaysHowManyAndWhatToDo) {
  DecideAll();
  Append(broker, kA0, 5);
  Append(broker, kB0, 100);
  broker.deleted_below[kB0] = 60;
  const auto instance = Start();
  const Error error = EndOf(*instance);
  EXPECT_EQ(error.code, ErrorCode::kNotFound);
  EXPECT_TRUE(error.fatal);
  EXPECT_THAT(error.text, testing::HasSubstr("b/0: 40 offsets are gone"));
  EXPECT_THAT(error.text, testing::HasSubstr("continue at offset 20"));
  EXPECT_THAT(error.text, testing::HasSubstr("begins at offset 60"));
  EXPECT_THAT(error.text,
              testing::HasSubstr("neardup reset --partition b/0 --to earliest|OFFSET --execute"));
}

TEST_F(LaneInputsTest, TheLaneGoesOnBehindDeletedRecordsOnceIfTheOptionsSaySo) {
  DecideAll();
  Append(broker, kB0, 100);
  broker.deleted_below[kB0] = 60;
  options.on_data_loss = OnLoss::kContinue;
  auto instance = Start();
  ASSERT_FALSE(StepUntil(*instance, [&] { return ProgressOf(kB0).next_offset >= 60; }));
  ASSERT_FALSE(StepUntil(*instance, [&] { return Decided(kB0, 20 + 60); }));
  ASSERT_EQ(instance->probe.losses.size(), 1U);
  EXPECT_EQ(instance->probe.losses[0].kind, InputLoss::Kind::kDeleted);
  EXPECT_EQ(instance->probe.losses[0].from, 20);
  EXPECT_EQ(instance->probe.losses[0].to, 60);
  instance.reset();  // without a clean stop
  options.on_data_loss = OnLoss::kFail;
  instance = Start();
  Append(broker, kB0, 5);
  ASSERT_FALSE(StepUntil(*instance, [&] { return Decided(kB0, 20 + 65); }));
  EXPECT_TRUE(instance->probe.losses.empty());
}

TEST_F(LaneInputsTest, WhatANewOwnerDecidedIsNoLossForTheOldOne) {
  const auto old_owner = Start();
  ASSERT_FALSE(StepUntil(*old_owner, [&] { return Decided(kA0, 20) && Decided(kB0, 20); }));
  const auto new_owner = Start();
  Append(broker, kB0, 5);
  ASSERT_FALSE(StepUntil(*new_owner, [&] { return Decided(kB0, 25); }));
  broker.deleted_below[kB0] = 25;
  ASSERT_EQ(old_owner->lane->phase(), LanePhase::kActive) << "it has not heard of the new one";
  const auto error =
      StepUntil(*old_owner, [&] { return old_owner->lane->phase() == LanePhase::kStandby; });
  EXPECT_FALSE(error) << error->text;
  new_owner->lease.held = false;
  Append(broker, kB0, 5);
  ASSERT_FALSE(StepUntil(*old_owner, [&] { return Decided(kB0, 30); }));
  EXPECT_TRUE(old_owner->probe.losses.empty());
}

TEST_F(LaneInputsTest, AStartThatIsDeletedBeforeTheFirstReadMoves) {
  broker.deleted_below[kB0] = 3;
  const auto instance = Start();
  ASSERT_TRUE(instance->lane->Step().ok());
  ASSERT_EQ(instance->lane->phase(), LanePhase::kActive);
  EXPECT_EQ(ProgressOf(kB0).next_offset, 3);
  broker.deleted_below[kB0] = 10;
  ASSERT_FALSE(StepUntil(*instance, [&] { return Decided(kB0, 10) && Decided(kA0, 20); }));
  ASSERT_EQ(instance->probe.losses.size(), 1U);
  EXPECT_EQ(instance->probe.losses[0].kind, InputLoss::Kind::kUnreadStart);
  EXPECT_EQ(instance->probe.losses[0].to, 10);
}

TEST_F(LaneInputsTest, AnInputWhoseLeaderIsSilentHoldsTheWatermark) {
  options.idle_ms = 5000;
  broker.inputs[kB0].resize(1);
  const auto instance = Start();
  ASSERT_FALSE(StepUntil(*instance, [&] { return Decided(kA0, 20) && Decided(kB0, 1); }));
  broker.unreachable.insert(kB0);
  for (int step = 0; step < 100; ++step) {
    ASSERT_TRUE(instance->lane->Step().ok());
    clock.SleepMs(100);
  }
  Append(broker, kA0, 5);
  ASSERT_FALSE(StepUntil(*instance, [&] { return Decided(kA0, 25); }));
  EXPECT_EQ(instance->lane->state().filter().watermark_ms(), 1'700'000'000'000);
  broker.unreachable.clear();
  ASSERT_FALSE(StepUntil(*instance, [&] {
    return instance->lane->state().filter().watermark_ms() > 1'700'000'000'000;
  }));
  EXPECT_THAT(instance->probe.unreachable_events,
              testing::ElementsAre(std::pair(kB0, true), std::pair(kB0, false)));
}

}  // namespace
}  // namespace neardup
