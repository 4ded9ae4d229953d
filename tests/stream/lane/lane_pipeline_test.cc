// Instances that have the same app and other topics: which of them may have the lane, and what the
// others do.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "stream/lane/lane_instance.h"
#include "stream/lane/lane_world.h"
#include "stream/state/delta.h"

namespace neardup {
namespace {

using testing::HasSubstr;

PipelineTopics Topics(std::vector<std::string> inputs) {
  return {std::move(inputs), "{topic}.unique", "{topic}.duplicate", "{topic}.dead-letter"};
}

PipelineTopics Inputs(std::vector<std::string> inputs) {
  PipelineTopics topics;
  topics.inputs = std::move(inputs);
  return topics;
}

class LaneOfAPipeline : public testing::Test {
 protected:
  LaneOfAPipeline() { FillInputs(broker_, faults_.random(), 200); }

  LaneOptions With(PipelineTopics topics, PipelineTopics before = {}) {
    LaneOptions options = TestOptions(3);
    options.pipeline = {std::move(topics), std::move(before)};
    return options;
  }

  /// Runs an instance of these options until all is decided, and stops it.
  void Run(const LaneOptions& options) {
    Instance instance(broker_, faults_, clock_, options);
    instance.lease.held = true;
    const std::optional<Error> ended =
        StepUntil(instance, [&] { return CommittedRecords(broker_) == InputRecords(broker_); });
    ASSERT_FALSE(ended) << ended->text;
    ASSERT_TRUE(instance.lane->Drain().ok());
  }

  PipelineTopics NewestTopics() { return DecodeDelta(broker_.NewestDelta())->pipeline; }

  static void ExpectRefusal(const std::optional<Error>& ended) {
    ASSERT_TRUE(ended);
    EXPECT_EQ(ended->code, ErrorCode::kMismatch);
    EXPECT_TRUE(ended->fatal);
    EXPECT_THAT(ended->text, HasSubstr("reads deals; "));
    EXPECT_THAT(ended->text, HasSubstr("reads a, b; "));
  }

  Faults faults_{1, 0};
  MemoryBroker broker_;
  MemoryClock clock_;
};

TEST_F(LaneOfAPipeline, AStandbyOfOtherTopicsEndsInsteadOfBecomingACandidate) {
  Run(With(Topics({"a", "b"})));
  Instance other(broker_, faults_, clock_, With(Topics({"deals"})));
  ExpectRefusal(StepUntil(other, [&] { return other.lease.candidate; }));
  EXPECT_FALSE(other.lease.candidate);
  EXPECT_EQ(other.probe.times, 0) << "it never said that it has caught up";
}

TEST_F(LaneOfAPipeline, OfTwoThatStartAtOnceTheSecondIsRefusedAtItsPromotion) {
  Instance other(broker_, faults_, clock_, With(Topics({"deals"})));
  ASSERT_FALSE(StepUntil(other, [&] { return other.lease.candidate; }))
      << "nothing tells them apart";
  Instance first(broker_, faults_, clock_, With(Topics({"a", "b"})));
  first.lease.held = true;
  ASSERT_FALSE(StepUntil(first, [&] { return CommittedRecords(broker_) > 0; }));
  other.lease.held = true;
  const int64_t end = broker_.ChangelogEnd();
  ExpectRefusal(StepUntil(other, [&] { return other.lane->phase() == LanePhase::kActive; }));
  EXPECT_EQ(broker_.ChangelogEnd(), end) << "it wrote nothing";
}

TEST_F(LaneOfAPipeline, TheNamedTopicsAreReplacedOnceAndReported) {
  Run(With(Topics({"a"})));
  FillInputs(broker_, faults_.random(), 100);
  {
    Instance changed(broker_, faults_, clock_, With(Topics({"a", "b"}), Inputs({"a"})));
    ASSERT_FALSE(StepUntil(changed, [&] { return changed.lease.candidate; }));
    EXPECT_EQ(NewestTopics(), Topics({"a"})) << "a standby changes nothing";
    changed.lease.held = true;
    ASSERT_FALSE(StepUntil(changed, [&] { return changed.lane->phase() == LanePhase::kActive; }));
    EXPECT_EQ(changed.probe.pipeline_changes,
              (std::vector<std::pair<PipelineTopics, PipelineTopics>>{
                  {Topics({"a"}), Topics({"a", "b"})}}));
  }
  EXPECT_EQ(NewestTopics(), Topics({"a", "b"}));
  Instance back(broker_, faults_, clock_, With(Topics({"a"})));
  const std::optional<Error> refused = StepUntil(back, [&] { return back.lease.candidate; });
  ASSERT_TRUE(refused) << "going back is also a change";
  EXPECT_EQ(refused->code, ErrorCode::kMismatch);
  Run(With(Topics({"a", "b"})));
}

TEST_F(LaneOfAPipeline, AStandbyThatRunsEndsWhenTheLaneGetsOtherTopics) {
  Run(With(Topics({"deals"})));
  FillInputs(broker_, faults_.random(), 100);
  Instance standby(broker_, faults_, clock_, With(Topics({"deals"})));
  ASSERT_FALSE(StepUntil(standby, [&] { return standby.lease.candidate; }));
  Run(With(Topics({"a", "b"}), Inputs({"deals"})));
  ExpectRefusal(StepUntil(standby, [] { return false; }));
}

TEST_F(LaneOfAPipeline, TheFirstPromotionNamesTheTopicsInAChangelogOfAnOlderVersion) {
  Run(With({}));
  EXPECT_FALSE(NewestTopics().known());
  FillInputs(broker_, faults_.random(), 100);
  Instance other(broker_, faults_, clock_, With(Topics({"deals"})));
  EXPECT_TRUE(StepUntil(other, [&] { return other.lease.candidate; }))
      << "the lane has read partitions of other topics";
  Run(With(Topics({"a", "b"})));
  EXPECT_EQ(NewestTopics(), Topics({"a", "b"}));
}

}  // namespace
}  // namespace neardup
