#include "commands/verify/topic_audit.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "commands/verify/audit.h"
#include "detect/base/quantity.h"
#include "detect/filter/watermark.h"
#include "kafka/kafka_ports.h"
#include "kafka/properties.h"
#include "kafka/topics.h"
#include "service/topics/stopped_lane.h"
#include "service/topics/topic_reading.h"
#include "stream/files/local_ports.h"
#include "stream/state/lane_state.h"

namespace neardup {
namespace {

constexpr int kStableRetryMs = 200;
/// A broker may abort a transaction this much later than its time-out. By default it looks for such
/// transactions every 10 s.
constexpr int64_t kAbortDelayMs = 30'000;
/// An audit reads one topic after the other and does not wait for anybody, so it needs to read
/// little ahead.
constexpr int64_t kPrefetchBytesMax = int64_t{32} << 20;
/// The program, the client library and a batch of records.
constexpr uint64_t kBaseBytes = uint64_t{96} << 20;
/// How often the memory is compared with its bound.
constexpr uint64_t kRecordsPerCheck = 4096;

std::string MemoryText(uint64_t bytes) { return Grouped((bytes >> 20) + 1) + " MiB"; }

/// An output partition. All its records come from one input partition and have one route: the
/// configuration gives every topic one use.
struct OutputPart {
  uint32_t input = 0;
  Route route = Route::kUnique;
  ReadRange range;        ///< what is read
  int64_t kept_from = 0;  ///< the first offset that is not deleted
};

/// Chooses the offsets to audit, reads inputs and outputs, and hands their records to an audit.
///
/// The order in which the ends are taken makes the cut consistent while the lane runs:
///   1. the positions of the inputs, as some transaction T committed them. All of them come from
///      one answer, so they belong to one T. Records before them are decided; records from them
///      on are pending.
///   2. the newest delta. It is of T or of a later transaction, so its horizon is at or above every
///      horizon that was in force when a record before the positions was decided.
///   3. the ends of the outputs. T wrote its outputs before it committed its positions, so these
///      ends are after all outputs of T and of every earlier transaction. What later transactions
///      wrote before these ends has an origin at or after the positions, and is left out by that.
///   4. the list of the input partitions again. A partition that the lane began to read after 1 may
///      have outputs before the ends of 3; all its records are pending.
///   5. the ends of the inputs, which only say how many records are pending.
/// In any other order a record could be decided between two steps and look as if it had no output,
/// or an output as if it had no input.
class TopicReader {
 public:
  TopicReader(const Settings& settings, const TopicAuditOptions& options, Progress& progress,
              const KafkaLog& log)
      : settings_(settings),
        options_(options),
        range_(options.range),
        progress_(progress),
        log_(log) {}

  Result<TopicAudit> Run() {
    KafkaOptions kafka = settings_.kafka;
    kafka.prefetch_bytes_max = kPrefetchBytesMax;
    NEARDUP_ASSIGN(inputs_source_, NewKafkaSource(kafka, log_));
    NEARDUP_TRY(FindPartitions());
    NEARDUP_TRY(TakeCut());
    kafka.topics = OutputTopicNames();
    NEARDUP_ASSIGN(outputs_source_, NewKafkaSource(kafka, log_));
    NEARDUP_TRY(TakeOutputEnds());
    NEARDUP_TRY(FindNewPartitions());
    NEARDUP_TRY(ChooseRanges());
    NEARDUP_TRY(ChooseOutputParts());
    NEARDUP_TRY(CheckMemory());
    NEARDUP_TRY(StartAudit());
    NEARDUP_TRY(ReadInputs());
    NEARDUP_TRY(ReadOutputs());
    NEARDUP_TRY(ReadGroups());
    progress_.Begin("comparing uniques", 1000, "");
    found_.report = audit_->Finish([this](double share) { progress_.SetShare(share); });
    progress_.End();
    NoteLimits();
    return std::move(found_);
  }

