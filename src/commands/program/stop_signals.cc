#include "commands/program/stop_signals.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/close_range.h>
#include <signal.h>
#include <spdlog/spdlog.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <iterator>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "commands/program/message.h"
#include "detect/base/file.h"

namespace neardup {
namespace {

/// Never destroyed: the thread that waits for signals reads it until the process ends.
struct Waiter {
  std::mutex mutex;
  std::string doing = "starting";
  StopSignal stop;
  std::atomic<bool> first_is_only_noted = false;
};

Waiter& TheWaiter() {
  static auto* const waiter = new Waiter;
  return *waiter;
}

[[noreturn]] void EndNow(int number) {
  const AbandonedFiles files = AbandonOutputFiles();
  std::string text;
  {
    const std::lock_guard lock(TheWaiter().mutex);
    text = fmt::format("neardup: stopped by {} while {}", SignalName(number), TheWaiter().doing);
  }
  if (!files.written.empty()) text += fmt::format("; written: {}", fmt::join(files.written, ", "));
  if (!files.not_written.empty()) {
    text += fmt::format("; not written: {}", fmt::join(files.not_written, ", "));
  }
  SayText(text);
  _exit(kExitSignal + number);
}

void WaitForSignals(sigset_t signals) {
  int number = 0;
  while (sigwait(&signals, &number) == 0) {
    StopSignal& stop = TheWaiter().stop;
    if (!TheWaiter().first_is_only_noted || stop.came) EndNow(number);
    stop.number = number;
    stop.came = true;
  }
}

/// Blocks the signals in this thread and in those that it starts, except in the one that waits.
void StartWaiting() {
  signal(SIGPIPE, SIG_IGN);
  sigset_t signals;
  sigemptyset(&signals);
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXCPU}) {
    struct sigaction now = {};
    sigaction(number, nullptr, &now);
    if (now.sa_handler != SIG_IGN) sigaddset(&signals, number);
  }
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::thread(WaitForSignals, signals).detach();
}

void StartWaitingOnce() {
  static std::once_flag started;
  std::call_once(started, StartWaiting);
}

std::atomic<bool> g_stop = false;
std::atomic<std::atomic<bool>*> g_also = nullptr;
static_assert(std::atomic<bool>::is_always_lock_free &&
                  std::atomic<std::atomic<bool>*>::is_always_lock_free,
              "a signal handler uses them");

void OnStopSignal(int) {
  if (g_stop.exchange(true)) _exit(kExitInternal);
  if (std::atomic<bool>* const also = g_also) *also = true;
}

}  // namespace

void EndOnSignals() { StartWaitingOnce(); }

void NowDoing(std::string text) {
  const std::lock_guard lock(TheWaiter().mutex);
  TheWaiter().doing = std::move(text);
}

const StopSignal& StopOnSignals() {
  TheWaiter().first_is_only_noted = true;
  return TheWaiter().stop;
}

std::string SignalName(int number) { return fmt::format("SIG{}", sigabbrev_np(number)); }

const std::atomic<bool>& CatchStopSignals(std::atomic<bool>* also) {
  g_also = also;
  struct sigaction action = {};
  action.sa_handler = OnStopSignal;
  sigaction(SIGTERM, &action, nullptr);
  sigaction(SIGINT, &action, nullptr);
  return g_stop;
}

namespace {

using std::chrono::milliseconds;

constexpr milliseconds kLookPeriod(500);
/// A correction of the clock by less does no harm.
constexpr milliseconds kStep(2000);

/// How far the clock of the host is ahead of the steady clock.
milliseconds Ahead() {
  return std::chrono::duration_cast<milliseconds>(
             std::chrono::system_clock::now().time_since_epoch()) -
         std::chrono::duration_cast<milliseconds>(
             std::chrono::steady_clock::now().time_since_epoch());
}

void ExecuteAgain() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::string words{std::istreambuf_iterator<char>(file), {}};
  std::vector<char*> arguments;
  for (size_t at = 0; at < words.size(); at = words.find('\0', at) + 1) {
    arguments.push_back(words.data() + at);
  }
  arguments.push_back(nullptr);
  // The client library does not mark all of its descriptors to be closed by execv.
  syscall(SYS_close_range, STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC);
  execv("/proc/self/exe", arguments.data());
  spdlog::error("the program could not be executed again ({}); restart this service",
                std::generic_category().message(errno));
}

}  // namespace

void StartOverWhenClockIsSetBack() {
  std::thread([] {
    for (milliseconds ahead = Ahead();;) {
      std::this_thread::sleep_for(kLookPeriod);
      const milliseconds before = std::exchange(ahead, Ahead());
      if (ahead > before - kStep) continue;
      spdlog::warn(
          "the clock of this host was set back by {} ms, and the Kafka client computes its "
          "time-outs from it: the service starts over",
          (before - ahead).count());
      ExecuteAgain();
    }
  }).detach();
}

}  // namespace neardup
