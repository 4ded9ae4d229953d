#include "service/config/checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <map>

#include "detect/base/quantity.h"
#include "detect/settings/setting_value.h"
#include "neardup/filter.h"
#include "service/config/settings.h"
#include "service/config/settings_table.h"

namespace neardup {
namespace {

constexpr size_t kTopicBytesMax = 249;
const char* const kTemplatePaths[] = {"output.unique_topic", "output.duplicate_topic",
                                      "output.dead_letter_topic"};

/// All checks over one loaded configuration.
class Checks {
 public:
  Checks(const LoadedConfig& config, const std::set<std::string>& unread, ConfigErrors& errors)
      : config_(config), settings_(config.settings), unread_(unread), errors_(errors) {}

  void All() {
    CheckTimes();
    CheckSizes();
    CheckPair("metrics.tls_certificate_path", settings_.http.tls_certificate_path,
              "metrics.tls_key_path", settings_.http.tls_key_path);
    CheckPair("registry.username", settings_.registry.username, "registry.password",
              settings_.registry.password);
    if (Read({"record.format", "registry.url"}) && settings_.registry.url.empty() &&
        settings_.lane.filter.record.format == RecordFormat::kAvro) {
      Refuse("registry.url", "record.format", "nothing",
             "the address of a schema registry, because record.format is avro");
    }
    CheckPair("metrics.user", settings_.http.user, "metrics.password", settings_.http.password);
    CheckTopics();
    CheckTopicsBefore();
    CheckKeep();
    CheckLearning();
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

  /// The value of a duration or a size as text.
  std::string ValueText(const std::string& path) const {
    const Setting& setting = *FindSetting(path);
    int64_t value = std::get<int64_t>(setting.get(settings_));
    return Shown(path,
                 setting.kind == SettingKind::kBytes ? BytesText(value) : DurationText(value));
  }

  /// Reports that `path` contradicts `other`, at the place where `path` was written; if only
  /// `other` was written, at that place.
  void Refuse(const std::string& path, const std::string& other, const std::string& found,
              const std::string& expected) {
    bool other_only = !config_.sources.contains(path) && config_.sources.contains(other);
    errors_.Add(config_.SourceOf(other_only ? other : path), path,
                fmt::format("found {}, expected {}", found, expected));
  }

  void CheckTimes() {
    const KafkaOptions& kafka = settings_.kafka;
    const LaneOptions& lane = settings_.lane;
    if (Read({"lease.heartbeat_interval_ms", "lease.session_timeout_ms"}) &&
        kafka.heartbeat_interval_ms > kafka.session_timeout_ms / 3) {
      Refuse("lease.heartbeat_interval_ms", "lease.session_timeout_ms",
             ValueText("lease.heartbeat_interval_ms"),
             fmt::format("at most a third of lease.session_timeout_ms ({})",
                         ValueText("lease.session_timeout_ms")));
    }
    if (Read({"retry.backoff_min_ms", "retry.backoff_max_ms"}) &&
        lane.retry_backoff_min_ms > lane.retry_backoff_max_ms) {
      Refuse("retry.backoff_min_ms", "retry.backoff_max_ms", ValueText("retry.backoff_min_ms"),
             fmt::format("at most retry.backoff_max_ms ({})", ValueText("retry.backoff_max_ms")));
    }
    if (Read({"transaction.timeout_ms", "transaction.interval_ms"}) &&
        kafka.transaction_timeout_ms <= lane.transaction_interval_ms + 1000) {
      Refuse("transaction.timeout_ms", "transaction.interval_ms",
             ValueText("transaction.timeout_ms"),
             fmt::format("more than transaction.interval_ms ({}) + 1s",
                         ValueText("transaction.interval_ms")));
    }
  }

  void CheckSizes() {
    const size_t record_bytes_max = settings_.lane.filter.record.record_bytes_max;
    if (Read({"kafka.inflight_bytes_max", "record.record_bytes_max"}) &&
        static_cast<size_t>(settings_.kafka.inflight_bytes_max) < record_bytes_max) {
      Refuse("kafka.inflight_bytes_max", "record.record_bytes_max",
             ValueText("kafka.inflight_bytes_max"),
             fmt::format("at least record.record_bytes_max ({})",
                         ValueText("record.record_bytes_max")));
    }
  }

  /// One without the other has no meaning.
  void CheckPair(const char* first, const std::string& first_text, const char* second,
                 const std::string& second_text) {
    if (!Read({first, second}) || first_text.empty() == second_text.empty()) return;
    const bool first_lacks = first_text.empty();
    Refuse(first_lacks ? first : second, first_lacks ? second : first, "nothing",
           fmt::format("a value, because {} is set", first_lacks ? second : first));
  }

  void CheckLearning() {
    const LearningSettings& learning = settings_.learning;
    if (Read({"auto.records_min", "auto.records_max"}) &&
        learning.records_min > learning.records_max) {
      Refuse("auto.records_min", "auto.records_max", fmt::format("{}", learning.records_min),
             fmt::format("at most auto.records_max ({})", learning.records_max));
    }
    const int distance_max = settings_.lane.filter.match.distance_max;
    if (Read({"match.mode", "match.distance_max"}) && learning.mode == ComparisonMode::kExact &&
        distance_max != 0) {
      Refuse("match.distance_max", "match.mode", fmt::format("{}", distance_max),
             "0, or another match.mode than exact");
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
    // Every topic in use, and what it is used for. Two uses of one topic would mix their records.
    std::map<std::string, std::string> uses = {{ChangelogTopic(kafka), "the changelog"},
                                               {LeaseTopic(kafka), "the lease topic"}};
    if (const std::string& groups = kafka.groups_topic; !groups.empty()) {
      const auto [use, added] = uses.emplace(groups, "the groups topic");
      if (!added) {
        Refuse("output.groups_topic", "app",
               fmt::format("{}, which is {}", Shown("output.groups_topic", groups), use->second),
               "another topic");
      }
    }
    for (const std::string& topic : kafka.topics) {
      auto [use, added] = uses.emplace(topic, "an input topic");
      if (!added) {
        Refuse("input.topics", "app",
               fmt::format("{}, which is {}", Shown("input.topics", topic), use->second),
               "another topic");
      }
    }
    for (size_t output = 0; output < std::size(kTemplatePaths); ++output) {
      CheckTemplate(output, uses);
    }
  }

  void CheckTopicsBefore() {
    const std::vector<std::string>& inputs = settings_.input_topics_before;
    if (Read({"input.topics_before", "app"}) && !inputs.empty() && settings_.app_is_default) {
      Refuse("app", "input.topics_before", "nothing",
             fmt::format("the app of the pipeline whose topics change; without a name it was {} "
                         "until now",
                         Shown("input.topics_before", DefaultApp(inputs))));
    }
    const std::vector<std::string>& outputs = settings_.output_topics_before;
    if (Read({"output.topics_before"}) && !outputs.empty() &&
        outputs.size() != std::size(kTemplatePaths)) {
      Refuse("output.topics_before", "output.topics_before", fmt::format("{}", outputs.size()),
             "3 topics: the unique, the duplicate and the dead-letter topic of before");
    }
  }

  void CheckKeep() {
    const LaneOptions& lane = settings_.lane;
    const RoutingOptions& routing = lane.routing;
    const bool grouped = lane.unique_key == UniqueKey::kGroup;
    if (Read({"output.unique_key", "routing.mode"}) && grouped &&
        routing.mode == RoutingMode::kObserve) {
      Refuse("output.unique_key", "routing.mode", "group",
             "record, because observing changes nothing for the consumers of the unique topic");
    }
    const bool releases = routing.release_exact_one_of > 0 || routing.release_near_one_of > 0;
    if (Read(
            {"output.unique_key", "routing.release_exact_one_of", "routing.release_near_one_of"}) &&
        grouped && releases) {
      Refuse("output.unique_key", "routing.release_exact_one_of", "group",
             "record, or no released duplicates: one of them could take the place of a newer "
             "record in a compacted topic");
    }
  }

  void CheckTemplate(size_t output, std::map<std::string, std::string>& uses) {
    const std::string path = kTemplatePaths[output];
    const std::string text = TemplateOf(output);
    const std::vector<std::string>& topics = settings_.kafka.topics;
    if (topics.size() > 1 && text.find("{topic}") == std::string::npos) {
      Refuse(path, "input.topics", Shown(path, text),
             "a name with {topic}, because there are several input topics");
      return;
    }
    // Without input topics, an invented one still shows whether two templates give one name.
    std::vector<std::string> inputs = topics.empty() ? std::vector<std::string>{"x"} : topics;
    for (const std::string& input : inputs) {
      std::string topic = ExpandTopic(text, input);
      std::string shown = config_.IsSecret("input.topics") ? kSecretMask : Shown(path, topic);
      if (topic.size() > kTopicBytesMax) {
        Refuse(path, "input.topics", fmt::format("a name of {} bytes", topic.size()),
               fmt::format("at most {} bytes once {{topic}} is replaced by an input topic",
                           kTopicBytesMax));
      }
      auto [use, added] = uses.emplace(topic, path);
      if (!added) {
        Refuse(path, "input.topics", fmt::format("{}, which is {}", shown, use->second),
               "a topic that nothing else uses");
      }
    }
  }

  /// Where the setting, or its first entry, was written.
  ValueSource SourceOf(const std::string& path) const {
    const auto found = config_.sources.lower_bound(path);
    const bool here = found != config_.sources.end() &&
                      (found->first == path || found->first.starts_with(path + "."));
    return here ? found->second : ValueSource{};
  }

  /// The texts of CheckOptions start with the path of an option and may name the compared fields.
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
    errors_.Add(SourceOf(path), secret ? path : "",
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
  for (const auto& [path, source] : config.sources) {
    bool written_out =
        source.kind == ValueSource::Kind::kFile || source.kind == ValueSource::Kind::kCommandLine;
    if (written_out && config.IsSecret(path) && !config.secrets.contains(path) &&
        !config.from_variable.contains(path)) {
      warnings.Add(
          source, path,
          "found a secret in clear text, expected ${file:/path} with the secret in that file");
    }
  }
  const RecordOptions& record = config.settings.lane.filter.record;
  if (record.time_field.empty()) {
    const auto warn = [&](bool given, const char* path) {
      if (given) {
        warnings.Add(config.SourceOf(path), path, "has no effect without record.time_field");
      }
    };
    warn(record.time_format != RecordOptions().time_format, "record.time_format");
    warn(record.missing_time != RecordOptions().missing_time, "record.missing_time");
  }
  return warnings.lines();
}

}  // namespace neardup
