#include "commands/migrate/lane_migration.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "detect/base/random.h"
#include "kafka/topics.h"
#include "service/topics/stopped_lane.h"
#include "service/topics/topic_reading.h"
#include "stream/state/fresh_deltas.h"
#include "stream/state/pipeline.h"

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

namespace {

/// So many entries are held in memory at most, unless a new lane has more.
constexpr uint64_t kEntriesAtOnce = 10'000'000;

/// The lane of an app with this many lanes.
Settings LaneOf(Settings settings, int32_t lanes, int32_t lane) {
  settings.kafka.lanes = lanes;
  settings.lane.pipeline.topics.lanes = static_cast<uint16_t>(lanes);
  return OfLane(std::move(settings), lane);
}

class Migration {
 public:
  Migration(const Settings& settings, int32_t to, const KafkaLog& log)
      : settings_(settings),
        log_(log),
        from_(settings.kafka.lanes),
        to_(to),
        changelog_(ChangelogTopic(settings.kafka)) {}

  Result<LaneMigration> Run(bool execute) {
    report_.from = from_;
    report_.to = to_;
    NEARDUP_TRY(CheckNumbers());
    if (execute) NEARDUP_TRY(TakeLanes());
    NEARDUP_TRY(ReadNewest());
    NEARDUP_ASSIGN(const bool written, AreAllWritten());
    if (!written) NEARDUP_TRY(MoveEntries());
    if (execute) NEARDUP_TRY(EndAll());
    return std::move(report_);
  }

 private:
  int32_t all() const { return std::max(from_, to_); }
  Settings Old(int32_t lane) const { return LaneOf(settings_, from_, lane); }
  Settings New(int32_t lane) const { return LaneOf(settings_, to_, lane); }

  Result<void> CheckNumbers() {
    if (to_ < 1 || to_ > kLanesMax || to_ == from_) {
      return Fatal(ErrorCode::kConfig,
                   fmt::format("--lanes: found {}, expected a number from 1 to {} other than "
                               "lanes.count, which is {}",
                               to_, kLanesMax, from_));
    }
    KafkaOptions whole = settings_.kafka;
    whole.lanes = 1;
    whole.lane = 0;
    NEARDUP_ASSIGN(const std::vector<InputPartition> inputs, ListPartitions(whole, log_));
    std::map<std::string, int32_t> counts;
    for (const InputPartition& input : inputs) ++counts[input.topic];
    for (const auto& [topic, count] : counts) {
      if (count >= to_) continue;
      return Fatal(ErrorCode::kConfig,
                   fmt::format("topic {} has {} partition(s), so that lane {} of {} would read "
                               "nothing; expected --lanes {} or less",
                               topic, count, count, to_, count));
    }
    whole.topics = {changelog_};
    const auto partitions = ListPartitions(whole, log_);
    if (partitions.ok()) {
      changelog_partitions_ = static_cast<int32_t>(partitions->size());
    } else if (partitions.error().code != ErrorCode::kNotFound) {
      return partitions.error();
    }
    return {};
  }

  /// No lane of either number can write from here on, until its next start.
  Result<void> TakeLanes() {
    for (int32_t lane = 0; lane < from_; ++lane) NEARDUP_TRY(CheckNoInstance(Old(lane), log_));
    for (int32_t lane = 0; lane < to_; ++lane) NEARDUP_TRY(CheckNoInstance(New(lane), log_));
    const Settings first = New(0);
    NEARDUP_ASSIGN(const std::vector<InputPartition> inputs, ListPartitions(first.kafka, log_));
    NEARDUP_TRY(EnsureTopics(first.kafka, inputs, log_));
    changelog_partitions_ = std::max(changelog_partitions_, to_);
    for (int32_t lane = 0; lane < all(); ++lane) {
      NEARDUP_ASSIGN(std::unique_ptr<StoppedLane> taken, StoppedLane::TakeOwn(New(lane), log_));
      taken_.push_back(std::move(taken));
    }
    return {};
  }

