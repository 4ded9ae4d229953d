// What a running service takes over from its configuration when it reads it again.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "config/config.h"
#include "kafka/kafka_options.h"

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

}  // namespace neardup
