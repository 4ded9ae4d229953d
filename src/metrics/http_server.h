// Serves /metrics, /healthz and /readyz.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "metrics/health.h"
#include "metrics/http_options.h"
#include "neardup/result.h"

namespace neardup {

/// Serves from its own threads until it is destroyed.
class HttpServer {
 public:
  /// `metrics` gives the body of /metrics and is called from several threads at once; it and
  /// `health` must outlive the server. Port 0 takes any free one.
  static Result<std::unique_ptr<HttpServer>> Start(const HttpOptions& options,
                                                   std::function<std::string()> metrics,
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
