#include "config/settings_table.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

#include "feature/mask.h"
#include "schemes/schemes.h"

namespace neardup {

const std::vector<Setting>& SettingsTable() {
  static const std::vector<Setting> table = [] {
    std::vector<Setting> rows;
    for (auto part : {StreamRows(), FilterRows(), EngineRows(), ProcessRows()}) {
      std::move(part.begin(), part.end(), std::back_inserter(rows));
    }
    return rows;
  }();
  return table;
}

const std::vector<SettingSection>& SettingSections() {
  static const std::vector<SettingSection> sections = {
      {"input", "Where records come from."},
      {"output", "Where records go, and what is written onto them."},
      {"record", "What of a record is compared, and what makes it a dead letter."},
      {"feature", "How text becomes features."},
      {"match", "When two records are duplicates."},
      {"window", "How long, and how much, is remembered."},
      {"transaction", "How much work is committed at once."},
      {"lease", "How instances of one app agree on which of them is active."},
      {"retry", "How long to wait before the lane is taken again after an error."},
      {"threads", "How many threads work."},
      {"kafka", "How to reach Kafka."},
      {"metrics", "Where metrics and health are served."},
      {"log", "What is logged, and how."},
      {"state", "What is kept on disk."},
  };
  return sections;
}

const Setting* FindSetting(std::string_view path) {
  const std::vector<Setting>& table = SettingsTable();
  auto row = std::find_if(table.begin(), table.end(),
                          [&](const Setting& setting) { return setting.path == path; });
  return row == table.end() ? nullptr : &*row;
}

std::string_view SectionOf(std::string_view path) {
  size_t dot = path.find('.');
  return dot == std::string_view::npos ? std::string_view() : path.substr(0, dot);
}

std::string_view KeyOf(std::string_view path) {
  size_t dot = path.find('.');
  return dot == std::string_view::npos ? path : path.substr(dot + 1);
}

namespace {

constexpr int64_t kYearsMs = int64_t{10} * 365 * 24 * 3600 * 1000;
constexpr int64_t kKiB = 1024;
constexpr int64_t kMiB = 1024 * kKiB;
constexpr int64_t kGiB = 1024 * kMiB;

// RFC 6901: in a pointer, '~' only stands before 0 or 1.
const char kFieldExpression[] = "[^/].*|(/([^~/]|~[01])*)+";
const char kFieldWords[] = "a field: a top-level name, or a JSON Pointer such as /article/title";

Setting MasksSetting() {
  const std::vector<std::string> names = MaskNames(kAllMasks);
  Setting row;
  row.path = "feature.masks";
  row.kind = SettingKind::kTextList;
  row.help = fmt::format(
      "Parts of texts that count as equal whatever they say, such as [{}] for logs. number takes "
      "every word with a digit. Key fields stay as they are.",
      fmt::join(names, ", "));
  row.pattern = fmt::format("^({})$", fmt::join(names, "|"));
  row.pattern_words = fmt::format("one of {}", fmt::join(names, ", "));
  row.get = [](const Settings& settings) {
    return SettingValue(MaskNames(settings.lane.filter.feature.masks));
  };
  row.set = [](Settings& settings, const SettingValue& value) {
    settings.lane.filter.feature.masks = MasksNamed(std::get<std::vector<std::string>>(value));
  };
  return row;
}

std::vector<Setting> RecordRows() {
  const Pattern field = {std::string("^(") + kFieldExpression + ")$", kFieldWords};
  Setting fields = PlainRow<std::vector<FieldSelector>>(
      SettingKind::kFieldList, "record.fields", NEARDUP_MEMBER(lane.filter.record.fields),
      "Fields to compare: top-level names, JSON Pointers (/article/title), or {path: title, "
      "weight: 2}. {path: user, key: true}: duplicates are equal in this field. Empty: every "
      "top-level field that is not excluded.");
  fields.pattern = field.expression;
  fields.pattern_words = field.words;
  return {
      fields,
      TextListRow("record.exclude", NEARDUP_MEMBER(lane.filter.record.exclude), field,
                  "Fields that are never compared, also below a selected field."),
      ChoiceRow("record.missing_fields", NEARDUP_MEMBER(lane.filter.record.missing_fields),
                {"all", "any"},
                "A record is a dead letter when all, or any, of the fields are missing or null."),
      ChoiceRow("record.null_value", NEARDUP_MEMBER(lane.filter.record.null_value),
                {"dead-letter", "unique"},
                "Where a record with Kafka's null value (a tombstone) goes."),
      TextRow(
          "record.time_field", NEARDUP_MEMBER(lane.filter.record.time_field),
          {std::string("^(|") + kFieldExpression + ")$", std::string(kFieldWords) + ", or \"\""},
          "Field with the event time. Empty: the record's timestamp."),
      ChoiceRow("record.time_format", NEARDUP_MEMBER(lane.filter.record.time_format),
                {"rfc3339", "milliseconds", "seconds"}, "How the event time is written there."),
      NumberRow(SettingKind::kBytes, "record.record_bytes_max",
                NEARDUP_MEMBER(lane.filter.record.record_bytes_max), {kKiB, kGiB},
                "Larger payloads are dead letters."),
      NumberRow(SettingKind::kInteger, "record.depth_max",
                NEARDUP_MEMBER(lane.filter.record.depth_max), {1, 1024},
                "Deeper JSON is a dead letter."),
  };
}

Setting MatchSchemeRow() {
  Setting row = PlainRow<std::string>(
      SettingKind::kChoice, "match.scheme", NEARDUP_MEMBER(lane.filter.scheme.name),
      "What tells duplicates: neardup, or one of the other methods of docs/schemes.md, to which "
      "none of the settings below but scheme_options matters.");
  row.choices.push_back(MatchScheme().name);
  for (const std::string_view name : SchemeNames()) row.choices.emplace_back(name);
  return row;
}

}  // namespace

std::vector<Setting> FilterRows() {
  std::vector<Setting> rows = RecordRows();
  const std::vector<Setting> others = {
      NumberRow(SettingKind::kInteger, "feature.features_min",
                NEARDUP_MEMBER(lane.filter.feature.features_min), {0, 1000},
                "A record with fewer distinct tokens is only compared exactly."),
      FlagRow("feature.markup", NEARDUP_MEMBER(lane.filter.feature.markup),
              "Take <...> out of text and decode character entities before comparing."),
      MasksSetting(),

      TextRow("feature.model", NEARDUP_MEMBER(model_file), {},
              "File of a model learned with `neardup learn` or `neardup tune`; a relative path "
              "counts from the folder of this file. Empty: none."),

      MatchSchemeRow(),
      PlainRow<NumberMap>(SettingKind::kNumberMap, "match.scheme_options",
                          NEARDUP_MEMBER(lane.filter.scheme.values),
                          "Numbers another scheme than neardup takes, by name; those that are left "
                          "out have their default."),
      NumberRow(SettingKind::kInteger, "match.distance_max",
                NEARDUP_MEMBER(lane.filter.match.distance_max), {0, 12},
                "Largest Hamming distance of two fingerprints that is a duplicate. 0: only records "
                "whose fields are equal."),
      NumberRow(SettingKind::kInteger, "match.distance_sum_max",
                NEARDUP_MEMBER(lane.filter.match.distance_sum_max), {0, 128},
                "Largest sum of that distance and of the one of the sketches of word order."),
      NumberRow(
          SettingKind::kInteger, "match.features_per_bit",
          NEARDUP_MEMBER(lane.filter.match.features_per_bit), {0, 100},
          "Distinct tokens a record must have for each bit of distance allowed; one with fewer "
          "is allowed less, because one changed word counts for more in it. 0: no such rule."),
      FlagRow("match.widen", NEARDUP_MEMBER(lane.filter.match.widen),
              "Allow both 2 bits more where two records share a text key, 4 where they share more. "
              "For streams that were found fit for it with `neardup tune`."),
      FlagRow("match.text_keys", NEARDUP_MEMBER(lane.filter.match.text_keys),
              "Look records up by hashes of three adjacent words too: finds most of the originals "
              "beyond distance 3, where the guarantee ends."),
      FlagRow("match.neighbours", NEARDUP_MEMBER(lane.filter.match.neighbours),
              "Look up all blocks that differ in one bit too: guarantees to find originals up to "
              "distance 7 instead of 3, at 64 more probes a record."),

      NumberRow(SettingKind::kDuration, "window.window_ms",
                NEARDUP_MEMBER(lane.filter.window.window_ms), {1000, kYearsMs},
                "Two records match only if their event times are at most this far apart."),
      NumberRow(SettingKind::kDuration, "window.lateness_ms",
                NEARDUP_MEMBER(lane.filter.window.lateness_ms), {0, kYearsMs},
                "Entries are kept this much longer, for records that arrive late."),
      NumberRow(SettingKind::kDuration, "window.ahead_max_ms",
                NEARDUP_MEMBER(lane.filter.window.ahead_max_ms), {0, kYearsMs},
                "An event time further ahead of the clock than this is clamped."),
      NumberRow(SettingKind::kInteger, "window.entries_max",
                NEARDUP_MEMBER(lane.filter.window.entries_max), {1000, 1'000'000'000},
                "Unique records remembered at most; the oldest go first. It bounds the memory."),
  };
  rows.insert(rows.end(), others.begin(), others.end());
  return rows;
}

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

namespace {

constexpr int64_t kMinuteMs = 60'000;

std::vector<Setting> TransactionRows() {
  return {
      NumberRow(SettingKind::kDuration, "transaction.interval_ms",
                NEARDUP_MEMBER(lane.transaction_interval_ms), {10, kMinuteMs},
                "A transaction is committed after this time. Shorter: lower latency; longer: less "
                "work for the brokers."),
      NumberRow(SettingKind::kBytes, "transaction.bytes_max",
                NEARDUP_MEMBER(lane.transaction_bytes_max), {64 * kKiB, kGiB},
                "A transaction is committed once it holds this many payload bytes."),
      NumberRow(SettingKind::kInteger, "transaction.batch_records_max",
                NEARDUP_MEMBER(lane.batch_records_max), {1, 1'000'000},
                "Records polled, fingerprinted and decided together."),
      NumberRow(SettingKind::kDuration, "transaction.timeout_ms",
                NEARDUP_MEMBER(kafka.transaction_timeout_ms), {1000, 15 * kMinuteMs},
                "The broker aborts a transaction that is open for longer. Must be more than "
                "interval_ms + 1s."),
  };
}

std::vector<Setting> LeaseRows() {
  return {
      // 6 s and 30 min: the brokers' own default bounds.
      NumberRow(SettingKind::kDuration, "lease.session_timeout_ms",
                NEARDUP_MEMBER(kafka.session_timeout_ms), {6000, 30 * kMinuteMs},
                "An active instance that is silent for this long is replaced by a standby."),
      NumberRow(SettingKind::kDuration, "lease.heartbeat_interval_ms",
                NEARDUP_MEMBER(kafka.heartbeat_interval_ms), {50, 10 * kMinuteMs},
                "How often an instance says that it is alive. At most a third of "
                "session_timeout_ms."),
      NumberRow(SettingKind::kDuration, "retry.backoff_min_ms",
                NEARDUP_MEMBER(lane.retry_backoff_min_ms), {1, 10 * kMinuteMs}, "First wait."),
      NumberRow(SettingKind::kDuration, "retry.backoff_max_ms",
                NEARDUP_MEMBER(lane.retry_backoff_max_ms), {1, 10 * kMinuteMs},
                "Longest wait; it doubles from backoff_min_ms."),
      NumberRow(SettingKind::kInteger, "threads.fingerprint",
                NEARDUP_MEMBER(lane.fingerprint_threads), {0, 1024},
                "Threads that fingerprint and look up. 0: one per core."),
  };
}

std::vector<Setting> KafkaRows() {
  return {
      TextRow("kafka.brokers", NEARDUP_MEMBER(kafka.brokers),
              {"^[^\\s,]+(,[^\\s,]+)*$", "host:port, several separated by commas without spaces"},
              "Brokers to start from: host:port, separated by commas."),
      PlainRow<TextMap>(SettingKind::kTextMap, "kafka.properties", NEARDUP_MEMBER(kafka.properties),
                        "librdkafka properties for all clients, such as security.protocol. Those "
                        "that would break the guarantees are refused."),
      PlainRow<TextMap>(SettingKind::kTextMap, "kafka.consumer_properties",
                        NEARDUP_MEMBER(kafka.consumer_properties),
                        "librdkafka properties for consumers only."),
      PlainRow<TextMap>(SettingKind::kTextMap, "kafka.producer_properties",
                        NEARDUP_MEMBER(kafka.producer_properties),
                        "librdkafka properties for producers only, such as compression.type."),
      NumberRow(SettingKind::kDuration, "kafka.answer_timeout_ms",
                NEARDUP_MEMBER(kafka.answer_timeout_ms), {100, 5 * kMinuteMs},
                "How long a question about topics or offsets waits for an answer."),
      NumberRow(SettingKind::kInteger, "kafka.inflight_records_max",
                NEARDUP_MEMBER(kafka.inflight_records_max), {1, 10'000'000},
                "Records given to the producer and not yet delivered, at most."),
      NumberRow(SettingKind::kBytes, "kafka.inflight_bytes_max",
                NEARDUP_MEMBER(kafka.inflight_bytes_max), {kMiB, 64 * kGiB},
                "Bytes given to the producer and not yet delivered, at most. At least "
                "record.record_bytes_max."),
  };
}

}  // namespace

std::vector<Setting> EngineRows() {
  std::vector<Setting> rows = TransactionRows();
  for (const auto& part : {LeaseRows(), KafkaRows()}) {
    rows.insert(rows.end(), part.begin(), part.end());
  }
  return rows;
}

namespace {

constexpr int64_t kDayMs = 24 * 3600 * 1000;

}  // namespace

std::vector<Setting> ProcessRows() {
  return {
      TextRow("metrics.host", NEARDUP_MEMBER(http.host), {"^\\S+$", "a host name or an address"},
              "Address to listen on."),
      NumberRow(SettingKind::kInteger, "metrics.port", NEARDUP_MEMBER(http.port), {0, 65535},
                "Port of /metrics, /healthz and /readyz. 0: not served."),

      ChoiceRow("log.level", NEARDUP_MEMBER(log_level), {"debug", "info", "warn", "error"},
                "The least that is logged."),
      ChoiceRow("log.format", NEARDUP_MEMBER(log_format), {"text", "json"},
                "Lines for people, or one JSON object a line."),

      TextRow("state.dir", NEARDUP_MEMBER(state_dir), {},
              "Folder for snapshots, which make a restart fast; each instance has its own. Empty: "
              "none, the changelog alone restores."),
      NumberRow(SettingKind::kDuration, "state.snapshot_interval_ms",
                NEARDUP_MEMBER(snapshot_interval_ms), {1000, kDayMs},
                "How often a snapshot is written, and the changelog purged."),
      FlagRow(
          "state.purge_changelog", NEARDUP_MEMBER(purge_changelog),
          "Delete records of the changelog that hold no live entry any more. Wants the right to "
          "delete on that topic."),
  };
}

}  // namespace neardup
