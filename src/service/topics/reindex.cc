#include "service/topics/reindex.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "kafka/consumer_group.h"
#include "kafka/kafka_ports.h"
#include "kafka/output_topics.h"
#include "kafka/topics.h"
#include "neardup/filter.h"
#include "service/topics/stopped_lane.h"
#include "service/topics/topic_reading.h"
#include "stream/files/local_ports.h"
#include "stream/lane/route_header.h"
#include "stream/state/fresh_deltas.h"
#include "stream/state/lane_state.h"
#include "stream/state/pipeline.h"

namespace neardup {
namespace {

/// A unique record under the new settings.
struct UniqueRecord {
  uint64_t seq = 0;
  FingerprintedRecord record;
};

/// The records that took the place of an older one in the group of an original (Keep::kNewest), and
/// the last of them.
struct Replacing {
  uint64_t count = 0;
  uint64_t seq = 0;
  Position position;
  int64_t time_ms = 0;
};

class Reindexer {
 public:
  Reindexer(const Settings& settings, const KafkaLog& log)
      : settings_(settings),
        log_(log),
        filter_(settings.lane.filter),
        fingerprinter_(filter_),
        clock_max_ms_(SystemClock().WallMs() + filter_.window.ahead_max_ms) {}

  Result<ReindexReport> Run(StoppedLane* lane) {
    NEARDUP_ASSIGN(std::optional<ChangelogSummary> changelog, ReadChangelog(settings_, log_));
    if (changelog) {
      last_ = std::move(changelog->last);
      groups_ = std::move(changelog->groups);
      const PipelineTopics topics = TopicsOfLane(last_.pipeline, last_.inputs);
      if (Compare(settings_.lane.pipeline, topics) == PipelineMatch::kOther) {
        return OtherPipeline(settings_.lane.pipeline, topics, ChangelogTopic(settings_.kafka));
      }
      report_.entries_before = changelog->entries;
    } else {
      NEARDUP_TRY(BeginAtTheGroup(lane != nullptr));
    }
    report_.seq = last_.seq_last;
    const std::string spec = FingerprintSpec(filter_);
    if (changelog && spec != last_.spec) report_.difference = SpecDifference(spec, last_.spec);
    horizon_ms_ = HorizonAfter(last_, filter_.window);
    NEARDUP_TRY(ReadUniques());
    if (!changelog) ForgetOutsideOfTheWindow();
    NEARDUP_ASSIGN(const std::vector<Delta> deltas, MakeDeltas());
    if (lane != nullptr) NEARDUP_TRY(lane->Commit(deltas));
    return std::move(report_);
  }

 private:
  /// The changelog is lost as a whole. The outputs and the offsets of the consumer group were
  /// committed with it. They say how far the lane has read each input, and its newest seq. Its
  /// watermark is known from the unique records alone.
  Result<void> BeginAtTheGroup(bool execute) {
    NEARDUP_ASSIGN(const std::vector<InputPartition> partitions,
                   ListPartitions(settings_.kafka, log_));
    NEARDUP_ASSIGN(const std::vector<GroupOffset> offsets,
                   GroupOffsets(settings_.kafka, settings_.kafka.app, partitions, log_));
    for (size_t i = 0; i < partitions.size(); ++i) {
      if (offsets[i].offset < 0) continue;
      last_.inputs.push_back({partitions[i], offsets[i].offset, INT64_MIN});
    }
    if (last_.inputs.empty()) {
      return Error{
          ErrorCode::kNotFound,
          fmt::format("changelog {} holds nothing, and the consumer group {} has no offsets, so "
                      "there is nothing to index again; the first start takes the new settings",
                      ChangelogTopic(settings_.kafka), settings_.kafka.app)};
    }
    report_.changelog_lost = true;
    last_.lane = static_cast<uint16_t>(settings_.lane.lane);
    last_.pipeline = settings_.lane.pipeline.topics;
    NEARDUP_ASSIGN(const std::optional<WrittenOutput> newest,
                   FindNewestOutput(settings_.kafka, log_));
    if (newest) last_.seq_last = newest->seq;
    if (!execute) return {};
    const auto made = EnsureTopics(settings_.kafka, partitions, log_, LaneAge::kBegun);
    return made.ok() ? Result<void>() : made.error();
  }

