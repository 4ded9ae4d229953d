#include "service/metrics/exposition.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace neardup {
namespace {

const std::string kGauge = "# HELP a_b Some text\n# TYPE a_b gauge\n";
const std::string kHistogram = "# HELP h Some text\n# TYPE h histogram\n";

TEST(Exposition, ReadsWhatExportersWrite) {
  const auto families =
      ParseExposition(kGauge + "a_b{x=\"q\\\"\\\\\\n\",y=\"\"} -1.5e+06\n" + kHistogram +
                      "h_count{k=\"v\"} 3\nh_sum{k=\"v\"} 0.5\n" +
                      "h_bucket{k=\"v\",le=\"0.1\"} 1\n" + "h_bucket{k=\"v\",le=\"+Inf\"} 3\n");
  ASSERT_TRUE(families.ok()) << families.error().text;
  EXPECT_EQ(ValueOf(*families, "a_b", {{"x", "q\"\\\n"}, {"y", ""}}), -1.5e6);
  EXPECT_EQ(ValueOf(*families, "h_count", {{"k", "v"}}), 3);
  EXPECT_EQ(CountSeries(*families), 5);
}

TEST(Exposition, RefusesEveryFault) {
  const std::vector<std::string> broken = {
      "",
      kGauge + "a_b 1",                                           // no line feed
      kGauge + "a_b\n",                                           // no value
      kGauge + "a_b one\n",                                       // no number
      kGauge + "a_b 1 \n",                                        // trailing space
      kGauge + "a_c 1\n",                                         // another family
      kGauge + "a-b 1\n",                                         // illegal name
      kGauge + "a_b{x} 1\n",                                      // label without value
      kGauge + "a_b{x=\"1\",x=\"2\"} 1\n",                        // label twice
      kGauge + "a_b{x=\"\\t\"} 1\n",                              // unknown escape
      kGauge + "a_b{x=\"1} 1\n",                                  // quote not closed
      kGauge + "a_b 1\na_b 2\n",                                  // series twice
      kGauge + "a_b 1\n" + kGauge + "a_b{x=\"1\"} 1\n",           // family twice
      "# TYPE a_b gauge\na_b 1\n",                                // no HELP
      "# HELP a_b Some text\na_b 1\n",                            // no TYPE
      "# HELP a_b Some text\n# TYPE a_b length\na_b 1\n",         // unknown type
      "# HELP a_b Some text\n# TYPE a_b counter\na_b -1\n",       // counter below 0
      kHistogram + "h_count 1\nh_sum 1\n",                        // no buckets
      kHistogram + "h_count 1\nh_sum 1\nh_bucket{le=\"1\"} 1\n",  // no +Inf
      kHistogram + "h_count 2\nh_sum 1\nh_bucket{le=\"+Inf\"} 1\n",
      kHistogram +
          "h_count 1\nh_sum 1\nh_bucket{le=\"2\"} 1\nh_bucket{le=\"1\"} 1\n"
          "h_bucket{le=\"+Inf\"} 1\n",
      kHistogram + "h_count 1\nh_sum 1\nh_bucket{le=\"1\"} 2\nh_bucket{le=\"+Inf\"} 1\n",
  };
  for (const std::string& text : broken) {
    EXPECT_FALSE(ParseExposition(text).ok()) << text;
  }
}

}  // namespace
}  // namespace neardup