 private:
  bool started_late() const { return settings_.lane.start_at == StartAt::kLatest; }
  bool keyed_by_group() const { return settings_.lane.unique_key == UniqueKey::kGroup; }
  bool outputs_deleted() const {
    return !gone_outputs_.empty() ||
           std::any_of(outputs_.begin(), outputs_.end(),
                       [](const OutputPart& part) { return part.kept_from > 0; });
  }
  void Warn(std::string text) { found_.warnings.push_back(std::move(text)); }

  Result<void> FindPartitions() {
    NEARDUP_ASSIGN(const FoundInputs found, inputs_source_->Find());
    if (found.partitions.empty()) NEARDUP_TRY(inputs_source_->Partitions());  // names the topics
    gone_topics_.insert(found.missing_topics.begin(), found.missing_topics.end());
    if (!gone_topics_.empty()) earlier_time_known_ = false;
    partitions_ = found.partitions;
    configured_ = read_ = partitions_.size();
    for (const auto* offsets : {&range_.from_offsets, &range_.to_offsets}) {
      for (const auto& [partition, offset] : *offsets) {
        if (std::binary_search(partitions_.begin(), partitions_.end(), partition)) continue;
        return Error{ErrorCode::kNotFound,
                     fmt::format("--from or --to names {}, which is no input partition of this "
                                 "configuration",
                                 TextOf(partition))};
      }
    }
    return {};
  }

  /// Steps 1 and 2. If the group does not know all partitions, the newest delta says all positions.
  Result<void> TakeCut() {
    partitions_.resize(configured_);
    read_ = configured_;
    const std::unique_ptr<Transaction> group =
        NewKafkaTransaction(settings_.kafka, settings_.lane.lane, {}, log_);
    NEARDUP_ASSIGN(positions_, group->CommittedOffsets(partitions_));
    NEARDUP_ASSIGN(newest_, ReadNewestDelta(settings_, log_));
    const auto unknown = [](int64_t position) { return position < 0; };
    if (!newest_) return {};
    if (std::any_of(positions_.begin(), positions_.end(), unknown)) {
      for (size_t i = 0; i < partitions_.size(); ++i) {
        positions_[i] = 0;  // a partition that the newest delta does not name is pending
        for (const InputProgress& input : newest_->inputs) {
          if (input.partition == partitions_[i]) positions_[i] = input.next_offset;
        }
      }
    }
    return AddEarlierInputs();
  }

  /// Adds partitions that the lane has read, if they are not configured or do not exist. A copy may
  /// name a record of such a partition as its original.
  Result<void> AddEarlierInputs() {
    for (const InputProgress& input : newest_->inputs) {
      if (std::find(partitions_.begin(), partitions_.end(), input.partition) != partitions_.end()) {
        continue;
      }
      partitions_.push_back(input.partition);
      positions_.push_back(input.next_offset);
    }
    read_ = partitions_.size();
    if (read_ == configured_) return {};
    KafkaOptions kafka = settings_.kafka;
    kafka.prefetch_bytes_max = kPrefetchBytesMax;
    for (size_t i = configured_; i < read_; ++i) kafka.topics.push_back(partitions_[i].topic);
    kafka.topics = SortedTopics(std::move(kafka.topics));
    NEARDUP_ASSIGN(inputs_source_, NewKafkaSource(kafka, log_));
    NEARDUP_ASSIGN(const FoundInputs found, inputs_source_->Find());
    gone_.clear();
    for (size_t i = configured_; i < read_; ++i) {
      if (!std::binary_search(found.partitions.begin(), found.partitions.end(), partitions_[i])) {
        gone_.insert(partitions_[i]);
        gone_topics_.insert(partitions_[i].topic);
      }
    }
    return {};
  }

  bool IsConfigured(const std::string& topic) const {
    const std::vector<std::string>& topics = settings_.kafka.topics;
    return std::find(topics.begin(), topics.end(), topic) != topics.end();
  }

  std::vector<std::string> OutputTopicNames() const {
    std::vector<std::string> names;
    for (const InputPartition& partition : partitions_) {
      for (const Route route : kRoutes) names.push_back(OutputTopic(partition, route));
    }
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    return names;
  }

