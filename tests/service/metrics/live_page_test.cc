#include "service/metrics/live_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "explain/html.h"
#include "service/metrics/hand_clock.h"

namespace neardup {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class LivePageTest : public testing::Test {
 protected:
  std::string Page(const HealthAnswer& ready = {true, "active"}) const {
    return LivePage(status_.Text(), status_.Minutes(), ready);
  }

  HandClock clock_;
  Status status_{{"1.2.3", "abc", "GNU 12", "2.0.2"},
                 R"({"app": "news", "window": {"window_ms": "24h"}})",
                 clock_};
};

TEST_F(LivePageTest, ShowsWhatIsKnownBeforeAnythingIsDecided) {
  EXPECT_THAT(Page({false, "learning"}),
              AllOf(HasSubstr("<title>neardup news</title>"), HasSubstr("verdict unclear"),
                    HasSubstr("<p>learning</p>"),
                    HasSubstr("Only the active instance reads inputs."), HasSubstr("not known"),
                    HasSubstr("<td>window.window_ms</td><td>24h</td>"), Not(HasSubstr("<svg"))));
}

TEST_F(LivePageTest, ShowsVerdictsInputsMemoryAndTheSettingsInForce) {
  CommittedBatch batch;
  batch.unique = 1500;
  batch.exact_duplicates = 400;
  batch.near_duplicates = 100;
  status_.Saw(event::PhaseChanged{LanePhase::kActive});
  status_.Saw(event::TransactionCommitted{batch});
  status_.Saw(event::InputLag{{"news", 3}, 7, 2.5});
  LaneGauges gauges;
  gauges.entries = 1500;
  gauges.entries_max = 6000;
  status_.Saw(event::Gauges{gauges});
  status_.ShowInForce("fields compared: title", {"learned from 300 records"});
  EXPECT_THAT(Page(),
              AllOf(HasSubstr("1,500"), HasSubstr("75.0 %"), HasSubstr("20.0 %"),
                    HasSubstr("news/3"), HasSubstr("2.5 s"), HasSubstr("1,500 of 6,000 (25.0 %)"),
                    HasSubstr("<svg"), HasSubstr("400 exact duplicate"),
                    HasSubstr("fields compared: title"), HasSubstr("learned from 300 records")));
}

TEST_F(LivePageTest, TextsFromOutsideStayTexts) {
  const std::string script = "<script>alert(1)</script>\x1b[31m\xff";
  status_.ShowInForce(script, {script});
  status_.Saw(event::LaneLost{Error{ErrorCode::kInternal, script}});
  status_.Saw(event::InputMissing{script, true});
  status_.Saw(event::InputLag{{script, 0}, 0, 0});
  EXPECT_THAT(Page({false, script}), AllOf(HasSubstr("&lt;script&gt;"), Not(HasSubstr("<script"))));
}

TEST_F(LivePageTest, TheBrowserMayUseTheStyleOfThePageAndNothingElse) {
  EXPECT_THAT(std::string(LivePageHeaders(true)), HasSubstr("Refresh: 5"));
  EXPECT_THAT(
      std::string(LivePageHeaders(false)),
      AllOf(Not(HasSubstr("Refresh")), HasSubstr("default-src 'none'"), Not(HasSubstr("unsafe"))));
  EXPECT_THAT(Page(), HasSubstr(std::string("<style>") + std::string(HtmlStyle()) + "</style>"));
}

}  // namespace
}  // namespace neardup
