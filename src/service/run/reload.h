// What a running service takes over from its configuration when it reads it again.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "kafka/kafka_options.h"
#include "service/config/config.h"

namespace neardup {

struct Reload {
  /// Settings that a running service takes over without an interruption, such as log.level.
  std::vector<std::string> applied;
  /// Settings for which the service commits, and starts again within the process.
  std::vector<std::string> start_again;
  /// Secrets that differ. A service takes them over by connecting again.
  std::vector<std::string> secrets;
  /// Settings that need a restart. If there are any, nothing is taken over.
  std::vector<std::string> refused;
  /// Some of the refused settings change fingerprints.
  bool changes_fingerprints = false;
};

/// What differs between the configuration of a service and a newer one. `learned`: what the lane
/// has learned (LaneOptions::learned); empty: nothing.
Reload CompareForReload(const LoadedConfig& running, const LoadedConfig& now,
                        const std::string& learned = {});

/// Returns the running configuration with the secrets of the newer one, and nothing else of it.
LoadedConfig WithSecretsOf(LoadedConfig running, const LoadedConfig& now);

/// One line for the log.
std::string Describe(const Reload& reload);

/// The files that the Kafka client reads for TLS (certificates, keys and revocation lists), with
/// the hash of their bytes. A file that cannot be read has the hash 0.
using TlsFiles = std::map<std::string, uint64_t>;
TlsFiles ReadTlsFiles(const KafkaOptions& options);

/// The paths that are in only one of the two, or have other bytes.
std::vector<std::string> ChangedFiles(const TlsFiles& before, const TlsFiles& after);

// Follows the configuration of a running service: after each SIGHUP, and every 10 s its secrets.

/// What the watch asks and tells, from its own thread.
struct ReloadHooks {
  /// True once after each SIGHUP.
  std::function<bool()> asked;
  /// What the lane has learned (LaneOptions::learned); empty: nothing yet.
  std::function<std::string()> learned;
  /// A newer configuration is in force, without an interruption.
  std::function<void(const LoadedConfig&)> applied;
  /// Changed secrets do not work or cannot be read, so the service goes on with those in use;
  /// false: that is over.
  std::function<void(bool)> secrets_refused;
  /// The service must end, and start again with Next(): new secrets work, or a setting that needs
  /// a restart has changed. `keeps_lease`: the login is the same, so that the instance can keep
  /// its lease meanwhile.
  std::function<void(bool keeps_lease)> start_again;
};

/// Works from construction to destruction. A changed secret is tried with a connection of its own
/// before the service takes it over, so that half a rotation does no harm.
class ReloadWatch {
 public:
  /// `files`: those that the running service has read, or a little older.
  ReloadWatch(ConfigArguments arguments, LoadedConfig running, TlsFiles files, ReloadHooks hooks);

  /// Ends the watch. The configuration to start again with.
  LoadedConfig Next();

 private:
  void Watch(const std::stop_token& end);
  void ReadAgain();
  /// Ends the watch, and the service.
  void StartAgain(LoadedConfig next, bool keeps_lease);
  void CheckSecrets();
  /// Logs a complaint, unless its reason is the same as before.
  void Complain(std::string_view what, const std::string& why);

  ConfigArguments arguments_;
  LoadedConfig running_;
  TlsFiles files_;
  ReloadHooks hooks_;
  bool done_ = false;
  std::string complaint_;  ///< the reason of the last one, while secrets are refused
  std::jthread thread_;    ///< the last member, because it uses the others
};

}  // namespace neardup
