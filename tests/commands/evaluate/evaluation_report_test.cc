#include "commands/evaluate/evaluation_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace neardup {
namespace {

using testing::HasSubstr;
using testing::Not;

/// Precision 3/4, recall 3/4, F1 3/4, strict F1 1/2.
SetReport Report(const std::string& name) {
  SchemeRun run;
  run.scheme = "neardup";
  run.accuracy.all = {8, 4, 4, 3, 2};
  run.accuracy.kinds["exact"] = {2, 2, 2, 2, 2};
  run.accuracy.kinds["original"] = {4, 0, 1, 0, 0};
  run.records = 8;
  run.seconds = 2;
  run.entries = 4;
  run.bytes = 400;
  SchemeRun silent;
  silent.scheme = "silent";
  silent.accuracy.all = {8, 4, 0, 0, 0};
  silent.accuracy.kinds["exact"] = {2, 2, 0, 0, 0};
  silent.accuracy.kinds["original"] = {4, 0, 0, 0, 0};
  SetReport report{name, {"title", "body"}, 9, 1, {run, silent}, {}};
  report.curve = {{0, {8, 4, 2, 2, 2}}, {1, {8, 4, 4, 3, 2}}};
  return report;
}

TEST(ReportTable, ShowsTheFiguresOfEverySchemeAndKind) {
  const std::vector<SetReport> sets = {Report("news")};
  const std::string text = ReportTable(sets);
  EXPECT_THAT(text, HasSubstr("news: 9 records, 4 true duplicates; fields title,body\n"));
  EXPECT_THAT(text, HasSubstr("warning: records without a label, which are not counted: 1\n"));
  EXPECT_THAT(text, HasSubstr("neardup     0.7500  0.7500  0.7500    0.5000           4"
                              "          100\n"));
  EXPECT_THAT(text, HasSubstr("silent           -  0.0000       -         -"));
  EXPECT_THAT(text, HasSubstr("exact                        2        1.0000        0.0000\n"));
  EXPECT_THAT(text, Not(HasSubstr("original"))) << "has no true duplicates";
  EXPECT_THAT(text, HasSubstr("recall       0.5000 0.7500\nprecision    1.0000 0.7500\n"));
  EXPECT_THAT(text, Not(HasSubstr("mean F1")));
}

TEST(ReportTable, EndsWithTheMeansOfSeveralSets) {
  const std::vector<SetReport> sets = {Report("news"), Report("offers")};
  EXPECT_THAT(ReportTable(sets), HasSubstr("mean F1 over 2 sets\nneardup               0.7500\n"));
}

TEST(ReportJson, HasTheSameFigures) {
  const std::vector<SetReport> sets = {Report("news"), Report("offers")};
  const auto json = nlohmann::json::parse(ReportJson(sets));
  const auto& news = json["sets"][0];
  EXPECT_EQ(news["set"], "news");
  EXPECT_EQ(news["records_without_label"], 1);
  EXPECT_EQ(news["schemes"][0]["f1"], 0.75);
  EXPECT_EQ(news["schemes"][0]["strict_f1"], 0.5);
  EXPECT_EQ(news["schemes"][0]["bytes_per_entry"], 100);
  EXPECT_EQ(news["schemes"][0]["kinds"]["exact"]["recall"], 1);
  EXPECT_TRUE(news["schemes"][0]["kinds"]["original"]["recall"].is_null());
  EXPECT_TRUE(news["schemes"][1]["precision"].is_null());
  EXPECT_EQ(news["recall_by_distance"][1]["recall"], 0.75);
  EXPECT_EQ(json["mean_f1"]["neardup"], 0.75);
  EXPECT_EQ(json["mean_f1"]["silent"], 0);
}

}  // namespace
}  // namespace neardup
