#include "service/topics/stopped_lane.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "kafka/consumer_group.h"
#include "kafka/kafka_ports.h"
#include "kafka/topics.h"
#include "service/topics/topic_reading.h"
#include "stream/state/fresh_deltas.h"

namespace neardup {
namespace {

/// A transaction writes one delta and one marker, or a few more deltas.
constexpr int64_t kOffsetsAtEnd = 64;
/// How often the end is read again because it was purged meanwhile.
constexpr int kLanePurgesMax = 10;

/// The changelog; nullptr if it does not exist.
Result<std::unique_ptr<Changelog>> FindChangelog(const Settings& settings, const KafkaLog& log) {
  KafkaOptions of_changelog = settings.kafka;
  of_changelog.topics = {ChangelogTopic(settings.kafka)};
  const auto partitions = ListPartitions(of_changelog, log);
  if (!partitions.ok() && partitions.error().code == ErrorCode::kNotFound) {
    return std::unique_ptr<Changelog>();
  }
  if (!partitions.ok()) return partitions.error();
  return NewKafkaChangelog(settings.kafka, settings.lane.lane, log);
}

}  // namespace

Result<std::optional<Delta>> ReadNewestDelta(const Settings& settings, const KafkaLog& log) {
  NEARDUP_ASSIGN(const std::unique_ptr<Changelog> changelog, FindChangelog(settings, log));
  if (!changelog) return {std::nullopt};
  std::optional<Delta> newest;
  int purges = 0;
  for (int64_t back = kOffsetsAtEnd;;) {
    NEARDUP_ASSIGN(const int64_t end, changelog->CommittedEnd());
    const int64_t begin = std::max<int64_t>(0, end - back);
    const Result<void> read = ReadDeltas(*changelog, begin, end, [&](Delta delta) {
      newest = std::move(delta);
      newest->entries.clear();
      return true;
    });
    if (!read.ok()) {
      // A running lane purges, but never its newest delta.
      if (read.error().code != ErrorCode::kNotFound || ++purges > kLanePurgesMax)
        return read.error();
      continue;
    }
    if (newest || begin == 0) return newest;
    back *= 8;  // aborted transactions left only gaps
  }
}

Result<std::optional<ChangelogSummary>> ReadChangelog(const Settings& settings,
                                                      const KafkaLog& log) {
  NEARDUP_ASSIGN(const std::unique_ptr<Changelog> changelog, FindChangelog(settings, log));
  if (!changelog) return {std::nullopt};
  NEARDUP_ASSIGN(const int64_t end, changelog->End());
  ChangelogSummary found;
  NEARDUP_TRY(ReadOldestDeltas(*changelog, end, [&](Delta delta) {
    if (delta.fresh) {
      found.entries = 0;
      found.groups.clear();
    }
    const auto input = [&delta](const Position& at) { return delta.inputs[at.input].partition; };
    for (const ChangedGroup& group : delta.groups) {
      found.groups[{input(group.original), group.original.offset}] = {
          group, {input(group.original), input(group.last), input(group.newest)}};
    }
    found.entries += delta.entries.size();
    ++found.deltas;
    found.last = std::move(delta);
    found.last.entries.clear();
    return true;
  }));
  if (found.deltas == 0) return {std::nullopt};
  if (found.last.entries_live != kEntriesUnknown) found.entries = found.last.entries_live;
  return {std::move(found)};
}

Result<void> ReadOldestDeltas(const Settings& settings, const KafkaLog& log,
                              const std::function<bool(const Delta&)>& visit) {
  NEARDUP_ASSIGN(const std::unique_ptr<Changelog> changelog, FindChangelog(settings, log));
  if (!changelog) return {};
  NEARDUP_ASSIGN(const int64_t end, changelog->CommittedEnd());
  return ReadOldestDeltas(*changelog, end, [&visit](const Delta& delta) { return visit(delta); });
}

Result<void> CheckNoInstance(const Settings& settings, const KafkaLog& log) {
  const std::string group = LeaseTopic(settings.kafka);
  NEARDUP_ASSIGN(const int members, GroupMembers(settings.kafka, group, log));
  if (members == 0) return {};
  return Retriable(
      ErrorCode::kUnavailable,
      fmt::format("{} instance(s) of app {} are running (members of group {}); stop them first. An "
                  "instance that was killed counts until lease.session_timeout_ms has passed",
                  members, settings.kafka.app, group));
}

Result<std::unique_ptr<StoppedLane>> StoppedLane::Take(const Settings& settings,
                                                       const KafkaLog& log) {
  NEARDUP_TRY(CheckNoInstance(settings, log));
  return TakeOwn(settings, log);
}

Result<std::unique_ptr<StoppedLane>> StoppedLane::TakeOwn(const Settings& settings,
                                                          const KafkaLog& log) {
  std::unique_ptr<Transaction> transaction =
      NewKafkaTransaction(settings.kafka, settings.lane.lane, {}, log);
  NEARDUP_TRY(transaction->Fence());
  return std::make_unique<StoppedLane>(std::move(transaction), settings.lane.transaction_bytes_max);
}

Result<void> StoppedLane::Commit(std::vector<Delta> deltas) {
  size_t bytes_of_all = 0;
  for (const Delta& delta : deltas) bytes_of_all += Encode(delta).size();
  if (bytes_of_all > bytes_max_) {
    for (Delta& delta : deltas) delta.entries_live = deltas.back().entries_live;
  }
  for (const Delta& delta : deltas) NEARDUP_TRY(Add(delta));
  return Finish(deltas.back().inputs);
}

Result<void> StoppedLane::Add(const Delta& delta) {
  if (open_bytes_ >= bytes_max_) NEARDUP_TRY(Finish({}));
  if (open_bytes_ == 0) {
    // If another instance has written meanwhile, a reader notices: the deltas do not follow.
    if (transaction_->must_fence()) NEARDUP_TRY(transaction_->Fence());
    NEARDUP_TRY(transaction_->Begin());
  }
  const std::string encoded = Encode(delta);
  open_bytes_ += encoded.size();
  return transaction_->PublishDelta(encoded);
}

Result<void> StoppedLane::Finish(std::span<const InputProgress> inputs) {
  if (std::exchange(open_bytes_, 0) == 0) return {};
  return transaction_->Commit(inputs);
}

Result<void> EndBeginnings(std::span<const std::unique_ptr<StoppedLane>> lanes,
                           const std::function<const Delta&(size_t lane)>& newest) {
  for (size_t lane = 0; lane < lanes.size(); ++lane) {
    const Delta& begun = newest(lane);
    if (!begun.beginning.unfinished) continue;
    const Delta end = EndOfBeginning(begun);
    NEARDUP_TRY(lanes[lane]->Add(end));
    NEARDUP_TRY(lanes[lane]->Finish(end.inputs));
  }
  // A lane that starts before the last deltas are visible would report an interruption.
  for (const auto& lane : lanes) NEARDUP_TRY(lane->AwaitVisible());
  return {};
}

}  // namespace neardup
