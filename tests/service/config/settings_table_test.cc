// The table against Settings: every row sets exactly its own member, and no member lacks a row.
#include "service/config/settings_table.h"

#include <set>

#include "detect/settings/filter_settings_table.h"
#include "learn/model_file.h"
#include "neardup/filter.h"
#include "service/config/config_text.h"
#include "service/config/settings.h"

namespace neardup {
namespace {

// A value of the right kind that is not the default.
SettingValue OtherValue(const Setting& setting) {
  const SettingValue value = setting.default_value();
  switch (setting.kind) {
    case SettingKind::kText:
      if (setting.path == "output.groups_topic") return std::string("other-groups");
      if (setting.path.starts_with("output.")) {
        return "{topic}.other-" + std::string(KeyOf(setting.path));
      }
      if (setting.path == "lease.listen_address") return std::string("10.0.3.7");
      return std::string("other:9093");
    case SettingKind::kInteger:
    case SettingKind::kDuration:
    case SettingKind::kBytes: {
      int64_t number = std::get<int64_t>(value);
      return number == setting.min ? setting.min + 3 : number - 1;
    }
    case SettingKind::kShare:
      return 0.75;  // in the range of each
    case SettingKind::kFlag:
      return !std::get<bool>(value);
    case SettingKind::kChoice: {
      if (setting.path == "record.format") return std::string("text");  // avro needs a registry
      const bool is_default = setting.default_value() == SettingValue(setting.choices.back());
      return is_default ? setting.choices.front() : setting.choices.back();
    }
    case SettingKind::kTextList:
      if (setting.path == "feature.masks") return std::vector<std::string>{"time", "number"};
      return std::vector<std::string>{"one", "two", "three"};
    case SettingKind::kFieldList:
      return std::vector<FieldSelector>{{"title", 2.5}, {"/a/b", 1.0}, {"c", 1.0, true}};
    case SettingKind::kTextMap:
      return TextMap{{"client.id", "x"}, {"sasl.username", "y: #z"}};
  }
  return value;
}

/// Settings that need a certain value of another setting: some settings come in pairs.
struct Companion {
  std::string path;
  std::string other;
  std::string value;
};
const Companion kCompanions[] = {
    {"input.topics_before", "app", "other"},
    {"registry.username", "registry.password", "hidden"},
    {"registry.password", "registry.username", "reader"},
    {"metrics.tls_certificate_path", "metrics.tls_key_path", "tls.key"},
    {"metrics.tls_key_path", "metrics.tls_certificate_path", "tls.crt"},
    {"metrics.user", "metrics.password", "hidden"},
    {"metrics.password", "metrics.user", "scraper"},
};

const Companion* CompanionOf(const std::string& path) {
  for (const Companion& each : kCompanions) {
    if (each.path == path) return &each;
  }
  return nullptr;
}

class SettingsTableTest : public ConfigText {
 protected:
  // As OtherValue, but the file of a model exists and holds one.
  SettingValue LoadableValue(const Setting& setting) {
    if (setting.path == "app" || setting.path == "metrics.user" ||
        setting.path == "registry.username") {
      return std::string("other");
    }
    if (setting.path == "registry.url") return std::string("https://registry:8081/api");
    if (setting.path == "feature.model") return Write("m.json", ModelText(Model())).string();
    return OtherValue(setting);
  }
};

TEST_F(SettingsTableTest, EveryRowSetsItsMemberFromTheFileAndNothingElse) {
  for (const Setting& setting : SettingsTable()) {
    SettingValue other = LoadableValue(setting);
    ASSERT_NE(other, setting.default_value()) << setting.path;
    std::string key(KeyOf(setting.path));
    std::string section(SectionOf(setting.path));
    std::string yaml =
        (section.empty() ? "" : section + ":\n  ") + key + ": " + YamlText(setting, other) + "\n";
    const Companion* companion = CompanionOf(setting.path);
    if (companion != nullptr) {
      yaml += SectionOf(companion->other).empty() ? "" : "  ";
      yaml += std::string(KeyOf(companion->other)) + ": " + companion->value + "\n";
    }
    Result<LoadedConfig> config = Load(yaml);
    ASSERT_TRUE(config.ok()) << yaml << config.error().text;
    for (const Setting& any : SettingsTable()) {
      SettingValue expected = any.path == setting.path ? other : any.default_value();
      if (any.path == "app" && any.path != setting.path) {
        expected = DefaultApp(config->settings.kafka.topics);
      }
      if (companion != nullptr && any.path == companion->other) expected = companion->value;
      // What the mode exact means.
      if (setting.path == "match.mode" && any.path == "match.distance_max") expected = int64_t{0};
      EXPECT_EQ(any.get(config->settings), expected) << yaml << any.path;
    }
  }
}

TEST_F(SettingsTableTest, EveryRowSetsItsMemberFromTheEnvironmentAndTheCommandLine) {
  for (const Setting& setting : SettingsTable()) {
    SettingValue other = LoadableValue(setting);
    std::string variable = "NEARDUP_";
    for (char c : setting.path) {
      variable += c == '.' ? std::string("__") : std::string(1, static_cast<char>(toupper(c)));
    }
    std::vector<std::string> sets;
    if (const Companion* companion = CompanionOf(setting.path)) {
      sets.push_back(companion->other + "=" + companion->value);
    }
    const auto* text = std::get_if<std::string>(&other);
    Result<LoadedConfig> from_variable =
        LoadConfig({{}, sets, {{variable, text ? *text : YamlText(setting, other)}}});
    ASSERT_TRUE(from_variable.ok()) << from_variable.error().text;
    EXPECT_EQ(setting.get(from_variable->settings), other) << variable;
    sets.push_back(setting.path + "=" + YamlText(setting, other));
    Result<LoadedConfig> from_set = LoadConfig({{}, sets, {}});
    ASSERT_TRUE(from_set.ok()) << from_set.error().text;
    EXPECT_EQ(setting.get(from_set->settings), other) << setting.path;
  }
}

// A new member of Settings does not compile here: give it a row in the table, a name in this list
// and a place in kMembers.
TEST_F(SettingsTableTest, EveryMemberOfSettingsHasARow) {
  [[maybe_unused]] auto [brokers, app, topics, lanes_count, lanes_lane, unique, duplicate, dead,
                         groups, create, replication, session, heartbeat, transaction, records,
                         bytes, prefetch, all, consumer, producer, answer, encodings] =
      KafkaOptions{};
  [[maybe_unused]] auto [filter, learned, lane, pipeline, start, headers, routing, unique_key,
                         dead_letters, interval, transaction_bytes, transaction_timeout,
                         transaction_records, batch, idle, refresh, data_loss, growth,
                         missing_topic, threads, on_changelog_loss, backoff_min, backoff_max,
                         give_up, stay_out] = LaneOptions{};
  [[maybe_unused]] auto [routing_mode, exact_route, near_route, release_exact, release_near, keep,
                         publish_groups] = routing;
  [[maybe_unused]] auto [share, on_excess, on_first_excess] = dead_letters;
  [[maybe_unused]] auto [record, feature, model, match, window] = FilterOptions{};
  [[maybe_unused]] auto [record_format, fields, exclude, missing, null_value, time_field, format,
                         missing_time, record_bytes, depth] = record;
  [[maybe_unused]] auto [features_min, markup, masks] = feature;
  [[maybe_unused]] auto [timestamp, time, uuid, ip, pointer, hex, number] = masks;
  [[maybe_unused]] auto [similarity, distance, sum, chance, per_bit, widen, text_keys, neighbours,
                         numbers, suspects] = match;
  [[maybe_unused]] auto [window_ms, lateness, ahead, entries] = window;
  [[maybe_unused]] auto [host, port, certificate, key, page, user, password, connection_ms] =
      HttpOptions{};
  [[maybe_unused]] auto [kafka, app_is_default, inputs_before, outputs_before, mode_before, lanes,
                         learning, file_run, model_file, reference, registry, http, presence, level,
                         log_format, state_dir, snapshot_interval, purge, on_foreign] = Settings{};
  [[maybe_unused]] auto [listen, listen_address, listen_port] = presence;
  [[maybe_unused]] auto [url, username, registry_password, token, ca_path] = registry;
  [[maybe_unused]] auto [commit_records] = file_run;
  [[maybe_unused]] auto [mode, sample, records_max, records_min, wait, on, kept] = learning;
  // In LaneOptions, lane, filter, learned, pipeline, dead_letters, transaction_records and
  // transaction_timeout_ms (a setting of the brokers' client) are not
  // settings: the process numbers its lanes, and the others count by their members or are derived.
  // So are routing.publish_groups, learning.on, kept and app_is_default. The model and the
  // reference come from model_file; the masks are one setting; the pages have a fixed time for a
  // connection.
  constexpr size_t kMembers = 22 + 6 + (20 - 3) + 2 + 11 + 3 + 10 + 4 + 6 + 7 + 5 + 5 + 2 + 1 + 3;
  EXPECT_EQ(SettingsTable().size(), kMembers);
  std::set<std::string> paths;
  for (const Setting& setting : SettingsTable()) paths.insert(setting.path);
  EXPECT_EQ(paths.size(), kMembers);
}

TEST_F(SettingsTableTest, DefaultsAreInsideTheirRanges) {
  for (const Setting& setting : SettingsTable()) {
    const SettingValue value = setting.default_value();
    if (const auto* number = std::get_if<int64_t>(&value)) {
      EXPECT_LE(setting.min, *number) << setting.path;
      EXPECT_GE(setting.max, *number) << setting.path;
    }
    EXPECT_FALSE(setting.help.empty()) << setting.path;
  }
}

TEST_F(SettingsTableTest, TheFilterTakesExactlyTheRangesOfTheTable) {
  size_t ranges = 0;
  for (const Setting& setting : SettingsTable()) {
    const std::string_view section = SectionOf(setting.path);
    const bool of_filter =
        section == "record" || section == "feature" || section == "match" || section == "window";
    if (!of_filter || !std::holds_alternative<int64_t>(setting.default_value())) continue;
    ++ranges;
    const auto check = [&setting](int64_t value) {
      Settings settings;
      setting.set(settings, value);
      return CheckOptions(settings.lane.filter);
    };
    for (const int64_t inside : {setting.min, setting.max}) {
      EXPECT_TRUE(check(inside).ok()) << setting.path << " " << inside;
    }
    for (const int64_t outside : {setting.min - 1, setting.max + 1}) {
      const Result<void> checked = check(outside);
      ASSERT_FALSE(checked.ok()) << setting.path << " " << outside;
      EXPECT_TRUE(checked.error().text.starts_with(setting.path)) << checked.error().text;
    }
  }
  EXPECT_EQ(ranges, 12U);
}

TEST_F(SettingsTableTest, EverySettingIsInAKnownSection) {
  std::set<std::string_view> names = {""};
  std::set<std::string_view> used = {""};
  for (const SettingSection& section : SettingSections()) names.insert(section.name);
  for (const Setting& setting : SettingsTable()) used.insert(SectionOf(setting.path));
  EXPECT_EQ(names, used);
}

TEST_F(SettingsTableTest, AFilterWithoutKafkaKnowsEachSectionOfTheService) {
  std::set<std::string_view> ours;
  for (const SettingSection& section : SettingSections()) ours.insert(section.name);
  std::set<std::string_view> known(std::begin(kServiceSections), std::end(kServiceSections));
  for (const FilterSetting& setting : FilterSettingsTable()) known.insert(SectionOf(setting.path));
  EXPECT_EQ(known, ours);
}

TEST_F(SettingsTableTest, ChoicesNameEveryValueOfTheirEnum) {
  Settings settings;
  for (const Setting& setting : SettingsTable()) {
    for (const std::string& choice : setting.choices) {
      setting.set(settings, choice);
      EXPECT_EQ(setting.get(settings), SettingValue(choice)) << setting.path;
    }
  }
  const auto with = [](const char* path, const char* choice) {
    Settings chosen;
    FindSetting(path)->set(chosen, std::string(choice));
    return chosen;
  };
  EXPECT_EQ(with("output.headers", "full").lane.headers, HeaderStyle::kFull);
  EXPECT_EQ(with("routing.mode", "observe").lane.routing.mode, RoutingMode::kObserve);
  EXPECT_EQ(with("routing.exact", "drop").lane.routing.exact, DuplicateRoute::kDrop);
  EXPECT_EQ(with("routing.mode_before", "route").routing_mode_before, ModeBefore::kRoute);
  EXPECT_EQ(with("dead_letters.on_excess", "fail").lane.dead_letters.on_excess, OnExcess::kFail);
  EXPECT_EQ(with("output.on_foreign_records", "continue").on_foreign_records,
            OnForeignRecords::kContinue);
  EXPECT_EQ(with("record.time_format", "seconds").lane.filter.record.time_format,
            TimeFormat::kSeconds);
  EXPECT_EQ(with("record.null_value", "unique").lane.filter.record.null_value, NullValue::kUnique);
  EXPECT_EQ(with("record.missing_fields", "any").lane.filter.record.missing_fields,
            MissingFields::kAny);
  EXPECT_EQ(with("input.on_data_loss", "continue").lane.on_data_loss, OnLoss::kContinue);
  EXPECT_EQ(with("input.on_missing_topic", "fail").lane.on_missing_topic, OnLoss::kFail);
  EXPECT_EQ(with("input.start", "latest").lane.start_at, StartAt::kLatest);
  EXPECT_EQ(with("log.level", "warn").log_level, LogLevel::kWarn);
  EXPECT_EQ(with("log.format", "json").log_format, LogFormat::kJson);
}

}  // namespace
}  // namespace neardup
