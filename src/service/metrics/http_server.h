// Serves /metrics, /status, /healthz and /readyz, and a page for people.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "neardup/result.h"
#include "service/metrics/health.h"

namespace neardup {

struct HttpOptions {
  std::string host = "127.0.0.1";
  /// 0 turns the server off; HttpServer itself takes any free port then.
  uint16_t port = 9404;
  /// PEM files. With both, the server speaks only TLS; without, only plain HTTP.
  std::string tls_certificate_path{};
  std::string tls_key_path{};
  /// Serve the page for people at /.
  bool page = false;
  /// With both, /metrics, /status and the page ask for them (basic authentication). Probes have no
  /// password.
  std::string user{};
  std::string password{};
  /// From the first byte of a connection to its last one, in milliseconds.
  int64_t connection_ms_max = 5000;
};

/// Return the bodies of the pages. Called from the thread of the server.
struct HttpPages {
  std::function<std::string()> metrics;  ///< the text format of Prometheus
  std::function<std::string()> status;   ///< a JSON object
  /// Whose pages they are. A path with ?app= and another name is answered with 409.
  std::string app{};
  /// The page for people, as HTML. Empty: / only lists the other pages.
  std::function<std::string()> page{};
};

/// Serves from its own thread until it is destroyed.
class HttpServer {
 public:
  /// What `pages` refers to and `health` must outlive the server. Each connection gets one answer,
  /// within 5 s; a request of more than 8 KB is refused. When all places are taken, a new
  /// connection replaces an answered one, or else the oldest connection of the peer that has the
  /// most. Port 0 takes any free port. A kConfig error names an address that is in use or is not an
  /// address of this host, or a certificate that cannot be used. New certificates are read from
  /// their files while it runs.
  static Result<std::unique_ptr<HttpServer>> Start(const HttpOptions& options, HttpPages pages,
                                                   const Health& health);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  uint16_t port() const;

 private:
  struct Parts;
  explicit HttpServer(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace neardup
