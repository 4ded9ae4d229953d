#include "metrics/catalogue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <set>
#include <string>

namespace neardup {
namespace {

TEST(MetricCatalogue, RowsStandInTheOrderOfTheirNames) {
  ASSERT_EQ(MetricCatalogue().size(), static_cast<size_t>(kMetricCount));
  for (size_t i = 0; i < MetricCatalogue().size(); ++i) {
    EXPECT_EQ(static_cast<size_t>(MetricCatalogue()[i].metric), i) << MetricCatalogue()[i].name;
  }
}

TEST(MetricCatalogue, NamesFollowTheConventionsOfPrometheus) {
  std::set<std::string> names;
  const std::regex form("(neardup|process)(_[a-z]+)+");
  for (const MetricRow& row : MetricCatalogue()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_TRUE(std::regex_match(row.name, form)) << row.name;
    EXPECT_EQ(row.name.ends_with("_total"), row.type == MetricType::kCounter) << row.name;
    EXPECT_FALSE(row.help.empty()) << row.name;
  }
}

TEST(MetricCatalogue, OnlyHistogramsHaveBucketsAndTheyRise) {
  for (const MetricRow& row : MetricCatalogue()) {
    EXPECT_EQ(row.buckets.empty(), row.type != MetricType::kHistogram) << row.name;
    EXPECT_TRUE(std::is_sorted(row.buckets.begin(), row.buckets.end())) << row.name;
    EXPECT_EQ(std::adjacent_find(row.buckets.begin(), row.buckets.end()), row.buckets.end());
  }
}

TEST(MetricCatalogue, ClosedValuesBelongToOneLabelAndDiffer) {
  for (const MetricRow& row : MetricCatalogue()) {
    if (!row.values.empty()) {
      EXPECT_EQ(row.labels.size(), 1) << row.name;
    }
    const std::set<std::string> values(row.values.begin(), row.values.end());
    EXPECT_EQ(values.size(), row.values.size()) << row.name;
  }
}

TEST(MetricsReference, NamesEveryMetricWithTypeLabelsAndHelp) {
  const std::string text = MetricsReference();
  for (const MetricRow& row : MetricCatalogue()) {
    EXPECT_NE(text.find("| `" + row.name + "` | " + Name(row.type) + " | "), std::string::npos);
    EXPECT_NE(text.find("| " + row.help + " |\n"), std::string::npos) << row.name;
  }
  EXPECT_NE(text.find("result = committed, aborted, fenced |"), std::string::npos);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), kMetricCount + 2);
}

}  // namespace
}  // namespace neardup