  /// An input is as far as its newest unique record.
  void ForgetOutsideOfTheWindow() {
    for (const UniqueRecord& unique : uniques_) {
      int64_t& time_ms = last_.inputs[unique.record.position.input].time_ms;
      time_ms = std::max(time_ms, unique.record.outcome.time_ms);
    }
    const auto& inputs = last_.inputs;
    last_.watermark_ms =
        std::min_element(inputs.begin(), inputs.end(), [](const auto& a, const auto& b) {
          return a.time_ms < b.time_ms;
        })->time_ms;
    horizon_ms_ = HorizonAfter(last_, filter_.window);
    report_.outside += std::erase_if(uniques_, [this](const UniqueRecord& unique) {
      return unique.record.outcome.time_ms < horizon_ms_;
    });
  }

  Result<void> ReadUniques() {
    KafkaOptions options = settings_.kafka;
    NEARDUP_ASSIGN(options.topics, UniqueTopics());
    NEARDUP_ASSIGN(const std::unique_ptr<Source> source, NewKafkaSource(options, log_));
    NEARDUP_ASSIGN(const std::vector<InputPartition> partitions, source->Partitions());
    NEARDUP_ASSIGN(const std::vector<OffsetBounds> bounds,
                   ListOffsetBounds(settings_.kafka, partitions, log_));
    std::vector<int64_t> begins;
    for (const OffsetBounds& each : bounds) begins.push_back(each.begin);
    // Where the timestamp is the event time, older records need not be read.
    if (filter_.record.time_field.empty() && horizon_ms_ > 0) {
      NEARDUP_ASSIGN(begins, ListOffsetsAtTime(settings_.kafka, partitions, horizon_ms_, log_));
    }
    std::vector<ReadRange> ranges;
    for (size_t i = 0; i < partitions.size(); ++i) {
      ranges.push_back({partitions[i], std::max(begins[i], bounds[i].begin), bounds[i].end});
    }
    for (uint32_t i = 0; i < last_.inputs.size(); ++i) numbers_[last_.inputs[i].partition] = i;
    return ReadRanges(*source, ranges, [&](const Message& message) {
      return Add(ranges[message.position.input].partition, message);
    });
  }

  /// The unique topics of all inputs of the lane that exist, even of inputs that it no longer
  /// reads.
  Result<std::vector<std::string>> UniqueTopics() {
    const std::set<std::string> read(settings_.kafka.topics.begin(), settings_.kafka.topics.end());
    std::set<std::string> names;
    for (const InputProgress& input : last_.inputs) {
      KafkaOptions one = settings_.kafka;
      one.topics = {ExpandTopic(one.unique_topic, input.partition.topic)};
      if (names.contains(one.topics[0])) continue;
      const auto found = ListPartitions(one, log_);
      if (found.ok()) {
        names.insert(one.topics[0]);
      } else if (found.error().code != ErrorCode::kNotFound ||
                 read.contains(input.partition.topic)) {
        return found.error();
      }
    }
    return {{names.begin(), names.end()}};
  }

  Result<void> Add(const InputPartition& place, const Message& message) {
    const Result<ParsedHeader> header = ParseRouteHeader(message.headers);
    const std::string where = TextOf(place, message.position.offset);
    if (!header.ok()) {
      return Error{ErrorCode::kMismatch, fmt::format("{}: {}", where, header.error().text)};
    }
    const bool unique_record = header->decision() == Decision::kUnique && !header->passed;
    if (!unique_record && !header->replaces) return {};
    const auto number = numbers_.find(header->origin);
    if (header->seq > last_.seq_last || number == numbers_.end()) {
      return Error{
          ErrorCode::kMismatch,
          fmt::format(
              "{}: this record has seq {} and comes from {}/{}, but the lane has decided "
              "records up to seq {}, and that record is none of them: another app has written "
              "to this topic; give every app its own output topics",
              where, header->seq, TextOf(header->origin), header->origin_offset, last_.seq_last)};
    }
    UniqueRecord unique;
    unique.seq = header->seq;
    RecordView record = RecordOf(message, buffer_);
    record.position = {number->second, header->origin_offset};
    unique.record = fingerprinter_.Compute(record);
    if (header->replaces) {
      AddReplacing(*header, unique);
      return {};
    }
    ++report_.records;
    unique.record.outcome.time_ms = std::min(unique.record.outcome.time_ms, clock_max_ms_);
    if (!unique.record.outcome.comparable()) {
      ++report_.incomparable;
      return {};
    }
    if (unique.record.outcome.time_ms < horizon_ms_) {
      ++report_.outside;
      return {};
    }
    uniques_.push_back(std::move(unique));
    if (uniques_.size() >= 2 * filter_.window.entries_max) KeepNewest();
    return {};
  }

