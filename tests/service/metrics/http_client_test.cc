#include "service/metrics/http_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>
#include <thread>
#include <utility>

#include "detect/base/file.h"
#include "service/metrics/hand_clock.h"
#include "service/metrics/http_server.h"

namespace neardup {
namespace {

using testing::HasSubstr;

/// Takes one connection, reads the question, and answers with these bytes.
class OneAnswer {
 public:
  explicit OneAnswer(std::string answer) : answer_(std::move(answer)) {
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    auto* const at = reinterpret_cast<sockaddr*>(&address);
    EXPECT_EQ(bind(listening_.get(), at, size), 0);
    EXPECT_EQ(listen(listening_.get(), 1), 0);
    EXPECT_EQ(getsockname(listening_.get(), at, &size), 0);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { Answer(); });
  }
  ~OneAnswer() {
    if (thread_.joinable()) thread_.join();
  }

  std::string Url() const { return "http://127.0.0.1:" + std::to_string(port_) + "/page"; }
  /// What was asked. Returns when the answer is given.
  const std::string& Question() {
    thread_.join();
    return question_;
  }

 private:
  void Answer() {
    const Descriptor peer(accept(listening_.get(), nullptr, nullptr));
    char bytes[1000];
    while (question_.find("\r\n\r\n") == std::string::npos) {
      const ssize_t count = read(peer.get(), bytes, sizeof(bytes));
      if (count <= 0) return;
      question_.append(bytes, static_cast<size_t>(count));
    }
    EXPECT_EQ(write(peer.get(), answer_.data(), answer_.size()),
              static_cast<ssize_t>(answer_.size()));
    if (answer_.empty()) static_cast<void>(read(peer.get(), bytes, sizeof(bytes)));
  }

  const std::string answer_;
  const Descriptor listening_{socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  uint16_t port_ = 0;
  std::string question_;
  std::thread thread_;
};

constexpr int kTimeoutS = 60;

TEST(HttpClient, AsksForThePageAndReadsStatusAndBody) {
  OneAnswer server("HTTP/1.1 503 Service Unavailable\r\nA: b\r\n\r\nnot yet\r\n\r\nreally");
  const auto answer = HttpGet(server.Url(), kTimeoutS);
  ASSERT_TRUE(answer.ok()) << answer.error().text;
  EXPECT_EQ(answer->status, 503);
  EXPECT_EQ(answer->body, "not yet\r\n\r\nreally");
  EXPECT_THAT(server.Question(), testing::StartsWith("GET /page HTTP/1.0\r\nHost: 127.0.0.1:"));
}

TEST(HttpClient, ReadsALongPageOfOurServerAndAsksForReadyzWithoutAPath) {
  HandClock clock;
  Health health{clock, {.step_ms_max = 30'000}};
  const std::string page(300'000, 'm');
  auto server =
      HttpServer::Start({"127.0.0.1", 0}, {[&] { return page; }, [] { return "{}\n"; }}, health);
  ASSERT_TRUE(server.ok()) << server.error().text;
  const std::string url = "http://127.0.0.1:" + std::to_string((*server)->port());
  const auto metrics = HttpGet(url + "/metrics", kTimeoutS);
  ASSERT_TRUE(metrics.ok()) << metrics.error().text;
  EXPECT_EQ(metrics->status, 200);
  EXPECT_EQ(metrics->body, page);
  const auto ready = HttpGet(url, kTimeoutS);
  ASSERT_TRUE(ready.ok()) << ready.error().text;
  EXPECT_EQ(ready->status, 503);
}

TEST(HttpClient, RefusesInvalidUrls) {
  for (const char* url : {"", "127.0.0.1:9404", "ftp://a/b", "http:///readyz"}) {
    const auto answer = HttpGet(url, kTimeoutS);
    ASSERT_FALSE(answer.ok()) << url;
    EXPECT_EQ(answer.error().code, ErrorCode::kConfig) << url;
    EXPECT_THAT(answer.error().text, HasSubstr("expected an address such as http://HOST:PORT"));
  }
}

TEST(HttpClient, SaysThatNobodyListens) {
  const auto answer = HttpGet("http://127.0.0.1:9", kTimeoutS);
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(answer.error().text, HasSubstr("http://127.0.0.1:9: cannot connect"));
}

TEST(HttpClient, ReportsAnswersThatAreNotHttpOrNeverCome) {
  for (const char* text :
       {"SSH-2.0-OpenSSH\r\n\r\n", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 x\r\n\r\n"}) {
    const OneAnswer server(text);
    const auto answer = HttpGet(server.Url(), kTimeoutS);
    ASSERT_FALSE(answer.ok()) << text;
    EXPECT_THAT(answer.error().text, HasSubstr("connected, but the answer is not HTTP"));
  }
  const OneAnswer silent("");
  const auto answer = HttpGet(silent.Url(), 1);
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(answer.error().text, HasSubstr("connected, but got no HTTP answer within 1 s"));
}

}  // namespace
}  // namespace neardup
