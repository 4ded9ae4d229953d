// Lanes that start from snapshots while the changelog is purged behind them, with crashes and
// faults at any call and snapshots that are damaged on disk: every verdict must be the one that the
// whole changelog, with nothing purged, gives.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "stream/lane/changelog_keeper.h"
#include "stream/lane/lane.h"
#include "stream/lane/lane_world.h"
#include "stream/lane/memory_ports.h"
#include "stream/lane/promises.h"
#include "stream/state/snapshot.h"
#include "stream/state/snapshot_restore.h"

namespace neardup {
namespace {

namespace fs = std::filesystem;

struct Counts {
  int restored = 0;
  int discarded = 0;
  int refused = 0;
  int written = 0;
  int purged = 0;
};

/// A process: a lane, the keeper beside it, and a folder that outlives both.
class Process final : public SeesLane<Process>, public SeesKeeper<Process> {
 public:
  Process(MemoryBroker& broker, Faults& faults, MemoryClock& clock, const LaneOptions& options,
          const fs::path& folder, Counts& counts)
      : counts_(counts),
        source_(broker, faults),
        changelog_(broker, faults),
        followed_(broker, faults),
        transaction_(broker, faults) {
    auto lock = TakeSnapshotFolder(folder);
    EXPECT_TRUE(lock.ok()) << lock.error().text;
    lock_ = std::move(*lock);
    SnapshotEvents events;
    events.refused = [&](const Error&) { ++counts.refused; };
    auto restored = RestoreSnapshot(folder, options.filter, options.lane, events);
    EXPECT_TRUE(restored.ok()) << restored.error().text;
    std::optional<KeeperBase> base;
    if (*restored) {
      ++counts.restored;
      base = KeeperBase{(*restored)->manifest, (*restored)->state->place()};
    }
    auto lane = Lane::New(options, {source_, changelog_, transaction_, lease, clock, *this},
                          std::move(*restored));
    EXPECT_TRUE(lane.ok());
    lane_ = std::move(*lane);
    KeeperOptions keeping;
    keeping.filter = options.filter;
    keeping.lane = options.lane;
    keeping.folder = folder;
    keeping.snapshot_interval_ms = 300;
    keeping.segment_bytes = 1500;
    keeper_ = std::make_unique<ChangelogKeeper>(keeping, followed_, clock, *this, std::move(base));
  }

  /// False when it crashed.
  bool Step(std::mt19937_64& random) {
    if (random() % 2 == 0) keeper_->Step();
    const Result<bool> stepped = lane_->Step();
    if (!stepped.ok()) {
      EXPECT_EQ(stepped.error().text, "crash");
      return false;
    }
    return true;
  }
  void Stop() {
    EXPECT_TRUE(lane_->Drain().ok());
    keeper_->Finish();
  }
  const Lane& lane() const { return *lane_; }

  void Saw(const event::StateDiscarded&) { ++counts_.discarded; }
  void Saw(const event::SnapshotWritten&) { ++counts_.written; }
  void Saw(const event::ChangelogPurged&) { ++counts_.purged; }
  void Saw(const event::PurgeRefused& seen) { EXPECT_EQ(seen.error.text, "crash"); }
  void Saw(const auto& /*ignored*/) {}

  MemoryLease lease;

 private:
  Counts& counts_;
  MemorySource source_;
  MemoryChangelog changelog_;
  MemoryChangelog followed_;
  MemoryTransaction transaction_;
  FileLock lock_;
  std::unique_ptr<Lane> lane_;
  std::unique_ptr<ChangelogKeeper> keeper_;
};

/// Removes one file of the folder, cuts it, or flips one of its bits.
void Damage(const fs::path& folder, std::mt19937_64& random) {
  std::vector<fs::path> files;
  for (const auto& file : fs::directory_iterator(folder)) {
    if (file.path().filename() != "lock") files.push_back(file.path());
  }
  if (files.empty()) return;
  std::sort(files.begin(), files.end());
  const fs::path& file = files[random() % files.size()];
  const uintmax_t size = fs::file_size(file);
  if (size == 0 || random() % 3 == 0) {
    fs::remove(file);
  } else if (random() % 2 == 0) {
    fs::resize_file(file, random() % size);
  } else {
    std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
    const auto at = static_cast<std::streamoff>(random() % size);
    stream.seekg(at);
    const int byte = stream.get();
    stream.seekp(at);
    stream.put(static_cast<char>(byte ^ (1 << random() % 8)));
  }
}

class SnapshotSimulation : public testing::TestWithParam<uint64_t> {
 protected:
  void SetUp() override {
    root_ = fs::path(testing::TempDir()) /
            ("neardup_snapshots_" + std::to_string(getpid()) + "_" + std::to_string(GetParam()));
    fs::remove_all(root_);
  }
  void TearDown() override { fs::remove_all(root_); }