  Result<void> ReadNewest() {
    newest_.resize(static_cast<size_t>(all()));
    for (int32_t lane = 0; lane < std::min(all(), changelog_partitions_); ++lane) {
      NEARDUP_ASSIGN(newest_[static_cast<size_t>(lane)], ReadNewestDelta(New(lane), log_));
    }
    return {};
  }

  /// True if an interrupted run has written all entries and has ended some lanes, so that only the
  /// others are left to end.
  Result<bool> AreAllWritten() {
    int32_t ended = 0;
    int32_t unfinished = 0;
    for (const std::optional<Delta>& newest : newest_) {
      if (!newest || newest->pipeline.lanes != to_) continue;
      newest->beginning.unfinished ? ++unfinished : ++ended;
    }
    if (ended == 0) return false;
    if (ended < all() && ended + unfinished == all()) return true;
    return Fatal(ErrorCode::kMismatch,
                 fmt::format("app {} already has {} lane(s); set lanes.count: {}",
                             settings_.kafka.app, to_, to_));
  }

  // ---- the entries

  Result<void> MoveEntries() {
    NEARDUP_TRY(ReadOldLanes([](const InputPartition&) { return false; }));
    if (old_.empty()) {
      return Error{ErrorCode::kNotFound,
                   fmt::format("changelog {} holds nothing of {} lane(s), so there is nothing to "
                               "move; set lanes.count: {}, and start the lanes",
                               changelog_, from_, to_)};
    }
    NEARDUP_TRY(CheckAlike());
    for (const OldLane& old : old_) {
      seq_ = std::max(seq_, old.last.seq_last);
      dropped_ += old.last.dropped;
    }
    for (const std::optional<Delta>& newest : newest_) {
      if (newest) epoch_ = std::max(epoch_, newest->epoch);
    }
    report_.seq = seq_;
    const int32_t at_once = LanesAtOnce();
    for (int32_t lane = 0; lane < to_; lane += at_once) {
      NEARDUP_TRY(MoveTo(lane, std::min(lane + at_once, to_)));
    }
    for (int32_t lane = to_; lane < from_; ++lane) NEARDUP_TRY(Write(lane, {}, {}));
    return {};
  }

  /// How many new lanes get their entries from one reading of the old ones.
  int32_t LanesAtOnce() const {
    uint64_t entries = 1;
    for (const OldLane& old : old_) {
      const Delta& last = old.last;
      entries += last.entries_live == kEntriesUnknown ? last.entries_max : last.entries_live;
    }
    const uint64_t readings = (entries + kEntriesAtOnce - 1) / kEntriesAtOnce;
    const auto lanes = static_cast<uint64_t>(to_);
    return static_cast<int32_t>(std::max<uint64_t>(1, lanes / readings));
  }

  Result<void> ReadOldLanes(const std::function<bool(const InputPartition&)>& is_wanted) {
    old_.clear();
    for (int32_t lane = 0; lane < std::min(from_, changelog_partitions_); ++lane) {
      NEARDUP_ASSIGN(std::optional<OldLane> old, ReadOldLane(Old(lane), is_wanted, log_));
      if (!old) continue;
      const PipelineTopics topics = TopicsOfLane(old->last.pipeline, old->last.inputs);
      const Settings settings = Old(lane);
      if (Compare(settings.lane.pipeline, topics) == PipelineMatch::kOther) {
        return OtherPipeline(settings.lane.pipeline, topics,
                             fmt::format("{}/{}", changelog_, lane));
      }
      if (old->last.beginning.unfinished) {
        return BeginningIsUnfinished(old->last.beginning, from_,
                                     fmt::format("{}/{}", changelog_, lane));
      }
      old_.push_back(std::move(*old));
    }
    return {};
  }

