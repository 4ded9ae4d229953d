#include "service/metrics/catalogue.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>
#include <string_view>

namespace neardup {
namespace {

/// The table of docs/metrics.md.
std::string MetricsReference() {
  std::string text = "| metric | type | labels | meaning |\n|---|---|---|---|\n";
  for (const MetricRow& row : kMetrics) {
    std::string labels = fmt::format("{}", fmt::join(row.label_names(), ", "));
    if (!row.values.empty()) labels += fmt::format(" = {}", fmt::join(row.values, ", "));
    text += fmt::format("| `{}` | {} | {} | {} |\n", row.name, Name(row.type), labels, row.help);
  }
  return text;
}

TEST(MetricCatalogue, NamesFollowTheConventionsOfPrometheus) {
  std::set<std::string_view> names;
  const std::regex form("(neardup|process)(_[a-z]+)+");
  for (const MetricRow& row : kMetrics) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_TRUE(std::regex_match(std::string(row.name), form)) << row.name;
    EXPECT_EQ(row.name.ends_with("_total"), row.type == MetricType::kCounter) << row.name;
    EXPECT_FALSE(row.help.empty()) << row.name;
  }
}

TEST(MetricCatalogue, OnlyHistogramsHaveBucketsAndTheirBoundsRise) {
  for (const MetricRow& row : kMetrics) {
    EXPECT_EQ(row.buckets.empty(), row.type != MetricType::kHistogram) << row.name;
    EXPECT_TRUE(std::is_sorted(row.buckets.begin(), row.buckets.end())) << row.name;
    EXPECT_EQ(std::adjacent_find(row.buckets.begin(), row.buckets.end()), row.buckets.end());
  }
}

TEST(MetricCatalogue, ClosedValuesDifferAndBelongToTheOnlyLabel) {
  for (const MetricRow& row : kMetrics) {
    if (!row.values.empty()) {
      EXPECT_EQ(row.label_names().size(), 1) << row.name;
    }
    const std::set<std::string_view> values(row.values.begin(), row.values.end());
    EXPECT_EQ(values.size(), row.values.size()) << row.name;
  }
}

TEST(MetricCatalogue, OnlyGaugesAreUnknownAtTheStart) {
  for (const MetricRow& row : kMetrics) {
    EXPECT_TRUE(!row.unknown_at_start || row.type == MetricType::kGauge) << row.name;
  }
}

TEST(MetricsReference, NamesEveryMetricWithTypeLabelsAndHelp) {
  const std::string text = MetricsReference();
  for (const MetricRow& row : kMetrics) {
    EXPECT_NE(text.find(fmt::format("| `{}` | {} | ", row.name, Name(row.type))),
              std::string::npos);
    EXPECT_NE(text.find(fmt::format("| {} |\n", row.help)), std::string::npos) << row.name;
  }
  EXPECT_NE(text.find("result = committed, aborted, fenced |"), std::string::npos);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), kMetrics.size() + 2);
}

TEST(MetricsReference, IsTheTableOfTheDocumentationPage) {
  std::ifstream file(NEARDUP_METRICS_PAGE);
  const std::string page(std::istreambuf_iterator<char>(file), {});
  const size_t table = page.find("| metric |");
  ASSERT_NE(table, std::string::npos) << NEARDUP_METRICS_PAGE << " has no table";
  EXPECT_EQ(page.substr(table), MetricsReference())
      << "replace the table of " << NEARDUP_METRICS_PAGE << " with:\n"
      << MetricsReference();
}

}  // namespace
}  // namespace neardup
