// Which instances may work on a lane: those that have its topics, and those that may replace them.
#include "stream/state/pipeline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace neardup {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

PipelineTopics Topics(std::vector<std::string> inputs, const std::string& prefix = "{topic}") {
  return {SortedTopics(std::move(inputs)), prefix + ".unique", prefix + ".duplicate",
          prefix + ".dead-letter"};
}

PipelineTopics Inputs(std::vector<std::string> inputs) {
  PipelineTopics topics;
  topics.inputs = std::move(inputs);
  return topics;
}

TEST(Pipeline, MatchesALaneOfTheSameTopicsInAnyOrder) {
  EXPECT_EQ(Compare({Topics({"b", "a", "a"}), {}}, Topics({"a", "b"})), PipelineMatch::kSame);
  EXPECT_EQ(Compare({Topics({"a"}), {}}, Topics({"a"}, "a")), PipelineMatch::kSame)
      << "a template and the name that it gives";
}

TEST(Pipeline, DoesNotMatchALaneOfOtherInputsOrOutputs) {
  EXPECT_EQ(Compare({Topics({"deals"}), {}}, Topics({"notes"})), PipelineMatch::kOther);
  EXPECT_EQ(Compare({Topics({"a", "b"}), {}}, Topics({"a"})), PipelineMatch::kOther);
  EXPECT_EQ(Compare({Topics({"a"}), {}}, Topics({"a", "b"})), PipelineMatch::kOther);
  EXPECT_EQ(Compare({Topics({"a"}), {}}, Topics({"a"}, "b")), PipelineMatch::kOther);
  for (std::string PipelineTopics::*each :
       {&PipelineTopics::unique, &PipelineTopics::duplicate, &PipelineTopics::dead_letter}) {
    PipelineTopics lane = Topics({"a"});
    lane.*each = "other";
    EXPECT_EQ(Compare({Topics({"a"}), {}}, lane), PipelineMatch::kOther);
  }
}

TEST(Pipeline, DoesNotMatchALaneOfAnotherNumberOfLanesWhateverItMayReplace) {
  PipelineTopics four = Topics({"a"});
  four.lanes = 4;
  const Pipeline one = {Topics({"a"}), Topics({"a"})};
  EXPECT_EQ(Compare(one, four), PipelineMatch::kOther);
  EXPECT_EQ(Compare({four, Topics({"a"})}, Topics({"a"})), PipelineMatch::kOther);
  EXPECT_EQ(Compare({four, {}}, four), PipelineMatch::kSame);
  EXPECT_THAT(OtherPipeline(one, four, "c").text,
              HasSubstr("changelog c belongs to one of 4 lane(s), and lanes.count is 1"));
}

TEST(Pipeline, MayReplaceExactlyTheTopicsThatItNames) {
  const Pipeline adds = {Topics({"a", "b"}), Inputs({"a"})};
  EXPECT_EQ(Compare(adds, Topics({"a"})), PipelineMatch::kChanges);
  EXPECT_EQ(Compare(adds, Topics({"a", "b"})), PipelineMatch::kSame) << "the change is made";
  EXPECT_EQ(Compare(adds, Topics({"b"})), PipelineMatch::kOther);
  EXPECT_EQ(Compare(adds, Topics({"a"}, "x")), PipelineMatch::kOther) << "other outputs";
  const Pipeline moves = {Topics({"a"}, "new"), Topics({}, "old")};
  EXPECT_EQ(Compare(moves, Topics({"a"}, "old")), PipelineMatch::kChanges);
  EXPECT_EQ(Compare(moves, Topics({"a"}, "older")), PipelineMatch::kOther);
  EXPECT_EQ(Compare(moves, Topics({"b"}, "old")), PipelineMatch::kOther);
  const Pipeline both = {Topics({"a", "b"}), Topics({"a"}, "old")};
  EXPECT_EQ(Compare(both, Topics({"a"}, "old")), PipelineMatch::kChanges);
}

TEST(Pipeline, TakesAnOldChangelogThatNamesNoTopicsByThePartitionsThatWereRead) {
  const std::vector<InputProgress> read = {{{"a", 0}, 5, 0}, {{"a", 1}, 5, 0}, {{"gone", 0}, 1, 0}};
  const PipelineTopics lane = TopicsOfLane({}, read);
  EXPECT_EQ(lane.inputs, (std::vector<std::string>{"a", "gone"}));
  EXPECT_EQ(Compare({Topics({"a"}), {}}, lane), PipelineMatch::kSame);
  EXPECT_EQ(Compare({Topics({"a", "b"}), {}}, lane), PipelineMatch::kSame);
  EXPECT_EQ(Compare({Topics({"deals"}), {}}, lane), PipelineMatch::kOther);
  EXPECT_EQ(Compare({Topics({"deals"}), {}}, TopicsOfLane({}, {})), PipelineMatch::kSame)
      << "nothing was read yet";
  EXPECT_EQ(TopicsOfLane(Topics({"z"}), read), Topics({"z"})) << "names count for more";
}

