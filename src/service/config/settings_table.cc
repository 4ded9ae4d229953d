#include "service/config/settings_table.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "detect/base/quantity.h"
#include "detect/settings/filter_settings_table.h"
#include "kafka/properties.h"

namespace neardup {
namespace {

constexpr int64_t kSecondMs = 1000;
constexpr int64_t kMinuteMs = 60 * kSecondMs;
constexpr int64_t kHourMs = 60 * kMinuteMs;
constexpr int64_t kGiB = 1024 * kMiB;

constexpr TextPattern kAppName = {
    "^(|[a-z0-9][a-z0-9._-]{0,199})$",
    "a name of 1 to 200 lower-case letters, digits, '.', '_' or '-', starting with a letter or "
    "digit; or \"\" for one from the input topics"};
// Kafka's own rule for topic names, which excludes the two names of folders, "." and "..".
constexpr TextPattern kTopicName = {"^(?!\\.{1,2}$)[a-zA-Z0-9._-]{1,249}$",
                                    "a topic name: 1 to 249 letters, digits, '.', '_' or '-'"};
constexpr TextPattern kTopicNameOrNone = {
    "^(|(?!\\.{1,2}$)[a-zA-Z0-9._-]{1,249})$",
    "a topic name: 1 to 249 letters, digits, '.', '_' or '-'; or \"\" for none"};
constexpr TextPattern kTopicTemplate = {
    "^(?!\\.{1,2}$)([a-zA-Z0-9._-]|\\{topic\\}){1,249}$",
    "a topic name of letters, digits, '.', '_' or '-', where {topic} stands for the input topic"};
constexpr TextPattern kBrokers = {"^[^\\s,]+(,[^\\s,]+)*$",
                                  "host:port, several separated by commas without spaces"};
constexpr TextPattern kUser = {"^[^:]*$", "a name without a colon"};
constexpr TextPattern kHost = {"^\\S+$", "a host name or an address"};
constexpr TextPattern kUrlOrNone = {"^(|https?://[^\\s@]+)$",
                                    "an address that begins with http:// or https:// and holds no "
                                    "password, or nothing"};
constexpr TextPattern kIpOrNone = {"^[0-9A-Fa-f.:]*$", "an IPv4 or IPv6 address, or nothing"};

auto PropertiesSetting(std::string path, auto member, std::string help) {
  auto setting = PlainSetting<TextMap>(SettingKind::kTextMap, std::move(path), member, kAnyText,
                                       std::move(help));
  setting.row.refusal = [](std::string_view name,
                           std::string_view value) -> std::optional<std::string> {
    const std::optional<std::string> reason = RefusalOf(name, value);
    if (!reason) return std::nullopt;
    return "this librdkafka property cannot be set: " + *reason;
  };
  return setting;
}

/// The rows of the filter's table in one section.
std::vector<Setting> FilterRowsOf(std::string_view section) {
  std::vector<Setting> rows;
  for (const FilterSetting& of_filter : FilterSettingsTable()) {
    if (SectionOf(of_filter.path) != section) continue;
    Setting& row = rows.emplace_back(Setting{of_filter});
    row.get = [get = of_filter.get](const Settings& settings) { return get(settings.lane.filter); };
    row.set = [set = of_filter.set](Settings& settings, const SettingValue& value) {
      set(settings.lane.filter, value);
    };
  }
  return rows;
}

std::vector<Setting> InputRows() {
  return {
      TextListSetting("input.topics", NEARDUP_MEMBER(kafka.topics), kTopicName,
                      "Topics to read. `neardup run` needs at least one."),
      TextListSetting(
          "input.topics_before", NEARDUP_MEMBER(input_topics_before), kTopicName,
          "All topics that this pipeline read until now, if input.topics is to replace them. "
          "If empty, an instance refuses a changelog of other topics. Needs `app`. Has no "
          "effect once the change is made."),
      ChoiceSetting(
          "input.start", NEARDUP_MEMBER(lane.start_at), {"earliest", "latest"},
          "Where to start in the partitions of a topic that this app has not read before. A new "
          "partition of a known topic is always read from its beginning."),
      DurationSetting("input.partitions_refresh_ms", NEARDUP_MEMBER(lane.partitions_refresh_ms),
                      {kSecondMs, kHourMs}, "Time between two searches for new partitions.")
          .Reloading(Reloads::kAgain),
      ChoiceSetting(
          "input.on_data_loss", NEARDUP_MEMBER(lane.on_data_loss), {"fail", "continue"},
          "What to do when records of an input were deleted before they were read, or its topic "
          "was created again. fail: stop and say what is gone; continue: go on at the first "
          "offset that the log holds."),
      ChoiceSetting(
          "input.on_missing_topic", NEARDUP_MEMBER(lane.on_missing_topic), {"fail", "continue"},
          "What to do when an input topic that was read before does not exist any more. fail: "
          "stop; continue: read the other topics."),
      DurationSetting(
          "input.idle_ms", NEARDUP_MEMBER(lane.idle_ms), {0, 24 * kHourMs},
          "A partition that has been at its end for this long does not hold the watermark "
          "back.")
          .Reloading(Reloads::kAgain),
  };
}

std::vector<Setting> OutputRows() {
  return {
      TextSetting("output.unique_topic", NEARDUP_MEMBER(kafka.unique_topic), kTopicTemplate,
                  "Topic for unique records. {topic} stands for the input topic."),
      TextSetting("output.duplicate_topic", NEARDUP_MEMBER(kafka.duplicate_topic), kTopicTemplate,
                  "Topic for duplicates: records that repeat an earlier one."),
      TextSetting("output.dead_letter_topic", NEARDUP_MEMBER(kafka.dead_letter_topic),
                  kTopicTemplate, "Topic for dead letters: records that cannot be compared."),
      TextListSetting(
          "output.topics_before", NEARDUP_MEMBER(output_topics_before), kTopicTemplate,
          "The unique_topic, duplicate_topic and dead_letter_topic that this pipeline had "
          "until now, if those above are to replace them. Has no effect once the change is "
          "made."),
      ChoiceSetting(
          "output.unique_key", NEARDUP_MEMBER(lane.unique_key), {"record", "group"},
          "Key of the records on the unique topic. record: their own; group: the position of "
          "the first record of their group, so that a compacted topic keeps the newest record "
          "of each group (routing.keep). The header neardup-key then holds their own key."),
      TextSetting(
          "output.groups_topic", NEARDUP_MEMBER(kafka.groups_topic), kTopicNameOrNone,
          "Compacted topic that says of each record that was copied how often and when, in the "
          "same transactions, such as articles-groups. Empty: none."),
      ChoiceSetting(
          "output.headers", NEARDUP_MEMBER(lane.headers), {"packed", "separate", "full"},
          "Headers that carry the verdict on an output record. packed: one header, `neardup`; "
          "separate: neardup-seq, neardup-origin and so on; full: packed with the fingerprint."),
      ChoiceSetting(
          "output.on_foreign_records", NEARDUP_MEMBER(on_foreign_records), {"fail", "continue"},
          "What happens at a first start if the output topics hold records of another app, or of "
          "this app before it was reset. fail: stop; continue: write after them, so that "
          "records may be in the outputs twice."),
      FlagSetting("output.create_topics", NEARDUP_MEMBER(kafka.create_topics),
                  "Create output, groups, changelog and lease topics that do not exist."),
      IntegerSetting("output.replication_factor", NEARDUP_MEMBER(kafka.replication_factor),
                     {-1, 32767}, "Replicas of created topics. -1: the broker's default.")
          .WithoutZero(),
  };
}

std::vector<Setting> LanesRows() {
  return {
      IntegerSetting(
          "lanes.count", NEARDUP_MEMBER(kafka.lanes), {1, kLanesMax},
          "How many lanes share the input topics. Partition p belongs to lane p modulo this "
          "number, and each lane finds the duplicates among its own partitions. A changelog "
          "keeps its number."),
      IntegerSetting("lanes.lane", NEARDUP_MEMBER(kafka.lane), {0, 63},
                     "Which lane this instance runs: 0 to lanes.count - 1."),
      ChoiceSetting(
          "lanes.on_partition_growth", NEARDUP_MEMBER(lane.on_partition_growth),
          {"fail", "continue"},
          "What happens with several lanes when an input topic gets more partitions, which moves "
          "keys between the lanes. fail: the lane that gets a new partition waits; continue: it "
          "reads the partition and logs it."),
  };
}

std::vector<Setting> RoutingRows() {
  return {
      ChoiceSetting(
          "routing.mode", NEARDUP_MEMBER(lane.routing.mode), {"route", "observe"},
          "route: each record goes to the topic of its verdict; observe: each record goes to "
          "the unique topic, and its header states the verdict, so that consumers of that topic "
          "see the stream as it was."),
      ChoiceSetting(
          "routing.mode_before", NEARDUP_MEMBER(routing_mode_before), {"same", "route", "observe"},
          "The routing.mode that this pipeline had until now, if routing.mode is to replace it. "
          "same: an instance refuses the changelog of a lane with another mode. Has no effect "
          "once the change is made."),
      ChoiceSetting(
          "routing.exact", NEARDUP_MEMBER(lane.routing.exact), {"route", "drop"},
          "What happens to exact duplicates while routing.mode is route. route: they go to the "
          "duplicate topic; drop: to no topic. The changelog counts them.")
          .Reloading(Reloads::kAgain),
      ChoiceSetting("routing.near", NEARDUP_MEMBER(lane.routing.near), {"route", "drop"},
                    "The same for near duplicates.")
          .Reloading(Reloads::kAgain),
      ChoiceSetting(
          "routing.keep", NEARDUP_MEMBER(lane.routing.keep), {"first", "newest"},
          "Which record of a group of duplicates the unique topic keeps. first: the one that "
          "came first; newest: a duplicate with a later event time than the others also goes to "
          "the unique topic, and its header names the record that it replaces.")
          .Reloading(Reloads::kAgain),
      IntegerSetting(
          "routing.release_exact_one_of", NEARDUP_MEMBER(lane.routing.release_exact_one_of),
          {0, 1'000'000'000},
          "Of the exact duplicates, one of this many goes to the unique topic, and its header "
          "says that it is released. Its position decides which. 0: none.")
          .Reloading(Reloads::kAgain),
      IntegerSetting("routing.release_near_one_of",
                     NEARDUP_MEMBER(lane.routing.release_near_one_of), {0, 1'000'000'000},
                     "The same for near duplicates.")
          .Reloading(Reloads::kAgain),
  };
}

std::vector<Setting> DeadLettersRows() {
  return {
      ShareSetting(
          "dead_letters.share_max", NEARDUP_MEMBER(lane.dead_letters.share_max),
          "A larger share of dead letters among the first 100 records, or later among the records "
          "of a minute, is too large. It is judged at each commit. 1: no share is too large.")
          .Reloading(Reloads::kAgain),
      ChoiceSetting(
          "dead_letters.on_excess", NEARDUP_MEMBER(lane.dead_letters.on_excess), {"warn", "fail"},
          "What happens then. warn: an error line in the log, and the metric "
          "neardup_dead_letters_excessive is 1; fail: the service also stops before the commit. A "
          "service that has committed nothing yet always stops, if it has at least 20 records.")
          .Reloading(Reloads::kAgain),
  };
}

std::vector<Setting> RecordRows() {
  std::vector<Setting> rows = FilterRowsOf("record");
  rows.insert(rows.begin(),
              ChoiceSetting("record.format", NEARDUP_MEMBER(lane.filter.record.format),
                            {"auto", "json", "text", "msgpack", "avro"},
                            "How values are encoded. They are decoded only to be compared; each "
                            "record leaves as it came. auto: a JSON object, or what the frame of "
                            "a schema registry says (registry.url); json: a JSON object; text: "
                            "UTF-8 text, which becomes the field text; msgpack: MessagePack; avro: "
                            "Avro in the frame of a schema registry."));
  return rows;
}

std::vector<Setting> FeatureRows() {
  std::vector<Setting> rows = FilterRowsOf("feature");
  rows.push_back(TextSetting(
      "feature.model", NEARDUP_MEMBER(model_file), kAnyText,
      "Model file written by `neardup tune`. A relative path starts at the folder of this file. "
      "Empty: no model."));
  return rows;
}

std::vector<Setting> MatchRows() {
  std::vector<Setting> rows = FilterRowsOf("match");
  rows.insert(
      rows.begin(),
      ChoiceSetting(
          "match.mode", NEARDUP_MEMBER(learning.mode), {"auto", "near", "exact"},
          "auto: the lane learns from a sample what to compare and how. Settings that are given "
          "win, and the others are learned. feature.model turns learning off. near: the lane "
          "compares as the settings say. exact: only records with "
          "equal fields are duplicates (match.distance_max 0)."));
  return rows;
}

std::vector<Setting> AutoRows() {
  return {
      ChoiceSetting(
          "auto.sample", NEARDUP_MEMBER(learning.sample), {"spread", "earliest", "latest"},
          "Which records of the input topics the lane learns from. spread: of the whole length "
          "of all partitions; earliest: the oldest; latest: the newest."),
      IntegerSetting("auto.records_max", NEARDUP_MEMBER(learning.records_max), {50, 100'000},
                     "Largest number of records to learn from. At most 64 MiB of them are read."),
      IntegerSetting(
          "auto.records_min", NEARDUP_MEMBER(learning.records_min), {50, 10'000},
          "Number of records that the lane waits for at its first start, unless input.start is "
          "latest. A lane that found fewer learns again when it has decided this many."),
      DurationSetting(
          "auto.wait_ms", NEARDUP_MEMBER(learning.wait_ms), {0, 24 * kHourMs},
          "Longest wait for auto.records_min records, counted from the first record. If there "
          "are fewer then, the settings are provisional, until the lane has decided "
          "auto.records_min records."),
  };
}

std::vector<Setting> WindowRows() { return FilterRowsOf("window"); }

std::vector<Setting> TransactionRows() {
  return {
      DurationSetting(
          "transaction.interval_ms", NEARDUP_MEMBER(lane.transaction_interval_ms), {10, kMinuteMs},
          "A transaction is committed after this time. Shorter: lower latency; longer: less "
          "work for the brokers.")
          .Reloading(Reloads::kAgain),
      BytesSetting(
          "transaction.bytes_max", NEARDUP_MEMBER(lane.transaction_bytes_max), {64 * kKiB, kGiB},
          "The most payload bytes that are decided and not committed. A transaction is committed "
          "when it holds three quarters of them. A record counts for at least 1 KiB.")
          .Reloading(Reloads::kAgain),
      IntegerSetting(
          "transaction.batch_records_max", NEARDUP_MEMBER(lane.batch_records_max), {1, 1'000'000},
          "Largest number of records that are polled, fingerprinted and decided together.")
          .Reloading(Reloads::kAgain),
      DurationSetting(
          "transaction.timeout_ms", NEARDUP_MEMBER(kafka.transaction_timeout_ms),
          {kSecondMs, 15 * kMinuteMs},
          "The broker aborts a transaction that stays open for longer. Must be more than "
          "transaction.interval_ms + 1s.")
          .Reloading(Reloads::kAgain),
  };
}

std::vector<Setting> FilterRows() {
  return {
      IntegerSetting(
          "filter.commit_records", NEARDUP_MEMBER(file_run.commit_records), {1, 1'000'000},
          "`neardup filter` commits after exactly this many records, whatever the clock says. "
          "It forgets old entries only then, so two runs over one file give the same bytes."),
  };
}

std::vector<Setting> LeaseRows() {
  return {
      // 6 s and 30 min are the default bounds of the brokers.
      DurationSetting("lease.session_timeout_ms", NEARDUP_MEMBER(kafka.session_timeout_ms),
                      {6 * kSecondMs, 30 * kMinuteMs},
                      "A standby replaces an active instance that has been silent for this long."),
      FlagSetting(
          "lease.listen", NEARDUP_MEMBER(presence.listen),
          "Listen on a port of its own, which sends a name and reads nothing. By it, a standby "
          "sees at once that the active process has ended, and does not wait for "
          "lease.session_timeout_ms."),
      TextSetting(
          "lease.listen_address", NEARDUP_MEMBER(presence.address), kIpOrNone,
          "IP address under which other instances reach this one. Empty: the one from which it "
          "reaches the brokers."),
      IntegerSetting("lease.listen_port", NEARDUP_MEMBER(presence.port), {0, 65535},
                     "Port to listen on. 0: any free one."),
      DurationSetting("lease.heartbeat_interval_ms", NEARDUP_MEMBER(kafka.heartbeat_interval_ms),
                      {50, 10 * kMinuteMs},
                      "Time between two heartbeats of an instance. At most a third of "
                      "lease.session_timeout_ms."),

      DurationSetting(
          "lease.give_up_ms", NEARDUP_MEMBER(lane.lease_give_up_ms), {kSecondMs, 10 * kMinuteMs},
          "An instance whose lane cannot work for this long leaves the lease to another one."),
      DurationSetting("lease.stay_out_ms", NEARDUP_MEMBER(lane.lease_stay_out_ms),
                      {0, 10 * kMinuteMs},
                      "How long it then stays out, before it is a candidate for the lease again."),
  };
}

std::vector<Setting> RetryRows() {
  return {
      DurationSetting("retry.backoff_min_ms", NEARDUP_MEMBER(lane.retry_backoff_min_ms),
                      {1, 10 * kMinuteMs}, "First wait. Each further wait is twice as long.")
          .Reloading(Reloads::kAgain),
      DurationSetting("retry.backoff_max_ms", NEARDUP_MEMBER(lane.retry_backoff_max_ms),
                      {1, 10 * kMinuteMs}, "Longest wait.")
          .Reloading(Reloads::kAgain),
  };
}

std::vector<Setting> ThreadsRows() {
  return {
      IntegerSetting("threads.fingerprint", NEARDUP_MEMBER(lane.fingerprint_threads), {0, 1024},
                     "Threads that compute fingerprints and look records up. 0: one per core.")
          .Reloading(Reloads::kAgain),
  };
}

std::vector<Setting> KafkaRows() {
  return {
      TextSetting("kafka.brokers", NEARDUP_MEMBER(kafka.brokers), kBrokers,
                  "Bootstrap brokers: host:port, separated by commas."),
      PropertiesSetting(
          "kafka.properties", NEARDUP_MEMBER(kafka.properties),
          "librdkafka properties of all clients, such as security.protocol. Properties that "
          "would break the guarantees are refused."),
      PropertiesSetting("kafka.consumer_properties", NEARDUP_MEMBER(kafka.consumer_properties),
                        "librdkafka properties of consumers only."),
      PropertiesSetting("kafka.producer_properties", NEARDUP_MEMBER(kafka.producer_properties),
                        "librdkafka properties of producers only, such as compression.type."),
      DurationSetting("kafka.answer_timeout_ms", NEARDUP_MEMBER(kafka.answer_timeout_ms),
                      {100, 5 * kMinuteMs},
                      "Longest wait for a broker's answer to a question about topics or offsets.")
          .Reloading(Reloads::kAgain),
      IntegerSetting("kafka.inflight_records_max", NEARDUP_MEMBER(kafka.inflight_records_max),
                     {1, 10'000'000},
                     "Largest number of records that the producer holds and has not delivered yet.")
          .Reloading(Reloads::kAgain),
      BytesSetting(
          "kafka.inflight_bytes_max", NEARDUP_MEMBER(kafka.inflight_bytes_max), {kMiB, 64 * kGiB},
          "Largest number of bytes that the producer holds and has not delivered yet. At least "
          "record.record_bytes_max.")
          .Reloading(Reloads::kAgain),
      BytesSetting(
          "kafka.prefetch_bytes_max", NEARDUP_MEMBER(kafka.prefetch_bytes_max), {kMiB, 64 * kGiB},
          "Memory for records that are read ahead from all input partitions together. At least "
          "2 MiB for each partition are needed, and taken.")
          .Reloading(Reloads::kAgain),
  };
}

std::vector<Setting> RegistryRows() {
  return {
      TextSetting("registry.url", NEARDUP_MEMBER(registry.url), kUrlOrNone,
                  "Address of the API of a schema registry, with its path, such as "
                  "http://localhost:8081. Empty: none.")
          .Reloading(Reloads::kAgain),
      TextSetting("registry.username", NEARDUP_MEMBER(registry.username), kUser,
                  "User name for the registry (basic authentication). Empty: none.")
          .Reloading(Reloads::kAgain),
      TextSetting("registry.password", NEARDUP_MEMBER(registry.password), kAnyText,
                  "Password of registry.username, as ${file:/path}.")
          .Secret(),
      TextSetting("registry.token", NEARDUP_MEMBER(registry.token), kAnyText,
                  "Bearer token for the registry, as ${file:/path}, in the place of a user name.")
          .Secret(),
      TextSetting("registry.ca_path", NEARDUP_MEMBER(registry.ca_path), kAnyText,
                  "PEM file with the authorities of a registry with TLS. Empty: the authorities of "
                  "the system.")
          .Reloading(Reloads::kAgain),
  };
}

std::vector<Setting> MetricsRows() {
  return {
      TextSetting(
          "metrics.host", NEARDUP_MEMBER(http.host), kHost,
          "Address to listen on. By default only this machine reads the pages; 0.0.0.0 and :: "
          "open them to every machine that reaches this one."),
      IntegerSetting("metrics.port", NEARDUP_MEMBER(http.port), {0, 65535},
                     "Port of /metrics, /status, /healthz and /readyz. 0: none of them is served."),
      TextSetting(
          "metrics.tls_certificate_path", NEARDUP_MEMBER(http.tls_certificate_path), kAnyText,
          "PEM file with the certificate of this server. With it, all pages are served only by "
          "TLS. When the file changes, it is read again."),
      TextSetting("metrics.tls_key_path", NEARDUP_MEMBER(http.tls_key_path), kAnyText,
                  "PEM file with the private key of the certificate."),
      TextSetting("metrics.user", NEARDUP_MEMBER(http.user), kUser,
                  "User name that /metrics, /status and the page ask for (basic authentication). "
                  "Empty: none."),
      TextSetting("metrics.password", NEARDUP_MEMBER(http.password), kAnyText,
                  "Password of metrics.user, as ${file:/path}.")
          .Secret(),
  };
}

std::vector<Setting> HttpRows() {
  return {FlagSetting(
      "http.page", NEARDUP_MEMBER(http.page),
      "Serve a page for people at / of metrics.port: verdicts, lag, memory and the "
      "settings in force. It asks for metrics.user if that is set, and shows no payload.")};
}

std::vector<Setting> LogRows() {
  return {
      ChoiceSetting("log.level", NEARDUP_MEMBER(log_level), {"debug", "info", "warn", "error"},
                    "Lowest level that is logged.")
          .Reloading(Reloads::kLive),
      ChoiceSetting("log.format", NEARDUP_MEMBER(log_format), {"text", "json"},
                    "text: lines for people; json: one JSON object per line."),
  };
}

std::vector<Setting> StateRows() {
  return {
      TextSetting(
          "state.dir", NEARDUP_MEMBER(state_dir), kAnyText,
          "Folder for snapshots, which make a restart fast. Each instance needs its own. Empty: "
          "no snapshots; the changelog alone restores the state."),
      DurationSetting("state.snapshot_interval_ms", NEARDUP_MEMBER(snapshot_interval_ms),
                      {kSecondMs, 24 * kHourMs},
                      "Time between two snapshots, and between two purges of the changelog.")
          .Reloading(Reloads::kAgain),
      ChoiceSetting(
          "state.on_changelog_loss", NEARDUP_MEMBER(lane.on_changelog_loss), {"fail", "continue"},
          "What to do at a start if the changelog lost records: end with an error that says what "
          "to do, or go on without them."),
      FlagSetting(
          "state.purge_changelog", NEARDUP_MEMBER(purge_changelog),
          "Delete changelog records that hold no live entry. Needs permission to delete records "
          "of that topic.")
          .Reloading(Reloads::kAgain),
  };
}

/// Stands before the sections.
Setting AppRow() {
  return TextSetting(
      "app", NEARDUP_MEMBER(kafka.app), kAppName,
      "Name of the pipeline. The consumer group, the transactional ids, the changelog and the "
      "lease topic are named after it. Instances with the same name act as one service; give "
      "every pipeline its own name. Empty: neardup- followed by the input topics, such as "
      "neardup-news.");
}

struct Section {
  SettingSection named;
  std::vector<Setting> (*rows)();
};

const Section kSections[] = {
    {{"input", "Where records come from."}, InputRows},
    {{"output", "Where records go, and which headers they get."}, OutputRows},
    {{"lanes", "Several lanes for more than one machine, each with its own index."}, LanesRows},
    {{"routing", "Which topic a record goes to, once it is decided."}, RoutingRows},
    {{"dead_letters", "When too many records are dead letters."}, DeadLettersRows},
    {{"record", "Which fields of a record are compared, and which records are dead letters."},
     RecordRows},
    {{"feature", "How text becomes features."}, FeatureRows},
    {{"match", "When two records are duplicates."}, MatchRows},
    {{"auto", "How the lane learns at its first start, under match.mode: auto."}, AutoRows},
    {{"window", "How long records are remembered, and how many."}, WindowRows},
    {{"transaction", "How much work is committed at once."}, TransactionRows},
    {{"filter", "How `neardup filter` works through a file. Other commands do not use it."},
     FilterRows},
    {{"lease", "How instances of one app agree which of them is active."}, LeaseRows},
    {{"retry", "How long the lane waits after an error before it starts again."}, RetryRows},
    {{"threads", "How many threads work."}, ThreadsRows},
    {{"kafka", "How to connect to Kafka."}, KafkaRows},
    {{"registry", "Where the schemas of values are found."}, RegistryRows},
    {{"metrics", "Where metrics and health are served."}, MetricsRows},
    {{"http", "A page beside metrics and health."}, HttpRows},
    {{"log", "What is logged, and in which format."}, LogRows},
    {{"state", "What is kept on disk."}, StateRows},
};

std::vector<Setting> AllRows() {
  std::vector<Setting> rows = {AppRow()};
  for (const Section& section : kSections) {
    std::vector<Setting> more = section.rows();
    std::move(more.begin(), more.end(), std::back_inserter(rows));
  }
  return rows;
}

}  // namespace

const std::vector<Setting>& SettingsTable() {
  static const std::vector<Setting> table = AllRows();
  return table;
}

const std::vector<SettingSection>& SettingSections() {
  static const std::vector<SettingSection> sections = [] {
    std::vector<SettingSection> named;
    for (const Section& section : kSections) named.push_back(section.named);
    return named;
  }();
  return sections;
}

const Setting* FindSetting(std::string_view path) {
  const std::vector<Setting>& table = SettingsTable();
  const auto row = std::find_if(table.begin(), table.end(),
                                [&](const Setting& setting) { return setting.path == path; });
  return row == table.end() ? nullptr : &*row;
}

std::string_view SectionOf(std::string_view path) {
  const size_t dot = path.find('.');
  return dot == std::string_view::npos ? std::string_view() : path.substr(0, dot);
}

std::string_view KeyOf(std::string_view path) {
  const size_t dot = path.find('.');
  return dot == std::string_view::npos ? path : path.substr(dot + 1);
}

}  // namespace neardup
