#include "stream/lane/simulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "stream/lane/promises.h"
#include "stream/state/delta.h"

namespace neardup {
namespace {

/// Without faults a schedule ends long before this.
constexpr uint64_t kQuietSwitchesMax = 100'000;
constexpr uint64_t kSwitchesPerLook = 16;

class Scheduler {
 public:
  Scheduler(const Schedule& schedule, Mistake mistake, const std::filesystem::path& folder,
            const Trace& trace)
      : schedule_(schedule), refuses_(IsHarmless(mistake)), world_(schedule, trace) {
    world_.broker.reset_fences = mistake != Mistake::kResetWithoutFence;
    for (size_t i = 0; i < schedule.instances; ++i) {
      instances_.push_back(std::make_unique<SimulatedInstance>(
          world_, i, mistake, folder / std::to_string(i), outcome_.deeds));
    }
  }

  Outcome Run() {
    while (!over_) {
      BeforeSwitch();
      if (over_) break;
      Switch();
    }
    if (!outcome_.broken && !outcome_.refused) StopAll();
    for (auto& instance : instances_) {
      if (instance->started()) instance->Kill();
    }
    if (!outcome_.broken) Judge();
    outcome_.outputs = world_.broker.outputs.size();
    return std::move(outcome_);
  }

 private:
  void Break(std::string what) {
    outcome_.broken = std::move(what);
    over_ = true;
  }

  /// What happens between two calls.
  void BeforeSwitch() {
    ++outcome_.switches;
    SeededRandom& random = world_.random;
    if (!world_.quiet && outcome_.switches > schedule_.faulty_switches) {
      world_.EndFaults();
      for (auto& instance : instances_) instance->paused_until = 0;
    }
    if (!world_.quiet) {
      if (random.Below(schedule_.event_one_in) == 0) Event();
    } else if (outcome_.switches % kSwitchesPerLook == 0) {
      world_.broker.Settle("lane-0");
      const std::optional<std::string> undecided = world_.FindUndecided();
      const bool active = world_.holder() && instances_[*world_.holder()]->active();
      if (!undecided && active) {
        over_ = true;
      } else if (outcome_.switches > schedule_.faulty_switches + kQuietSwitchesMax) {
        Break(undecided
                  ? fmt::format("Progress: long after the faults {} is not decided", *undecided)
                  : "Progress: long after the faults no instance is active");
      }
    }
    for (auto& instance : instances_) {
      if (instance->ended()) instance->CleanUp();
      const bool soon = world_.quiet || random.Below(10) == 0;
      if (!instance->started() && soon) instance->Start();
      NoteError(*instance);
    }
    if (world_.quiet || random.Below(4) == 0) world_.GrantLease();
  }

  void Event() {
    SeededRandom& random = world_.random;
    SimulatedInstance& instance = *random.Pick(instances_);
    if (schedule_.resets && random.Chance(60)) {
      world_.Reset();
      // It may have been paused already, or wakes up when the new log has grown.
      if (random.Chance(500)) instance.paused_until = outcome_.switches + random.Below(400);
      return;
    }
    switch (random.Below(8)) {
      case 0:
        // The others go on for long, as when a process is stopped or its machine swaps.
        instance.paused_until = outcome_.switches + random.Below(200);
        return;
      case 1:
        if (schedule_.restarts_cleanly) instance.Stop();
        return;
      default:
        world_.Happen();
    }
  }

  /// Lets one of those that need not wait go on.
  void Switch() {
    SeededRandom& random = world_.random;
    turns_.clear();
    int64_t wake_at_ms = INT64_MAX;
    bool last_may_go_on = false;
    for (auto& instance : instances_) {
      if (instance->paused_until > outcome_.switches) continue;
      for (SimulatedThread* thread : instance->threads()) {
        if (!thread->fiber.running()) continue;
        wake_at_ms = std::min(wake_at_ms, thread->wake_at_ms);
        if (thread->wake_at_ms > world_.now_ms) continue;
        turns_.push_back({instance.get(), thread});
        last_may_go_on = last_may_go_on || thread == last_.thread;
      }
    }
    if (turns_.empty()) {
      if (wake_at_ms != INT64_MAX) world_.now_ms = std::max(world_.now_ms, wake_at_ms);
      return;
    }
    const bool stays = last_may_go_on && random.Below(100) < schedule_.stay_percent;
    if (!stays) last_ = random.Pick(turns_);
    const bool crashes =
        !world_.quiet && schedule_.crash_one_in != 0 && random.Below(schedule_.crash_one_in) == 0;
    if (crashes) {
      world_.Tell(fmt::format("lane {} crashes", last_.instance->member()));
      ++outcome_.deeds.crashes;
      last_.instance->Kill();
      return;
    }
    last_.thread->fiber.Resume();
    NoteError(*last_.instance);
  }

