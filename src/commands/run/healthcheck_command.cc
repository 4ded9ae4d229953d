#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <string>

#include "commands/program/command_line.h"
#include "commands/program/commands.h"
#include "commands/program/message.h"
#include "service/metrics/http_client.h"

namespace neardup {
namespace {

constexpr int kTimeoutS = 5;

struct HealthcheckArguments {
  /// Of the instance: names its metrics.host and metrics.port. Only if `url` is empty.
  ConfigArguments config;
  std::string url;  ///< such as http://127.0.0.1:9404/readyz; empty: from the configuration
};

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
  // Another process may have taken the port.
  const KafkaOptions& kafka = config.settings.kafka;
  const bool known =
      !kafka.app.empty() && !(config.settings.app_is_default && kafka.topics.empty());
  return fmt::format("{}://{}:{}/readyz{}", tls ? "https" : "http", host, http.port,
                     known ? "?app=" + kafka.app : "");
}

int Ask(const std::string& url) {
  const Result<HttpAnswer> answer = HttpGet(url, kTimeoutS);
  if (!answer.ok() && answer.error().code == ErrorCode::kConfig) {
    Say("neardup: --url {}", answer.error().text);
    return kExitUsage;
  }
  if (!answer.ok()) {
    Say("neardup: {}; is the instance running? --config or --url must name its metrics.host and "
        "metrics.port (0: not served)",
        answer.error().text);
    return kExitUnavailable;
  }
  std::string text = answer->body;
  while (text.ends_with('\n')) text.pop_back();
  std::printf("%d %s\n", answer->status, text.c_str());
  return answer->status == 200 ? kExitOk : kExitNo;
}

/// `neardup healthcheck`: asks a running instance whether it is well. kExitOk for status 200,
/// kExitNo for another status, kExitUnavailable if nothing answers.
Result<int> HealthcheckCommand(const HealthcheckArguments& arguments) {
  if (!arguments.url.empty()) return Ask(arguments.url);
  NEARDUP_ASSIGN(const std::string url, UrlOf(arguments.config));
  return Ask(url);
}

}  // namespace

void AddHealthcheck(CommandLine& line) {
  const auto arguments = std::make_shared<HealthcheckArguments>();
  HealthcheckArguments& healthcheck = *arguments;
  CLI::App* command = line.Add("healthcheck", "ask a running instance whether it is ready",
                               {"neardup healthcheck --config neardup.yaml",
                                "neardup healthcheck --url http://127.0.0.1:9404/readyz"});
  AddConfigFile(command, healthcheck.config);
  AddShortForm(command, healthcheck.config, "--metrics-port");
  AddOption(command, "--url", "URL", healthcheck.url,
            "ask this address (default: metrics.host and metrics.port of the configuration, "
            "http://127.0.0.1:9404/readyz without one)")
      ->excludes("--config");
  line.Runs(command, [arguments] { return HealthcheckCommand(*arguments); });
}

}  // namespace neardup
