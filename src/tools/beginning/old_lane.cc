#include "beginning/old_lane.h"

#include <algorithm>
#include <utility>

#include "reading/stopped_lane.h"

namespace neardup {
namespace {

/// Builds an OldLane from its deltas.
class OldLaneReader {
 public:
  OldLaneReader(uint16_t lanes, const std::function<bool(const InputPartition&)>& is_wanted)
      : lanes_(lanes), is_wanted_(is_wanted) {}

  void Add(const Delta& delta) {
    if (delta.beginning.unfinished && delta.pipeline.lanes != lanes_) return;
    if (delta.fresh) {
      lane_ = {};
      end_ = 0;
    }
    any_ = true;
    const std::vector<const InputPartition*> partitions = Partitions(delta);
    for (const Entry& entry : delta.entries) {
      const InputPartition* partition = partitions[entry.origin.input];
      if (is_wanted_(*partition)) lane_.entries.push_back({partition, entry, end_});
      ++end_;
    }
    for (const ChangedGroup& changed : delta.groups) AddGroup(changed, partitions);
    if (!delta.learned.empty()) lane_.learned = delta.learned;
    TakeNewest(delta);
    if (lane_.entries.size() > 2 * delta.entries_max) DropForgotten();
  }

  std::optional<OldLane> Finish() {
    if (!any_) return std::nullopt;
    DropForgotten();
    return std::move(lane_);
  }

 private:
  std::vector<const InputPartition*> Partitions(const Delta& delta) {
    std::vector<const InputPartition*> partitions;
    for (const InputProgress& input : delta.inputs) {
      partitions.push_back(&*lane_.partitions.insert(input.partition).first);
    }
    return partitions;
  }

  void AddGroup(const ChangedGroup& changed, const std::vector<const InputPartition*>& partitions) {
    const auto placed = [&](const Position& position) {
      return PlacedPosition{*partitions[position.input], position.offset};
    };
    if (!is_wanted_(*partitions[changed.original.input]) || changed.entries_after >= end_) return;
    const PlacedPosition original = placed(changed.original);
    lane_.groups[original] = {changed, original, placed(changed.last), placed(changed.newest),
                              end_ - 1 - changed.entries_after};
  }

  void TakeNewest(const Delta& delta) {
    Delta& last = lane_.last;
    last = delta;
    last.entries.clear();
    last.groups.clear();
  }

  void DropForgotten() {
    const Delta& last = lane_.last;
    const uint64_t live_max =
        last.entries_live == kEntriesUnknown ? last.entries_max : last.entries_live;
    const uint64_t first = end_ - std::min(end_, live_max);
    std::erase_if(lane_.entries, [&](const PlacedEntry& placed) {
      return placed.number < first || placed.entry.time_ms < last.horizon_ms;
    });
    std::erase_if(lane_.groups, [&](const auto& row) {
      return row.second.number < first || row.second.group.original_time_ms < last.horizon_ms;
    });
  }

  uint16_t lanes_;
  const std::function<bool(const InputPartition&)>& is_wanted_;
  OldLane lane_;
  uint64_t end_ = 0;  ///< number of the next entry
  bool any_ = false;
};

}  // namespace

Result<std::optional<OldLane>> ReadOldLane(
    const Settings& settings, const std::function<bool(const InputPartition&)>& is_wanted,
    const KafkaLog& log) {
  OldLaneReader reader(static_cast<uint16_t>(settings.kafka.lanes), is_wanted);
  NEARDUP_TRY(ReadOldestDeltas(settings, log, [&reader](const Delta& delta) {
    reader.Add(delta);
    return true;
  }));
  return reader.Finish();
}

}  // namespace neardup