  std::string OutputTopic(const InputPartition& partition, Route route) const {
    return OutputsOf(settings_.kafka, partition.topic)[static_cast<size_t>(route)];
  }

  /// Step 3. Waits until the transactions that wrote below these ends are closed, because the
  /// group's offsets may become visible a moment before the outputs of the same transaction.
  Result<void> TakeOutputEnds() {
    NEARDUP_TRY(ListOutputEnds());
    const bool nothing_committed = !newest_ && positions_.front() < 0;
    if (!nothing_committed || !HaveOutputs()) return {};
    // A lane that began just now may have committed its first positions meanwhile.
    NEARDUP_TRY(TakeCut());
    return ListOutputEnds();
  }

  bool HaveOutputs() const {
    return std::any_of(output_ends_.begin(), output_ends_.end(),
                       [](const auto& row) { return row.second.end > 0; });
  }

  Result<void> ListOutputEnds() {
    output_ends_.clear();
    NEARDUP_ASSIGN(const std::vector<InputPartition> places, FindOutputs());
    NEARDUP_ASSIGN(const std::vector<OffsetBounds> bounds,
                   ListOffsetBounds(settings_.kafka, places, log_));
    const int64_t begin_ms = SystemClock().SteadyMs();
    for (size_t i = 0; i < places.size(); ++i) {
      while (true) {
        NEARDUP_ASSIGN(const int64_t stable,
                       outputs_source_->StartOffset(places[i], StartAt::kLatest));
        if (stable >= bounds[i].end) break;
        if (SystemClock().SteadyMs() - begin_ms >
            settings_.kafka.transaction_timeout_ms + kAbortDelayMs) {
          return Retriable(ErrorCode::kUnavailable,
                           fmt::format("{}: a transaction has been open since offset {} and does "
                                       "not end; find it with kafka-transactions.sh find-hanging",
                                       TextOf(places[i]), stable));
        }
        SystemClock().SleepMs(kStableRetryMs);
      }
      output_ends_[places[i]] = bounds[i];
    }
    return {};
  }

  /// Only the outputs of a topic that the lane no longer reads may be gone.
  Result<std::vector<InputPartition>> FindOutputs() {
    NEARDUP_ASSIGN(FoundInputs found, outputs_source_->Find());
    std::vector<std::string> needed;
    for (size_t i = 0; i < configured_; ++i) {
      for (std::string& topic : OutputsOf(settings_.kafka, partitions_[i].topic)) {
        needed.push_back(std::move(topic));
      }
    }
    for (const std::string& topic : found.missing_topics) {
      if (std::find(needed.begin(), needed.end(), topic) == needed.end()) continue;
      return outputs_source_->Partitions();  // the error names the missing topics
    }
    return std::move(found.partitions);
  }

  /// Step 4.
  Result<void> FindNewPartitions() {
    NEARDUP_ASSIGN(const FoundInputs found, inputs_source_->Find());
    for (const InputPartition& partition : found.partitions) {
      if (!IsConfigured(partition.topic) ||
          std::find(partitions_.begin(), partitions_.end(), partition) != partitions_.end()) {
        continue;
      }
      partitions_.push_back(partition);
      positions_.push_back(0);
    }
    return {};
  }

