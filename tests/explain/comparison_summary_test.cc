#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "explain/tune_summary.h"

namespace neardup {
namespace {

TuneComparison Unchanged() {
  TuneComparison comparison;
  comparison.config = "c.yaml";
  comparison.sample = "newer.jsonl";
  comparison.records = 3000;
  comparison.drift = std::vector<AspectDrift>{{DriftAspect::kLengths, 0.5, "as it was"}};
  return comparison;
}

TEST(ComparisonSummary, SaysThatNothingHasChanged) {
  EXPECT_FALSE(Matters(Unchanged()));
  EXPECT_EQ(ComparisonText(Unchanged()),
            "config        c.yaml\n"
            "sample        newer.jsonl, 3,000 records\n"
            "drift         none: the stream is as it was\n"
            "settings      tune would choose the same\n"
            "result        nothing has changed that matters\n");
}

TEST(ComparisonSummary, TellsDriftThatMattersFromDriftThatDoesNot) {
  TuneComparison comparison = Unchanged();
  comparison.drift = {{DriftAspect::kLengths, 2.5, "longer texts"}};
  EXPECT_FALSE(Matters(comparison));
  EXPECT_NE(ComparisonText(comparison)
                .find("drift         lengths 2.5: longer texts\n"
                      "settings      tune would choose the same\n"
                      "result        it does not matter: "),
            std::string::npos)
      << ComparisonText(comparison);
  for (const DriftAspect aspect : {DriftAspect::kBits, DriftAspect::kDeadLetters}) {
    comparison.drift = {{aspect, 1.1, "other texts"}};
    EXPECT_TRUE(Matters(comparison)) << Name(aspect);
    comparison.drift = {{aspect, 0.9, "other texts"}};
    EXPECT_FALSE(Matters(comparison)) << Name(aspect);
  }
}

TEST(ComparisonSummary, NamesEachSettingWithItsReason) {
  TuneComparison comparison = Unchanged();
  comparison.changes = {{"feature.features_min", "12", "4", false, "few words"}};
  EXPECT_FALSE(Matters(comparison));
  comparison.changes.push_back({"feature.masks", "none", "time", true, "times differ"});
  EXPECT_TRUE(Matters(comparison));
  EXPECT_NE(ComparisonText(comparison)
                .find("settings      feature.features_min: 12, tune would choose: 4 (does not "
                      "matter; few words)\n"
                      "              feature.masks: none, tune would choose: time (matters; times "
                      "differ)\n"
                      "result        it matters: "),
            std::string::npos)
      << ComparisonText(comparison);
}

TEST(ComparisonSummary, OfASampleThatCannotBeTunedMatters) {
  TuneComparison comparison = Unchanged();
  comparison.drift.reset();
  comparison.no_tune = "the sample holds no JSON object";
  EXPECT_TRUE(Matters(comparison));
  EXPECT_NE(ComparisonText(comparison).find("settings      the sample holds no JSON object\n"),
            std::string::npos);
  EXPECT_NE(ComparisonText(comparison).find("drift         unknown: "), std::string::npos);
}

TEST(ComparisonSummary, TellsProgramsTheSame) {
  TuneComparison comparison = Unchanged();
  comparison.changes = {{"feature.masks", "none", "time", true, "times differ"}};
  const nlohmann::json json = nlohmann::json::parse(ComparisonJson(comparison));
  EXPECT_EQ(json["matters"], true);
  EXPECT_EQ(json["drift"][0]["aspect"], "lengths");
  EXPECT_EQ(json["drift"][0]["ratio"], 0.5);
  EXPECT_EQ(json["changes"][0]["now"], "time");
  comparison.drift.reset();
  EXPECT_TRUE(nlohmann::json::parse(ComparisonJson(comparison))["drift"].is_null());
}

}  // namespace
}  // namespace neardup
