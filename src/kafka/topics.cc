#include "kafka/topics.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <set>
#include <thread>
#include <utility>

#include "kafka/client.h"
#include "kafka/errors.h"

namespace neardup {
namespace {

constexpr std::chrono::milliseconds kAskAgainAfter(50);
// Some brokers do not show a new topic at once. One that is still unknown after this time, or after
// a share of a shorter time-out, does not exist.
constexpr int kUnknownMs = 2000;
constexpr const char* kInSync = "min.insync.replicas";
constexpr int64_t kInSyncMin = 2;
// With this number of replicas or more, kInSyncMin are left when one broker is down.
constexpr int32_t kReplicasToSpare = 3;
constexpr const char* kTimeAhead = "message.timestamp.after.max.ms";
constexpr const char* kTimeBefore = "message.timestamp.before.max.ms";
constexpr const char* kNoTimeLimit = "9223372036854775807";

/// Creates, grows and checks topics, and reports what it did.
class TopicKeeper {
 public:
  TopicKeeper(const KafkaOptions& options, TopicAdmin admin, LaneAge age)
      : options_(options), admin_(std::move(admin)), age_(age) {}

  void WarnOfLimits(const std::string& topic, const Properties& found, const std::string& input,
                    const Properties& wanted);
  Result<void> EnsureOutputs(const std::string& input, int32_t partitions);
  /// How many partitions of an input all its outputs have, or can get.
  Result<int32_t> PartitionsOfOutputs(const std::string& input, int32_t partitions);
  Result<void> EnsureChangelog();
  Result<void> EnsureGroups(int32_t partitions) {
    if (options_.groups_topic.empty()) return {};
    // More partitions would move the keys, and each partition is compacted by itself.
    const std::string& topic = options_.groups_topic;
    NEARDUP_ASSIGN(const std::optional<int32_t> existing, admin_.Partitions(topic));
    NEARDUP_TRY(EnsureSize(topic, existing.value_or(partitions), GroupsSettings()));
    NoteLimit(topic, ReadSettings(topic));
    return {};
  }
  Result<void> EnsureLease() { return EnsureSize(LeaseTopic(options_), 1, {}); }
  TopicReport TakeReport() { return std::move(report_); }

 private:
  Result<void> EnsureSize(const std::string& topic, int32_t partitions, Properties settings);
  Result<void> Create(const std::string& topic, int32_t partitions, Properties settings);
  std::optional<Properties> ReadSettings(const std::string& topic);
  void NoteLimit(const std::string& topic, const std::optional<Properties>& settings) {
    const auto largest = settings ? NumberOf(*settings, "max.message.bytes") : std::nullopt;
    if (largest) report_.max_message_bytes[topic] = *largest;
  }

