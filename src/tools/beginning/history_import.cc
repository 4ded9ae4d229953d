#include "beginning/history_import.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "base/random_id.h"
#include "beginning/history.h"
#include "kafka/kafka_ports.h"
#include "kafka/topics.h"
#include "neardup/filter.h"
#include "reading/stopped_lane.h"
#include "reading/topic_reading.h"
#include "state/fresh_deltas.h"
#include "state/lane_state.h"

namespace neardup {
namespace {

Error Mismatch(std::string text) { return Fatal(ErrorCode::kMismatch, std::move(text)); }
Error Refused(std::string text) { return Fatal(ErrorCode::kConfig, std::move(text)); }

class Import {
 public:
  Import(const Settings& settings, const ImportOptions& options, History history,
         const KafkaLog& log)
      : settings_(settings), options_(options), history_(std::move(history)), log_(log) {}

  Result<HistoryImport> Run(bool execute) {
    NEARDUP_TRY(CheckLanes());
    for (int32_t lane = 0; lane < history_.lanes(); ++lane) {
      NEARDUP_TRY(CheckSpec(lane));
      NEARDUP_TRY(PlanInputs(lane));
    }
    for (int32_t lane = 0; lane < history_.lanes(); ++lane) {
      NEARDUP_TRY(CheckNoInstance(OfLane(settings_, lane), log_));
    }
    if (execute) NEARDUP_TRY(TakeLanes());
    NEARDUP_TRY(CheckNeverRan());
    if (execute) NEARDUP_TRY(Announce());
    for (int32_t lane = 0; lane < history_.lanes(); ++lane) NEARDUP_TRY(Write(lane));
    if (execute) NEARDUP_TRY(EndAll());
    return std::move(report_);
  }

 private:
  Result<void> CheckLanes() const {
    if (settings_.learning.on) {
      return Refused(
          "match.mode is auto; expected the settings that the history was decided with, which "
          "are in the configuration that neardup.spark.deduplicate was given");
    }
    if (history_.lanes() == settings_.kafka.lanes) return {};
    return Mismatch(fmt::format(
        "the history has {} lane(s), and lanes.count is {}; set "
        "lanes.count: {}, or decide the history again with lanes={}",
        history_.lanes(), settings_.kafka.lanes, history_.lanes(), settings_.kafka.lanes));
  }

  // ---- where the lanes go on

  Result<void> PlanInputs(int32_t lane) {
    const Settings settings = OfLane(settings_, lane);
    NEARDUP_ASSIGN(const std::vector<InputPartition> partitions,
                   ListPartitions(settings.kafka, log_));
    NEARDUP_ASSIGN(const std::vector<OffsetBounds> bounds,
                   ListOffsetBounds(settings.kafka, partitions, log_));
    const auto& next_offsets = history_.lane(lane).next_offsets;
    for (const auto& [partition, next] : next_offsets) {
      if (std::find(partitions.begin(), partitions.end(), partition) != partitions.end()) continue;
      return Mismatch(
          fmt::format("the history holds records of {}, which is no input partition "
                      "of lane {}; expected a history of the topics {} and no others",
                      TextOf(partition), lane, fmt::join(settings.kafka.topics, ", ")));
    }
    ImportedLane& imported = report_.lanes.emplace_back();
    for (size_t i = 0; i < partitions.size(); ++i) {
      const auto next = next_offsets.find(partitions[i]);
      NEARDUP_ASSIGN(const ImportedInput input,
                     next == next_offsets.end()
                         ? InputWithoutHistory(partitions[i], bounds[i])
                         : InputAfter(partitions[i], next->second, bounds[i]));
      imported.inputs.push_back(input);
    }
    return {};
  }

  Result<ImportedInput> InputWithoutHistory(const InputPartition& partition,
                                            const OffsetBounds& bounds) const {
    if (!options_.start) {
      return Refused(
          fmt::format("the history holds no record of {}; say where this partition "
                      "begins: --start earliest (offset {}) or latest (offset {})",
                      TextOf(partition), bounds.begin, bounds.end));
    }
    const int64_t next = *options_.start == StartAt::kEarliest ? bounds.begin : bounds.end;
    return ImportedInput{partition, next, 0, false};
  }