  /// Step 5, and which of the decided records are meant.
  Result<void> ChooseRanges() {
    std::vector<int64_t> froms(partitions_.size(), 0);
    std::vector<int64_t> tos(partitions_.size(), INT64_MAX);
    if (range_.from_ms) NEARDUP_TRY(TakeOffsetsAt(*range_.from_ms, froms));
    if (range_.to_ms) NEARDUP_TRY(TakeOffsetsAt(*range_.to_ms, tos));
    if (!range_.from_ms || !settings_.lane.filter.record.time_field.empty()) {
      earlier_time_known_ = false;
    }
    for (size_t i = 0; i < partitions_.size(); ++i) {
      const InputPartition& partition = partitions_[i];
      if (gone_.contains(partition)) {  // the outputs are the only trace of its records
        earlier_time_known_ = false;
        deleted_max_ += static_cast<uint64_t>(positions_[i]);
        found_.ranges.push_back({partition, positions_[i], positions_[i], 0});
        continue;
      }
      NEARDUP_ASSIGN(const int64_t begin,
                     inputs_source_->StartOffset(partition, StartAt::kEarliest));
      NEARDUP_ASSIGN(const int64_t end, inputs_source_->StartOffset(partition, StartAt::kLatest));
      const int64_t decided = positions_[i] < 0 ? UndecidedCut(partition, end) : positions_[i];
      ApplyOffsets(partition, froms[i], tos[i]);
      AuditedRange range{partition, std::max(begin, froms[i]), 0, 0};
      const int64_t to = std::clamp(tos[i], range.begin, std::max(range.begin, end));
      range.end = std::clamp(decided, range.begin, to);
      if (IsConfigured(partition.topic)) range.pending_records = to - range.end;
      // Deleted records may be younger than those that are left.
      if (begin > 0 && range.begin == begin) earlier_time_known_ = false;
      deleted_max_ += static_cast<uint64_t>(begin);
      found_.ranges.push_back(range);
      found_.records_max += static_cast<uint64_t>(range.end - range.begin);
    }
    return {};
  }

  Result<void> TakeOffsetsAt(int64_t time_ms, std::vector<int64_t>& offsets) {
    std::vector<InputPartition> here;
    std::copy_if(partitions_.begin(), partitions_.end(), std::back_inserter(here),
                 [this](const InputPartition& partition) { return !gone_.contains(partition); });
    NEARDUP_ASSIGN(const std::vector<int64_t> found,
                   ListOffsetsAtTime(settings_.kafka, here, time_ms, log_));
    for (size_t i = 0, next = 0; i < partitions_.size(); ++i) {
      if (!gone_.contains(partitions_[i])) offsets[i] = found[next++];
    }
    return {};
  }

  void ApplyOffsets(const InputPartition& partition, int64_t& from, int64_t& to) const {
    if (!range_.by_offset()) return;
    if (!range_.names(partition)) to = 0;
    const auto given_from = range_.from_offsets.find(partition);
    if (given_from != range_.from_offsets.end()) from = given_from->second;
    const auto given_to = range_.to_offsets.find(partition);
    if (given_to != range_.to_offsets.end()) to = given_to->second;
  }

  /// Where the decided records end if neither the group nor the changelog says it.
  int64_t UndecidedCut(const InputPartition& partition, int64_t end) {
    if (!HaveOutputs()) {
      Warn(
          fmt::format("group {} has committed no offset for {}, and the outputs are empty: no "
                      "record of it is decided",
                      settings_.kafka.app, TextOf(partition)));
      return 0;
    }
    Warn(
        fmt::format("group {} has committed no offset for {}: every record of this partition must "
                    "be in an output",
                    settings_.kafka.app, TextOf(partition)));
    return end;
  }

  /// A record that is keyed by its group may be in any partition of the unique topic, so that
  /// nothing tells which records of a part are there.
  Result<void> CheckKeyedByGroup() const {
    if (!keyed_by_group()) return {};
    const char* const needed =
        "a record may be in the partition of its group's first record, so that verify needs all "
        "inputs and outputs";
    if (!range_.whole()) {
      return Fatal(ErrorCode::kConfig,
                   fmt::format("with output.unique_key: group {}; leave out --since, --from and "
                               "--to",
                               needed));
    }
    for (const OutputPart& part : outputs_) {
      if (part.kept_from == 0 || part.input >= configured_) continue;
      return Fatal(ErrorCode::kConfig,
                   fmt::format("with output.unique_key: group {}, and {} is deleted below offset "
                               "{}; give the topic a longer retention to have it verified",
                               needed, TextOf(part.range.partition), part.kept_from));
    }
    return {};
  }