  /// Two processes that crash, stop and start again until everything is committed.
  void Run(MemoryBroker& broker, Faults& faults, const LaneOptions& options, Counts& counts) {
    MemoryClock clock;
    std::vector<std::unique_ptr<Process>> processes(2);
    const size_t want = InputRecords(broker);
    std::mt19937_64& random = faults.random();
    for (uint64_t step = 0; CommittedRecords(broker) < want; ++step) {
      ASSERT_LT(step, 200'000U) << "no progress";
      if (step == 40'000) faults.Stop();
      const size_t number = random() % processes.size();
      std::unique_ptr<Process>& turn = processes[number];
      const fs::path folder = SnapshotFolder(root_ / std::to_string(number), 0);
      if (!turn) {
        if (random() % 3 == 0) fs::remove_all(folder);
        if (fs::exists(folder) && random() % 3 == 0) Damage(folder, random);
        turn = std::make_unique<Process>(broker, faults, clock, options, folder, counts);
      }
      if (random() % 60 == 0) turn->lease.held = !turn->lease.held;
      const bool crashed = !turn->Step(random) || random() % 200 == 0;
      if (crashed) turn.reset();
      // Some sleep for long: the changelog grows, and is purged, without them.
      if (crashed && random() % 4 == 0) Others(processes, number, random);
    }
    for (std::unique_ptr<Process>& process : processes) {
      if (process) process->Stop();
    }
  }

  fs::path root_;

 private:
  static void Others(std::vector<std::unique_ptr<Process>>& processes, size_t asleep,
                     std::mt19937_64& random) {
    for (int step = 0; step < 300; ++step) {
      for (size_t number = 0; number < processes.size(); ++number) {
        std::unique_ptr<Process>& process = processes[number];
        if (number == asleep || !process) continue;
        process->lease.held = true;
        if (!process->Step(random)) process.reset();
      }
    }
  }
};

TEST_P(SnapshotSimulation, VerdictsDoNotDependOnPurgesDamageOrCrashes) {
  Counts counts;
  for (uint64_t round = 0; round < 6; ++round) {
    const uint64_t seed = GetParam() * 100 + round;
    SCOPED_TRACE("seed " + std::to_string(seed));
    fs::remove_all(root_);
    Faults faults(seed, round % 3 == 0 ? 0 : 120);
    MemoryBroker broker;
    FillInputs(broker, faults.random(), 2500);
    LaneOptions options = TestOptions(static_cast<int>(seed % 8));
    options.transaction_interval_ms = 20;
    options.filter.window.window_ms = 40'000;
    options.filter.window.lateness_ms = 2'000;
    // With this capacity, only the window makes the lane forget. A lane at its capacity that
    // decides ahead of a commit still holds the entries that the commit evicts. Its text keys may
    // then find another original than a replay finds.
    options.filter.window.entries_max = 5000;
    Run(broker, faults, options, counts);
    if (HasFatalFailure()) return;
    const std::vector<WrittenRecord> written = WrittenRecords(broker);
    const auto broken =
        FindBrokenPromise({.broker = broker, .options = options, .written = written});
    ASSERT_FALSE(broken) << *broken;
    EXPECT_GT(broker.changelog_begin, 0);
  }
  EXPECT_GT(counts.written, 20);
  EXPECT_GT(counts.restored, 5);
  EXPECT_GT(counts.refused, 0);
  EXPECT_GT(counts.discarded, 0);
  EXPECT_GT(counts.purged, 5);
}

INSTANTIATE_TEST_SUITE_P(Seeds, SnapshotSimulation, testing::Values(1, 2, 3, 4));

}  // namespace
}  // namespace neardup
