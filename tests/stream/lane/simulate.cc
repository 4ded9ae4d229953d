// Runs schedules until one breaks a promise; says how to run that one again. With negative controls
// it runs them until every planted mistake is found.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <deque>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "stream/lane/simulation.h"

namespace neardup {
namespace {

constexpr size_t kTracedLines = 60;

struct Arguments {
  uint64_t schedules = 20'000;
  uint64_t seed = 1;
  unsigned jobs = std::max(1U, std::thread::hardware_concurrency());
  bool trace = false;
  bool negative_controls = false;
  std::string mistake;
};

struct Found {
  uint64_t seed = 0;
  std::string what;
};

struct Totals {
  uint64_t schedules = 0;
  uint64_t refused = 0;
  uint64_t switches = 0;
  uint64_t outputs = 0;
  Deeds deeds;
  std::optional<Found> first;  ///< the broken promise with the lowest seed

  void Add(uint64_t seed, const Outcome& outcome) {
    ++schedules;
    refused += outcome.refused ? 1 : 0;
    switches += outcome.switches;
    outputs += outcome.outputs;
    deeds.faults += outcome.deeds.faults;
    deeds.crashes += outcome.deeds.crashes;
    deeds.promotions += outcome.deeds.promotions;
    deeds.takeovers += outcome.deeds.takeovers;
    deeds.takeovers_wrong += outcome.deeds.takeovers_wrong;
    deeds.snapshots_restored += outcome.deeds.snapshots_restored;
    deeds.purges += outcome.deeds.purges;
    deeds.expired += outcome.deeds.expired;
    deeds.evicted += outcome.deeds.evicted;
    if (outcome.broken && (!first || seed < first->seed)) first = Found{seed, *outcome.broken};
  }
};

/// Snapshots are synced all the time; where there is one, a file system in memory makes that cheap.
std::filesystem::path FastFolder() {
  const char* const in_memory = "/dev/shm";
  return access(in_memory, W_OK) == 0 ? std::filesystem::path(in_memory)
                                      : std::filesystem::temp_directory_path();
}

class Folder {
 public:
  Folder() : path_(FastFolder() / fmt::format("neardup_simulate_{}", getpid())) {}
  ~Folder() {
    std::error_code ignored;  // the folder of temporary files is emptied by others, too
    std::filesystem::remove_all(path_, ignored);
  }
  std::filesystem::path Of(unsigned job) const { return path_ / std::to_string(job); }

