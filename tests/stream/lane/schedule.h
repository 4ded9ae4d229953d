// One simulated run of a lane, drawn from a seed: what is processed, by whom, and what goes wrong.
#pragma once

#include <cstddef>
#include <cstdint>

#include "stream/lane/lane_options.h"

namespace neardup {

struct Schedule {
  uint64_t seed = 0;
  LaneOptions options;

  size_t instances = 1;    ///< 1 to 3
  size_t records = 0;      ///< before the first instance starts
  bool preloaded = false;  ///< the lane already remembers nearly as many entries as it may
  bool purges = false;     ///< a keeper runs beside each lane
  bool snapshots = false;  ///< and writes snapshots

  uint64_t faulty_switches = 0;  ///< how often the instance changes before the faults end
  uint32_t fault_one_in = 0;     ///< calls; 0: none fails
  uint32_t crash_one_in = 0;     ///< switches
  uint32_t event_one_in = 0;     ///< switches, for what follows
  uint32_t stay_percent = 0;     ///< how often the same instance goes on

  bool grows = false;             ///< records and partitions are added
  bool transactional = false;     ///< input is written in transactions, some of which are aborted
  bool overtakes = false;         ///< retention deletes what is not decided
  bool recreates = false;         ///< an input topic is deleted and created again
  bool idles = false;             ///< inputs are silent for longer than idle_ms
  bool moves_offsets = false;     ///< an operator moves the offsets of the group back
  bool loses_changelog = false;   ///< the changelog loses its beginning or its end
  bool resets = false;            ///< an operator resets the lane beside live instances
  bool restarts_cleanly = false;  ///< instances are stopped and started
  bool switches_keep = false;     ///< each start chooses anew which record of a group to keep
  bool sees_ends = false;         ///< standbys see that the active process has ended
  uint32_t false_end_one_in = 0;  ///< questions that are answered so of one that runs; 0: none
  bool switches_mode = false;     ///< each start chooses anew whether to route or to observe
};

Schedule DrawSchedule(uint64_t seed);

}  // namespace neardup
