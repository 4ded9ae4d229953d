// One lane over the broker in memory, which a test steps by hand.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "stream/lane/lane.h"
#include "stream/lane/memory_ports.h"

namespace neardup {

/// Counts how often a standby reports that it has caught up, and keeps what it reports of inputs.
struct StandbyProbe final : SeesLane<StandbyProbe> {
  void Saw(const event::CaughtUp& seen) {
    ++times;
    seq = seen.seq;
  }
  void Saw(const event::InputLost& seen) { losses.push_back(seen.loss); }
  void Saw(const event::InputMissing& seen) {
    missing_events.emplace_back(seen.topic, seen.missing);
  }
  void Saw(const event::InputUnreachable& seen) {
    unreachable_events.emplace_back(seen.input, seen.unreachable);
  }
  void Saw(const event::PipelineChanged& seen) {
    pipeline_changes.emplace_back(seen.before, seen.now);
  }
  void Saw(const event::LateRequestFenced&) { ++late_requests_fenced; }
  void Saw(const event::TakesOver& seen) { taken_from.emplace_back(seen.endpoint); }
  void Saw(const event::TookOverWrongly& seen) { wrong_about.emplace_back(seen.endpoint); }
  void Saw(const auto& /*ignored*/) {}
  int times = 0;
  int late_requests_fenced = 0;
  uint64_t seq = 0;
  std::vector<InputLoss> losses;
  std::vector<std::string> taken_from;
  std::vector<std::string> wrong_about;
  std::vector<std::pair<PipelineTopics, PipelineTopics>> pipeline_changes;
  std::vector<std::pair<std::string, bool>> missing_events;
  std::vector<std::pair<InputPartition, bool>> unreachable_events;
};

struct Instance {
  Instance(MemoryBroker& broker, Faults& faults, MemoryClock& clock_in, const LaneOptions& options,
           const std::string& endpoint = {})
      : source(broker, faults),
        changelog(broker, faults),
        transaction(broker, faults),
        clock(clock_in) {
    lease.own_endpoint = endpoint;
    auto made = Lane::New(options, {source, changelog, transaction, lease, clock, probe});
    EXPECT_TRUE(made.ok());
    lane = std::move(made).value();
  }
  bool AtEnd() {
    for (const InputStatus& status : source.Status()) {
      if (!status.at_end) return false;
    }
    return lane->phase() == LanePhase::kActive;
  }

  MemorySource source;
  MemoryChangelog changelog;
  MemoryTransaction transaction;
  MemoryLease lease;
  MemoryClock& clock;
  StandbyProbe probe;
  std::unique_ptr<Lane> lane;
};

/// Steps until `done`, or until the lane fails; returns its error.
template <class Condition>
std::optional<Error> StepUntil(Instance& instance, Condition done) {
  for (int step = 0; step < 2000 && !done(); ++step) {
    const Result<bool> stepped = instance.lane->Step();
    if (!stepped.ok()) return stepped.error();
    instance.clock.SleepMs(100);
  }
  EXPECT_TRUE(done()) << "it never happened";
  return std::nullopt;
}

}  // namespace neardup
