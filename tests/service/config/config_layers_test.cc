// The layers of a configuration: which overrides which, what each takes, and what is remembered.
#include "service/config/config_text.h"
#include "service/config/settings_table.h"

namespace neardup {
namespace {

class ConfigLayers : public ConfigText {
 protected:
  // The value of kafka.brokers; or the error's text, so that a failing test shows it.
  std::string BrokersOf(const std::string& yaml, Environment environment = {},
                        std::vector<std::string> sets = {}) {
    Result<LoadedConfig> config = Load(yaml, std::move(environment), std::move(sets));
    return config.ok() ? config->settings.kafka.brokers : config.error().text;
  }

  std::string SourceTextOf(const LoadedConfig& config, const std::string& path) {
    return Plain(Text(config.SourceOf(path)));
  }
};

TEST_F(ConfigLayers, SettingsThatNobodyWroteHaveTheirDefaults) {
  Result<LoadedConfig> config = LoadConfig({});
  ASSERT_TRUE(config.ok()) << config.error().text;
  EXPECT_EQ(config->settings.kafka.brokers, Settings{}.kafka.brokers);
  EXPECT_EQ(config->settings.lane.filter, Settings{}.lane.filter);
  EXPECT_TRUE(config->sources.empty());
  EXPECT_TRUE(config->warnings.empty());
}

TEST_F(ConfigLayers, TheCommandLineOverridesTheEnvironmentWhichOverridesTheFile) {
  const std::string yaml = "kafka:\n  brokers: file:1\n";
  const Environment environment = {{"NEARDUP_KAFKA__BROKERS", "environment:1"}};
  EXPECT_EQ(BrokersOf("app: a\n"), "localhost:9092");
  EXPECT_EQ(BrokersOf(yaml), "file:1");
  EXPECT_EQ(BrokersOf(yaml, environment), "environment:1");
  EXPECT_EQ(BrokersOf(yaml, environment, {"kafka.brokers=set:1"}), "set:1");
  EXPECT_EQ(BrokersOf(yaml, environment, {"kafka.brokers=set:1", "kafka.brokers=set:2"}), "set:2");
}

TEST_F(ConfigLayers, EveryValueRemembersItsSource) {
  Result<LoadedConfig> config =
      Load("app: a\nkafka:\n  brokers: b:1\n  properties:\n    client.id: c\n",
           {{"NEARDUP_LOG__LEVEL", "warn"}}, {"metrics.port=0", "kafka.properties.debug=all"});
  ASSERT_TRUE(config.ok()) << config.error().text;
  EXPECT_EQ(SourceTextOf(*config, "app"), "c.yaml:1");
  EXPECT_EQ(SourceTextOf(*config, "kafka.brokers"), "c.yaml:3");
  EXPECT_EQ(SourceTextOf(*config, "kafka.properties.client.id"), "c.yaml:5");
  EXPECT_EQ(SourceTextOf(*config, "kafka.properties.debug"), "--set kafka.properties.debug");
  EXPECT_EQ(SourceTextOf(*config, "log.level"), "NEARDUP_LOG__LEVEL");
  EXPECT_EQ(SourceTextOf(*config, "metrics.port"), "--set metrics.port");
  EXPECT_EQ(SourceTextOf(*config, "log.format"), "default");
}

TEST_F(ConfigLayers, MistakesInAnOverriddenLayerAreStillReported) {
  EXPECT_EQ(Complaints("match:\n  distance_max: 19\n", {}, {"match.distance_max=3"}),
            "c.yaml:2: match.distance_max: found 19, expected a whole number from 0 to 12");
}

TEST_F(ConfigLayers, OnePropertyJoinsTheOthersAndAWholeMapReplacesThem) {
  const std::string yaml = "kafka:\n  properties: {client.id: a, linger.ms: 5, debug: false}\n";
  const Settings joined =
      SettingsOf(yaml, {{"NEARDUP_KAFKA__PROPERTIES__LINGER__MS", "20"}}, {"kafka.properties.a=b"});
  std::map<std::string, std::string> all = {
      {"client.id", "a"}, {"linger.ms", "20"}, {"debug", "false"}, {"a", "b"}};
  EXPECT_EQ(joined.kafka.properties, all);
  Result<LoadedConfig> replaced = Load(yaml, {}, {"kafka.properties={client.id: z}"});
  ASSERT_TRUE(replaced.ok()) << replaced.error().text;
  std::map<std::string, std::string> one = {{"client.id", "z"}};
  EXPECT_EQ(replaced->settings.kafka.properties, one);
  EXPECT_EQ(SourceTextOf(*replaced, "kafka.properties.linger.ms"), "default");
}

TEST_F(ConfigLayers, NumbersMayHaveUnitsWhereverTheyAreWritten) {
  const Settings settings =
      SettingsOf("window:\n  window_ms: 48h\n  lateness_ms: \"10m\"\n  ahead_max_ms: 5000\n",
                 {{"NEARDUP_TRANSACTION__INTERVAL_MS", "250ms"}}, {"record.record_bytes_max=9MiB"});
  EXPECT_EQ(settings.lane.filter.window.window_ms, 172'800'000);
  EXPECT_EQ(settings.lane.filter.window.lateness_ms, 600'000);
  EXPECT_EQ(settings.lane.filter.window.ahead_max_ms, 5000);
  EXPECT_EQ(settings.lane.transaction_interval_ms, 250);
  EXPECT_EQ(settings.lane.filter.record.record_bytes_max, size_t{9} << 20);
}

TEST_F(ConfigLayers, FieldsAreNamesOrMapsWithAWeight) {
  const Settings settings = SettingsOf(
      "record:\n  fields:\n    - title\n    - {path: /a/b, weight: 2}\n    - {path: c}\n"
      "    - path: d\n      weight: ${W}\n",
      {{"W", "0.5"}});
  std::vector<FieldSelector> fields = {{"title", 1}, {"/a/b", 2}, {"c", 1}, {"d", 0.5}};
  EXPECT_EQ(settings.lane.filter.record.fields, fields);
}

TEST_F(ConfigLayers, FieldsMayBeKeys) {
  const Settings settings = SettingsOf(
      "record:\n  fields: [title, {path: /a/b, key: true}, {path: c, key: \"${K}\"},"
      " {path: d, key: false}]\n",
      {{"K", "true"}});
  std::vector<FieldSelector> fields = {
      {"title", 1, false}, {"/a/b", 1, true}, {"c", 1, true}, {"d", 1, false}};
  EXPECT_EQ(settings.lane.filter.record.fields, fields);
}

TEST_F(ConfigLayers, MasksMayBeListedInAnyOrder) {
  const Settings settings = SettingsOf("feature: {masks: [number, time]}\n");
  EXPECT_EQ(settings.lane.filter.feature.masks, (Masks{.time = true, .number = true}));
  const Setting& masks = *FindSetting("feature.masks");
  EXPECT_EQ(masks.get(settings), SettingValue(std::vector<std::string>{"time", "number"}));
  Result<LoadedConfig> emptied =
      Load("feature: {masks: [number, time]}\n", {{"NEARDUP_FEATURE__MASKS", "[]"}});
  ASSERT_TRUE(emptied.ok()) << emptied.error().text;
  EXPECT_FALSE(emptied->settings.lane.filter.feature.masks.any());
}

TEST_F(ConfigLayers, ReferencesTakeTheTypeOfTheSetting) {
  const Settings settings = SettingsOf(
      "metrics:\n  port: \"${PORT}\"\noutput:\n  create_topics: ${CREATE:-false}\n"
      "input:\n  topics: [\"${YEAR}\"]\n",
      {{"PORT", "8080"}, {"YEAR", "2024"}});
  EXPECT_EQ(settings.http.port, 8080);
  EXPECT_FALSE(settings.kafka.create_topics);
  EXPECT_EQ(settings.kafka.topics, std::vector<std::string>{"2024"});
}

TEST_F(ConfigLayers, TheTextOfAVariableCannotChangeTheStructureOfTheFile) {
  const Settings settings =
      SettingsOf("kafka:\n  properties:\n    client.id: ${ID}\n", {{"ID", "a, acks: 1 #\"]}"}});
  std::map<std::string, std::string> one = {{"client.id", "a, acks: 1 #\"]}"}};
  EXPECT_EQ(settings.kafka.properties, one);
}

TEST_F(ConfigLayers, EnvironmentScalarsAreTakenLiterally) {
  const Settings settings =
      SettingsOf("app: a\n", {{"NEARDUP_KAFKA__PROPERTIES__SASL__PASSWORD", "'a #b: ${C} $$"},
                              {"NEARDUP_INPUT__TOPICS", "[2024, b]"},
                              {"NEARDUP_APP", "7"}});
  EXPECT_EQ(settings.kafka.properties.at("sasl.password"), "'a #b: ${C} $$");
  EXPECT_EQ(settings.kafka.topics, (std::vector<std::string>{"2024", "b"}));
  EXPECT_EQ(settings.kafka.app, "7");
}

TEST_F(ConfigLayers, ATextOnTheCommandLineIsTakenLiterallyUnlessItIsQuoted) {
  const std::map<std::string, std::string> cases = {{"{topic}.x", "{topic}.x"},
                                                    {"[{topic}]", "[{topic}]"},
                                                    {"{topic} #1", "{topic} #1"},
                                                    {"a: {topic}", "a: {topic}"},
                                                    {"*{topic}", "*{topic}"},
                                                    {"!x {topic}", "!x {topic}"},
                                                    {"'{topic}", "'{topic}"},
                                                    {"'a' {topic} 'b'", "'a' {topic} 'b'"},
                                                    {"'{topic}.x'", "{topic}.x"},
                                                    {"'it''s {topic}'", "it's {topic}"},
                                                    {R"("\"{topic}\" \\")", R"("{topic}" \)"},
                                                    {"${PREFIX}{topic}", "{p}{topic}"},
                                                    {"{topic}$$x", "{topic}$x"}};
  for (const auto& [written, meant] : cases) {
    Result<LoadedConfig> config =
        Load("app: a\n", {{"PREFIX", "{p}"}}, {"kafka.properties.client.id=" + written});
    ASSERT_TRUE(config.ok()) << written << ": " << config.error().text;
    EXPECT_EQ(config->settings.kafka.properties.at("client.id"), meant) << written;
  }
  Result<LoadedConfig> config =
      Load("app: a\n", {}, {"output.unique_topic={topic}.x", "state.dir=~", "record.time_field="});
  ASSERT_TRUE(config.ok()) << config.error().text;
  EXPECT_EQ(config->settings.kafka.unique_topic, "{topic}.x");
  EXPECT_EQ(config->settings.state_dir, "~");
}

TEST_F(ConfigLayers, AReferenceWithoutAValueIsTheOnlyComplaint) {
  EXPECT_EQ(Complaints("kafka:\n  brokers: ${NONE:?set it to host:port}\n"),
            "c.yaml:2: kafka.brokers: ${NONE}: not set in the environment: set it to host:port");
  EXPECT_EQ(Complaints("app: a\n", {}, {"kafka.brokers=${NONE:?set it to host:port}"}),
            "--set kafka.brokers: ${NONE}: not set in the environment: set it to host:port");
}

TEST_F(ConfigLayers, UnknownVariablesAreErrorsWithASuggestion) {
  EXPECT_EQ(Complaints("app: a\n", {{"NEARDUP_WINDOW__WINDOW", "1h"}}),
            "NEARDUP_WINDOW__WINDOW: window.window: unknown setting, did you mean "
            "window.window_ms?");
  EXPECT_EQ(Complaints("app: a\n", {{"NEARDUP_WINDOW_WINDOW_MS", "1h"}}),
            "NEARDUP_WINDOW_WINDOW_MS: window_window_ms: unknown setting, did you mean "
            "NEARDUP_WINDOW__WINDOW_MS?");
  EXPECT_EQ(Complaints("app: a\n", {{"NEARDUP_WINDOW", "1h"}}),
            "NEARDUP_WINDOW: window: found a section, expected one of its settings, such as "
            "window.window_ms");
}

TEST_F(ConfigLayers, VariablesOfKubernetesServicesAndOfOurScriptsAreIgnored) {
  const Environment environment = {{"NEARDUP_SERVICE_HOST", "10.0.0.1"},
                                   {"NEARDUP_SERVICE_PORT", "9404"},
                                   {"NEARDUP_CACHE", "/tmp/cache"},
                                   {"NEARDUP_SERVICE_PORT_METRICS", "9404"},
                                   {"NEARDUP_PORT", "tcp://10.0.0.1:9404"},
                                   {"NEARDUP_METRICS_PORT_9404_TCP", "tcp://10.0.0.1:9404"},
                                   {"NEARDUP_METRICS_PORT_9404_TCP_PROTO", "tcp"},
                                   {"NEARDUP_METRICS_PORT_9404_TCP_ADDR", "10.0.0.1"},
                                   {"HOME", "/home-of-nobody"}};
  EXPECT_EQ(Complaints("app: a\n", environment), "");
  EXPECT_EQ(
      Complaints("app: a\n", {{"NEARDUP_METRICS_PORT", "9404"}}),
      "NEARDUP_METRICS_PORT: metrics_port: unknown setting, did you mean NEARDUP_METRICS__PORT?");
}

TEST_F(ConfigLayers, CommandLineMistakesNameTheArgument) {
  EXPECT_EQ(Complaints("app: a\n", {}, {"window.window_ms"}),
            "--set window.window_ms: found no '=', expected path=value");
  EXPECT_EQ(Complaints("app: a\n", {}, {"window.windw_ms=1h"}),
            "--set window.windw_ms: unknown setting, did you mean window.window_ms?");
  EXPECT_EQ(Complaints("app: a\n", {}, {"input.topics=[a"}),
            "--set input.topics: not YAML: end of sequence flow not found (column 1)");
  EXPECT_EQ(Complaints("app: a\n", {}, {"state.dir=\"\\q\""}),
            "--set state.dir: not YAML: unknown escape character: q (column 4)");
  EXPECT_EQ(Complaints("app: a\n", {}, {"record.fields=[{path: a, path: b}]"}),
            "--set record.fields: record.fields[0].path: found twice, expected once");
  EXPECT_EQ(Complaints("app: a\n", {}, {"kafka.brokers=${NONE}"}),
            "--set kafka.brokers: ${NONE}: not set in the environment; set it, or write "
            "${NONE:-default}");
  EXPECT_EQ(Complaints("app: a\n", {}, {"input.topics="}),
            "--set input.topics: found the text \"\", expected a list, such as [a, b]");
}

TEST_F(ConfigLayers, AContradictionIsReportedWhereItWasWritten) {
  EXPECT_EQ(Complaints("app: a\n", {}, {"lease.heartbeat_interval_ms=5s"}),
            "--set lease.heartbeat_interval_ms: found 5s, expected at most a third of "
            "lease.session_timeout_ms (6s)");
  EXPECT_EQ(Complaints("app: a\n", {{"NEARDUP_TRANSACTION__INTERVAL_MS", "29s"}}),
            "NEARDUP_TRANSACTION__INTERVAL_MS: transaction.timeout_ms: found 30s, expected more "
            "than transaction.interval_ms (29s) + 1s");
}

TEST_F(ConfigLayers, ASectionWithoutSettingsChangesNothing) {
  EXPECT_EQ(Complaints("window:\n  # window_ms: 1h\nlog:\n"), "");
}

TEST_F(ConfigLayers, OnlyRunNeedsInputTopics) {
  Result<LoadedConfig> config = Load("app: a\n");
  ASSERT_TRUE(config.ok()) << config.error().text;
  Result<void> runnable = CheckRunnable(*config);
  ASSERT_FALSE(runnable.ok());
  EXPECT_EQ(runnable.error().code, ErrorCode::kConfig);
  EXPECT_EQ(runnable.error().text,
            "default: input.topics: found no topics, expected at least one, such as "
            "[news]; name them with --topics, or as input.topics in the file");
  EXPECT_TRUE(CheckRunnable(*Load("input:\n  topics: [news]\n")).ok());
}

TEST_F(ConfigLayers, ProbableMistakesAreWarnings) {
  Result<LoadedConfig> config =
      Load("record:\n  time_format: seconds\nkafka:\n  properties:\n    sasl.password: open\n");
  ASSERT_TRUE(config.ok()) << config.error().text;
  ASSERT_EQ(config->warnings.size(), 2u);
  EXPECT_EQ(Plain(config->warnings[0]),
            "c.yaml:5: kafka.properties.sasl.password: found a secret in clear text, expected "
            "${file:/path} with the secret in that file");
  EXPECT_EQ(Plain(config->warnings[1]),
            "c.yaml:2: record.time_format: has no effect without record.time_field");
  std::string path = Write("password", "hidden\n").string();
  for (const std::string& reference : {std::string("${PASSWORD}"), "${file:" + path + "}"}) {
    config = Load("kafka:\n  properties:\n    sasl.password: " + reference + "\n",
                  {{"PASSWORD", "hidden"}});
    ASSERT_TRUE(config.ok()) << config.error().text;
    EXPECT_EQ(config->settings.kafka.properties.at("sasl.password"), "hidden");
    EXPECT_TRUE(config->warnings.empty()) << config->warnings[0];
  }
}

}  // namespace
}  // namespace neardup