 private:
  std::filesystem::path path_;
};

/// Stops at the first broken promise.
Totals RunAll(const Arguments& arguments, Mistake mistake, const Folder& folder) {
  Totals totals;
  std::mutex mutex;
  std::atomic<uint64_t> next = 0;
  std::atomic<bool> stop = false;
  const auto work = [&](unsigned job) {
    while (!stop) {
      const uint64_t number = next++;
      if (number >= arguments.schedules) return;
      const uint64_t seed = arguments.seed + number;
      const Outcome outcome = RunSchedule(DrawSchedule(seed), mistake, folder.Of(job));
      const std::lock_guard lock(mutex);
      totals.Add(seed, outcome);
      if (outcome.broken) stop = true;
    }
  };
  std::vector<std::thread> threads;
  for (unsigned job = 1; job < arguments.jobs; ++job) threads.emplace_back(work, job);
  work(0);
  for (std::thread& thread : threads) thread.join();
  return totals;
}

void PrintTrace(uint64_t seed, Mistake mistake, const Folder& folder, size_t lines_max) {
  std::deque<std::string> lines;
  const Trace trace = [&](const std::string& line) {
    lines.push_back(line);
    if (lines.size() > lines_max) lines.pop_front();
  };
  const Outcome outcome = RunSchedule(DrawSchedule(seed), mistake, folder.Of(0), trace);
  for (const std::string& line : lines) fmt::print("{}\n", line);
  fmt::print("{}\n", outcome.broken.value_or(outcome.refused ? "refused, as it should" : "clean"));
}

std::string_view NameOf(Mistake mistake) {
  for (const MistakeName& each : kMistakes) {
    if (each.mistake == mistake) return each.name;
  }
  return "none";
}

int RunClean(const Arguments& arguments, const Folder& folder) {
  const auto started = std::chrono::steady_clock::now();
  const Totals totals = RunAll(arguments, Mistake::kNone, folder);
  const std::chrono::duration<double> lasted = std::chrono::steady_clock::now() - started;
  if (totals.first) {
    fmt::print("seed {}: {}\n\nThe end of this schedule:\n", totals.first->seed,
               totals.first->what);
    PrintTrace(totals.first->seed, Mistake::kNone, folder, kTracedLines);
    fmt::print("\nRun it again: scripts/simulate --seed {} --schedules 1 --trace\n",
               totals.first->seed);
    return 1;
  }
  const Deeds& deeds = totals.deeds;
  fmt::print(
      "{} schedules from seed {} are clean, {:.0f}/s: {} switches, {} outputs, {} faults, {} "
      "crashes, {} promotions, {} take-overs without the lease ({} known to be wrong), {} restored "
      "snapshots, {} purges, {} expired and {} evicted "
      "entries, {} refused\n",
      totals.schedules, arguments.seed, static_cast<double>(totals.schedules) / lasted.count(),
      totals.switches, totals.outputs, deeds.faults, deeds.crashes, deeds.promotions,
      deeds.takeovers, deeds.takeovers_wrong, deeds.snapshots_restored, deeds.purges, deeds.expired,
      deeds.evicted, totals.refused);
  return 0;
}

int RunMistake(const Arguments& arguments, Mistake mistake, const Folder& folder) {
  const Totals totals = RunAll(arguments, mistake, folder);
  const bool harmless = IsHarmless(mistake);
  if (!totals.first && harmless) {
    fmt::print("{}: harmless in {} schedules from seed {}\n", NameOf(mistake), totals.schedules,
               arguments.seed);
    return 0;
  }
  if (!totals.first) {
    fmt::print("{}: NOT FOUND in {} schedules from seed {}\n", NameOf(mistake), totals.schedules,
               arguments.seed);
    return 1;
  }
  fmt::print("{}: found after {} schedules, at seed {}: {}\n", NameOf(mistake),
             totals.first->seed - arguments.seed + 1, totals.first->seed, totals.first->what);
  return harmless ? 1 : 0;
}

int Main(int argc, char** argv) {
  Arguments arguments;
  CLI::App app{"Simulates a lane under faults, and checks what neardup promises"};
  app.add_option("--schedules", arguments.schedules, "how many to run");
  app.add_option("--seed", arguments.seed, "of the first one; the others follow");
  app.add_option("--jobs", arguments.jobs, "threads; default: one per core")
      ->check(CLI::Range(1, 512));
  app.add_flag("--trace", arguments.trace, "print every step of one schedule");
  app.add_flag("--negative-controls", arguments.negative_controls,
               "plant each mistake in turn; each must be found");
  app.add_option("--mistake", arguments.mistake, "plant this one; it must be found");
  CLI11_PARSE(app, argc, argv);

  const Folder folder;
  Mistake mistake = Mistake::kNone;
  if (!arguments.mistake.empty()) {
    const std::optional<Mistake> found = FindMistake(arguments.mistake);
    if (!found) {
      fmt::print(stderr, "--mistake {}: no such mistake; there are:", arguments.mistake);
      for (const MistakeName& each : kMistakes) fmt::print(stderr, " {}", each.name);
      fmt::print(stderr, "\n");
      return 2;
    }
    mistake = *found;
  }
  if (arguments.trace) {
    PrintTrace(arguments.seed, mistake, folder, SIZE_MAX);
    return 0;
  }
  if (arguments.negative_controls) {
    int failed = 0;
    for (const MistakeName& each : kMistakes) {
      failed |= RunMistake(arguments, each.mistake, folder);
    }
    return failed;
  }
  return mistake == Mistake::kNone ? RunClean(arguments, folder)
                                   : RunMistake(arguments, mistake, folder);
}

}  // namespace
}  // namespace neardup

int main(int argc, char** argv) { return neardup::Main(argc, argv); }
