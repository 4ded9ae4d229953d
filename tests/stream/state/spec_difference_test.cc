#include <gtest/gtest.h>

#include "stream/state/lane_state.h"

namespace neardup {
namespace {

TEST(SpecDifference, NamesEachSettingThatDiffersAndNoOther) {
  EXPECT_EQ(
      SpecDifference(
          R"({"model":"none","fields":[{"path":"/title","weight16":16},{"path":"/text","weight16":32}],"features_min":12})",
          R"({"model":"none","features_min":8,"fields":[{"path":"/titel","weight16":16}],"masks":["time"]})"),
      "feature.features_min: configured 12, changelog 8; "
      "record.fields: configured [title, text (weight 2)], changelog [titel]; "
      "feature.masks: configured none, changelog [time]");
}

TEST(SpecDifference, SaysWhatAnEmptyListMeans) {
  EXPECT_EQ(
      SpecDifference(R"({"fields":[],"exclude":[]})",
                     R"({"fields":[{"path":"/a/b","weight16":16,"key":true}],"exclude":["/id"]})"),
      "record.exclude: configured none, changelog [id]; "
      "record.fields: configured all, changelog [/a/b (key)]");
  EXPECT_EQ(SpecDifference("{}", R"({"scheme":"minhash k=1"})"),
            "scheme: configured none, changelog minhash k=1");
}

TEST(SpecDifference, OfTwoModesNamesTheDistanceAndWhatElseDiffers) {
  FilterOptions near;
  near.feature.features_min = 3;
  FilterOptions exact = near;
  exact.match.distance_max = 0;
  EXPECT_EQ(SpecDifference(FingerprintSpec(exact), FingerprintSpec(near)),
            "match.distance_max: configured 0, changelog 1 or more");
  EXPECT_EQ(SpecDifference(FingerprintSpec(near), FingerprintSpec(exact)),
            "match.distance_max: configured 1 or more, changelog 0");
  exact.feature.markup = false;
  EXPECT_EQ(SpecDifference(FingerprintSpec(exact), FingerprintSpec(near)),
            "match.distance_max: configured 0, changelog 1 or more; "
            "feature.markup: configured false, changelog true");
}

TEST(SpecDifference, ShowsValuesThatItDoesNotKnowAsTheyAre) {
  EXPECT_EQ(SpecDifference(R"({"fields":{"path":1},"x":1})", R"({"fields":[{"path":1},2],"x":1})"),
            R"(record.fields: configured {"path":1}, changelog [{"path":1}, 2])");
}

TEST(SpecDifference, ShowsTextsThatAreNotJsonWhole) {
  EXPECT_EQ(SpecDifference("{}", "{broken"), "spec: configured {}, changelog {broken");
}

TEST(SpecDifference, ShowsTextsOfEqualMeaningWhole) {
  EXPECT_EQ(SpecDifference("{}", "{ }"), "spec: configured {}, changelog { }");
}

TEST(SpecDifference, ShowsValuesThatAreNotObjectsWhole) {
  EXPECT_EQ(SpecDifference("1", "2"), "spec: configured 1, changelog 2");
}

}  // namespace
}  // namespace neardup