  Result<void> ChooseOutputParts() {
    for (uint32_t input = 0; input < partitions_.size(); ++input) {
      for (const Route route : kRoutes) {
        const InputPartition place{OutputTopic(partitions_[input], route),
                                   partitions_[input].partition};
        const auto bounds = output_ends_.find(place);
        if (bounds == output_ends_.end()) {
          if (input >= configured_ && input < read_) {
            gone_outputs_.push_back({input, route});
            gone_output_topics_.insert(place.topic);
          }
          continue;  // the output is missing, or the input partition is new
        }
        const AuditedRange& range = found_.ranges[input];
        if (range_.by_offset() && range.begin == range.end) continue;
        const OffsetBounds& ends = bounds->second;
        const bool shared = std::any_of(outputs_.begin(), outputs_.end(), [&](const auto& part) {
          return part.range.partition == place;
        });
        if (shared && ends.begin > 0) gone_outputs_.push_back({input, route});
        if (shared) continue;  // an earlier input shares this output
        outputs_.push_back({input, route, {place, ends.begin, ends.end}, ends.begin});
      }
    }
    NEARDUP_TRY(CheckKeyedByGroup());
    if (!range_.whole()) {
      NEARDUP_TRY(SearchBegins());
      NEARDUP_TRY(SearchEnds());
    }
    for (const OutputPart& part : outputs_) {
      if (part.kept_from == 0) continue;
      Warn(
          fmt::format("output {} is deleted below offset {}: records whose output may have been "
                      "there are counted, and not checked",
                      TextOf(part.range.partition), part.kept_from));
    }
    return {};
  }

  std::vector<OutputSearch> SearchesFor(const std::vector<int64_t>& origin_offsets) const {
    std::vector<OutputSearch> searches;
    for (size_t i = 0; i < outputs_.size(); ++i) {
      const ReadRange& range = outputs_[i].range;
      searches.push_back({.output = range.partition,
                          .begin = range.begin,
                          .end = range.end,
                          .origin_offset = origin_offsets[i]});
    }
    return searches;
  }

  Result<void> SearchBegins() {
    std::vector<int64_t> origins;
    for (const OutputPart& part : outputs_) origins.push_back(found_.ranges[part.input].begin);
    std::vector<OutputSearch> searches = SearchesFor(origins);
    NEARDUP_TRY(SearchOutputs(*outputs_source_, searches));
    for (size_t i = 0; i < outputs_.size(); ++i) {
      OutputPart& part = outputs_[i];
      // Behind other outputs of this partition, deleted ones do not matter.
      if (searches[i].found > part.range.begin) part.kept_from = 0;
      part.range.begin = searches[i].found;
    }
    return {};
  }

  Result<void> SearchEnds() {
    std::vector<int64_t> origins;
    for (const OutputPart& part : outputs_) origins.push_back(found_.ranges[part.input].end);
    std::vector<OutputSearch> searches = SearchesFor(origins);
    NEARDUP_TRY(SearchOutputs(*outputs_source_, searches));
    for (size_t i = 0; i < outputs_.size(); ++i) {
      ReadRange& range = outputs_[i].range;
      range.end = std::min(range.end, searches[i].found + kOutputSearchSlack);
      seq_behind_ = std::min(seq_behind_, searches[i].seq_behind);
    }
    return {};
  }

  Result<void> CheckMemory() {
    uint64_t outputs_max = 0;
    for (const OutputPart& part : outputs_) {
      outputs_max += static_cast<uint64_t>(part.range.end - part.range.begin);
    }
    const uint64_t deleted_max = range_.whole() ? std::min(deleted_max_, outputs_max) : 0;
    records_bytes_max_ =
        found_.records_max * (kAuditBytesPerRecord +
                              (settings_.kafka.groups_topic.empty() ? 0 : kAuditBytesPerCounted)) +
        deleted_max * kAuditBytesPerDeleted;
    const uint64_t base =
        kBaseBytes +
        PrefetchBytesMax(kPrefetchBytesMax, std::max(partitions_.size(), outputs_.size()));
    found_.memory_bytes_max = base + records_bytes_max_;
    const std::string needed =
        fmt::format("up to {} records, up to {} of memory", Grouped(found_.records_max),
                    MemoryText(found_.memory_bytes_max));
    if (found_.memory_bytes_max > options_.memory_max) {
      return Error{ErrorCode::kConfig,
                   fmt::format("this needs {}, and --memory-max is {}; raise --memory-max, or "
                               "verify a part of the inputs with --since, --from or --to",
                               needed, MemoryText(options_.memory_max))};
    }
    records_bytes_max_ = options_.memory_max - base;
    progress_.Say(fmt::format("verifying {}", needed));
    return {};
  }

