#include <fmt/format.h>
#include <signal.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "app/commands.h"
#include "app/exit_code.h"
#include "app/log.h"
#include "app/reload.h"
#include "app/service.h"
#include "config/documents.h"

namespace neardup {
namespace {

// A stop must end within 10 s, even if a client library hangs.
constexpr auto kStopDeadline = std::chrono::seconds(9);

std::atomic<bool> g_stop = false;
std::atomic<bool> g_reload = false;
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler sets it");
// Before the lane runs there is nothing to commit and no lease to give up.
std::atomic<bool> g_lane_runs = false;

void OnStopSignal(int) {
  if (g_stop.exchange(true)) _exit(kExitInternal);
}

void CatchReloadSignal() {
  struct sigaction action = {};
  action.sa_handler = [](int) { g_reload = true; };
  action.sa_flags = SA_RESTART;
  sigaction(SIGHUP, &action, nullptr);
}

std::string ShownSettings(const LoadedConfig& config) {
  return nlohmann::ordered_json::parse(ShowConfig(config, {.json = true})).at("settings").dump();
}

/// The same with what the lane of this service learned.
std::string ShownSettings(LoadedConfig config, const Service& service) {
  const LaneOptions& lane = service.settings().lane;
  if (!lane.learned.empty()) config.settings.lane.filter = lane.filter;
  return ShownSettings(config);
}

/// Reads the configuration again after each SIGHUP, in a thread of its own.
class ReloadWatch {
 public:
  ReloadWatch(ConfigArguments arguments, LoadedConfig running, Service& service)
      : arguments_(std::move(arguments)),
        running_(std::move(running)),
        service_(service),
        thread_([this](const std::stop_token& end) {
          while (!end.stop_requested()) {
            if (g_reload.exchange(false)) ReadAgain();
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
          }
        }) {}

 private:
  void ReadAgain() {
    Result<LoadedConfig> now = Load(arguments_);
    if (!now.ok()) {
      spdlog::error("the configuration is read again and refused, nothing is changed: {}",
                    now.error().text);
      return;
    }
    const Reload reload = CompareForReload(running_, *now);
    if (!reload.refused.empty()) {
      spdlog::error("{}", Describe(reload));
      return;
    }
    // The line is seen at both levels.
    spdlog::log(spdlog::level::warn, "{}", Describe(reload));
    SetLogLevel(now->settings.log_level);
    running_ = std::move(now).value();
    service_.ShowSettings(ShownSettings(running_, service_));
  }

  ConfigArguments arguments_;
  LoadedConfig running_;
  Service& service_;
  std::jthread thread_;  ///< the last member, because it uses the others
};

/// Ends the process on the stop signal if the lane does not run yet: a snapshot may take minutes to
/// restore. Otherwise ends it if it still runs kStopDeadline after the signal.
void WatchStop() {
  std::thread([] {
    while (!g_stop) std::this_thread::sleep_for(std::chrono::milliseconds(50));
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

Result<void> RunService(const ConfigArguments& arguments, const LoadedConfig& config) {
  NEARDUP_TRY(CheckRunnable(config));
  NEARDUP_TRY(PrepareStateDir(config.settings.state_dir));
  const std::atomic<bool>& stop = CatchStopSignals();
  WatchStop();
  CatchReloadSignal();
  NEARDUP_ASSIGN(const std::unique_ptr<Service> service,
                 Service::New(config.settings, {}, ShownSettings(config)));
  service->ShowSettings(ShownSettings(config, *service));
  const ReloadWatch reload(arguments, config, *service);
  g_lane_runs = true;
  NEARDUP_TRY(service->Run(stop));
  spdlog::info("stopped");
  return {};
}

}  // namespace

const std::atomic<bool>& CatchStopSignals() {
  struct sigaction action = {};
  action.sa_handler = OnStopSignal;
  sigaction(SIGTERM, &action, nullptr);
  sigaction(SIGINT, &action, nullptr);
  return g_stop;
}

int RunCommand(const ConfigArguments& arguments) {
  const Result<LoadedConfig> config = Load(arguments);
  if (!config.ok()) return Fail(config.error());
  StartLog(config->settings.log_level, config->settings.log_format);
  for (const std::string& warning : config->warnings) spdlog::warn("{}", warning);
  const Result<void> ran = RunService(arguments, *config);
  if (ran.ok()) return kExitOk;
  spdlog::error("{}", ran.error().text);
  return ExitCodeOf(ran.error());
}

}  // namespace neardup
