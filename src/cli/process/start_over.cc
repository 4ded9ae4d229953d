#include "process/start_over.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <spdlog/spdlog.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace neardup {
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
          "time-outs "
          "from it: the service starts over",
          (before - ahead).count());
      ExecuteAgain();
    }
  }).detach();
}

}  // namespace neardup
