#include "commands/verify/progress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace neardup {
namespace {

using testing::HasSubstr;

class ProgressTest : public testing::Test {
 protected:
  std::string Shown(ProgressStyle style) {
    std::ostringstream out;
    int64_t now_ms = 1000;
    Progress progress(style, out, [&now_ms] { return now_ms; });
    progress.Say("up to 100,000 records");
    progress.Begin("reading inputs", 100'000, "records");
    for (int i = 0; i < 25'000; ++i) {
      now_ms += 1;
      progress.Add(1);
    }
    progress.Begin("comparing", 1000, "");
    now_ms += 10'000;
    progress.SetShare(0.5);
    progress.End();
    return out.str();
  }
};

TEST_F(ProgressTest, ATerminalSeesABarWithShareSpeedAndTimeLeft) {
  const std::string shown = Shown(ProgressStyle::kBar);
  EXPECT_THAT(shown, HasSubstr("reading inputs [#####...................] 24 %, 24,001 records, "
                               "1,000/s, 1 min 16 s left"));
  EXPECT_THAT(shown, HasSubstr("comparing [############............] 50 %, 10 s left"));
  EXPECT_THAT(shown, testing::EndsWith("\r\x1b[K")) << "the bar is cleared at the end";
}

TEST_F(ProgressTest, ALogSeesALineEveryTenSeconds) {
  EXPECT_EQ(Shown(ProgressStyle::kLines),
            "up to 100,000 records\n"
            "reading inputs 10 %, 10,001 records, 1,000/s, 1 min 30 s left\n"
            "reading inputs 20 %, 20,001 records, 1,000/s, 1 min 20 s left\n"
            "comparing 50 %, 10 s left\n");
}

TEST_F(ProgressTest, NothingIsShownIfNothingIsWanted) {
  EXPECT_EQ(Shown(ProgressStyle::kNone), "");
}

}  // namespace
}  // namespace neardup
