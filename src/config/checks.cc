#include "config/checks.h"

#include <algorithm>
#include <initializer_list>

#include "config/setting_value.h"
#include "config/settings_table.h"
#include "neardup/filter.h"

namespace neardup {

namespace {

constexpr std::string_view kOffsets = "offsets are committed in the transaction of the records";
constexpr std::string_view kDeliveries = "every delivery must be reported to neardup";
constexpr std::string_view kCodeOnly = "can only be set by code inside the process";
constexpr std::string_view kBrokers = "use kafka.brokers";
constexpr std::string_view kTimeout = "use transaction.timeout_ms";
constexpr std::string_view kMembership =
    "neardup chooses it, so that a lane moves to a standby at once and has one owner";

}  // namespace

const std::vector<RefusedProperty>& RefusedProperties() {
  static const std::vector<RefusedProperty> properties = {
      {"bootstrap.servers", kBrokers},
      {"metadata.broker.list", kBrokers},

      {"enable.auto.commit", kOffsets},
      {"auto.commit.enable", kOffsets},
      {"enable.auto.offset.store", kOffsets},
      {"offset.store.method", kOffsets},
      {"offset.store.path", kOffsets},
      {"auto.offset.reset",
       "use input.start; offsets that are gone must stop the lane, not move it silently"},
      {"isolation.level", "always read_committed: aborted records must not be seen"},
      {"enable.partition.eof", "neardup needs it to tell when an input is at its end"},

      {"group.id", "the group is named after app"},
      {"group.instance.id", kMembership},
      {"group.protocol", kMembership},
      {"group.protocol.type", kMembership},
      {"group.remote.assignor", kMembership},
      {"partition.assignment.strategy", kMembership},
      {"session.timeout.ms", "use lease.session_timeout_ms"},
      {"heartbeat.interval.ms", "use lease.heartbeat_interval_ms"},

      {"transactional.id", "named after app; it is the lock of a lane"},
      {"transaction.timeout.ms", kTimeout},
      {"message.timeout.ms", kTimeout},
      {"delivery.timeout.ms", kTimeout},
      {"enable.idempotence", "always true: without it records repeat and change places"},
      {"acks", "always all: a record must not be lost with its broker"},
      {"request.required.acks", "always all: a record must not be lost with its broker"},
      {"queuing.strategy", "always fifo: records must keep their order"},
      {"msg_order_cmp", "records must keep their order"},
      {"queue.buffering.max.messages", "use kafka.inflight_records_max"},
      {"queue.buffering.max.kbytes", "use kafka.inflight_bytes_max"},
      {"delivery.report.only.error", kDeliveries},
      {"dr_cb", kDeliveries},
      {"dr_msg_cb", kDeliveries},

      {"plugin.library.paths", "a plug-in can change records and loads foreign code"},
      {"interceptors", kCodeOnly},
      {"enabled_events", kCodeOnly},
      {"opaque", kCodeOnly},
      {"default_topic_conf", kCodeOnly},
      {"ssl_engine_callback_data", kCodeOnly},
      {"ssl_key", "can only be set by code inside the process; use ssl.key.location"},
      {"ssl_certificate",
       "can only be set by code inside the process; use ssl.certificate.location"},
      {"ssl_ca", "can only be set by code inside the process; use ssl.ca.location"},
      {"background_event_cb", kCodeOnly},
      {"closesocket_cb", kCodeOnly},
      {"connect_cb", kCodeOnly},
      {"consume_cb", kCodeOnly},
      {"error_cb", kCodeOnly},
      {"log_cb", kCodeOnly},
      {"oauthbearer_token_refresh_cb", kCodeOnly},
      {"offset_commit_cb", kCodeOnly},
      {"open_cb", kCodeOnly},
      {"partitioner_cb", kCodeOnly},
      {"rebalance_cb", kCodeOnly},
      {"resolve_cb", kCodeOnly},
      {"socket_cb", kCodeOnly},
      {"ssl.certificate.verify_cb", kCodeOnly},
      {"stats_cb", kCodeOnly},
      {"throttle_cb", kCodeOnly},
  };
  return properties;
}

std::optional<std::string> RefusalOf(std::string_view name, std::string_view value) {
  for (const RefusedProperty& property : RefusedProperties()) {
    if (property.name == name) return std::string(property.reason);
  }
  bool bounds_flight =
      std::find(std::begin(kRequestsInFlightNames), std::end(kRequestsInFlightNames), name) !=
      std::end(kRequestsInFlightNames);
  if (!bounds_flight) return std::nullopt;
  std::optional<int64_t> requests = ParseInteger(value);
  if (requests && *requests >= 1 && *requests <= kRequestsInFlightMax) return std::nullopt;
  return "expected 1 to 5: with more in flight a resent batch can change places";
}

bool IsSecretProperty(std::string_view name) {
  std::string lower(name);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  for (std::string_view mark : {"password", "passphrase", "secret", "token", "credential",
                                "sasl.jaas", "key.pem", "ssl_key", "oauthbearer.config"}) {
    if (lower.find(mark) != std::string::npos) return true;
  }
  return false;
}

namespace {

constexpr size_t kTopicBytesMax = 249;
const char* const kTemplatePaths[] = {"output.unique_topic", "output.duplicate_topic",
                                      "output.dead_letter_topic"};

class Checks {
 public:
  Checks(const LoadedConfig& config, const std::set<std::string>& unread, ConfigErrors& errors)
      : config_(config), settings_(config.settings), unread_(unread), errors_(errors) {}