  Result<void> StartAudit() {
    for (AuditedRange& range : found_.ranges) {  // retention may have deleted some meanwhile
      if (gone_.contains(range.partition)) continue;
      NEARDUP_ASSIGN(const int64_t begin,
                     inputs_source_->StartOffset(range.partition, StartAt::kEarliest));
      range.begin = std::max(range.begin, begin);
      range.end = std::max(range.end, range.begin);
    }
    AuditOptions audit{.filter = settings_.lane.filter,
                       .started_late = started_late(),
                       .settings_seq = newest_ ? newest_->settings_seq : 1,
                       .beginning = newest_ ? newest_->beginning : Beginning(),
                       .now_ms = SystemClock().WallMs(),
                       .may_release = settings_.lane.routing.release_exact_one_of > 0 ||
                                      settings_.lane.routing.release_near_one_of > 0,
                       .may_observe = settings_.lane.routing.mode == RoutingMode::kObserve ||
                                      settings_.routing_mode_before == ModeBefore::kObserve,
                       .dropped = newest_ ? newest_->dropped : 0};
    audit.part = !range_.whole() || outputs_deleted();
    if (audit.part && newest_) {
      audit.horizon_ms = std::max(newest_->horizon_ms,
                                  HorizonAt(newest_->watermark_ms, settings_.lane.filter.window));
    }
    if (audit.part && earlier_time_known_) audit.earlier_time_max_ms = *range_.from_ms;
    audit.keyed_outputs_gone = keyed_by_group() && EarlierUniquesAreGone();
    counts_groups_ = !settings_.kafka.groups_topic.empty() && !audit.part && audit.dropped == 0 &&
                     audit.beginning.with != BeganWith::kLanes;
    audit.counts_groups = counts_groups_;
    audit_.emplace(audit);
    for (const AuditedRange& range : found_.ranges) {
      audit_->AddPartition({range.partition, range.begin, range.end, !range_.whole(),
                            OutputTopic(range.partition, Route::kUnique),
                            OutputTopic(range.partition, Route::kDuplicate),
                            OutputTopic(range.partition, Route::kDeadLetter),
                            keyed_by_group() && !WritesUniquesOf(settings_.lane.pipeline.topics,
                                                                 range.partition.topic)});
    }
    for (const auto& [input, route] : gone_outputs_) audit_->AddDeletedOutputs(input, route);
    for (const OutputPart& part : outputs_) {
      if (part.kept_from > 0) audit_->AddDeletedOutputs(part.input, part.route);
    }
    if (!range_.whole()) audit_->LeftOutAfter(seq_behind_);
    return {};
  }

  /// Whether unique topics of inputs that the lane no longer reads have lost records.
  bool EarlierUniquesAreGone() const {
    return std::any_of(gone_outputs_.begin(), gone_outputs_.end(),
                       [](const auto& gone) { return gone.second == Route::kUnique; }) ||
           std::any_of(outputs_.begin(), outputs_.end(), [this](const OutputPart& part) {
             return part.input >= configured_ && part.route == Route::kUnique && part.kept_from > 0;
           });
  }

  /// Reads the ranges of one source, and counts what is read.
  Result<void> ReadStep(const char* step, Source& source, const std::vector<ReadRange>& ranges,
                        const std::function<void(const Message&)>& visit) {
    uint64_t total = 0;
    for (const ReadRange& range : ranges) {
      total += static_cast<uint64_t>(std::max<int64_t>(0, range.end - range.begin));
    }
    progress_.Begin(step, total, "records");
    uint64_t unchecked = 0;
    const Result<void> read =
        ReadRanges(source, ranges, [&](const Message& message) -> Result<void> {
          progress_.Add(1);
          visit(message);
          if (++unchecked < kRecordsPerCheck) return {};
          unchecked = 0;
          return CheckBound();
        });
    progress_.End();
    return read;
  }