  /// The newest record of a group stays what it is.
  void AddReplacing(const ParsedHeader& header, const UniqueRecord& unique) {
    const auto input = numbers_.find(header.original->partition);
    if (input == numbers_.end()) return;
    const int64_t time_ms = std::min(unique.record.outcome.time_ms, clock_max_ms_);
    Replacing& newest = newest_[{input->second, header.original->offset}];
    ++newest.count;
    if (unique.seq < newest.seq) return;
    newest.seq = unique.seq;
    newest.position = unique.record.position;
    newest.time_ms = time_ms;
  }

  /// The groups of the originals that the index keeps. Their copies stay counted, even if the new
  /// settings would not call them copies.
  std::vector<NumberedGroup> GroupsOf(std::span<const FingerprintedRecord> records) const {
    std::vector<NumberedGroup> groups;
    for (size_t i = 0; i < records.size(); ++i) {
      const Position& original = records[i].position;
      const int64_t time_ms = records[i].outcome.time_ms;
      std::optional<Group> group = LoggedGroupOf(original);
      if (const auto found = newest_.find(original); found != newest_.end()) {
        const Replacing& newest = found->second;
        if (!group) {
          group.emplace();
          group->copies = newest.count;
          group->last = newest.position;
        }
        group->last_time_ms = std::max({time_ms, newest.time_ms, group->last_time_ms});
        group->newest = newest.position;
        group->newest_time_ms = newest.time_ms;
      }
      if (!group) continue;
      group->original = original;
      group->original_time_ms = time_ms;
      groups.push_back({*group, i});
    }
    return groups;
  }

  /// The group that the changelog holds, with the numbers that its inputs have now.
  std::optional<Group> LoggedGroupOf(const Position& original) const {
    const auto found = groups_.find({last_.inputs[original.input].partition, original.offset});
    if (found == groups_.end()) return std::nullopt;
    Group group = found->second.group;
    Position* const positions[] = {&group.original, &group.last, &group.newest};
    for (size_t i = 0; i < std::size(positions); ++i) {
      const auto number = numbers_.find(found->second.inputs[i]);
      if (number == numbers_.end()) return std::nullopt;
      positions[i]->input = number->second;
    }
    return group;
  }

  /// The index holds no more than entries_max.
  void KeepNewest() {
    const size_t most = filter_.window.entries_max;
    if (uniques_.size() <= most) return;
    const auto later = [](const UniqueRecord& a, const UniqueRecord& b) { return a.seq > b.seq; };
    const auto end = uniques_.begin() + static_cast<std::ptrdiff_t>(most);
    std::nth_element(uniques_.begin(), end, uniques_.end(), later);
    report_.outside += uniques_.size() - most;
    uniques_.erase(end, uniques_.end());
  }

  Result<std::vector<Delta>> MakeDeltas() {
    KeepNewest();
    std::sort(uniques_.begin(), uniques_.end(),
              [](const UniqueRecord& a, const UniqueRecord& b) { return a.seq < b.seq; });
    std::vector<FingerprintedRecord> records;
    records.reserve(uniques_.size());
    for (UniqueRecord& unique : uniques_) records.push_back(std::move(unique.record));
    report_.entries = records.size();
    NEARDUP_ASSIGN(std::vector<Delta> deltas,
                   FreshDeltas(filter_, last_, records, GroupsOf(records)));
    deltas.front().learned = settings_.lane.learned;
    return deltas;
  }

  const Settings& settings_;
  const KafkaLog& log_;
  const FilterOptions& filter_;
  Fingerprinter fingerprinter_;
  RecordBuffer buffer_;
  int64_t clock_max_ms_;  ///< later event times are set back to it, as the lane does
  int64_t horizon_ms_ = INT64_MIN;
  Delta last_;
  std::map<std::pair<InputPartition, int64_t>, LoggedGroup> groups_;
  std::map<InputPartition, uint32_t> numbers_;  ///< places in last_.inputs
  /// By the position of their original.
  std::map<Position, Replacing> newest_;
  std::vector<UniqueRecord> uniques_;
  ReindexReport report_;
};

}  // namespace

Result<ReindexReport> Reindex(const Settings& settings, bool execute, const KafkaLog& log) {
  if (!execute) return Reindexer(settings, log).Run(nullptr);
  NEARDUP_ASSIGN(const std::unique_ptr<StoppedLane> lane, StoppedLane::Take(settings, log));
  return Reindexer(settings, log).Run(lane.get());
}

Result<ReindexReport> ReindexOwnLane(const Settings& settings, const KafkaLog& log) {
  NEARDUP_ASSIGN(const std::unique_ptr<StoppedLane> lane, StoppedLane::TakeOwn(settings, log));
  return Reindexer(settings, log).Run(lane.get());
}

}  // namespace neardup