  void All() {
    CheckTimes();
    CheckSizes();
    CheckTopics();
    CheckFilter();
  }

 private:
  bool Read(std::initializer_list<const char*> paths) const {
    return std::none_of(paths.begin(), paths.end(),
                        [&](const char* path) { return unread_.contains(path); });
  }

  std::string Shown(const std::string& path, const std::string& text) const {
    return config_.IsSecret(path) ? kSecretMask : text;
  }

  // The setting's value as text, for numbers with a unit.
  std::string ValueText(const std::string& path) const {
    const Setting& setting = *FindSetting(path);
    int64_t value = std::get<int64_t>(setting.get(settings_));
    return Shown(path,
                 setting.kind == SettingKind::kBytes ? BytesText(value) : DurationText(value));
  }

  // The complaint stands where somebody wrote the value, if only one of the two was written.
  void Refuse(const std::string& path, const std::string& other, const std::string& found,
              const std::string& expected) {
    bool other_only = !config_.origins.contains(path) && config_.origins.contains(other);
    errors_.Add(config_.origin(other_only ? other : path), path,
                "found " + found + ", expected " + expected);
  }

  void CheckTimes() {
    const KafkaOptions& kafka = settings_.kafka;
    const LaneOptions& lane = settings_.lane;
    if (Read({"lease.heartbeat_interval_ms", "lease.session_timeout_ms"}) &&
        kafka.heartbeat_interval_ms > kafka.session_timeout_ms / 3) {
      Refuse("lease.heartbeat_interval_ms", "lease.session_timeout_ms",
             ValueText("lease.heartbeat_interval_ms"),
             "at most a third of lease.session_timeout_ms (" +
                 ValueText("lease.session_timeout_ms") + ")");
    }
    if (Read({"retry.backoff_min_ms", "retry.backoff_max_ms"}) &&
        lane.retry_backoff_min_ms > lane.retry_backoff_max_ms) {
      Refuse("retry.backoff_min_ms", "retry.backoff_max_ms", ValueText("retry.backoff_min_ms"),
             "at most retry.backoff_max_ms (" + ValueText("retry.backoff_max_ms") + ")");
    }
    if (Read({"transaction.timeout_ms", "transaction.interval_ms"}) &&
        kafka.transaction_timeout_ms <= lane.transaction_interval_ms + 1000) {
      Refuse(
          "transaction.timeout_ms", "transaction.interval_ms", ValueText("transaction.timeout_ms"),
          "more than transaction.interval_ms (" + ValueText("transaction.interval_ms") + ") + 1s");
    }
  }

  void CheckSizes() {
    const size_t record_bytes_max = settings_.lane.filter.record.record_bytes_max;
    if (Read({"kafka.inflight_bytes_max", "record.record_bytes_max"}) &&
        static_cast<size_t>(settings_.kafka.inflight_bytes_max) < record_bytes_max) {
      Refuse("kafka.inflight_bytes_max", "record.record_bytes_max",
             ValueText("kafka.inflight_bytes_max"),
             "at least record.record_bytes_max (" + ValueText("record.record_bytes_max") + ")");
    }
  }

  std::string TemplateOf(size_t output) const {
    const KafkaOptions& kafka = settings_.kafka;
    const std::string* templates[] = {&kafka.unique_topic, &kafka.duplicate_topic,
                                      &kafka.dead_letter_topic};
    return *templates[output];
  }