  void NoteError(const SimulatedInstance& instance) {
    if (over_) return;
    if (world_.misbehaved) return Break(*world_.misbehaved);
    if (!instance.error()) return;
    const Error& error = *instance.error();
    const bool may_be_lost = world_.changelog_lost || refuses_;
    const bool allowed = (error.code == ErrorCode::kCorrupt && may_be_lost) ||
                         (error.code == ErrorCode::kNotFound && world_.input_lost &&
                          schedule_.options.on_data_loss == OnLoss::kFail);
    if (!allowed) return Break(fmt::format("Progress: the lane ended: {}", error.text));
    outcome_.refused = over_ = true;
  }

  void StopAll() {
    for (auto& instance : instances_) instance->Stop();
    over_ = false;
    for (uint64_t i = 0; i < kQuietSwitchesMax && !over_; ++i) {
      const bool running = std::any_of(instances_.begin(), instances_.end(), [](auto& instance) {
        return instance->started() && !instance->ended();
      });
      if (!running) return;
      ++outcome_.switches;
      Switch();
    }
    if (!over_) Break("Progress: the lanes do not stop");
  }

  void Judge() {
    MemoryBroker& broker = world_.broker;
    broker.Settle("lane-0");
    broker.TimeOut("lane-0");  // what a crashed instance left open
    const Evidence evidence{
        .broker = broker,
        .options = schedule_.options,
        .written = world_.written,
        .finished = !outcome_.refused,
        .lossy = world_.changelog_lost,
        .all_inputs_busy = !schedule_.idles && !schedule_.recreates && !schedule_.preloaded,
        .keep =
            schedule_.switches_keep ? std::nullopt : std::optional(schedule_.options.routing.keep)};
    outcome_.broken = FindBrokenPromise(evidence);
    if (outcome_.broken || outcome_.refused || world_.changelog_lost) return;
    // Nobody has decided anything since the lane was reset.
    if (schedule_.resets && broker.NewestDelta().empty() && broker.outputs.empty()) return;
    const Result<Delta> newest = DecodeDelta(broker.NewestDelta());
    if (!newest.ok()) {
      outcome_.broken = "Durability: " + newest.error().text;
      return;
    }
    for (const InputProgress& input : newest->inputs) {
      const auto group = broker.group_offsets.find(input.partition);
      if (group == broker.group_offsets.end() || group->second == input.next_offset) continue;
      if (schedule_.moves_offsets) continue;
      outcome_.broken = fmt::format("Durability: the newest delta has {}/{} at {}, the group at {}",
                                    input.partition.topic, input.partition.partition,
                                    input.next_offset, group->second);
    }
    CheckBeginning(broker);
  }

  /// A start takes what the lane learned from the first delta.
  void CheckBeginning(const MemoryBroker& broker) {
    if (schedule_.options.learned.empty()) return;
    for (int64_t i = broker.changelog_begin; i < broker.ChangelogEnd(); ++i) {
      const MemoryDelta& record = broker.changelog[static_cast<size_t>(i)];
      if (record.kind != MemoryDelta::Kind::kCommitted || record.bytes.empty()) continue;
      const Result<Delta> first = DecodeDelta(record.bytes);
      if (first.ok() && first->learned == schedule_.options.learned) return;
      outcome_.broken =
          fmt::format("Durability: the changelog begins at {} without what the lane learned", i);
      return;
    }
  }

  struct Turn {
    SimulatedInstance* instance = nullptr;
    SimulatedThread* thread = nullptr;
  };

  const Schedule& schedule_;
  /// The mistake may make the changelog look as if it had lost its end, and the lane then stops.
  const bool refuses_;
  Outcome outcome_;
  SimulatedWorld world_;
  std::vector<std::unique_ptr<SimulatedInstance>> instances_;
  std::vector<Turn> turns_;  ///< scratch
  Turn last_;
  bool over_ = false;
};

}  // namespace

Outcome RunSchedule(const Schedule& schedule, Mistake mistake, const std::filesystem::path& folder,
                    const Trace& trace) {
  if (schedule.snapshots) std::filesystem::remove_all(folder);
  Outcome outcome = Scheduler(schedule, mistake, folder, trace).Run();
  if (schedule.snapshots) std::filesystem::remove_all(folder);
  return outcome;
}

}  // namespace neardup
