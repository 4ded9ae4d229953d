#include "run/reload_watch.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <sstream>
#include <utility>
#include <vector>

#include "kafka/topics.h"
#include "run/log.h"

namespace neardup {
namespace {

using Steady = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kPause{50};
constexpr std::chrono::seconds kBetweenChecks{10};
// A stop waits for an attempt that has begun, and must end within 10 s.
constexpr int kAnswerMs = 3000;

Result<void> TryLogin(KafkaOptions options) {
  options.answer_timeout_ms = std::min(options.answer_timeout_ms, kAnswerMs);
  const auto ignore = [](int, std::string_view) {};
  NEARDUP_TRY(ListInputs(options, ignore));
  return {};
}

}  // namespace

ReloadWatch::ReloadWatch(ConfigArguments arguments, LoadedConfig running, TlsFiles files,
                         ReloadHooks hooks)
    : arguments_(std::move(arguments)),
      running_(std::move(running)),
      files_(std::move(files)),
      hooks_(std::move(hooks)),
      thread_([this](const std::stop_token& end) { Watch(end); }) {}

LoadedConfig ReloadWatch::Next() {
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
  return std::move(running_);
}

void ReloadWatch::Watch(const std::stop_token& end) {
  Steady::time_point next_check = Steady::now() + kBetweenChecks;
  for (; !end.stop_requested() && !done_; std::this_thread::sleep_for(kPause)) {
    const bool asked = hooks_.asked();
    if (asked) ReadAgain();
    if (done_ || (!asked && Steady::now() < next_check)) continue;
    CheckSecrets();
    next_check = Steady::now() + kBetweenChecks;
  }
}

void ReloadWatch::ReadAgain() {
  Result<LoadedConfig> now = Load(arguments_);
  if (!now.ok()) {
    // Each complaint is a line of its own, which begins with the file and the line number.
    std::istringstream lines(now.error().text);
    for (std::string line; std::getline(lines, line);) spdlog::error("{}", line);
    spdlog::error("the new configuration is refused for the reason above, and nothing is changed");
    complaint_ = now.error().text;
    return;
  }
  const Reload reload = CompareForReload(running_, *now, hooks_.learned());
  if (!reload.refused.empty()) {
    spdlog::error("{}", Describe(reload));
    return;
  }
  // Changed secrets have a check of their own.
  LoadedConfig next = WithSecretsOf(*now, running_);
  const bool starts_again = !reload.start_again.empty();
  const Result<void> works = starts_again ? TryLogin(next.settings.kafka) : Result<void>();
  if (!works.ok()) {
    spdlog::error(
        "the new configuration is refused, and nothing is changed: the service cannot connect "
        "again: {}",
        works.error().text);
    return;
  }
  if (!starts_again) {
    running_ = next;
    hooks_.applied(running_);
  }
  // Settings that need no new start are in force before the line is logged. A warning is visible
  // whether the log level was raised or lowered, unless the former level hides warnings.
  spdlog::log(spdlog::level::warn, "{}", Describe(reload));
  SetLogLevel(next.settings.log_level);
  if (starts_again) StartAgain(std::move(next), /*keeps_lease=*/true);
}

void ReloadWatch::StartAgain(LoadedConfig next, bool keeps_lease) {
  running_ = std::move(next);
  done_ = true;
  hooks_.start_again(keeps_lease);
}

void ReloadWatch::CheckSecrets() {
  const Result<LoadedConfig> now = Load(arguments_);
  if (!now.ok()) {
    return Complain("the configuration cannot be read, so changed secrets go unnoticed",
                    now.error().text);
  }
  std::vector<std::string> changed = CompareForReload(running_, *now).secrets;
  const TlsFiles files = ReadTlsFiles(running_.settings.kafka);
  const std::vector<std::string> changed_files = ChangedFiles(files_, files);
  changed.insert(changed.end(), changed_files.begin(), changed_files.end());
  if (changed.empty()) {
    if (!complaint_.empty()) spdlog::info("the files can be read, and hold the secrets in use");
    complaint_.clear();
    return hooks_.secrets_refused(false);
  }
  LoadedConfig next = WithSecretsOf(running_, *now);
  const Result<void> works = TryLogin(next.settings.kafka);
  if (!works.ok()) {
    return Complain("changed secrets are not used yet, because they do not work",
                    fmt::format("{}: {}", fmt::join(changed, ", "), works.error().text));
  }
  spdlog::info("secrets have changed, and the brokers accept them; connecting again: {}",
               fmt::join(changed, ", "));
  StartAgain(std::move(next), /*keeps_lease=*/false);
}

void ReloadWatch::Complain(std::string_view what, const std::string& why) {
  hooks_.secrets_refused(true);
  if (why == complaint_) return;
  complaint_ = why;
  spdlog::error("{}; {}; the service goes on with those in use and tries again every {} s", why,
                what, kBetweenChecks.count());
}

}  // namespace neardup
