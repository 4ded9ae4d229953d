#include "config/setting_rows.h"

namespace neardup {
namespace {

constexpr int64_t kSecondMs = 1000;
constexpr int64_t kHourMs = 3600 * kSecondMs;

// Kafka's own rule for topic names, without the two that are folders.
const char kTopicCharacters[] = "[a-zA-Z0-9._-]";

Pattern TopicName() {
  return {std::string("^(?!\\.{1,2}$)") + kTopicCharacters + "{1,249}$",
          "a topic name: 1 to 249 letters, digits, '.', '_' or '-'"};
}

Pattern TopicTemplate() {
  return {std::string("^(?!\\.{1,2}$)(") + kTopicCharacters + "|\\{topic\\}){1,249}$",
          "a topic name of letters, digits, '.', '_' or '-', where {topic} stands for the input "
          "topic"};
}

}  // namespace

std::vector<Setting> StreamRows() {
  Setting replication = NumberRow(
      SettingKind::kInteger, "output.replication_factor", NEARDUP_MEMBER(kafka.replication_factor),
      {-1, 32767}, "Replicas of the topics that are created. -1: the broker's default.");
  replication.except = 0;
  return {
      TextRow("app", NEARDUP_MEMBER(kafka.app),
              {"^[a-z0-9][a-z0-9._-]{0,199}$",
               "a name of 1 to 200 lower-case letters, digits, '.', '_' or '-', starting with a "
               "letter or digit"},
              "Names the consumer group, the transactional ids, the changelog and the lease topic. "
              "Instances with the same name work as one; give every pipeline its own."),

      TextListRow("input.topics", NEARDUP_MEMBER(kafka.topics), TopicName(),
                  "Topics to read. `neardup run` needs at least one."),
      ChoiceRow("input.start", NEARDUP_MEMBER(lane.start_at), {"earliest", "latest"},
                "Where to start in a partition that was never read before."),
      NumberRow(SettingKind::kDuration, "input.partitions_refresh_ms",
                NEARDUP_MEMBER(lane.partitions_refresh_ms), {kSecondMs, kHourMs},
                "How often new partitions are looked for."),
      NumberRow(SettingKind::kDuration, "input.idle_ms", NEARDUP_MEMBER(lane.idle_ms),
                {0, 24 * kHourMs},
                "A partition at its end for this long does not hold the watermark back."),

      TextRow("output.unique_topic", NEARDUP_MEMBER(kafka.unique_topic), TopicTemplate(),
              "Topic of the first record of its kind."),
      TextRow("output.duplicate_topic", NEARDUP_MEMBER(kafka.duplicate_topic), TopicTemplate(),
              "Topic of records that repeat an earlier one."),
      TextRow("output.dead_letter_topic", NEARDUP_MEMBER(kafka.dead_letter_topic), TopicTemplate(),
              "Topic of records that cannot be compared."),
      ChoiceRow("output.headers", NEARDUP_MEMBER(lane.headers),
                {"packed", "separate", "full", "none"},
                "How the verdict stands on an output record. packed: one header `neardup`; "
                "separate: neardup-seq, neardup-origin, ...; full: packed with the fingerprint; "
                "none: nothing is added."),
      FlagRow("output.create_topics", NEARDUP_MEMBER(kafka.create_topics),
              "Create output, changelog and lease topics that are absent."),
      replication,
  };
}

}  // namespace neardup
