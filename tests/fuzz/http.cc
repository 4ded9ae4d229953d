// What a connection sends to the server of /metrics. The server answers or closes, and then answers
// a probe.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <memory>
#include <utility>

#include "fuzz/fuzz_target.h"
#include "service/metrics/health.h"
#include "service/metrics/http_server.h"

namespace neardup {
namespace {

class StandingClock : public Clock {
 public:
  int64_t WallMs() const override { return 0; }
  int64_t SteadyMs() const override { return 0; }
  void SleepMs(int64_t) override {}
};

std::unique_ptr<HttpServer> Started(const Health& health) {
  HttpOptions options;
  options.host = "127.0.0.1";
  options.port = 0;
  auto server = HttpServer::Start(options, {[] { return "m 1\n"; }, [] { return "{}\n"; }}, health);
  Require(server.ok(), "the server cannot be started");
  return std::move(*server);
}

/// Sends the bytes, and returns what comes back until the server closes.
std::string Exchange(uint16_t port, std::string_view bytes) {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  Require(connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0,
          "the server takes no connection");
  // The server may close before it has read everything.
  static_cast<void>(send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL));
  shutdown(socket, SHUT_WR);
  std::string answer;
  char buffer[4096];
  for (ssize_t got = 0; (got = recv(socket, buffer, sizeof buffer, 0)) > 0;) {
    answer.append(buffer, static_cast<size_t>(got));
  }
  close(socket);
  return answer;
}

std::vector<std::string> Seeds() {
  return {"GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n", "GET /readyz HTTP/1.0\r\n\r\n",
          "GET /healthz HTTP/1.1\r\nRange: bytes=0-,0-\r\nConnection: close\r\n\r\n",
          "POST / HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc",
          "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"};
}

void Run(std::string_view text) {
  static StandingClock clock;
  static Health health(clock, {});
  static const std::unique_ptr<HttpServer> server = Started(health);
  const std::string answer = Exchange(server->port(), text);
  Require(answer.size() < 64 << 10, "an answer is larger than 64 KiB");
  static size_t calls = 0;
  if (++calls % 64 == 0) {
    const std::string probe = Exchange(server->port(), "GET /healthz HTTP/1.0\r\n\r\n");
    Require(probe.starts_with("HTTP/1."), "the server does not answer a probe any more");
  }
}

}  // namespace

extern const FuzzTarget kHttpTarget{"http", Seeds, Run};

}  // namespace neardup