  Result<void> CheckBound() const {
    if (audit_->bytes() <= records_bytes_max_) return {};
    return Error{ErrorCode::kExhausted,
                 fmt::format("the records need more than --memory-max ({}); raise it, or verify a "
                             "part of the inputs with --since, --from or --to",
                             MemoryText(options_.memory_max))};
  }

  Result<void> ReadInputs() {
    std::vector<ReadRange> ranges;
    for (const AuditedRange& range : found_.ranges) {
      ranges.push_back({range.partition, range.begin, range.end});
    }
    NEARDUP_TRY(ReadStep("reading inputs", *inputs_source_, ranges,
                         [&](const Message& message) { audit_->AddInput(message); }));
    return inputs_source_->Assign({});
  }

  /// The unique topics first: then no duplicate has to wait for its original.
  Result<void> ReadOutputs() {
    NEARDUP_TRY(ReadOutputsOf("reading uniques", {Route::kUnique}));
    audit_->UniquesDone();
    return ReadOutputsOf("reading duplicates and dead letters",
                         {Route::kDuplicate, Route::kDeadLetter});
  }

  Result<void> ReadOutputsOf(const char* step, std::initializer_list<Route> routes) {
    std::vector<ReadRange> ranges;
    std::vector<const OutputPart*> parts;
    for (OutputPart& part : outputs_) {
      if (std::find(routes.begin(), routes.end(), part.route) == routes.end()) continue;
      NEARDUP_ASSIGN(const int64_t begin,
                     outputs_source_->StartOffset(part.range.partition, StartAt::kEarliest));
      // Retention goes on while the audit runs. Where it has deleted outputs before, more make no
      // difference to the checks.
      if (part.kept_from > 0) part.range.begin = std::max(part.range.begin, begin);
      ranges.push_back(part.range);
      parts.push_back(&part);
    }
    return ReadStep(step, *outputs_source_, ranges, [&](const Message& message) {
      const OutputPart& part = *parts[message.position.input];
      // Reading may go on after the end. What is there belongs to later transactions.
      if (message.position.offset >= part.range.end) return;
      audit_->AddOutput(part.range.partition, message);
    });
  }

  Result<void> ReadGroups() {
    if (!counts_groups_) return {};
    KafkaOptions kafka = settings_.kafka;
    kafka.prefetch_bytes_max = kPrefetchBytesMax;
    kafka.topics = {kafka.groups_topic};
    kafka.lanes = 1;
    NEARDUP_ASSIGN(const std::unique_ptr<Source> source, NewKafkaSource(kafka, log_));
    NEARDUP_ASSIGN(const std::vector<InputPartition> partitions, source->Partitions());
    std::vector<ReadRange> ranges;
    for (const InputPartition& partition : partitions) {
      NEARDUP_ASSIGN(const int64_t begin, source->StartOffset(partition, StartAt::kEarliest));
      NEARDUP_ASSIGN(const int64_t end, source->StartOffset(partition, StartAt::kLatest));
      ranges.push_back({partition, begin, end});
    }
    return ReadStep("reading groups", *source, ranges, [&](const Message& message) {
      const InputPartition& place = ranges[message.position.input].partition;
      audit_->AddGroup(message, TextOf(place, message.position.offset));
    });
  }

