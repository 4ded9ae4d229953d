// Follows the configuration of a running service: after each SIGHUP, and every 10 s its secrets.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "config/config.h"
#include "config/config_arguments.h"
#include "run/reload.h"

namespace neardup {

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
