#include <fmt/format.h>
#include <signal.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "commands/program/command_line.h"
#include "commands/program/commands.h"
#include "commands/program/message.h"
#include "commands/program/stop_signals.h"
#include "service/config/documents.h"
#include "service/run/log.h"
#include "service/run/reload.h"
#include "service/run/service.h"

namespace neardup {
namespace {

// A stop must end within 10 s, even if a client library hangs.
constexpr auto kStopDeadline = std::chrono::seconds(9);

std::atomic<bool> g_reload = false;
// The lane shall end: because of a stop, or because the service starts again.
std::atomic<bool> g_end_lane = false;
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler sets it");
// Before the lane runs there is nothing to commit and, unless it was kept, no lease to give up.
std::atomic<bool> g_lane_runs = false;

void CatchReloadSignal() {
  struct sigaction action = {};
  action.sa_handler = [](int) { g_reload = true; };
  action.sa_flags = SA_RESTART;
  sigaction(SIGHUP, &action, nullptr);
}

std::string ShownSettings(const LoadedConfig& config) {
  return nlohmann::ordered_json::parse(ShowConfig(config, {.json = true})).at("settings").dump();
}

/// The settings of /status: the configuration, with what the lane has learned since.
class StatusSettings {
 public:
  StatusSettings(Service& service, LoadedConfig config)
      : service_(service), config_(std::move(config)) {}
  /// From any thread.
  void Take(const LoadedConfig& config) {
    const std::lock_guard lock(mutex_);
    config_ = config;
    Show();
  }
  void TakeLearned(const LaneOptions& lane) {
    if (lane.learned.empty()) return;
    const std::lock_guard lock(mutex_);
    learned_ = lane.filter;
    learned_text_ = lane.learned;
    Show();
  }
  /// LaneOptions::learned; empty: nothing yet. From any thread.
  std::string learned_text() {
    const std::lock_guard lock(mutex_);
    return learned_text_;
  }

 private:
  void Show() {
    LoadedConfig shown = config_;
    if (learned_) shown.settings.lane.filter = *learned_;
    service_.ShowSettings(ShownSettings(shown));
  }

  Service& service_;
  std::mutex mutex_;
  LoadedConfig config_;                   ///< guarded by mutex_
  std::optional<FilterOptions> learned_;  ///< guarded by mutex_
  std::string learned_text_;              ///< guarded by mutex_
};

/// Ends the process on the stop signal if the lane does not run yet: a snapshot may take minutes to
/// restore. Otherwise ends it if it still runs kStopDeadline after the signal.
void WatchStop(const std::atomic<bool>& stop) {
  std::thread([&stop] {
    while (!stop) std::this_thread::sleep_for(std::chrono::milliseconds(50));
    if (!g_lane_runs) {
      spdlog::info("stopped before the lane began; nothing was decided");
      _exit(kExitOk);
    }
    std::this_thread::sleep_for(kStopDeadline);
    spdlog::error("the stop took more than {} s; exiting at once, nothing committed is lost",
                  kStopDeadline.count());
    _exit(kExitInternal);
  }).detach();
}

Result<void> PrepareStateDir(const std::string& path) {
  if (path.empty()) return {};
  std::error_code error;
  if (std::filesystem::exists(path, error) && !std::filesystem::is_directory(path, error)) {
    return Error{ErrorCode::kIo,
                 fmt::format("state.dir: {}: found a file, expected a folder", path)};
  }
  std::filesystem::create_directories(path, error);
  if (!error && access(path.c_str(), W_OK | X_OK) != 0) error.assign(errno, std::system_category());
  if (error) {
    return Error{
        ErrorCode::kIo,
        fmt::format("state.dir: {}: cannot be written to ({}); create the folder and allow this "
                    "user to write to it",
                    path, error.message())};
  }
  return {};
}

/// Runs a service until it is stopped or has to restart. Then `config` is what to start with,
/// and `lease` the one that this instance has kept, if any.
Result<void> RunUntilItEnds(const ConfigArguments& arguments, LoadedConfig& config,
                            std::unique_ptr<Lease>& lease) {
  TlsFiles files = ReadTlsFiles(config.settings.kafka);
  NEARDUP_ASSIGN(const std::unique_ptr<Service> service,
                 Service::New(config.settings, {}, ShownSettings(config), std::move(lease)));
  StatusSettings shown(*service, config);
  ReloadHooks hooks;
  hooks.asked = [] { return g_reload.exchange(false); };
  hooks.learned = [&] { return shown.learned_text(); };
  hooks.applied = [&](const LoadedConfig& now) { shown.Take(now); };
  hooks.secrets_refused = [&](bool refused) { service->ShowSecretsRefused(refused); };
  hooks.start_again = [&](bool keeps_lease) {
    if (keeps_lease) service->KeepLease();
    g_end_lane = true;
  };
  ReloadWatch reload(arguments, config, std::move(files), std::move(hooks));
  NEARDUP_TRY(service->Run(g_end_lane, [&] {
    shown.TakeLearned(service->settings().lane);
    g_lane_runs = true;
  }));
  config = reload.Next();
  lease = service->TakeLease();
  return {};
}

Result<void> RunService(const ConfigArguments& arguments, LoadedConfig config) {
  NEARDUP_TRY(CheckRunnable(config));
  NEARDUP_TRY(PrepareStateDir(config.settings.state_dir));
  const std::atomic<bool>& stop = CatchStopSignals(&g_end_lane);
  WatchStop(stop);
  CatchReloadSignal();
  StartOverWhenClockIsSetBack();
  std::unique_ptr<Lease> lease;
  while (true) {
    NEARDUP_TRY(RunUntilItEnds(arguments, config, lease));
    g_end_lane = false;
    if (stop) break;
    g_lane_runs = lease != nullptr;
  }
  spdlog::info("stopped");
  return {};
}

/// Runs until SIGTERM or SIGINT.
Result<int> RunCommand(const ConfigArguments& arguments) {
  NEARDUP_ASSIGN(const LoadedConfig config, Load(arguments));
  StartLog(config.settings.log_level, config.settings.log_format);
  for (const std::string& warning : config.warnings) spdlog::warn("{}", warning);
  const Result<void> ran = RunService(arguments, config);
  if (ran.ok()) return kExitOk;
  spdlog::error("{}", ran.error().text);
  return ExitCodeOf(ran.error());
}

}  // namespace

void AddRun(CommandLine& line) {
  const auto config = std::make_shared<ConfigArguments>();
  CLI::App* command =
      line.Add("run", "run the service: route the records of Kafka topics until SIGTERM or SIGINT",
               {"neardup run --config neardup.yaml",
                "neardup run --brokers localhost:9092 --topics articles --fields title,text"});
  AddConfig(command, *config);
  AddKafka(line, command, *config);
  AddShortForm(command, *config, "--state-dir");
  AddShortForm(command, *config, "--metrics-port");
  line.Runs(command, [config] { return RunCommand(*config); });
}

}  // namespace neardup
