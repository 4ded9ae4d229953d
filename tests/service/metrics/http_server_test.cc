#include "service/metrics/http_server.h"

#include <gtest/gtest.h>
#include <httplib.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "service/metrics/hand_clock.h"

namespace neardup {
namespace {

class HttpServerTest : public testing::Test {
 protected:
  void SetUp() override { Start({.host = "127.0.0.1", .port = 0}); }

  void Start(const HttpOptions& options) {
    auto started = HttpServer::Start(options, pages_, health_);
    ASSERT_TRUE(started.ok()) << started.error().text;
    server_ = std::move(*started);
  }

  httplib::Response Get(const std::string& path) {
    httplib::Client client("127.0.0.1", server_->port());
    const httplib::Result result = client.Get(path.c_str());
    EXPECT_TRUE(result) << path;
    return result ? *result : httplib::Response();
  }

  HttpPages pages_{[] { return "m 1\n"; }, [] { return "{}\n"; }, "news"};
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

TEST_F(HttpServerTest, ServesTheStatusAsJson) {
  const httplib::Response response = Get("/status");
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.body, "{}\n");
  EXPECT_EQ(response.get_header_value("Content-Type"), "application/json");
}

TEST_F(HttpServerTest, APageThatCannotBePrintedIsAnErrorOfTheServer) {
  const auto fails = []() -> std::string { throw std::runtime_error("no memory"); };
  auto started = HttpServer::Start({"127.0.0.1", 0}, {fails, fails, ""}, health_);
  ASSERT_TRUE(started.ok());
  server_ = std::move(*started);
  for (const char* page : {"/metrics", "/status"}) {
    EXPECT_EQ(Get(page).status, 500);
    EXPECT_EQ(Get(page).body, std::string(page) + " cannot be printed: no memory\n");
  }
}

TEST_F(HttpServerTest, ThePageForPeopleLoadsNothingElseAndIsShownByAnAddressOrAnOwnName) {
  const auto status_by = [this](const char* host, const char* path = "/") {
    httplib::Client client("127.0.0.1", server_->port());
    return client.Get(path, {{"Host", host}})->status;
  };
  EXPECT_EQ(status_by("evil.example"), 200) << "the list of the other pages says nothing";
  pages_.page = [] { return "<p>now</p>"; };
  Start({.host = "127.0.0.1", .port = 0});
  const httplib::Response page = Get("/");
  EXPECT_EQ(page.body, "<p>now</p>");
  EXPECT_EQ(page.get_header_value("Content-Type"), "text/html; charset=utf-8");
  const std::string policy = page.get_header_value("Content-Security-Policy");
  EXPECT_NE(policy.find("default-src 'none'; style-src 'sha256-"), std::string::npos) << policy;
  for (const char* own :
       {"localhost", "localhost:9404", "127.0.0.1:9404", "10.1.2.3", "[::1]:9404"}) {
    EXPECT_EQ(status_by(own), 200) << own;
  }
  for (const char* strange :
       {"evil.example", "127.0.0.1.evil.example", "", "[::1", "localhost.evil"}) {
    EXPECT_EQ(status_by(strange), 403) << strange;
    EXPECT_EQ(status_by(strange, "/status"), 403) << "it holds what the page shows";
    EXPECT_EQ(status_by(strange, "/metrics"), 200) << strange;
  }
}

TEST_F(HttpServerTest, ThePageForPeopleAsksForThePasswordWhateverTheHost) {
  pages_.page = [] { return "<p>now</p>"; };
  Start({.host = "127.0.0.1", .port = 0, .user = "u", .password = "p"});
  EXPECT_EQ(Get("/").status, 401);
  httplib::Client client("127.0.0.1", server_->port());
  client.set_basic_auth("u", "p");
  EXPECT_EQ(client.Get("/", {{"Host", "neardup.example"}})->status, 200);
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

TEST_F(HttpServerTest, AnotherAppIsNotTakenForTheOneThatIsAskedFor) {
  EXPECT_EQ(Get("/readyz?app=other").status, 409);
  EXPECT_EQ(Get("/readyz?app=other").body, "this is an instance of another app\n");
  EXPECT_EQ(Get("/healthz?app=news").status, Get("/healthz").status);
  EXPECT_EQ(Get("/readyz?app=news").body, Get("/readyz").body);
  EXPECT_EQ(Get("/status?other=1").status, 200);
}

TEST_F(HttpServerTest, ReadinessFollowsThePhase) {
  health_.Saw(event::PhaseChanged{LanePhase::kStandby});
  EXPECT_EQ(Get("/readyz").status, 503);
  EXPECT_EQ(Get("/readyz").body, "standby, still reading the changelog\n");
  health_.Saw(event::CaughtUp{7, 5});
  EXPECT_EQ(Get("/readyz").status, 200);
  EXPECT_EQ(Get("/readyz").body, "standby\n");
  health_.Saw(event::PhaseChanged{LanePhase::kRestoring});
  EXPECT_EQ(Get("/readyz").status, 503);
  EXPECT_EQ(Get("/readyz").body, "restoring\n");
  health_.Saw(event::PhaseChanged{LanePhase::kActive});
  EXPECT_EQ(Get("/readyz").status, 200);
  EXPECT_EQ(Get("/readyz").body, "active\n");
}

TEST_F(HttpServerTest, TheIndexNamesEveryPageAndOthersAreNotFound) {
  const std::string index = Get("/").body;
  for (const char* page : {"/metrics", "/status", "/healthz", "/readyz"}) {
    EXPECT_NE(index.find(page), std::string::npos) << page;
  }
  EXPECT_EQ(Get("/other").status, 404);
}

/// A connection on which a test writes what it likes.
class RawConnection {
 public:
  /// `from`: an address of this host, in network byte order; 0: any.
  explicit RawConnection(uint16_t port, in_addr_t from = 0)
      : socket_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in own = {};
    own.sin_family = AF_INET;
    own.sin_addr.s_addr = from;
    if (from != 0) {
      EXPECT_EQ(bind(socket_, reinterpret_cast<sockaddr*>(&own), sizeof(own)), 0);
    }
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
  }
  RawConnection(const RawConnection&) = delete;
  RawConnection& operator=(const RawConnection&) = delete;
  ~RawConnection() { close(socket_); }

  bool Send(const std::string& bytes) {
    return send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL) ==
           static_cast<ssize_t>(bytes.size());
  }
  /// Everything that the server sends until it closes.
  std::string ReadAll() {
    std::string all;
    char bytes[4096];
    for (ssize_t count; (count = recv(socket_, bytes, sizeof(bytes), 0)) > 0;) {
      all.append(bytes, static_cast<size_t>(count));
    }
    return all;
  }

