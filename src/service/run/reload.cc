#include "service/run/reload.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cassert>
#include <chrono>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <utility>

#include "detect/base/file.h"
#include "detect/base/hash.h"
#include "kafka/topics.h"
#include "service/config/documents.h"
#include "service/config/settings_table.h"
#include "service/run/log.h"
#include "service/topics/lane_learning.h"

namespace neardup {
namespace {

void Flatten(const nlohmann::json& values, const std::string& begin,
             std::map<std::string, std::string>& flat) {
  for (const auto& [name, value] : values.items()) {
    if (value.is_object()) {
      Flatten(value, begin + name + ".", flat);
    } else {
      flat[begin + name] = value.dump();
    }
  }
}

/// The values by path, such as window.window_ms. A list is one value.
std::map<std::string, std::string> Flat(const LoadedConfig& config) {
  std::map<std::string, std::string> flat;
  Flatten(nlohmann::json::parse(ShowConfig(config, {.json = true})).at("settings"), "", flat);
  return flat;
}

/// The keys that are in only one of the two maps, or have another value.
template <typename Value>
std::set<std::string> Differing(const std::map<std::string, Value>& before,
                                const std::map<std::string, Value>& after) {
  std::set<std::string> differing;
  for (const auto& [key, value] : before) {
    const auto found = after.find(key);
    if (found == after.end() || found->second != value) differing.insert(key);
  }
  for (const auto& [key, value] : after) {
    if (!before.contains(key)) differing.insert(key);
  }
  return differing;
}

using Properties = std::map<std::string, std::string>;

/// A map of properties in the options, with its name as a setting.
struct PropertyMap {
  const char* path;
  Properties KafkaOptions::*member;
};
constexpr PropertyMap kPropertyMaps[] = {
    {"kafka.properties", &KafkaOptions::properties},
    {"kafka.consumer_properties", &KafkaOptions::consumer_properties},
    {"kafka.producer_properties", &KafkaOptions::producer_properties}};

constexpr const char* kSecrets[] = {"registry.password", "registry.token", "metrics.password"};

/// The options of a configuration, with what the lane has learned.
FilterOptions InForce(Settings settings, const std::string& learned) {
  if (!learned.empty()) {
    [[maybe_unused]] const Result<LearnedOptions> taken = TakeLearnedText(learned, settings);
    assert(taken.ok());  // the running lane has read it
  }
  return settings.lane.filter;
}

/// True if only one of the two compares by distance. Their fingerprints differ then.
bool ChangesMode(const FilterOptions& before, const FilterOptions& after) {
  return ExactOnly(before.match) != ExactOnly(after.match);
}

}  // namespace

Reload CompareForReload(const LoadedConfig& running, const LoadedConfig& now,
                        const std::string& learned) {
  const std::set<std::string> changed = Differing(Flat(running), Flat(now));
  Reload reload;
  // Secrets look alike when they are printed.
  for (const auto& [map_path, member] : kPropertyMaps) {
    for (const auto& [name, value] : running.settings.kafka.*member) {
      const std::string path = fmt::format("{}.{}", map_path, name);
      const Properties& other = now.settings.kafka.*member;
      const auto found = other.find(name);
      if (found != other.end() && found->second != value && !changed.contains(path)) {
        reload.secrets.push_back(path);
      }
    }
  }
  for (const char* path : kSecrets) {
    const Setting& setting = *FindSetting(path);
    if (setting.get(running.settings) == setting.get(now.settings) || changed.contains(path)) {
      continue;
    }
    reload.secrets.emplace_back(path);
  }
  const FilterOptions before = InForce(running.settings, learned);
  const FilterOptions after = InForce(now.settings, learned);
  for (const std::string& path : changed) {
    const Setting* setting = FindSetting(path);
    Reloads reloads = setting == nullptr ? Reloads::kNever : setting->reloads;
    if (path == "match.distance_max" && ChangesMode(before, after)) reloads = Reloads::kNever;
    std::vector<std::string>& paths = reloads == Reloads::kLive    ? reload.applied
                                      : reloads == Reloads::kAgain ? reload.start_again
                                                                   : reload.refused;
    paths.push_back(path);
  }
  reload.changes_fingerprints = FingerprintSpec(before) != FingerprintSpec(after);
  return reload;
}

LoadedConfig WithSecretsOf(LoadedConfig running, const LoadedConfig& now) {
  const Reload reload = CompareForReload(running, now);
  const std::set<std::string> secrets(reload.secrets.begin(), reload.secrets.end());
  for (const auto& [map_path, member] : kPropertyMaps) {
    for (auto& [name, value] : running.settings.kafka.*member) {
      if (secrets.contains(fmt::format("{}.{}", map_path, name))) {
        value = (now.settings.kafka.*member).at(name);
      }
    }
  }
  for (const char* path : kSecrets) {
    const Setting& setting = *FindSetting(path);
    setting.set(running.settings, setting.get(now.settings));
  }
  SetEncodings(running.settings);
  return running;
}

TlsFiles ReadTlsFiles(const KafkaOptions& options) {
  constexpr size_t kBytesMax = size_t{16} << 20;
  TlsFiles files;
  for (const auto& [map_path, member] : kPropertyMaps) {
    for (const auto& [name, value] : options.*member) {
      if (!name.starts_with("ssl.") || !name.ends_with(".location")) continue;
      const Result<std::string> bytes = ReadFile(value, kBytesMax);
      files[value] = bytes.ok() ? Hash64(*bytes) : 0;
    }
  }
  return files;
}

std::vector<std::string> ChangedFiles(const TlsFiles& before, const TlsFiles& after) {
  const std::set<std::string> changed = Differing(before, after);
  return {changed.begin(), changed.end()};
}

std::string Describe(const Reload& reload) {
  if (!reload.refused.empty()) {
    return fmt::format(
        "the new configuration is refused, and nothing is changed: {} {} a restart{}",
        fmt::join(reload.refused, ", "), reload.refused.size() == 1 ? "needs" : "need",
        reload.changes_fingerprints
            ? "; fingerprints would change, so stop all instances and run `neardup reindex` first"
            : "");
  }
  if (!reload.start_again.empty()) {
    return fmt::format("the configuration is read again; the service starts again with: {}",
                       fmt::join(reload.start_again, ", "));
  }
  if (reload.applied.empty() && !reload.secrets.empty()) {
    return "the configuration is read again; only secrets differ, and are tried now";
  }
  if (reload.applied.empty()) return "the configuration is read again; no setting differs";
  return fmt::format("the configuration is read again; in force now: {}",
                     fmt::join(reload.applied, ", "));
}

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