TEST(Pipeline, ARefusalShowsBothListsAndTheSettingsThatAllowTheChange) {
  const Error error =
      OtherPipeline({Topics({"deals"}), {}}, Topics({"notes"}), "shared-changelog/0");
  EXPECT_EQ(error.code, ErrorCode::kMismatch);
  EXPECT_TRUE(error.fatal);
  EXPECT_THAT(
      error.text,
      AllOf(HasSubstr("reads deals; writes deals.unique, deals.duplicate, deals.dead-letter"),
            HasSubstr("reads notes; writes notes.unique, notes.duplicate, notes.dead-letter"),
            HasSubstr("shared-changelog/0"), HasSubstr("an `app` of its own"),
            HasSubstr("set input.topics_before: [notes] and keep"),
            Not(HasSubstr("output.topics_before"))));
  EXPECT_THAT(
      OtherPipeline({Topics({"a"}, "new"), {}}, Topics({"a"}), "c").text,
      AllOf(HasSubstr(R"(set output.topics_before: ["{topic}.unique", "{topic}.duplicate", )"
                      R"("{topic}.dead-letter"] and keep)"),
            Not(HasSubstr("input.topics_before"))));
}

TEST(Pipeline, TheTopicsOfALaneSayWhetherItObserves) {
  const PipelineTopics routes = Topics({"a"});
  const PipelineTopics observes = UnderMode(routes, RoutingMode::kObserve);
  EXPECT_EQ(routes.mode(), RoutingMode::kRoute);
  EXPECT_EQ(observes.mode(), RoutingMode::kObserve);
  EXPECT_EQ(PipelineTopics().mode(), RoutingMode::kRoute) << "an old delta names no topics";
  EXPECT_EQ(UnderMode(routes, RoutingMode::kRoute), routes);
}

TEST(Pipeline, ChangesItsRoutingModeOnlyIfTheModeBeforeIsNamed) {
  const PipelineTopics routes = Topics({"a"});
  const PipelineTopics observes = UnderMode(routes, RoutingMode::kObserve);
  PipelineTopics before_routes = routes;
  before_routes.inputs.clear();
  PipelineTopics before_observes = observes;
  before_observes.inputs.clear();
  EXPECT_EQ(Compare({routes, {}}, observes), PipelineMatch::kOther);
  EXPECT_EQ(Compare({observes, {}}, routes), PipelineMatch::kOther);
  EXPECT_EQ(Compare({routes, before_observes}, observes), PipelineMatch::kChanges);
  EXPECT_EQ(Compare({observes, before_routes}, routes), PipelineMatch::kChanges);
  EXPECT_EQ(Compare({routes, before_observes}, routes), PipelineMatch::kSame) << "it is done";
  EXPECT_THAT(OtherPipeline({routes, {}}, observes, "c").text,
              AllOf(HasSubstr("set routing.mode_before: observe and keep"),
                    HasSubstr("writes a.unique, a.dead-letter (routing.mode: observe)"),
                    Not(HasSubstr("topics_before"))));
  EXPECT_THAT(
      OtherPipeline({UnderMode(Topics({"a"}, "new"), RoutingMode::kObserve), {}}, routes, "c").text,
      HasSubstr(R"(set output.topics_before: ["{topic}.unique", "{topic}.duplicate", )"
                R"("{topic}.dead-letter"] and routing.mode_before: route and keep)"));
}

TEST(Pipeline, ARefusalOfLongListsShowsWhatDiffers) {
  std::vector<std::string> many;
  for (int i = 100; i < 400; ++i) many.push_back("topic-" + std::to_string(i));
  std::vector<std::string> more = many;
  more.push_back("zebra");
  const Error error = OtherPipeline({Topics(more), {}}, Topics(many), "c");
  EXPECT_THAT(error.text, HasSubstr("reads zebra, topic-100, "));
  EXPECT_THAT(error.text, HasSubstr(" and 290 more; writes zebra.unique, "));
}

TEST(WritesUniquesOf, IsTrueForAnInputThatSharesItsUniqueTopicWithOneThatIsRead) {
  const PipelineTopics own = {{"notes"}, "{topic}.unique", "{topic}.duplicate", "{topic}.dead"};
  EXPECT_TRUE(WritesUniquesOf(own, "notes"));
  EXPECT_FALSE(WritesUniquesOf(own, "deals"));
  const PipelineTopics shared = {{"notes"}, "all.unique", "all.duplicate", "all.dead"};
  EXPECT_TRUE(WritesUniquesOf(shared, "deals"));
}

}  // namespace
}  // namespace neardup
