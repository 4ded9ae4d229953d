#include "metrics/http_server.h"

#include <fmt/format.h>
#include <httplib.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <thread>
#include <utility>

namespace neardup {
namespace {

constexpr size_t kThreads = 4;
constexpr size_t kRequestBytesMax = 4096;
constexpr const char* kMetricsType = "text/plain; version=0.0.4; charset=utf-8";
constexpr const char* kPlainText = "text/plain; charset=utf-8";
constexpr const char* kIndex =
    "<!doctype html><title>neardup</title><h1>neardup</h1><ul>"
    "<li><a href=\"/metrics\">/metrics</a> for Prometheus"
    "<li><a href=\"/healthz\">/healthz</a> 200 while the process is alive"
    "<li><a href=\"/readyz\">/readyz</a> 200 while it is active, or a standby that can take "
    "over</ul>\n";

void Answer(const HealthAnswer& answer, httplib::Response& response) {
  response.status = answer.ok ? 200 : 503;
  response.set_content(answer.text + "\n", kPlainText);
}

}  // namespace

struct HttpServer::Parts {
  httplib::Server server;
  std::thread thread;
  std::atomic<bool> ended{false};
  uint16_t port = 0;
};

Result<std::unique_ptr<HttpServer>> HttpServer::Start(const HttpOptions& options,
                                                      std::function<std::string()> metrics,
                                                      const Health& health) {
  auto parts = std::make_unique<Parts>();
  httplib::Server& server = parts->server;
  server.new_task_queue = [] { return new httplib::ThreadPool(kThreads); };
  server.set_payload_max_length(kRequestBytesMax);
  // The library would set SO_REUSEPORT, with which two processes could share a port unnoticed.
  server.set_socket_options([](socket_t socket) {
    const int yes = 1;
    setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
  });
  server.Get("/metrics",
             [metrics = std::move(metrics)](const httplib::Request&, httplib::Response& response) {
               response.set_content(metrics(), kMetricsType);
             });
  server.Get("/healthz", [&health](const httplib::Request&, httplib::Response& response) {
    Answer(health.Alive(), response);
  });
  server.Get("/readyz", [&health](const httplib::Request&, httplib::Response& response) {
    Answer(health.Ready(), response);
  });
  server.Get("/", [](const httplib::Request&, httplib::Response& response) {
    response.set_content(kIndex, "text/html; charset=utf-8");
  });

  errno = 0;
  const int port = options.port == 0 ? server.bind_to_any_port(options.host)
                   : server.bind_to_port(options.host, options.port) ? options.port
                                                                     : -1;
  if (port < 0) {
    return Error{
        ErrorCode::kConfig,
        fmt::format("cannot serve metrics on {}:{}: {}; set metrics.host and metrics.port to an "
                    "address of this machine that is free, or metrics.port to 0 for no metrics",
                    options.host, options.port,
                    errno != 0 ? std::strerror(errno) : "the host name cannot be resolved")};
  }
  parts->port = static_cast<uint16_t>(port);
  parts->thread = std::thread([raw = parts.get()] {
    raw->server.listen_after_bind();
    raw->ended = true;
  });
  // A stop before the loop runs would be lost, and the thread would never end.
  while (!server.is_running() && !parts->ended) std::this_thread::yield();
  return std::unique_ptr<HttpServer>(new HttpServer(std::move(parts)));
}

HttpServer::HttpServer(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

HttpServer::~HttpServer() {
  parts_->server.stop();
  parts_->thread.join();
}

uint16_t HttpServer::port() const { return parts_->port; }

}  // namespace neardup
