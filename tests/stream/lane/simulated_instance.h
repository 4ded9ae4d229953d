// A simulated process: a lane on one fiber, the keeper of its changelog on another, and a folder
// for snapshots that outlives both.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "stream/lane/changelog_keeper.h"
#include "stream/lane/fiber.h"
#include "stream/lane/lane.h"
#include "stream/lane/memory_ports.h"
#include "stream/lane/mistakes.h"
#include "stream/lane/simulated_world.h"
#include "stream/state/snapshot.h"

namespace neardup {

/// What all instances of a schedule did.
struct Deeds {
  uint64_t faults = 0;
  uint64_t crashes = 0;
  uint64_t promotions = 0;
  uint64_t takeovers = 0;
  uint64_t takeovers_wrong = 0;
  uint64_t snapshots_restored = 0;
  uint64_t purges = 0;
  uint64_t expired = 0;
  uint64_t evicted = 0;
};

/// One line of work of an instance. Every call of its ports comes here first, and lets the
/// scheduler choose who goes on.
class SimulatedThread : public Faults, public Clock, public Lease {
 public:
  SimulatedThread(SimulatedWorld& world, size_t member, std::string_view name, Deeds& deeds);

  Fiber fiber;
  int64_t wake_at_ms = 0;

  Kind Draw(std::string_view call, std::initializer_list<Kind> possible) override;
  void Wait(int64_t ms) override;

  int64_t WallMs() const override { return 1'700'000'000'000 + world_.now_ms; }
  int64_t SteadyMs() const override { return world_.now_ms; }
  void SleepMs(int64_t ms) override;

  void Join() override;
  void Leave() override;
  Result<bool> Held() override;
  void Release() override;
  std::string endpoint() const override { return endpoint_; }
  void Watch(const std::string& endpoint) override { watched_ = endpoint; }
  bool WatchedHasEnded() override;

  /// A process begins.
  void BeginProcess();
  void EndProcess() { world_.running.erase(endpoint_); }

 private:
  SimulatedWorld& world_;
  size_t member_;
  std::string_view name_;
  Deeds& deeds_;
  std::string endpoint_;
  std::string watched_;
};

class SimulatedInstance final : public SeesLane<SimulatedInstance>,
                                public SeesKeeper<SimulatedInstance> {
 public:
  SimulatedInstance(SimulatedWorld& world, size_t member, Mistake mistake,
                    std::filesystem::path folder, Deeds& deeds);
  ~SimulatedInstance() override;

  void Start();
  /// Ends it at the calls where it waits.
  void Kill();
  /// Ends it after a last commit.
  void Stop() { stopping_ = true; }
  /// Frees the lane and the ports of an instance that has ended.
  void CleanUp();

  bool started() const { return lane_ != nullptr; }
  bool ended() const;
  bool active() const { return started() && lane_->phase() == LanePhase::kActive; }
  /// The lane cannot continue.
  const std::optional<Error>& error() const { return error_; }
  std::array<SimulatedThread*, 2> threads() { return {&lane_thread_, &keeper_thread_}; }
  size_t member() const { return member_; }

  void Saw(const event::Promoted&) { ++deeds_.promotions; }
  void Saw(const event::TakesOver& seen);
  void Saw(const event::TookOverWrongly& seen);
  void Saw(const event::LaneLost& seen) { Tell("lost: ", seen.error.text); }
  void Saw(const event::ChangelogLost& seen) { Tell("loss: ", seen.what); }
  void Saw(const event::StateDiscarded& seen) { Tell("discards: ", seen.why); }
  void Saw(const event::ChangelogPurged&) { ++deeds_.purges; }
  void Saw(const auto& /*ignored*/) {}

  /// Switches for which it does not get its turn.
  uint64_t paused_until = 0;

 private:
  LaneOptions DrawOptions() const;
  void RunLane();
  void RunKeeper();

  void Tell(std::string_view what, std::string_view text) const;

  SimulatedWorld& world_;
  size_t member_;
  Mistake mistake_;
  std::filesystem::path folder_;
  Deeds& deeds_;
  SimulatedThread lane_thread_;
  SimulatedThread keeper_thread_;

  FileLock lock_;
  std::unique_ptr<InstancePorts> ports_;
  std::unique_ptr<Lane> lane_;
  std::unique_ptr<ChangelogKeeper> keeper_;
  bool stopping_ = false;
  size_t takeovers_ = 0;  ///< of this process
  bool was_wrong_ = false;
  std::optional<Error> error_;
};

}  // namespace neardup
