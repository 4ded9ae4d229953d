#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "explain/html.h"

namespace neardup {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(HistogramChart, DrawsBarsThresholdAndMarks) {
  Histogram histogram;
  histogram.title = "distances";
  histogram.unit = "bits";
  histogram.bins = std::vector<uint32_t>(40);
  histogram.bins[1] = 7;
  histogram.bins[26] = 1;
  histogram.threshold = 3;
  histogram.threshold_name = "a < b";
  histogram.marks = {{5, "shown"}, {30, "beyond the last bin that is drawn"}};
  const std::string svg = HistogramChart(histogram);
  EXPECT_THAT(svg, HasSubstr("fill=\"var(--near)\"><title>7 records at 1 bits</title>"));
  EXPECT_THAT(svg, HasSubstr("fill=\"var(--other)\"><title>1 records at 26 bits</title>"));
  EXPECT_THAT(svg, HasSubstr("at 27 bits"));
  EXPECT_THAT(svg, Not(HasSubstr("at 28 bits")));
  EXPECT_THAT(svg, HasSubstr(">a &lt; b</text>"));
  EXPECT_THAT(svg, HasSubstr(">shown</text>"));
  EXPECT_THAT(svg, Not(HasSubstr("beyond")));
}

TEST(HistogramChart, AHistogramWithoutRecordsIsDrawn) {
  Histogram histogram;
  histogram.bins = std::vector<uint32_t>(65);
  EXPECT_THAT(HistogramChart(histogram), HasSubstr("</svg>"));
}

}  // namespace
}  // namespace neardup