  const KafkaOptions& options_;
  TopicAdmin admin_;
  LaneAge age_;
  TopicReport report_;
  bool settings_unanswered_ = false;
};

std::optional<Properties> TopicKeeper::ReadSettings(const std::string& topic) {
  // A cluster that does not answer this question for one topic answers it for none. Each unanswered
  // question costs a time-out, so ask no more.
  if (settings_unanswered_) return std::nullopt;
  Result<Properties> settings = admin_.Settings(topic);
  if (settings.ok()) return std::move(settings).value();
  settings_unanswered_ = settings.error().code == ErrorCode::kUnavailable;
  report_.warnings.push_back(
      fmt::format("{}; the topic's settings are not checked", settings.error().text));
  return std::nullopt;
}

Result<void> TopicKeeper::Create(const std::string& topic, int32_t partitions,
                                 Properties settings) {
  Result<bool> created = admin_.Create(topic, partitions, settings);
  if (!created.ok() && created.error().code == ErrorCode::kConfig &&
      settings.erase(kTimeAhead) + settings.erase(kTimeBefore) > 0) {
    // Brokers before 3.6 do not have these settings and take any timestamp.
    created = admin_.Create(topic, partitions, settings);
  }
  if (!created.ok()) return created.error();
  if (*created) report_.created.push_back(topic);
  return admin_.AwaitPartitions(topic, partitions);
}

Result<void> TopicKeeper::EnsureSize(const std::string& topic, int32_t partitions,
                                     Properties settings) {
  NEARDUP_ASSIGN(std::optional<int32_t> existing, admin_.Partitions(topic));
  const Deadline deadline(options_.create_topics
                              ? 0
                              : std::min(options_.answer_timeout_ms / kUnknownShare, kUnknownMs));
  while (existing.value_or(0) < partitions && !deadline.passed()) {
    std::this_thread::sleep_for(kAskAgainAfter);
    NEARDUP_ASSIGN(existing, admin_.Partitions(topic));
  }
  if (existing && *existing >= partitions) return {};
  if (!options_.create_topics) {
    if (existing) {
      return Fatal(ErrorCode::kConfig,
                   fmt::format("topic {0} has {1} partition(s) and needs {2}; add them with "
                               "kafka-topics.sh --alter --topic {0} --partitions {2}",
                               topic, *existing, partitions));
    }
    return Fatal(ErrorCode::kNotFound,
                 fmt::format("topic {} does not exist; create it with {} partition(s), or set "
                             "output.create_topics to true",
                             topic, partitions));
  }
  if (!existing) return Create(topic, partitions, std::move(settings));
  if (const Result<void> grown = admin_.Grow(topic, partitions); !grown.ok()) {
    NEARDUP_ASSIGN(const std::optional<int32_t> now, admin_.Partitions(topic));
    // Another instance may have been faster.
    return now && *now >= partitions ? Result<void>() : grown.error();
  }
  report_.grown.push_back(topic);
  return admin_.AwaitPartitions(topic, partitions);
}

/// Records keep their timestamps, so that an output must take, and keep, what its input holds.
void TopicKeeper::WarnOfLimits(const std::string& topic, const Properties& found,
                               const std::string& input, const Properties& wanted) {
  for (const char* setting : {kTimeAhead, kTimeBefore}) {
    const auto limit = NumberOf(found, setting);
    if (!limit || fmt::to_string(*limit) == kNoTimeLimit) continue;
    report_.warnings.push_back(fmt::format(
        "topic {} has {} {}, so that it refuses records with other timestamps, and outputs have "
        "the timestamps of their inputs; change it: {}",
        topic, setting, *limit, SetCommand(topic, setting, kNoTimeLimit)));
  }
  for (const char* setting : {"retention.ms", "retention.bytes"}) {
    const auto kept = NumberOf(found, setting);
    const auto needed = NumberOf(wanted, setting);
    if (!kept || !needed || *kept < 0 || (*needed >= 0 && *kept >= *needed)) continue;
    report_.warnings.push_back(fmt::format(
        "topic {} has {} {}, and its input {} has {}, so that records may be deleted from it "
        "before anybody reads them; change it: {}",
        topic, setting, *kept, input, *needed,
        SetCommand(topic, setting, fmt::to_string(*needed))));
  }
}

Result<int32_t> TopicKeeper::PartitionsOfOutputs(const std::string& input, int32_t partitions) {
  if (options_.create_topics || age_ == LaneAge::kFirstStart) return partitions;
  int32_t least = partitions;
  for (const std::string& topic : OutputsOf(options_, input)) {
    NEARDUP_ASSIGN(const std::optional<int32_t> existing, admin_.Partitions(topic));
    if (!existing || *existing >= partitions) continue;
    least = std::min(least, *existing);
    report_.warnings.push_back(
        fmt::format("topic {0} has {1} partition(s), and its input {2} has {3}: the records of the "
                    "further input partitions wait; add partitions with kafka-topics.sh --alter "
                    "--topic {0} --partitions "
                    "{3}, or set output.create_topics to true",
                    topic, *existing, input, partitions));
  }
  for (int32_t partition = least; partition < partitions; ++partition) {
    report_.without_outputs.push_back({input, partition});
  }
  return least;
}

Result<void> TopicKeeper::EnsureOutputs(const std::string& input, int32_t partitions) {
  NEARDUP_ASSIGN(partitions, PartitionsOfOutputs(input, partitions));
  Properties settings = OutputSettings();
  if (const std::optional<Properties> of_input = ReadSettings(input)) {
    if (const auto largest = NumberOf(*of_input, "max.message.bytes")) {
      const int64_t room = std::min<int64_t>(*largest, INT32_MAX - kHeaderRoomBytes);
      settings["max.message.bytes"] = std::to_string(room + kHeaderRoomBytes);
    }
    // Records keep their timestamps. An output with a shorter retention than its input would delete
    // old records at once when an old topic is read.
    for (const char* kept : {"retention.ms", "retention.bytes"}) {
      if (const auto found = of_input->find(kept); found != of_input->end()) {
        settings[kept] = found->second;
      }
    }
  }
  for (const std::string& topic : OutputsOf(options_, input)) {
    NEARDUP_TRY(EnsureSize(topic, partitions, settings));
    const std::optional<Properties> found = ReadSettings(topic);
    NoteLimit(topic, found);
    if (found) WarnOfLimits(topic, *found, input, settings);
  }
  return {};
}

Result<void> TopicKeeper::EnsureChangelog() {
  const std::string topic = ChangelogTopic(options_);
  NEARDUP_TRY(EnsureSize(topic, options_.lanes, ChangelogSettings(options_.replication_factor)));
  const std::optional<Properties> settings = ReadSettings(topic);
  if (!settings) return {};
  NEARDUP_ASSIGN(const std::optional<TopicShape> shape, admin_.Shape(topic));
  NEARDUP_ASSIGN(const std::vector<std::string> warnings,
                 CheckChangelogSettings(topic, *settings, shape ? shape->replicas : 0));
  report_.warnings.insert(report_.warnings.end(), warnings.begin(), warnings.end());
  return {};
}

/// Records with the same key are in the same lane only if all input topics have as many partitions.
Result<void> CheckLanes(Client& client, const KafkaOptions& options) {
  if (options.lanes == 1) return {};
  std::optional<std::pair<std::string, int32_t>> first;
  for (const std::string& topic : options.topics) {
    NEARDUP_ASSIGN(const std::optional<int32_t> count,
                   PartitionCount(client, topic, options.answer_timeout_ms));
    if (!count) continue;
    if (*count < options.lanes) {
      return Fatal(ErrorCode::kConfig,
                   fmt::format("topic {} has {} partition(s), and lanes.count is {}, so that lane "
                               "{} would read nothing; expected at most {} lane(s)",
                               topic, *count, options.lanes, *count, *count));
    }
    if (!first) first.emplace(topic, *count);
    if (first->second != *count) {
      return Fatal(
          ErrorCode::kConfig,
          fmt::format("topic {} has {} partitions, and topic {} has {}; with lanes.count {} all "
                      "input topics need as many, so that records with one key are in one lane",
                      first->first, first->second, topic, *count, options.lanes));
    }
  }
  return {};
}

}  // namespace

Properties OutputSettings() { return {{kTimeAhead, kNoTimeLimit}, {kTimeBefore, kNoTimeLimit}}; }

Properties GroupsSettings() { return {{"cleanup.policy", "compact"}}; }

Properties ChangelogSettings(int32_t replication_factor) {
  Properties settings = {{"cleanup.policy", "delete"},
                         {"retention.ms", "-1"},
                         {"retention.bytes", "-1"},
                         // With the time of the records, old ones would be deleted at once.
                         {"message.timestamp.type", "LogAppendTime"}};
  // A committed delta is then on two brokers. With two replicas, one broker that is down would stop
  // the service.
  if (replication_factor >= kReplicasToSpare) settings[kInSync] = std::to_string(kInSyncMin);
  return settings;
}

Result<std::vector<std::string>> CheckChangelogSettings(const std::string& topic,
                                                        const Properties& settings,
                                                        int32_t replicas) {
  const std::pair<const char*, const char*> vital[] = {
      {"cleanup.policy", "delete"}, {"retention.ms", "-1"}, {"retention.bytes", "-1"}};
  for (const auto& [name, wanted] : vital) {
    const auto found = settings.find(name);
    if (found == settings.end() || found->second == wanted) continue;
    return Fatal(ErrorCode::kConfig,
                 fmt::format("topic {} has {}={}, which loses state; it must be {}: {}", topic,
                             name, found->second, wanted, SetCommand(topic, name, wanted)));
  }
  std::vector<std::string> warnings;
  const int64_t in_sync = NumberOf(settings, kInSync).value_or(kInSyncMin);
  if (replicas >= kReplicasToSpare && in_sync < kInSyncMin) {
    warnings.push_back(fmt::format(
        "topic {} has {} replicas and {}={}: losing one broker can lose its newest records; "
        "set it to {}: {}",
        topic, replicas, kInSync, in_sync, kInSyncMin,
        SetCommand(topic, kInSync, fmt::to_string(kInSyncMin))));
  }
  const auto stamp = settings.find("message.timestamp.type");
  if (stamp != settings.end() && stamp->second != "LogAppendTime") {
    warnings.push_back(
        fmt::format("topic {} has message.timestamp.type={}; LogAppendTime is recommended", topic,
                    stamp->second));
  }
  return warnings;
}

Result<FoundInputs> ListInputs(const KafkaOptions& options, const KafkaLog& log) {
  NEARDUP_ASSIGN(const std::shared_ptr<Client> client,
                 Client::New(options, ClientRole::kWatermark, log));
  const Deadline deadline(std::min(options.answer_timeout_ms / kUnknownShare, kUnknownMs));
  while (true) {
    NEARDUP_ASSIGN(FoundInputs found, FindInputs(*client, options));
    if (found.missing_topics.empty() || deadline.passed()) return found;
    std::this_thread::sleep_for(kAskAgainAfter);
  }
}

Result<std::vector<InputPartition>> ListPartitions(const KafkaOptions& options,
                                                   const KafkaLog& log) {
  NEARDUP_ASSIGN(FoundInputs found, ListInputs(options, log));
  if (found.missing_topics.empty()) return std::move(found.partitions);
  return Error{ErrorCode::kNotFound,
               fmt::format("topic {} does not exist on {}; create it, or correct its name in the "
                           "configuration",
                           found.missing_topics.front(), options.brokers)};
}

Result<bool> HasChangelog(const KafkaOptions& options, int32_t lane, const KafkaLog& log) {
  NEARDUP_ASSIGN(const std::shared_ptr<Client> client,
                 Client::New(options, ClientRole::kWatermark, log));
  const std::string topic = ChangelogTopic(options);
  NEARDUP_ASSIGN(const std::optional<int32_t> count,
                 PartitionCount(*client, topic, options.answer_timeout_ms));
  if (count.value_or(0) <= lane) return false;
  NEARDUP_ASSIGN(const OffsetBounds bounds,
                 AskOffsetBounds(*client, {topic, lane}, options.answer_timeout_ms));
  return bounds.end > 0;
}

Result<std::vector<OffsetBounds>> ListOffsetBounds(const KafkaOptions& options,
                                                   std::span<const InputPartition> partitions,
                                                   const KafkaLog& log) {
  NEARDUP_ASSIGN(const std::shared_ptr<Client> client,
                 Client::New(options, ClientRole::kWatermark, log));
  std::vector<OffsetBounds> rows;
  for (const InputPartition& partition : partitions) {
    NEARDUP_ASSIGN(const OffsetBounds bounds,
                   AskOffsetBounds(*client, partition, options.answer_timeout_ms));
    rows.push_back(bounds);
  }
  return rows;
}

Result<std::vector<int64_t>> ListOffsetsAtTime(const KafkaOptions& options,
                                               std::span<const InputPartition> partitions,
                                               int64_t time_ms, const KafkaLog& log) {
  NEARDUP_ASSIGN(const std::vector<OffsetBounds> bounds,
                 ListOffsetBounds(options, partitions, log));
  NEARDUP_ASSIGN(const std::shared_ptr<Client> client,
                 Client::New(options, ClientRole::kWatermark, log));
  const PartitionListHandle list = ListOf(partitions, time_ms);
  const auto code =
      rd_kafka_offsets_for_times(client->get(), list.get(), options.answer_timeout_ms);
  if (code != RD_KAFKA_RESP_ERR_NO_ERROR) {
    return client->diagnosis().Explain(FromKafka(code, "asking for the offsets at a time"));
  }
  std::vector<int64_t> offsets;
  for (int i = 0; i < list->cnt; ++i) {
    const rd_kafka_topic_partition_t& row = list->elems[i];
    if (row.err != RD_KAFKA_RESP_ERR_NO_ERROR) {
      return client->diagnosis().Explain(FromKafka(
          row.err,
          fmt::format("asking for an offset at a time in {}/{}", row.topic, row.partition)));
    }
    offsets.push_back(row.offset < 0 ? bounds[static_cast<size_t>(i)].end : row.offset);
  }
  return offsets;
}

Result<std::optional<std::string>> FindMissingTopic(const KafkaOptions& options,
                                                    std::span<const InputPartition> inputs,
                                                    const KafkaLog& log) {
  std::set<std::string> topics = {ChangelogTopic(options), LeaseTopic(options)};
  if (!options.groups_topic.empty()) topics.insert(options.groups_topic);
  for (const InputPartition& input : inputs) {
    for (const std::string& output : OutputsOf(options, input.topic)) topics.insert(output);
  }
  NEARDUP_ASSIGN(const std::shared_ptr<Client> client,
                 Client::New(options, ClientRole::kWatermark, log));
  for (const std::string& topic : topics) {
    NEARDUP_ASSIGN(const std::optional<int32_t> count,
                   PartitionCount(*client, topic, options.answer_timeout_ms));
    if (!count) return std::optional(topic);
  }
  return std::optional<std::string>();
}

Result<TopicReport> EnsureTopics(const KafkaOptions& options,
                                 std::span<const InputPartition> inputs, const KafkaLog& log,
                                 LaneAge age) {
  std::map<std::string, int32_t> partitions;
  for (const InputPartition& input : inputs) {
    int32_t& count = partitions[input.topic];
    count = std::max(count, static_cast<int32_t>(input.partition) + 1);
  }
  NEARDUP_ASSIGN(std::shared_ptr<Client> client, Client::New(options, ClientRole::kWatermark, log));
  if (age == LaneAge::kFirstStart) NEARDUP_TRY(CheckLanes(*client, options));
  for (auto& [topic, count] : partitions) {
    if (options.lanes == 1) break;
    // The other lanes have further partitions.
    NEARDUP_ASSIGN(const std::optional<int32_t> all,
                   PartitionCount(*client, topic, options.answer_timeout_ms));
    count = std::max(count, all.value_or(0));
  }
  TopicKeeper keeper(options, TopicAdmin(std::move(client), options), age);
  int32_t most = 1;
  for (const auto& [topic, count] : partitions) {
    NEARDUP_TRY(keeper.EnsureOutputs(topic, count));
    most = std::max(most, count);
  }
  NEARDUP_TRY(keeper.EnsureGroups(most));
  NEARDUP_TRY(keeper.EnsureChangelog());
  NEARDUP_TRY(keeper.EnsureLease());
  return keeper.TakeReport();
}

}  // namespace neardup
