// Gives a stopped app another number of lanes: the entries of its indexes, and the places where it
// reads on, go to the lanes that will own their partitions.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "kafka/kafka_options.h"
#include "neardup/result.h"
#include "service/config/settings.h"
#include "stream/state/delta.h"
#include "stream/state/groups.h"

namespace neardup {

// What a lane of the old number leaves in its changelog.

/// A position that names its partition itself.
struct PlacedPosition {
  InputPartition partition;
  int64_t offset = 0;

  auto operator<=>(const PlacedPosition&) const = default;
};

/// An entry, and where its record came from. Entry::origin::input has no meaning.
struct PlacedEntry {
  const InputPartition* partition = nullptr;  ///< in OldLane::partitions
  Entry entry;
  uint64_t number = 0;  ///< among all entries of the lane, from 0
};

struct PlacedGroup {
  Group group;  ///< Position::input has no meaning in it
  PlacedPosition original;
  PlacedPosition last;
  PlacedPosition newest;
  uint64_t number = 0;  ///< of the original's entry
};

struct OldLane {
  /// The newest delta, without entries and groups.
  Delta last;
  std::string learned;
  /// The partitions of all its inputs. Pointers to them stay valid.
  std::set<InputPartition> partitions;
  /// The live ones of the partitions that were asked for, the oldest first.
  std::vector<PlacedEntry> entries;
  /// Of these entries, by their originals.
  std::map<PlacedPosition, PlacedGroup> groups;
};

/// Reads the changelog of the lane of `settings` to its end. Passes over what an interrupted
/// migration to another number of lanes has left there. nullopt: the lane has never committed.
Result<std::optional<OldLane>> ReadOldLane(
    const Settings& settings, const std::function<bool(const InputPartition&)>& is_wanted,
    const KafkaLog& log);

/// A lane of the new number.
struct MigratedLane {
  uint64_t partitions = 0;
  uint64_t entries = 0;
  uint64_t left_out = 0;  ///< the oldest ones, for which window.entries_max has no room
};

struct LaneMigration {
  int32_t from = 1;
  int32_t to = 1;
  std::vector<MigratedLane> lanes;  ///< by number; empty if an interrupted run had written all
  uint64_t seq = 0;                 ///< the new lanes count on after it
};

/// `settings` are the settings of the old number of lanes. Without `execute` it changes nothing.
/// kMismatch: the changelog belongs to another number of lanes or to another pipeline, or the lanes
/// compare by different settings. kUnavailable: an instance of a lane is running.
///
/// Each new lane is given its live entries in the order of their event times, in deltas that are
/// marked as unfinished. When all lanes have theirs, a last delta ends each. Until then no lane
/// starts, the old deltas stay where they are, and the call can be repeated. Holds 10 million
/// entries in memory, of 128 bytes each, or the entries of one new lane if these are more. For
/// this it may read the old changelogs several times.
Result<LaneMigration> MigrateLanes(const Settings& settings, int32_t to, bool execute,
                                   const KafkaLog& log);

}  // namespace neardup
