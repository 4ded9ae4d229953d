#include <gtest/gtest.h>

#include "detect/base/each_of.h"
#include "learn/field_study.h"

namespace neardup {
namespace {

TEST(TimeText, AcceptsTheTimesThatStreamsContain) {
  for (const char* text :
       {"2015-09-11T00:46:58.771Z", "2015-09-11T00:46:58+02:00", "2017/6/8 17:31:20",
        "2017-06-08 17:31", "17/06/09 20:10:40", "1.2.2024 7:05", "Dec 10 06:55:46",
        "Dec  9 06:55:46", "Sun Dec 04 04:47:44 2005", "Mon, 02 Jan 2006 15:04:05 GMT",
        "10/Oct/2000:13:55:36 -0700", "1448007000", "1448007000123", "20:11:12", "081109 203615",
        "20260131T120000Z", "20:11:12.345", "2024-05-05 08:00:01 AM", "2024-05-05 08:00:01,123"}) {
    EXPECT_TRUE(IsTimeText(text)) << text;
  }
}

TEST(TimeText, RefusesDatesNumbersAndTexts) {
  for (const char* text :
       EachOf("", "2013-06-10", "2013/6/10", "12:30", "5", "186853261", "9999999999",
              "001448007000", "0000000000", "1448007000x", "12.5", "Monday", "Dec 10",
              "at 06:55:46 it began", "a:b:c", "081309 203615", "081109203615", "A Title",
              "1:2:3:4", "2017/6/8 17:31:20 the first of many long words that go on and on")) {
    EXPECT_FALSE(IsTimeText(text)) << text;
  }
}

}  // namespace
}  // namespace neardup
