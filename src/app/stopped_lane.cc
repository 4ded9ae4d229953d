#include "app/stopped_lane.h"

#include <fmt/format.h>

#include <chrono>
#include <utility>

#include "kafka/consumer_group.h"
#include "kafka/kafka_ports.h"
#include "kafka/topics.h"

namespace neardup {
namespace {

constexpr int kPollTimeoutMs = 200;
constexpr std::chrono::milliseconds kReadStall(60'000);

}  // namespace

Result<std::optional<ChangelogSummary>> ReadChangelog(const Settings& settings,
                                                      const KafkaLog& log) {
  using SteadyClock = std::chrono::steady_clock;
  KafkaOptions of_changelog = settings.kafka;
  of_changelog.topics = {ChangelogTopic(settings.kafka)};
  const auto partitions = ListPartitions(of_changelog, log);
  if (!partitions.ok() && partitions.error().code == ErrorCode::kNotFound) return {std::nullopt};
  if (!partitions.ok()) return partitions.error();

  NEARDUP_ASSIGN(const std::unique_ptr<Changelog> changelog,
                 NewKafkaChangelog(settings.kafka, settings.lane.lane, log));
  NEARDUP_TRY(changelog->Open(0));
  NEARDUP_ASSIGN(const int64_t end, changelog->End());
  ChangelogSummary found;
  auto moved_at = SteadyClock::now();
  while (changelog->next_offset() < end) {
    const int64_t before = changelog->next_offset();
    NEARDUP_TRY(changelog->Poll(kPollTimeoutMs, [&](const ChangelogRecord& record) -> Result<void> {
      Result<Delta> delta = DecodeDelta(record.bytes);
      if (!delta.ok()) {
        Error error = delta.error();
        error.text = fmt::format("changelog offset {}: {}", record.offset, error.text);
        return error;
      }
      if (delta->fresh) found.entries = 0;
      found.entries += delta->entries.size();
      ++found.deltas;
      found.last = std::move(*delta);
      found.last.entries.clear();
      return {};
    }));
    if (changelog->next_offset() > before) moved_at = SteadyClock::now();
    if (SteadyClock::now() - moved_at > kReadStall) {
      return Retriable(
          ErrorCode::kUnavailable,
          fmt::format(
              "reading topic {}: no record arrived for {} ms; expected to read up to offset "
              "{}, stopped at offset {}; check that its partition has a leader, and that no "
              "transaction is open",
              ChangelogTopic(settings.kafka), kReadStall.count(), end, changelog->next_offset()));
    }
  }
  if (found.deltas == 0) return {std::nullopt};
  if (found.last.entries_live != kEntriesUnknown) found.entries = found.last.entries_live;
  return {std::move(found)};
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
  std::unique_ptr<Transaction> transaction =
      NewKafkaTransaction(settings.kafka, settings.lane.lane, {}, log);
  NEARDUP_TRY(transaction->Fence());
  return std::unique_ptr<StoppedLane>(new StoppedLane(std::move(transaction)));
}

Result<void> StoppedLane::Commit(std::span<const Delta> deltas) {
  NEARDUP_TRY(transaction_->Begin());
  for (const Delta& delta : deltas) NEARDUP_TRY(transaction_->PublishDelta(Encode(delta)));
  return transaction_->Commit(deltas.back().inputs);
}

}  // namespace neardup
