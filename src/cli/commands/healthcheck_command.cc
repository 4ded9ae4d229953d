#include <fmt/format.h>
#include <httplib.h>

#include <cstdio>
#include <string>

#include "commands/commands.h"
#include "process/exit_code.h"

namespace neardup {
namespace {

std::string Cause(httplib::Error error) {
  switch (error) {
    case httplib::Error::Connection:
      return "cannot connect (unknown host, wrong port, or connection refused)";
    case httplib::Error::ConnectionTimeout:
      return "no connection within 5 s";
    case httplib::Error::Read:
      return "connected, but got no HTTP answer within 5 s";
    default:
      return "no answer (" + httplib::to_string(error) + ")";
  }
}

/// Where an instance with this configuration answers.
Result<std::string> UrlOf(const ConfigArguments& arguments) {
  NEARDUP_ASSIGN(const LoadedConfig config, Load(arguments));
  const HttpOptions& http = config.settings.http;
  if (http.port == 0) {
    return Error{ErrorCode::kConfig,
                 "metrics.port: found 0, so the instance answers no question; expected its port"};
  }
  // An instance that listens on all addresses answers on the local one.
  std::string host = http.host;
  if (host.empty() || host == "0.0.0.0") host = "127.0.0.1";
  if (host == "::") host = "::1";
  if (host.find(':') != std::string::npos) host = "[" + host + "]";
  const bool tls = !http.tls_certificate_path.empty();
  return fmt::format("{}://{}:{}/readyz", tls ? "https" : "http", host, http.port);
}

int Ask(const std::string& url) {
  const size_t scheme = url.find("://");
  const size_t path = scheme == std::string::npos ? scheme : url.find('/', scheme + 3);
  if (!url.starts_with("http://") && !url.starts_with("https://")) {
    std::fprintf(stderr,
                 "neardup: --url %s: expected an address such as http://HOST:PORT/readyz or "
                 "https://HOST:PORT/readyz\n",
                 url.c_str());
    return kExitUsage;
  }
  httplib::Client client(url.substr(0, path));
  client.set_connection_timeout(5);
  client.set_read_timeout(5);
  // It asks its own instance, whose certificate has another name than 127.0.0.1, and sends nothing
  // that is secret.
  client.enable_server_certificate_verification(false);
  const httplib::Result answer =
      client.Get(path == std::string::npos ? "/readyz" : url.substr(path).c_str());
  if (!answer) {
    std::fprintf(stderr,
                 "neardup: %s: %s; is the instance running? --config or --url must name its "
                 "metrics.host and metrics.port (0: not served)\n",
                 url.c_str(), Cause(answer.error()).c_str());
    return kExitUnavailable;
  }
  std::string text = answer->body;
  while (text.ends_with('\n')) text.pop_back();
  std::printf("%d %s\n", answer->status, text.c_str());
  return answer->status == 200 ? kExitOk : kExitNo;
}

}  // namespace

int HealthcheckCommand(const HealthcheckArguments& arguments) {
  if (!arguments.url.empty()) return Ask(arguments.url);
  const Result<std::string> url = UrlOf(arguments.config);
  return url.ok() ? Ask(*url) : Fail(url.error());
}

}  // namespace neardup
