// Printed configurations: complete, loadable again, and without secrets.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "neardup/filter.h"
#include "service/config/config_text.h"
#include "service/config/documents.h"
#include "service/config/settings.h"
#include "service/config/settings_table.h"

namespace neardup {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class ConfigPrint : public ConfigText {
 protected:
  static void ExpectEqualSettings(const Settings& a, const Settings& b) {
    for (const Setting& setting : SettingsTable()) {
      EXPECT_EQ(setting.get(a), setting.get(b)) << setting.path;
    }
  }
};

std::string FileText(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST_F(ConfigPrint, TheExampleFileInTheRepositoryIsTheOnePrinted) {
  EXPECT_EQ(FileText(std::filesystem::path(NEARDUP_CONFIG_FOLDER) / "neardup.yaml"),
            ConfigExample());
}

TEST_F(ConfigPrint, TheExampleSetsEverySettingToItsDefault) {
  Result<LoadedConfig> config = Load(ConfigExample());
  ASSERT_TRUE(config.ok()) << config.error().text;
  Settings defaults;
  defaults.kafka.app = DefaultApp({});  // the example names no topics to derive it from
  ExpectEqualSettings(config->settings, defaults);
  EXPECT_EQ(config->sources.size(), SettingsTable().size());
}

TEST_F(ConfigPrint, TheHandWrittenExamplesLoadWithoutWarnings) {
  for (const char* name : {"news", "products", "logs", "exact-only"}) {
    std::filesystem::path file =
        std::filesystem::path(NEARDUP_CONFIG_FOLDER) / "examples" / (std::string(name) + ".yaml");
    Result<LoadedConfig> config = LoadConfig({file, {}, {}});
    ASSERT_TRUE(config.ok()) << config.error().text;
    EXPECT_TRUE(config->warnings.empty()) << config->warnings[0];
    EXPECT_TRUE(CheckRunnable(*config).ok()) << name;
  }
}

const char kRichYaml[] = R"(app: rich
input:
  topics: [news, "2024"]
record:
  fields: [title, {path: "a, b", weight: 2.5}, "yes", /x, {path: "b, c", key: true}]
  exclude: ["y: z"]
window:
  window_ms: 1500
state:
  dir: "a$$b $${c} #d"
kafka:
  properties: {client.id: "null", x: "a\nb", y: 7, "z: {": ""}
)";

TEST_F(ConfigPrint, TheShownConfigurationLoadsAsTheSameSettings) {
  Result<LoadedConfig> config = Load(kRichYaml);
  ASSERT_TRUE(config.ok()) << config.error().text;
  for (bool with_sources : {false, true}) {
    std::string shown = ShowConfig(*config, {.with_sources = with_sources, .json = false});
    Result<LoadedConfig> again = Load(shown);
    ASSERT_TRUE(again.ok()) << shown << again.error().text;
    ExpectEqualSettings(again->settings, config->settings);
  }
}

TEST_F(ConfigPrint, SourcesAndTheMemoryAreShown) {
  Result<LoadedConfig> config = Load("app: a\nwindow:\n  entries_max: 5000\n",
                                     {{"NEARDUP_LOG__LEVEL", "warn"}}, {"match.distance_max=2"});
  ASSERT_TRUE(config.ok()) << config.error().text;
  std::string shown = Plain(ShowConfig(*config, {.with_sources = true, .json = false}));
  EXPECT_THAT(shown, ::testing::ContainsRegex("app: a +# c.yaml:1\n"));
  EXPECT_THAT(shown, ::testing::ContainsRegex("  entries_max: 5000 +# c.yaml:3\n"));
  EXPECT_THAT(shown, ::testing::ContainsRegex("  level: warn +# NEARDUP_LOG__LEVEL\n"));
  EXPECT_THAT(shown, ::testing::ContainsRegex("  distance_max: 2 +# --set match.distance_max\n"));
  EXPECT_THAT(shown, ::testing::ContainsRegex("  window_ms: 24h +# default\n"));
  const LaneOptions& lane = config->settings.lane;
  EXPECT_THAT(
      shown, ::testing::ContainsRegex(
                 "#   index +" + std::to_string(FilterBytesMax(lane.filter, UncommittedMax(lane))) +
                 "  window.entries_max\n"));
  EXPECT_THAT(shown,
              HasSubstr("# memory in bytes, at most, with 16 input partitions on 1 core:\n"));
  EXPECT_THAT(ShowConfig(*config, {}), Not(HasSubstr("# default")));
}

TEST_F(ConfigPrint, JsonHoldsEverySettingAndItsSource) {
  Result<LoadedConfig> config = Load(kRichYaml);
  ASSERT_TRUE(config.ok()) << config.error().text;
  auto shown = nlohmann::json::parse(ShowConfig(*config, {.with_sources = true, .json = true}));
  EXPECT_EQ(shown["settings"]["app"], "rich");
  EXPECT_EQ(shown["settings"]["window"]["window_ms"], 1500);
  EXPECT_EQ(shown["settings"]["record"]["fields"][1]["weight"], 2.5);
  EXPECT_EQ(shown["settings"]["record"]["fields"][4],
            nlohmann::json({{"path", "b, c"}, {"key", true}}));
  const LaneOptions& lane = config->settings.lane;
  EXPECT_EQ(shown["memory"]["parts"][0]["bytes"],
            FilterBytesMax(lane.filter, UncommittedMax(lane)));
  uint64_t total = 0;
  for (const auto& part : shown["memory"]["parts"]) total += part["bytes"].get<uint64_t>();
  EXPECT_EQ(shown["memory"]["total_bytes"], total);
  for (const Setting& setting : SettingsTable()) {
    EXPECT_TRUE(shown["origins"].contains(setting.path)) << setting.path;
  }
  EXPECT_EQ(Plain(shown["origins"]["kafka.properties.y"]), "c.yaml:12");
  EXPECT_FALSE(nlohmann::json::parse(ShowConfig(*config, {.with_sources = false, .json = true}))
                   .contains("origins"));
}

TEST_F(ConfigPrint, MemoryFollowsTheSettingsThatBoundIt) {
  Result<LoadedConfig> config = Load("app: a\n");
  ASSERT_TRUE(config.ok()) << config.error().text;
  Settings& settings = config->settings;
  const uint64_t before = MemoryOf(settings, 16, 2).total;
  EXPECT_GT(MemoryOf(settings, 1000, 2).total, before);
  EXPECT_GT(MemoryOf(settings, 16, 64).total, before);
  for (auto raise : {+[](Settings& s) { s.kafka.prefetch_bytes_max *= 2; },
                     +[](Settings& s) { s.lane.filter.window.entries_max *= 2; },
                     +[](Settings& s) { s.lane.filter.record.record_bytes_max *= 2; },
                     +[](Settings& s) { s.lane.transaction_bytes_max *= 2; }}) {
    Settings raised = settings;
    raise(raised);
    EXPECT_GT(MemoryOf(raised, 16, 2).total, before);
  }
}

// A secret could appear in shown configurations, in errors and in warnings.
TEST_F(ConfigPrint, SecretsAreNeverPrinted) {
  const std::string secret = "Tr0ub4dor&3";
  const std::string file = Write("secret", secret + "\n").string();
  const std::string reference = "${file:" + file + "}";
  const std::vector<std::string> values = {
      "state:\n  dir: " + reference,
      "state:\n  dir: \"/a/" + reference + "/b\"",
      "kafka:\n  brokers: " + reference,
      "kafka:\n  properties:\n    sasl.username: " + reference,
      "kafka:\n  properties:\n    sasl.password: " + secret,
      "kafka:\n  properties: {ssl.key.pem: \"${SECRET}\"}",
      "kafka:\n  properties:\n    acks: " + reference,
      "kafka:\n  properties:\n    sasl.password: [" + secret + "]",
      "input:\n  topics: [\"" + reference + "\"]",
      "input:\n  start: " + reference,
      "match:\n  distance_max: " + reference,
      "feature:\n  markup: " + reference,
      "feature:\n  model: " + reference,
      "record:\n  exclude: [\"" + reference + "\", \"" + reference + "\"]",
      "record:\n  fields: [\"" + reference + "\"]\n  exclude: [\"" + reference + "\"]",
      "record:\n  fields: [{path: a, weight: \"" + reference + "\"}]",
      "output:\n  unique_topic: " + reference,
      "metrics:\n  user: a\n  password: " + secret,
  };
  for (const std::string& yaml : values) {
    Result<LoadedConfig> config = Load(yaml + "\n", {{"SECRET", secret}});
    if (!config.ok()) {
      EXPECT_THAT(config.error().text, Not(HasSubstr(secret))) << yaml;
      continue;
    }
    for (bool json : {false, true}) {
      std::string shown = ShowConfig(*config, {.with_sources = true, .json = json});
      EXPECT_THAT(shown, Not(HasSubstr(secret))) << yaml;
      EXPECT_THAT(shown, HasSubstr("******")) << yaml;
    }
    for (const std::string& warning : config->warnings) {
      EXPECT_THAT(warning, Not(HasSubstr(secret))) << yaml;
    }
  }
}

TEST_F(ConfigPrint, SecretsFromOutsideTheFileAreNeverPrinted) {
  const std::string secret = "Tr0ub4dor&3";
  Result<LoadedConfig> config =
      Load("app: a\n", {{"NEARDUP_KAFKA__PROPERTIES__SASL__PASSWORD", secret}},
           {"kafka.producer_properties.ssl.key.password=" + secret});
  ASSERT_TRUE(config.ok()) << config.error().text;
  EXPECT_EQ(config->settings.kafka.properties.at("sasl.password"), secret);
  for (bool json : {false, true}) {
    EXPECT_THAT(ShowConfig(*config, {.with_sources = true, .json = json}), Not(HasSubstr(secret)));
  }
  EXPECT_THAT(Complaints("app: a\n", {}, {"kafka.properties.sasl.password=[" + secret}),
              Not(HasSubstr(secret)));
  EXPECT_THAT(Complaints("app: a\n", {}, {"kafka.properties.sasl.password={a: " + secret + "}"}),
              Not(HasSubstr(secret)));
}

// Two topics clash only if their secrets are equal; the error must show neither.
TEST_F(ConfigPrint, ContradictionsBetweenSecretsDoNotShowThem) {
  const std::string secret = "hidden-name";
  const std::string reference = "\"${file:" + Write("secret", secret).string() + "}\"";
  std::string text = Complaints("output:\n  unique_topic: " + reference +
                                "\n  duplicate_topic: " + reference + "\n");
  EXPECT_THAT(text, HasSubstr("found ******, which is output.unique_topic"));
  EXPECT_THAT(text, Not(HasSubstr(secret)));
  text =
      Complaints("input:\n  topics: [" + reference + "]\noutput:\n  unique_topic: \"{topic}\"\n");
  EXPECT_THAT(text, HasSubstr("found ******, which is an input topic"));
  EXPECT_THAT(text, Not(HasSubstr(secret)));
}

TEST_F(ConfigPrint, TheReferenceNamesEverySetting) {
  std::string reference = ConfigReference();
  for (const Setting& setting : SettingsTable()) {
    EXPECT_THAT(reference, HasSubstr("| `" + setting.path + "` | `"));
  }
  EXPECT_THAT(reference, HasSubstr("| `transactional.id` | "));
  EXPECT_THAT(reference, HasSubstr("| `max.in.flight` | expected 1 to 5"));
}

TEST_F(ConfigPrint, NoLineOfTheExampleIsLongerThanOneHundredColumns) {
  std::istringstream lines(ConfigExample());
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100u) << line;
}

}  // namespace
}  // namespace neardup