  Result<ImportedInput> InputAfter(const InputPartition& partition, int64_t next,
                                   const OffsetBounds& bounds) const {
    if (next > bounds.end) {
      return Mismatch(
          fmt::format("the history of {} goes to offset {}, and the topic ends at "
                      "offset {}; expected the topic that the history was read from",
                      TextOf(partition), next - 1, bounds.end));
    }
    const int64_t lost = std::max<int64_t>(0, bounds.begin - next);
    if (lost > 0 && !options_.accept_gap) {
      return Refused(
          fmt::format("the history of {} ends before offset {}, and the topic begins at "
                      "offset {}, so that {} offsets would be lost; take a newer "
                      "history, or go on without these records: --accept-gap",
                      TextOf(partition), next, bounds.begin, lost));
    }
    return ImportedInput{partition, next + lost, lost, true};
  }

  // ---- whether a lane has begun

  Result<void> TakeLanes() {
    for (int32_t lane = 0; lane < history_.lanes(); ++lane) {
      const Settings settings = OfLane(settings_, lane);
      NEARDUP_ASSIGN(const std::vector<InputPartition> inputs,
                     ListPartitions(settings.kafka, log_));
      NEARDUP_TRY(EnsureTopics(settings.kafka, inputs, log_));
      NEARDUP_ASSIGN(std::unique_ptr<StoppedLane> taken, StoppedLane::TakeOwn(settings, log_));
      taken_.push_back(std::move(taken));
    }
    return {};
  }

  Result<void> CheckNeverRan() {
    size_t ended = 0;
    for (int32_t lane = 0; lane < history_.lanes(); ++lane) {
      const Settings settings = OfLane(settings_, lane);
      std::optional<Delta>& newest = newest_.emplace_back();
      NEARDUP_ASSIGN(const bool has_begun, HasChangelog(settings.kafka, lane, log_));
      if (has_begun) {
        NEARDUP_ASSIGN(newest, ReadNewestDelta(settings, log_));
      }
      const bool unfinished =
          newest && newest->beginning.with == BeganWith::kHistory && newest->beginning.unfinished;
      if (newest && !unfinished) ++ended;
      if (!newest) NEARDUP_TRY(CheckGroup(settings, lane));
    }
    if (ended == 0) return {};
    report_.written_before =
        ended < newest_.size() &&
        std::all_of(newest_.begin(), newest_.end(), [](const std::optional<Delta>& newest) {
          return newest && newest->beginning.with == BeganWith::kHistory;
        });
    if (report_.written_before) return {};
    return Mismatch(
        fmt::format("app {} has begun already: its changelog {} holds records. Expected "
                    "an app that has never run; take a new `app`, with output topics "
                    "of its own, or forget this one with `neardup reset --all`",
                    settings_.kafka.app, ChangelogTopic(settings_.kafka)));
  }

  Result<void> CheckGroup(const Settings& settings, int32_t lane) {
    std::vector<InputPartition> inputs;
    for (const ImportedInput& input : report_.lanes[static_cast<size_t>(lane)].inputs) {
      inputs.push_back(input.partition);
    }
    const std::unique_ptr<Transaction> group =
        NewKafkaTransaction(settings.kafka, settings.lane.lane, {}, log_);
    NEARDUP_ASSIGN(const std::vector<int64_t> offsets, group->CommittedOffsets(inputs));
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (offsets[i] < 0) continue;
      return Mismatch(
          fmt::format("the consumer group {} has the offset {} for {}, so that app {} "
                      "has run before; expected an app that has never run",
                      settings.kafka.app, offsets[i], TextOf(inputs[i]), settings.kafka.app));
    }
    return {};
  }

  // ---- the entries

  /// From now on no lane starts before the import is complete, even if it is killed before the
  /// first entries are committed.
  Result<void> Announce() {
    if (report_.written_before) return {};
    for (int32_t lane = 0; lane < history_.lanes(); ++lane) {
      const auto number = static_cast<size_t>(lane);
      std::optional<Delta>& newest = newest_[number];
      if (newest) continue;  // an import before this one has announced itself
      NEARDUP_ASSIGN(const std::optional<Delta> last, history_.Newest(lane));
      FreshDeltaCutter cutter(EmptyDelta(lane, last), 0, [&](Delta&& delta) -> Result<void> {
        newest = std::move(delta);
        return taken_[number]->Add(*newest);
      });
      NEARDUP_TRY(cutter.Close());
      NEARDUP_TRY(taken_[number]->Finish({}));
    }
    return {};
  }

