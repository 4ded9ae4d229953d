// The app of a pipeline that nobody named.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "service/config/config_text.h"
#include "service/config/settings.h"

namespace neardup {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;

TEST(DefaultApp, NamesTheInputTopics) {
  EXPECT_EQ(DefaultApp({"notes"}), "neardup-notes");
  EXPECT_EQ(DefaultApp({"news", "goods"}), "neardup-goods-news");
  EXPECT_EQ(DefaultApp({"goods", "news", "goods"}), "neardup-goods-news") << "a set";
  EXPECT_EQ(DefaultApp({}), "neardup");
}

TEST(DefaultApp, IsAValidAndShortNameForAnyTopics) {
  const std::vector<std::vector<std::string>> lists = {
      {"News"},
      {"news", "Goods"},
      {std::string(249, 'x')},
      {"_a", ".b", "-c"},
      std::vector<std::string>(1, std::string(190, 'y')),
      {std::string(40, 'a'), std::string(40, 'b')}};
  for (const std::vector<std::string>& topics : lists) {
    EXPECT_THAT(DefaultApp(topics), MatchesRegex("[a-z0-9][a-z0-9._-]{0,199}"));
  }
  EXPECT_LE(DefaultApp({std::string(40, 'a'), std::string(40, 'b')}).size(), 80U);
}

TEST(DefaultApp, TellsListsApartThatItShortens) {
  EXPECT_NE(DefaultApp({"News"}), DefaultApp({"news"}));
  EXPECT_NE(DefaultApp({"News"}), DefaultApp({"NEWS"}));
  const std::string a(60, 'a');
  EXPECT_NE(DefaultApp({a, "b"}), DefaultApp({a, "c"}));
}

using DefaultAppInAConfig = ConfigText;

TEST_F(DefaultAppInAConfig, StandsForAnEmptyName) {
  const Settings settings = SettingsOf("input:\n  topics: [notes]\n");
  EXPECT_EQ(settings.kafka.app, "neardup-notes");
  EXPECT_TRUE(settings.app_is_default);
  const Result<LoadedConfig> named = Load("app: mine\ninput:\n  topics: [notes]\n");
  EXPECT_EQ(named->settings.kafka.app, "mine");
  EXPECT_FALSE(named->settings.app_is_default);
}

TEST_F(DefaultAppInAConfig, DoesNotShowSecretTopics) {
  const std::filesystem::path secret = Write("secret", "hidden");
  const Result<LoadedConfig> config =
      Load("input:\n  topics:\n    - ${file:" + secret.string() + "}\n");
  ASSERT_TRUE(config.ok()) << config.error().text;
  EXPECT_TRUE(config->IsSecret("app"));
}

TEST_F(DefaultAppInAConfig, IsNoNameForAPipelineWhoseTopicsChange) {
  EXPECT_THAT(Complaints("input:\n  topics: [a, b]\n  topics_before: [a]\n"),
              HasSubstr("app: found nothing, expected the app of the pipeline whose topics change; "
                        "without a name it was neardup-a until now"));
  EXPECT_EQ(Complaints("app: neardup-a\ninput:\n  topics: [a, b]\n  topics_before: [a]\n"), "");
}

TEST_F(DefaultAppInAConfig, TheOutputsOfBeforeAreThree) {
  EXPECT_THAT(Complaints("output:\n  topics_before: [a, b]\n"),
              HasSubstr("output.topics_before: found 2, expected 3 topics"));
  const Settings settings = SettingsOf("output:\n  topics_before: [a, b, \"{topic}.c\"]\n");
  EXPECT_EQ(settings.lane.pipeline.before.duplicate, "b");
}

TEST_F(DefaultAppInAConfig, AModeOfBeforeNamesTheTopicsThatItUsed) {
  const auto pipeline_of = [this](const std::string& text) {
    const Result<LoadedConfig> config = Load("input:\n  topics: [a]\n" + text);
    EXPECT_TRUE(config.ok()) << config.error().text;
    return config->settings.lane.pipeline;
  };
  const Pipeline plain = pipeline_of("routing:\n  mode: observe\n");
  EXPECT_EQ(plain.topics.mode(), RoutingMode::kObserve);
  EXPECT_TRUE(plain.before.unique.empty());
  const Pipeline ends = pipeline_of("routing:\n  mode_before: observe\n");
  EXPECT_EQ(ends.topics.mode(), RoutingMode::kRoute);
  EXPECT_EQ(ends.before.mode(), RoutingMode::kObserve);
  EXPECT_EQ(ends.before.unique, ends.topics.unique);
  const Pipeline both = pipeline_of(
      "routing:\n  mode: observe\n  mode_before: route\noutput:\n  topics_before: [b, c, d]\n");
  EXPECT_EQ(both.before.duplicate, "c");
}

TEST_F(DefaultAppInAConfig, KeysOfGroupsNeedATopicThatNobodyObservesAndNothingReleased) {
  EXPECT_THAT(Complaints("routing:\n  mode: observe\noutput:\n  unique_key: group\n"),
              HasSubstr("observing changes nothing for the consumers of the unique topic"));
  EXPECT_THAT(Complaints("routing:\n  release_near_one_of: 5\noutput:\n  unique_key: group\n"),
              HasSubstr("could take the place of a newer record"));
}

TEST_F(DefaultAppInAConfig, TheGroupsTopicIsNoOtherTopicOfThePipeline) {
  EXPECT_THAT(Complaints("app: a\noutput:\n  groups_topic: a-changelog\n"),
              HasSubstr("output.groups_topic: found a-changelog, which is the changelog, expected "
                        "another topic"));
}

}  // namespace
}  // namespace neardup
