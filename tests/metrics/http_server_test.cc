#include "metrics/http_server.h"

#include <gtest/gtest.h>
#include <httplib.h>

#include <string>

#include "metrics/hand_clock.h"

namespace neardup {
namespace {

class HttpServerTest : public testing::Test {
 protected:
  void SetUp() override {
    auto started = HttpServer::Start(
        {"127.0.0.1", 0}, [] { return "m 1\n"; }, health_);
    ASSERT_TRUE(started.ok()) << started.error().text;
    server_ = std::move(*started);
  }

  httplib::Response Get(const std::string& path) {
    httplib::Client client("127.0.0.1", server_->port());
    const httplib::Result result = client.Get(path.c_str());
    EXPECT_TRUE(result) << path;
    return result ? *result : httplib::Response();
  }

  HandClock clock_;
  Health health_{clock_, {.step_ms_max = 30'000}};
  std::unique_ptr<HttpServer> server_;
};

TEST_F(HttpServerTest, ServesTheMetricsAsTheTextFormat) {
  const httplib::Response response = Get("/metrics");
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.body, "m 1\n");
  EXPECT_EQ(response.get_header_value("Content-Type"), "text/plain; version=0.0.4; charset=utf-8");
}

TEST_F(HttpServerTest, HealthFollowsTheLane) {
  EXPECT_EQ(Get("/healthz").status, 200);
  clock_.SleepMs(31'000);
  const httplib::Response silent = Get("/healthz");
  EXPECT_EQ(silent.status, 503);
  EXPECT_EQ(silent.body,
            "the lane has made no step for 31 s, expected one at least every 30 s; its phase is "
            "starting\n");
}

TEST_F(HttpServerTest, ReadinessFollowsThePhase) {
  health_.PhaseChanged(LanePhase::kStandby);
  EXPECT_EQ(Get("/readyz").status, 503);
  EXPECT_EQ(Get("/readyz").body, "standby, still reading the changelog\n");
  health_.CaughtUp(7, 5);
  EXPECT_EQ(Get("/readyz").status, 200);
  EXPECT_EQ(Get("/readyz").body, "standby\n");
  health_.PhaseChanged(LanePhase::kRestoring);
  EXPECT_EQ(Get("/readyz").status, 503);
  EXPECT_EQ(Get("/readyz").body, "restoring\n");
  health_.PhaseChanged(LanePhase::kActive);
  EXPECT_EQ(Get("/readyz").status, 200);
  EXPECT_EQ(Get("/readyz").body, "active\n");
}

TEST_F(HttpServerTest, TheIndexNamesEveryPageAndOthersAreNotFound) {
  const std::string index = Get("/").body;
  for (const char* page : {"/metrics", "/healthz", "/readyz"}) {
    EXPECT_NE(index.find(page), std::string::npos) << page;
  }
  EXPECT_EQ(Get("/other").status, 404);
}

TEST_F(HttpServerTest, ATakenPortIsAnErrorThatNamesIt) {
  const auto second = HttpServer::Start(
      {"127.0.0.1", server_->port()}, [] { return ""; }, health_);
  ASSERT_FALSE(second.ok());
  EXPECT_NE(second.error().text.find("127.0.0.1:" + std::to_string(server_->port())),
            std::string::npos)
      << second.error().text;
  EXPECT_NE(second.error().text.find("in use"), std::string::npos) << second.error().text;
}

TEST_F(HttpServerTest, AHostThatIsNotOursIsAnErrorThatNamesIt) {
  const auto other = HttpServer::Start(
      {"192.0.2.1", 9404}, [] { return ""; }, health_);
  ASSERT_FALSE(other.ok());
  EXPECT_NE(other.error().text.find("192.0.2.1:9404"), std::string::npos) << other.error().text;
}

TEST_F(HttpServerTest, ThePortIsFreeAgainAfterTheEnd) {
  const uint16_t port = server_->port();
  server_.reset();
  const auto again = HttpServer::Start(
      {"127.0.0.1", port}, [] { return ""; }, health_);
  EXPECT_TRUE(again.ok()) << again.error().text;
}

TEST_F(HttpServerTest, StartAndEndWithoutARequestDoNotHang) {
  for (int i = 0; i < 50; ++i) {
    EXPECT_TRUE(HttpServer::Start(
                    {"127.0.0.1", 0}, [] { return ""; }, health_)
                    .ok());
  }
}

}  // namespace
}  // namespace neardup