  Result<void> Write(int32_t lane) {
    if (report_.written_before) return {};
    const auto number = static_cast<size_t>(lane);
    NEARDUP_ASSIGN(const std::optional<Delta> last, history_.Newest(lane));
    Delta empty = EmptyDelta(lane, last);
    std::map<InputPartition, uint32_t> inputs;
    for (uint32_t i = 0; i < empty.inputs.size(); ++i) inputs[empty.inputs[i].partition] = i;
    const std::optional<Delta>& newest = newest_[number];
    ended_.push_back(empty);
    FreshDeltaCutter cutter(std::move(empty), newest ? newest->writer : 0,
                            [&](Delta&& delta) -> Result<void> {
                              if (taken_.empty()) return {};
                              return taken_[number]->Add(delta);
                            });
    NEARDUP_TRY(history_.Read(lane, [&](HistoryEntry&& placed) -> Result<void> {
      const auto input = inputs.find(placed.partition);
      if (input == inputs.end()) {
        return Error{ErrorCode::kCorrupt, fmt::format("the history holds an entry of {}, and no "
                                                      "record",
                                                      TextOf(placed.partition))};
      }
      placed.entry.origin.input = input->second;
      return cutter.Add(std::move(placed.entry));
    }));
    NEARDUP_TRY(cutter.Close());
    report_.lanes[number].entries = ended_.back().entries_live = cutter.entries();
    return taken_.empty() ? Result<void>() : taken_[number]->Finish({});
  }

  /// What all deltas of the lane say. `last`: the end of its history.
  Delta EmptyDelta(int32_t lane, const std::optional<Delta>& last) const {
    const FilterOptions& filter = settings_.lane.filter;
    const std::optional<Delta>& newest = newest_[static_cast<size_t>(lane)];
    Delta empty;
    empty.lane = static_cast<uint16_t>(lane);
    empty.epoch = newest ? newest->epoch + 1 : 1;
    empty.window_ms = filter.window.window_ms;
    empty.entries_max = filter.window.entries_max;
    empty.distance_max = filter.match.distance_max;
    empty.spec = FingerprintSpec(filter);
    empty.writer = DrawId();
    empty.log_id = newest ? newest->log_id : empty.writer;
    empty.pipeline = settings_.lane.pipeline.topics;
    if (last) {
      empty.watermark_ms = last->watermark_ms;
      empty.horizon_ms = HorizonAfter(*last, filter.window);
    }
    empty.beginning = {BeganWith::kHistory, true, 1, empty.horizon_ms};
    for (const ImportedInput& input : report_.lanes[static_cast<size_t>(lane)].inputs) {
      empty.inputs.push_back({input.partition, input.next_offset, INT64_MIN});
    }
    return empty;
  }

  Result<void> CheckSpec(int32_t lane) {
    NEARDUP_ASSIGN(const std::optional<Delta> last, history_.Newest(lane));
    const std::string spec = FingerprintSpec(settings_.lane.filter);
    if (!last || last->spec == spec) return {};
    return Mismatch(
        fmt::format("the history was decided with other settings: {} (here `changelog` "
                    "means the history); use the configuration that it was decided "
                    "with, or decide it again",
                    SpecDifference(spec, last->spec)));
  }

  /// Lets the lanes start. All of them hold their entries.
  Result<void> EndAll() {
    for (size_t lane = 0; lane < taken_.size(); ++lane) {
      const Delta& begun = report_.written_before ? *newest_[lane] : ended_[lane];
      if (!begun.beginning.unfinished) continue;
      const Delta end = EndOfBeginning(begun);
      NEARDUP_TRY(taken_[lane]->Add(end));
      NEARDUP_TRY(taken_[lane]->Finish(end.inputs));
    }
    // A lane that starts before the last deltas are visible would report an interruption.
    for (const auto& lane : taken_) NEARDUP_TRY(lane->AwaitVisible());
    return {};
  }

  const Settings& settings_;
  const ImportOptions& options_;
  History history_;
  const KafkaLog& log_;
  std::vector<std::unique_ptr<StoppedLane>> taken_;  ///< by lane; empty: nothing is changed
  std::vector<std::optional<Delta>> newest_;         ///< by lane
  std::vector<Delta> ended_;  ///< by lane: what the lane is as its written deltas leave it
  HistoryImport report_;
};

}  // namespace

Result<HistoryImport> ImportHistory(const Settings& settings, const ImportOptions& options,
                                    bool execute, const KafkaLog& log) {
  NEARDUP_ASSIGN(History history, History::Open(options.folder));
  return Import(settings, options, std::move(history), log).Run(execute);
}

}  // namespace neardup
