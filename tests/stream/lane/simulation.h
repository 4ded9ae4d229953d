// Runs a schedule: instances of a lane on fibers, and a scheduler that may let another one go on at
// every call of a port. The same seed gives the same run.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "stream/lane/mistakes.h"
#include "stream/lane/schedule.h"
#include "stream/lane/simulated_instance.h"
#include "stream/lane/simulated_world.h"

namespace neardup {

struct Outcome {
  /// What is wrong; nullopt: all promises are kept.
  std::optional<std::string> broken;
  /// The lane ended with an error that the schedule allows, such as a lost changelog.
  bool refused = false;
  uint64_t switches = 0;
  uint64_t outputs = 0;
  Deeds deeds;
};

/// `folder`: for snapshots; it is emptied. One thread; different threads may run different
/// schedules.
Outcome RunSchedule(const Schedule& schedule, Mistake mistake, const std::filesystem::path& folder,
                    const Trace& trace = {});

}  // namespace neardup