  void NoteLimits() {
    for (const std::string& note : found_.report.notes) Warn(note);
    if (outputs_deleted()) found_.partial = true;
    NoteGone();
    if (!settings_.kafka.groups_topic.empty() && !counts_groups_) {
      Warn(
          "the groups topic was not compared with the outputs: the outputs that were read lack "
          "copies, or another number of lanes has counted some copies");
    }
    if (!range_.whole()) {
      found_.partial = true;
      Warn(
          "only a part of the inputs was checked: header, coverage, payload, route, order and dead "
          "letters of its records; seq for repeated numbers, not for gaps; soundness where the "
          "original is in the part; completeness for two uniques that are both in the part; a "
          "record that is in the outputs twice only if both are near each other there");
    }
    if (found_.report.originals_left_out > 0) {
      Warn(
          fmt::format("{} duplicates name an original outside of the checked records: their "
                      "verdicts are not checked; an earlier begin checks more of them",
                      Grouped(found_.report.originals_left_out)));
    }
    const std::string spec = FingerprintSpec(settings_.lane.filter);
    if (!newest_) return;
    if (newest_->spec != spec) {
      Warn(
          fmt::format("the service decides with other settings than these, so verdicts may show as "
                      "violations: {}",
                      SpecDifference(spec, newest_->spec)));
    }
    const Beginning& beginning = newest_->beginning;
    if (beginning.with == BeganWith::kLanes) {
      Warn(
          fmt::format("records up to seq {} were decided by another number of lanes: their "
                      "coverage, payload, route and order were checked, and their verdicts and "
                      "numbers were not; nor were they compared with later records",
                      beginning.seq - 1));
    }
    if (found_.report.originals_of_history > 0) {
      Warn(
          fmt::format("{} duplicates name an original of the imported history: it was checked "
                      "that the lane has not decided this original itself",
                      Grouped(found_.report.originals_of_history)));
    }
    if (newest_->settings_seq > beginning.seq) {
      Warn(
          fmt::format("records up to seq {} were decided under other settings, before the "
                      "lane learned again or `neardup "
                      "reindex`: their coverage, payload, route and order were checked, and their "
                      "verdicts were not",
                      newest_->settings_seq - 1));
    }
  }

  void NoteGone() {
    for (const std::string& topic : gone_topics_) {
      found_.partial = true;
      Warn(
          fmt::format("input topic {} does not exist, or lacks partitions that the lane has read: "
                      "the outputs of the missing partitions were not compared with input records",
                      topic));
    }
    for (const std::string& topic : gone_output_topics_) {
      Warn(fmt::format(
          "output topic {} does not exist: records that it held were not checked{}", topic,
          keyed_by_group() ? "; with output.unique_key: group they may be of any input" : ""));
    }
  }

  const Settings& settings_;
  const TopicAuditOptions& options_;
  const InputRange& range_;
  Progress& progress_;
  const KafkaLog& log_;
  std::unique_ptr<Source> inputs_source_;
  std::unique_ptr<Source> outputs_source_;
  /// The index is the audit's partition number. First come the configured partitions that exist,
  /// then other partitions that the lane has read, then new partitions.
  std::vector<InputPartition> partitions_;
  size_t configured_ = 0;              ///< number of configured partitions
  size_t read_ = 0;                    ///< number of configured and other read partitions
  std::set<InputPartition> gone_;      ///< partitions that were read and do not exist
  std::set<std::string> gone_topics_;  ///< inputs that do not exist
  std::vector<int64_t> positions_;     ///< of the cut; -1: unknown
  std::optional<Delta> newest_;
  std::map<InputPartition, OffsetBounds> output_ends_;
  std::vector<OutputPart> outputs_;
  /// Outputs of earlier inputs that are gone or trimmed, and stand in no OutputPart of their own.
  std::vector<std::pair<uint32_t, Route>> gone_outputs_;
  std::set<std::string> gone_output_topics_;  ///< those that do not exist
  bool counts_groups_ = false;
  uint64_t seq_behind_ = UINT64_MAX;  ///< of the outputs after the outputs that are read
  uint64_t deleted_max_ = 0;          ///< input records that may be deleted
  /// Every record before the range has a timestamp, which is its event time, before range_.from_ms.
  bool earlier_time_known_ = true;
  uint64_t records_bytes_max_ = 0;
  std::optional<Audit> audit_;
  TopicAudit found_;
};

}  // namespace

Result<TopicAudit> AuditTopics(const Settings& settings, const TopicAuditOptions& options,
                               Progress& progress, const KafkaLog& log) {
  return TopicReader(settings, options, progress, log).Run();
}

}  // namespace neardup