  void CheckTopics() {
    if (!Read({"input.topics", kTemplatePaths[0], kTemplatePaths[1], kTemplatePaths[2], "app"})) {
      return;
    }
    const KafkaOptions& kafka = settings_.kafka;
    // Every topic in use and what it is for; two uses of one topic mix their records.
    std::map<std::string, std::string> uses = {{ChangelogTopic(kafka), "the changelog"},
                                               {LeaseTopic(kafka), "the lease topic"}};
    for (const std::string& topic : kafka.topics) {
      auto [use, added] = uses.emplace(topic, "an input topic");
      if (!added) {
        Refuse("input.topics", "app", Shown("input.topics", topic) + ", which is " + use->second,
               "another topic");
      }
    }
    for (size_t output = 0; output < std::size(kTemplatePaths); ++output) {
      CheckTemplate(output, uses);
    }
  }

  void CheckTemplate(size_t output, std::map<std::string, std::string>& uses) {
    const std::string path = kTemplatePaths[output];
    const std::string text = TemplateOf(output);
    const std::vector<std::string>& topics = settings_.kafka.topics;
    if (topics.size() > 1 && text.find("{topic}") == std::string::npos) {
      Refuse(path, "input.topics", Shown(path, text),
             "a name with {topic}, as there are several input topics");
      return;
    }
    // Without input topics the templates can still be told apart.
    std::vector<std::string> inputs = topics.empty() ? std::vector<std::string>{"x"} : topics;
    for (const std::string& input : inputs) {
      std::string topic = ExpandTopic(text, input);
      std::string shown = config_.IsSecret("input.topics") ? kSecretMask : Shown(path, topic);
      if (topic.size() > kTopicBytesMax) {
        Refuse(path, "input.topics", "a name of " + std::to_string(topic.size()) + " bytes",
               "at most 249 with {topic} replaced by an input topic");
      }
      auto [use, added] = uses.emplace(topic, path);
      if (!added) {
        Refuse(path, "input.topics", shown + ", which is " + use->second,
               "a topic for this output alone");
      }
    }
  }

  // Where the setting, or the first of its entries, was written.
  Origin OriginOf(const std::string& path) const {
    const auto found = config_.origins.lower_bound(path);
    const bool here = found != config_.origins.end() &&
                      (found->first == path || found->first.starts_with(path + "."));
    return here ? found->second : Origin{};
  }

  // What CheckOptions says of one option starts with its path, and may name the compared fields.
  void CheckFilter() {
    bool all_read = std::none_of(unread_.begin(), unread_.end(), [](const std::string& path) {
      std::string_view section = SectionOf(path);
      return section == "record" || section == "feature" || section == "match" ||
             section == "window";
    });
    if (!all_read) return;
    Result<void> result = CheckOptions(settings_.lane.filter);
    if (result.ok()) return;
    const std::string& text = result.error().text;
    std::string path = text.substr(0, text.find_first_of(" [:"));
    bool secret = config_.IsSecret(path) || config_.IsSecret("record.fields");
    errors_.Add(OriginOf(path), secret ? path : "",
                secret ? std::string("found ") + kSecretMask + ", which cannot be used" : text);
  }

  const LoadedConfig& config_;
  const Settings& settings_;
  const std::set<std::string>& unread_;
  ConfigErrors& errors_;
};

}  // namespace

void CheckTogether(const LoadedConfig& config, const std::set<std::string>& unread,
                   ConfigErrors& errors) {
  Checks(config, unread, errors).All();
}

std::vector<std::string> Warnings(const LoadedConfig& config) {
  ConfigErrors warnings;
  for (const auto& [path, origin] : config.origins) {
    bool written_out =
        origin.kind == Origin::Kind::kFile || origin.kind == Origin::Kind::kCommandLine;
    if (path.find("properties.") != std::string::npos && written_out && config.IsSecret(path) &&
        !config.secrets.contains(path) && !config.from_variable.contains(path)) {
      warnings.Add(origin, path,
                   "a secret stands here in clear text; write ${file:/path} and keep it there");
    }
  }
  const RecordOptions& record = config.settings.lane.filter.record;
  if (record.time_format != RecordOptions().time_format && record.time_field.empty()) {
    warnings.Add(config.origin("record.time_format"), "record.time_format",
                 "has no effect without record.time_field");
  }
  if (!config.settings.lane.filter.scheme.is_own()) {
    for (const auto& [path, origin] : config.origins) {
      const bool ours = SectionOf(path) == "match" && !path.starts_with("match.scheme");
      if (ours || path == "feature.features_min") {
        warnings.Add(origin, path,
                     "has no effect with match.scheme: " + config.settings.lane.filter.scheme.name);
      }
    }
  }
  return warnings.lines();
}

}  // namespace neardup
