// What a lane of the old number leaves in its changelog.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "config/settings.h"
#include "kafka/kafka_options.h"
#include "neardup/result.h"
#include "state/delta.h"
#include "state/groups.h"

namespace neardup {

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

}  // namespace neardup
