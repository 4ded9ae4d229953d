#include "app/reload.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "config/documents.h"

namespace neardup {
namespace {

constexpr std::string_view kLive = "log.level";
constexpr std::string_view kSecrets = "kafka.properties";

/// The values by path, such as window.window_ms.
std::map<std::string, std::string> Flat(const LoadedConfig& config) {
  std::map<std::string, std::string> flat;
  const auto settings = nlohmann::json::parse(ShowConfig(config, {.json = true})).at("settings");
  const nlohmann::json rows = settings.flatten();
  for (const auto& [pointer, value] : rows.items()) {
    std::string path = pointer.substr(1);
    std::replace(path.begin(), path.end(), '/', '.');
    flat[path] = value.dump();
  }
  return flat;
}

}  // namespace

Reload CompareForReload(const LoadedConfig& running, const LoadedConfig& now) {
  const std::map<std::string, std::string> before = Flat(running);
  const std::map<std::string, std::string> after = Flat(now);
  std::set<std::string> changed;
  for (const auto* one : {&before, &after}) {
    const auto* other = one == &before ? &after : &before;
    for (const auto& [path, value] : *one) {
      const auto found = other->find(path);
      if (found == other->end() || found->second != value) changed.insert(path);
    }
  }
  // Secrets look alike when they are printed.
  const KafkaOptions& old_kafka = running.settings.kafka;
  const KafkaOptions& new_kafka = now.settings.kafka;
  if (old_kafka.properties != new_kafka.properties ||
      old_kafka.consumer_properties != new_kafka.consumer_properties ||
      old_kafka.producer_properties != new_kafka.producer_properties) {
    changed.insert(std::string(kSecrets));
  }
  Reload reload;
  for (const std::string& path : changed) {
    (path == kLive ? reload.applied : reload.refused).push_back(path);
  }
  return reload;
}

std::string Describe(const Reload& reload) {
  if (!reload.refused.empty()) {
    return fmt::format(
        "the configuration is read again and refused, nothing is changed: {} {} a "
        "restart",
        fmt::join(reload.refused, ", "), reload.refused.size() == 1 ? "needs" : "need");
  }
  if (reload.applied.empty()) return "the configuration is read again; no setting differs";
  return fmt::format("the configuration is read again; in force now: {}",
                     fmt::join(reload.applied, ", "));
}

}  // namespace neardup