  /// Entries of different settings cannot be compared.
  Result<void> CheckAlike() const {
    const OldLane* first = nullptr;
    for (const OldLane& old : old_) {
      if (old.last.seq_last == 0 && old.last.beginning.with == BeganWith::kNothing) continue;
      if (first == nullptr) first = &old;
      if (old.last.spec == first->last.spec && old.learned == first->learned) continue;
      return Fatal(
          ErrorCode::kMismatch,
          fmt::format("lanes {} and {} compare by different settings, so that their entries cannot "
                      "be in one lane: {} and {}; set the fields, the mode and the distance in the "
                      "configuration, run `neardup reindex` for each lane, and repeat this",
                      first->last.lane, old.last.lane, first->last.spec, old.last.spec));
    }
    return {};
  }

  bool IsOf(int32_t lane, const InputPartition& partition) const {
    return lane < to_ && partition.partition % to_ == lane;
  }

  /// Gives the lanes from `first` to before `last` their entries.
  Result<void> MoveTo(int32_t first, int32_t last) {
    const auto lane_of = [this](const InputPartition& input) { return input.partition % to_; };
    NEARDUP_TRY(ReadOldLanes([&](const InputPartition& input) {
      return lane_of(input) >= first && lane_of(input) < last;
    }));
    std::vector<std::vector<PlacedEntry>> entries(static_cast<size_t>(last - first));
    std::map<PlacedPosition, PlacedGroup> groups;
    for (OldLane& old : old_) {
      for (PlacedEntry& placed : old.entries) {
        entries[static_cast<size_t>(lane_of(*placed.partition) - first)].push_back(
            std::move(placed));
      }
      old.entries = {};
      groups.merge(old.groups);
    }
    for (int32_t lane = first; lane < last; ++lane) {
      NEARDUP_TRY(Write(lane, std::move(entries[static_cast<size_t>(lane - first)]), groups));
    }
    return {};
  }

  /// What all deltas of the lane say. A lane that there will be no more gets an empty one, so that
  /// an instance of the old number does not go on there.
  Delta EmptyDelta(int32_t lane) const {
    Delta empty = old_.front().last;
    const std::optional<Delta>& newest = newest_[static_cast<size_t>(lane)];
    empty.lane = static_cast<uint16_t>(lane);
    empty.epoch = epoch_ + 1;
    empty.seq_last = seq_;
    empty.seq_first = empty.settings_seq = seq_ + 1;
    empty.dropped = dropped_;
    empty.learned = old_.front().learned;
    empty.writer = DrawId();
    empty.log_id = newest && newest->log_id != 0 ? newest->log_id : empty.writer;
    if (!empty.pipeline.known()) empty.pipeline = settings_.lane.pipeline.topics;
    empty.pipeline.lanes = static_cast<uint16_t>(to_);
    empty.watermark_ms = empty.horizon_ms = INT64_MAX;
    empty.inputs.clear();
    for (const OldLane& old : old_) {
      const size_t before = empty.inputs.size();
      for (const InputProgress& input : old.last.inputs) {
        if (IsOf(lane, input.partition)) empty.inputs.push_back(input);
      }
      if (empty.inputs.size() == before) continue;
      empty.watermark_ms = std::min(empty.watermark_ms, old.last.watermark_ms);
      empty.horizon_ms = std::min(empty.horizon_ms, old.last.horizon_ms);
    }
    if (empty.inputs.empty()) empty.watermark_ms = empty.horizon_ms = INT64_MIN;
    empty.beginning = {BeganWith::kLanes, true, seq_ + 1,
                       HorizonAfter(empty, settings_.lane.filter.window)};
    return empty;
  }

