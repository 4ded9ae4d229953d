// The topics a lane works with: finds them, and creates or grows those that are missing.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kafka/kafka_options.h"
#include "kafka/topic_admin.h"
#include "neardup/result.h"
#include "stream/state/route.h"

namespace neardup {

/// The input topics. A topic counts as missing when no broker showed it for half of
/// answer_timeout_ms. Errors: kUnavailable when no broker answers within answer_timeout_ms; kAuth
/// when the brokers refuse the login or the permission.
Result<FoundInputs> ListInputs(const KafkaOptions& options, const KafkaLog& log);
/// All partitions of the input topics, sorted. kNotFound names a topic that does not exist.
Result<std::vector<InputPartition>> ListPartitions(const KafkaOptions& options,
                                                   const KafkaLog& log);
/// True if the changelog of a lane exists and holds something: it is not the first start.
Result<bool> HasChangelog(const KafkaOptions& options, int32_t lane, const KafkaLog& log);

/// The offsets that partitions hold now, one row per partition.
Result<std::vector<OffsetBounds>> ListOffsetBounds(const KafkaOptions& options,
                                                   std::span<const InputPartition> partitions,
                                                   const KafkaLog& log);

/// The offset of the first record of each partition whose timestamp is `time_ms` or later; the end
/// of the partition if there is none. Every record before it is older.
Result<std::vector<int64_t>> ListOffsetsAtTime(const KafkaOptions& options,
                                               std::span<const InputPartition> partitions,
                                               int64_t time_ms, const KafkaLog& log);

/// The settings with which a changelog is created.
Properties ChangelogSettings(int32_t replication_factor);
/// Warnings about the settings of a changelog with this number of replicas. A setting that would
/// lose state is a fatal kConfig error.
Result<std::vector<std::string>> CheckChangelogSettings(const std::string& topic,
                                                        const Properties& settings,
                                                        int32_t replicas);

/// The settings with which a groups topic is created.
Properties GroupsSettings();

/// The settings with which the outputs of an input are created, without the settings of the input.
Properties OutputSettings();
/// Room for our headers and the framing in an output topic, beyond the input's largest record.
inline constexpr int64_t kHeaderRoomBytes = 64 * 1024;

/// The first of the topics of EnsureTopics that does not exist; nullopt if all do. Sends one
/// request for each topic, and changes nothing.
Result<std::optional<std::string>> FindMissingTopic(const KafkaOptions& options,
                                                    std::span<const InputPartition> inputs,
                                                    const KafkaLog& log);

/// What EnsureTopics found and did.
struct TopicReport {
  /// Largest batch that an output topic or the groups topic takes (its max.message.bytes), by
  /// topic; without the topics whose settings cannot be read.
  std::map<std::string, int64_t> max_message_bytes;
  std::vector<std::string> created;
  std::vector<std::string> grown;
  /// Input partitions that an output topic lacks, while nothing may be created.
  std::vector<InputPartition> without_outputs;
  std::vector<std::string> warnings;
};

/// Creates and grows the output, groups, changelog and lease topics for `inputs` and `lanes` lanes.
/// Call it again when an input topic has grown.
///   outputs    get the partitions of their input, and room for its largest record plus our
///              headers; when the input has grown, partitions are added
///   groups     gets as many partitions as the largest input; one that exists is not grown
///   changelog  one partition per lane, no deletion by age or size, and records on two brokers
///              where there are three replicas. Settings that would lose state are a fatal kConfig
///              error with the command that corrects them
///   lease      one partition
/// Of several lanes (KafkaOptions::lanes), each creates what it needs. With create_topics off
/// nothing is changed: a topic that does not exist is kNotFound. Settings that cannot be read are a
/// warning.
///
/// At the first start, these are fatal kConfig errors: outputs with too few partitions while
/// create_topics is off; several lanes and input topics with different numbers of partitions, or
/// with fewer partitions than lanes. Operators add partitions to one topic after the
/// other, so a lane that has begun goes on without the partitions of TopicReport::without_outputs.
enum class LaneAge : uint8_t { kFirstStart, kBegun };
Result<TopicReport> EnsureTopics(const KafkaOptions& options,
                                 std::span<const InputPartition> inputs, const KafkaLog& log,
                                 LaneAge age = LaneAge::kFirstStart);

}  // namespace neardup
