#include "run/reload.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cassert>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "base/file_content.h"
#include "base/hash.h"
#include "config/documents.h"
#include "learned/lane_learning.h"

namespace neardup {
namespace {

constexpr std::string_view kLive = "log.level";
/// Beginnings of the paths of settings that a lane may change from one start to the next, and that
/// name neither the lane nor its topics, folder or listeners. An exception is match.distance_max,
/// if it changes from or to 0: see ChangesMode.
constexpr std::string_view kStartAgain[] = {"window.",
                                            "match.similarity",
                                            "match.distance_max",
                                            "match.suspect_distance_max",
                                            "match.distance_sum_max",
                                            "match.distance_chance_max",
                                            "match.features_per_bit",
                                            "match.widen",
                                            "match.neighbours",
                                            "match.numbers",
                                            "routing.exact",
                                            "routing.near",
                                            "routing.release_",
                                            "routing.keep",
                                            "transaction.",
                                            "dead_letters.",
                                            "retry.",
                                            "threads.",
                                            "input.partitions_refresh_ms",
                                            "input.idle_ms",
                                            "kafka.answer_timeout_ms",
                                            "kafka.inflight_",
                                            "kafka.prefetch_",
                                            "state.snapshot_interval_ms",
                                            "state.purge_changelog"};

bool MayStartAgain(const std::string& path) {
  return std::any_of(std::begin(kStartAgain), std::end(kStartAgain),
                     [&](std::string_view begin) { return path.starts_with(begin); });
}

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
  constexpr const char* kHttpPassword = "metrics.password";
  if (running.settings.http.password != now.settings.http.password &&
      !changed.contains(kHttpPassword)) {
    reload.secrets.emplace_back(kHttpPassword);
  }
  const FilterOptions before = InForce(running.settings, learned);
  const FilterOptions after = InForce(now.settings, learned);
  for (const std::string& path : changed) {
    const bool may_start_again =
        MayStartAgain(path) && !(path == "match.distance_max" && ChangesMode(before, after));
    std::vector<std::string>& paths = path == kLive     ? reload.applied
                                      : may_start_again ? reload.start_again
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
  running.settings.http.password = now.settings.http.password;
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

}  // namespace neardup