  Result<void> Write(int32_t lane, std::vector<PlacedEntry> entries,
                     const std::map<PlacedPosition, PlacedGroup>& groups) {
    std::stable_sort(entries.begin(), entries.end(),
                     [](const PlacedEntry& a, const PlacedEntry& b) {
                       return a.entry.time_ms < b.entry.time_ms;
                     });
    Delta empty = EmptyDelta(lane);
    const size_t surplus = entries.size() - std::min<size_t>(entries.size(), empty.entries_max);
    entries.erase(entries.begin(), entries.begin() + static_cast<std::ptrdiff_t>(surplus));
    if (lane < to_) report_.lanes.push_back({empty.inputs.size(), entries.size(), surplus});
    const auto number = static_cast<size_t>(lane);
    const std::optional<Delta>& newest = newest_[number];
    std::map<InputPartition, uint32_t> inputs;
    for (uint32_t i = 0; i < empty.inputs.size(); ++i) inputs[empty.inputs[i].partition] = i;
    ended_.push_back(empty);
    FreshDeltaCutter cutter(std::move(empty), newest ? newest->writer : 0,
                            [this, number](Delta&& delta) -> Result<void> {
                              if (taken_.empty()) return {};
                              return taken_[number]->Add(delta);
                            });
    std::map<PlacedPosition, uint64_t> originals;
    for (uint64_t i = 0; i < entries.size(); ++i) {
      PlacedEntry& placed = entries[i];
      const PlacedPosition position{*placed.partition, placed.entry.origin.offset};
      if (groups.contains(position)) originals[position] = i;
      placed.entry.origin.input = inputs.at(*placed.partition);
      NEARDUP_TRY(cutter.Add(std::move(placed.entry)));
    }
    for (const auto& [original, i] : originals) {
      NEARDUP_ASSIGN(const NumberedGroup group, Numbered(groups.at(original), inputs, i));
      NEARDUP_TRY(cutter.Add(group));
    }
    NEARDUP_TRY(cutter.Close());
    ended_.back().entries_live = cutter.entries();
    return taken_.empty() ? Result<void>() : taken_[number]->Finish({});
  }

  static Result<NumberedGroup> Numbered(const PlacedGroup& placed,
                                        const std::map<InputPartition, uint32_t>& inputs,
                                        uint64_t number) {
    NumberedGroup group{placed.group, number};
    const std::pair<Position*, const PlacedPosition*> positions[] = {
        {&group.original, &placed.original},
        {&group.last, &placed.last},
        {&group.newest, &placed.newest}};
    for (const auto& [position, place] : positions) {
      const auto input = inputs.find(place->partition);
      if (input == inputs.end()) {
        return Fatal(ErrorCode::kMismatch,
                     fmt::format("the record {}/{} repeats {}/{}, and would be in another lane, so "
                                 "that no lane could keep the group; expected that records that "
                                 "repeat each other are in one partition, because they have one "
                                 "key. Begin with a new `app`",
                                 TextOf(place->partition), place->offset,
                                 TextOf(placed.original.partition), placed.original.offset));
      }
      *position = {input->second, place->offset};
    }
    return group;
  }

  // ---- the end

  /// Lets the lanes start. All of them hold their entries.
  Result<void> EndAll() {
    return EndBeginnings(taken_, [this](size_t lane) -> const Delta& {
      return ended_.empty() ? *newest_[lane] : ended_[lane];
    });
  }

  const Settings& settings_;
  const KafkaLog& log_;
  int32_t from_;
  int32_t to_;
  std::string changelog_;
  int32_t changelog_partitions_ = 0;
  std::vector<std::unique_ptr<StoppedLane>> taken_;  ///< by number; empty: nothing is changed
  std::vector<std::optional<Delta>> newest_;         ///< by number, of either number of lanes
  std::vector<OldLane> old_;                         ///< those that have committed
  uint64_t seq_ = 0;
  uint64_t epoch_ = 0;
  uint64_t dropped_ = 0;
  std::vector<Delta> ended_;  ///< by number: the lane as its written deltas leave it
  LaneMigration report_;
};

}  // namespace

Result<LaneMigration> MigrateLanes(const Settings& settings, int32_t to, bool execute,
                                   const KafkaLog& log) {
  return Migration(settings, to, log).Run(execute);
}

}  // namespace neardup