 private:
  int socket_;
};

TEST_F(HttpServerTest, ProbesAreAnsweredBesideConnectionsThatNeverFinishTheirRequest) {
  std::vector<std::unique_ptr<RawConnection>> silent;
  for (int i = 0; i < 200; ++i) {
    silent.push_back(std::make_unique<RawConnection>(server_->port()));
    ASSERT_TRUE(silent.back()->Send("GET /healthz HTTP/1.1\r\nHost: x\r\nX-Slow: "));
    if (i % 50 != 49) continue;
    EXPECT_EQ(Get("/healthz").status, 200) << i;
    EXPECT_EQ(Get("/metrics").body, "m 1\n") << i;
  }
}

// More connections than the server keeps, and than one round of its loop accepts.
constexpr int kFlood = 600;
// No connection ends because the machine is slow.
const HttpOptions kPatient{.host = "127.0.0.1", .port = 0, .connection_ms_max = 3'600'000};
constexpr const char* kRequestBegin = "GET /healthz HTTP/1.1\r\nHost: x\r\n";

TEST_F(HttpServerTest, AProbeThatIsSlowToSendOutlastsAFloodOfAnsweredConnections) {
  Start(kPatient);
  RawConnection slow(server_->port());
  ASSERT_TRUE(slow.Send(kRequestBegin));
  // Their peers do not close, so that their places stay taken.
  std::vector<std::unique_ptr<RawConnection>> flood;
  for (int i = 0; i < kFlood; ++i) {
    if (flood.size() == 300) flood.clear();
    flood.push_back(std::make_unique<RawConnection>(server_->port()));
    ASSERT_TRUE(flood.back()->Send("GET /metrics HTTP/1.1\r\n\r\n"));
    EXPECT_TRUE(flood.back()->ReadAll().ends_with("\r\n\r\nm 1\n")) << i;
  }
  ASSERT_TRUE(slow.Send("\r\n"));
  EXPECT_TRUE(slow.ReadAll().starts_with("HTTP/1.1 200 "));
}

TEST_F(HttpServerTest, AProbeThatIsSlowToSendOutlastsAFloodOfSilentConnectionsFromElsewhere) {
  Start(kPatient);
  RawConnection slow(server_->port());
  ASSERT_TRUE(slow.Send(kRequestBegin));
  const in_addr_t elsewhere = htonl(INADDR_LOOPBACK + 1);
  std::vector<std::unique_ptr<RawConnection>> flood;
  for (int i = 0; i < kFlood; ++i) {
    if (flood.size() == 300) flood.clear();
    flood.push_back(std::make_unique<RawConnection>(server_->port(), elsewhere));
    ASSERT_TRUE(flood.back()->Send(kRequestBegin));
  }
  EXPECT_EQ(Get("/healthz").status, 200);  // the server has accepted all of the flood
  ASSERT_TRUE(slow.Send("\r\n"));
  EXPECT_TRUE(slow.ReadAll().starts_with("HTTP/1.1 200 "));
}

TEST_F(HttpServerTest, ServesOnlyThisHostByDefault) { EXPECT_EQ(HttpOptions().host, "127.0.0.1"); }

TEST_F(HttpServerTest, RangesAreNotServed) {
  std::string ranges = "0-";
  for (int i = 0; i < 900; ++i) ranges += ",0-";
  RawConnection connection(server_->port());
  ASSERT_TRUE(
      connection.Send("GET /metrics HTTP/1.1\r\nHost: x\r\nRange: bytes=" + ranges + "\r\n\r\n"));
  const std::string answer = connection.ReadAll();
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 200 OK\r\n")) << answer.substr(0, 200);
  EXPECT_TRUE(answer.ends_with("\r\n\r\nm 1\n")) << answer.size();
}

TEST_F(HttpServerTest, ARequestThatDoesNotEndIsRefused) {
  RawConnection connection(server_->port());
  std::string headers = "GET /metrics HTTP/1.1\r\n";
  while (headers.size() < 10'000) headers += "X-More: and more\r\n";
  ASSERT_TRUE(connection.Send(headers));
  EXPECT_TRUE(connection.ReadAll().starts_with("HTTP/1.1 431 "));
}

TEST_F(HttpServerTest, WhatIsNoRequestForAPageIsRefused) {
  const std::pair<const char*, const char*> cases[] = {
      {"nonsense\r\n\r\n", "HTTP/1.1 400 "},
      {"\r\n\r\n", "HTTP/1.1 400 "},
      {"GET /metrics\r\n\r\n", "HTTP/1.1 400 "},
      {"POST /metrics HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc", "HTTP/1.1 405 "},
      {"GET /../etc HTTP/1.1\r\n\r\n", "HTTP/1.1 404 "},
      {"GET /metrics?x=1 HTTP/1.0\n\n", "HTTP/1.1 200 "},
  };
  for (const auto& [request, answer] : cases) {
    RawConnection connection(server_->port());
    ASSERT_TRUE(connection.Send(request));
    EXPECT_TRUE(connection.ReadAll().starts_with(answer)) << request;
  }
}

TEST_F(HttpServerTest, AnswersHeadWithoutABody) {
  RawConnection connection(server_->port());
  ASSERT_TRUE(connection.Send("HEAD /metrics HTTP/1.1\r\n\r\n"));
  const std::string answer = connection.ReadAll();
  EXPECT_NE(answer.find("Content-Length: 4\r\n"), std::string::npos) << answer;
  EXPECT_TRUE(answer.ends_with("\r\n\r\n")) << answer;
}

TEST_F(HttpServerTest, ATakenPortIsAnErrorThatNamesIt) {
  const auto second = HttpServer::Start({"127.0.0.1", server_->port()},
                                        {[] { return ""; }, [] { return ""; }}, health_);
  ASSERT_FALSE(second.ok());
  EXPECT_NE(second.error().text.find("127.0.0.1:" + std::to_string(server_->port())),
            std::string::npos)
      << second.error().text;
  EXPECT_NE(second.error().text.find("in use"), std::string::npos) << second.error().text;
}

TEST_F(HttpServerTest, AHostThatIsNotOursIsAnErrorThatNamesIt) {
  const auto other =
      HttpServer::Start({"192.0.2.1", 9404}, {[] { return ""; }, [] { return ""; }}, health_);
  ASSERT_FALSE(other.ok());
  EXPECT_NE(other.error().text.find("192.0.2.1:9404"), std::string::npos) << other.error().text;
}

TEST_F(HttpServerTest, ThePortIsFreeAgainAfterTheEnd) {
  const uint16_t port = server_->port();
  server_.reset();
  const auto again =
      HttpServer::Start({"127.0.0.1", port}, {[] { return ""; }, [] { return ""; }}, health_);
  EXPECT_TRUE(again.ok()) << again.error().text;
}

TEST_F(HttpServerTest, StartAndEndWithoutARequestDoNotHang) {
  for (int i = 0; i < 50; ++i) {
    EXPECT_TRUE(
        HttpServer::Start({"127.0.0.1", 0}, {[] { return ""; }, [] { return ""; }}, health_).ok());
  }
}

}  // namespace
}  // namespace neardup
