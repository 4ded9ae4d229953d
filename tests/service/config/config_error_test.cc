// Every kind of mistake, with the whole text that a user reads.
#include "service/config/config_text.h"

namespace neardup {
namespace {

class ConfigError : public ConfigText {};

TEST_F(ConfigError, AnAbsentFileIsNamed) {
  Result<LoadedConfig> config = LoadConfig({folder_ / "absent.yaml", {}, {}});
  ASSERT_FALSE(config.ok());
  EXPECT_EQ(config.error().code, ErrorCode::kConfig);
  EXPECT_EQ(Plain(config.error().text), "absent.yaml: cannot be read: No such file or directory");
}

TEST_F(ConfigError, UnknownKeysComeWithTheNearestName) {
  EXPECT_EQ(Complaints("window:\n  window_sm: 1000\n"),
            "c.yaml:2: window.window_sm: unknown setting, did you mean window.window_ms?");
  EXPECT_EQ(Complaints("\nwindows:\n  window_ms: 1000\n"),
            "c.yaml:2: windows: unknown setting, did you mean window?");
  EXPECT_EQ(Complaints("topics: [a]\n"),
            "c.yaml:1: topics: unknown setting, did you mean input.topics?");
  EXPECT_EQ(Complaints("record:\n  fields: [{path: a, wieght: 2}]\n"),
            "c.yaml:2: record.fields[0].wieght: found an unknown key, expected path, weight, key "
            "or free");
}

TEST_F(ConfigError, WrongTypesSayWhatWasFoundAndWhatIsExpected) {
  EXPECT_EQ(Complaints("match:\n  distance_max: near\n"),
            "c.yaml:2: match.distance_max: found near, expected a whole number from 0 to 12");
  EXPECT_EQ(Complaints("match:\n  distance_max: \"3\"\n"),
            "c.yaml:2: match.distance_max: found the text \"3\", expected a whole number from 0 to "
            "12");
  EXPECT_EQ(Complaints("match:\n  distance_max: [3]\n"),
            "c.yaml:2: match.distance_max: found a list, expected a whole number from 0 to 12");
  EXPECT_EQ(Complaints("match:\n  distance_max:\n"),
            "c.yaml:2: match.distance_max: found nothing, expected a whole number from 0 to 12");
  EXPECT_EQ(Complaints("feature:\n  markup: yes\n"),
            "c.yaml:2: feature.markup: found yes, expected true or false");
  EXPECT_EQ(Complaints("input:\n  topics: news\n"),
            "c.yaml:2: input.topics: found news, expected a list, such as [a, b]");
  EXPECT_EQ(Complaints("input:\n  topics:\n    - news\n    - {a: b}\n"),
            "c.yaml:4: input.topics[1]: found a map, expected a topic name: 1 to 249 letters, "
            "digits, '.', '_' or '-'");
  EXPECT_EQ(Complaints("input:\n  topics: [2024]\n"),
            "c.yaml:2: input.topics[0]: found 2024, expected text; write \"2024\"");
  EXPECT_EQ(Complaints("kafka:\n  properties: [a]\n"),
            "c.yaml:2: kafka.properties: found a list, expected a map, such as {name: value}");
  EXPECT_EQ(Complaints("kafka:\n  properties: {a: [b]}\n"),
            "c.yaml:2: kafka.properties.a: found a list, expected text, a number, true or false");
  EXPECT_EQ(Complaints("window: 24h\n"),
            "c.yaml:1: window: found a value, expected settings below this section");
  EXPECT_EQ(Complaints("- a\n"),
            "c.yaml:1: found no map, expected sections such as `input:` at the top level");
}

TEST_F(ConfigError, OfManyMistakesTheFirstAreShownAndTheOthersCounted) {
  std::string yaml = "record:\n";
  for (int i = 0; i < 1000; ++i) yaml += "  unknown" + std::to_string(i) + ": 1\n";
  const std::string complaints = Complaints(yaml);
  EXPECT_EQ(std::count(complaints.begin(), complaints.end(), '\n'), 20);
  EXPECT_TRUE(complaints.starts_with("c.yaml:2: record.unknown0: ")) << complaints;
  EXPECT_TRUE(complaints.ends_with("\nand 980 more")) << complaints;
}

TEST_F(ConfigError, NumbersOutOfRangeNameTheRange) {
  EXPECT_EQ(Complaints("match:\n  distance_max: 13\n"),
            "c.yaml:2: match.distance_max: found 13, expected a whole number from 0 to 12");
  EXPECT_EQ(Complaints("window:\n  window_ms: 999\n"),
            "c.yaml:2: window.window_ms: found 999, expected milliseconds, or a number with ms, s, "
            "m, h or d, from 1s to 3653d");
  EXPECT_EQ(Complaints("window:\n  window_ms: 24 hours\n"),
            "c.yaml:2: window.window_ms: found 24 hours, expected milliseconds, or a number with "
            "ms, s, m, h or d, from 1s to 3653d");
  EXPECT_EQ(Complaints("record:\n  record_bytes_max: 2GiB\n"),
            "c.yaml:2: record.record_bytes_max: found 2GiB, expected bytes, or a number with B, "
            "KB, MB, GB, KiB, MiB or GiB, from 1KiB to 1GiB");
  EXPECT_EQ(Complaints("output:\n  replication_factor: 0\n"),
            "c.yaml:2: output.replication_factor: found 0, expected a whole number from -1 to "
            "32767, not 0");
  EXPECT_EQ(Complaints("record:\n  fields: [{path: a, weight: 0.05}]\n"),
            "c.yaml:2: record.fields[0].weight: found 0.05, expected a number from 0.1 to 100");
  EXPECT_EQ(Complaints("record:\n  fields: [{path: a, weight: nan}]\n"),
            "c.yaml:2: record.fields[0].weight: found nan, expected a number from 0.1 to 100");
}

TEST_F(ConfigError, AKeyFieldIsTrueOrFalseAndHasNoWeight) {
  EXPECT_EQ(Complaints("record:\n  fields: [a, {path: b, key: yes}]\n"),
            "c.yaml:2: record.fields[1].key: found yes, expected true or false");
  EXPECT_EQ(Complaints("record:\n  fields: [a, {path: b, key: \"true\"}]\n"),
            "c.yaml:2: record.fields[1].key: found the text \"true\", expected true or false");
  EXPECT_EQ(
      Complaints("record:\n  fields: [a, {path: b, key: true, weight: 2}]\n"),
      "c.yaml:2: record.fields[1]: found key or free with weight, expected one of them: they are "
      "compared for equality only");
  EXPECT_EQ(Complaints("record:\n  fields: [{key: true}]\n"),
            "c.yaml:2: record.fields[0]: found no path, expected {path: name, weight: number}, "
            "{path: name, key: true} or {path: name, free: true}");
  EXPECT_EQ(
      Complaints("record:\n  fields: [{path: a, key: true}]\n"),
      "c.yaml:2: record.fields holds key fields only, expected at least one other field to "
      "compare; "
      "to find records with equal fields, list them without key and set match.distance_max to 0");
}

TEST_F(ConfigError, UnknownAndRepeatedMasksAreRefused) {
  EXPECT_EQ(Complaints("feature:\n  masks: [time, uid]\n"),
            "c.yaml:2: feature.masks[1]: found uid, expected one of timestamp, time, uuid, ip, "
            "pointer, hex, number");
  EXPECT_EQ(Complaints("feature:\n  masks: [ip, ip]\n"),
            "c.yaml:2: feature.masks[1]: found ip, expected every item once");
  EXPECT_EQ(Complaints("feature:\n  masks: ip\n"),
            "c.yaml:2: feature.masks: found ip, expected a list, such as [a, b]");
}

TEST_F(ConfigError, ChoicesAreListedWithTheNearest) {
  EXPECT_EQ(Complaints("input:\n  start: earlyest\n"),
            "c.yaml:2: input.start: found earlyest, expected one of earliest, latest (did you mean "
            "earliest?)");
  EXPECT_EQ(Complaints("log:\n  level: 7\n"),
            "c.yaml:2: log.level: found 7, expected one of debug, info, warn, error");
}

TEST_F(ConfigError, NamesThatDoNotFitTheirPatternAreRefused) {
  EXPECT_EQ(
      Complaints("app: My App\n"),
      "c.yaml:1: app: found My App, expected a name of 1 to 200 lower-case letters, digits, "
      "'.', '_' or '-', starting with a letter or digit; or \"\" for one from the input topics");
  EXPECT_EQ(Complaints("input:\n  topics: [..]\n"),
            "c.yaml:2: input.topics[0]: found .., expected a topic name: 1 to 249 letters, digits, "
            "'.', '_' or '-'");
  EXPECT_EQ(Complaints("record:\n  exclude: [/a~2]\n"),
            "c.yaml:2: record.exclude[0]: found /a~2, expected a field: a top-level name, or a "
            "JSON Pointer such as /article/title");
  EXPECT_EQ(Complaints("output:\n  unique_topic: \"{name}.u\"\n"),
            "c.yaml:2: output.unique_topic: found the text \"{name}.u\", expected a topic name of "
            "letters, digits, '.', '_' or '-', where {topic} stands for the input topic");
  EXPECT_EQ(
      Complaints("app: " + std::string(200'000, 'a') + "\n"),
      "c.yaml:1: app: found a text of 200000 bytes, expected a name of 1 to 200 lower-case "
      "letters, digits, '.', '_' or '-', starting with a letter or digit; or \"\" for one from "
      "the input topics");
}

TEST_F(ConfigError, RepeatedKeysAreReportedWithBothLines) {
  EXPECT_EQ(Complaints("log:\n  level: info\n  level: warn\n"),
            "c.yaml:3: log.level: found twice (first on line 2), expected once");
  EXPECT_EQ(Complaints("log: {level: info}\napp: a\nlog: {level: warn}\n"),
            "c.yaml:3: log: found twice (first on line 1), expected once");
  EXPECT_EQ(Complaints("kafka:\n  properties:\n    client.id: a\n    client.id: b\n"),
            "c.yaml:4: kafka.properties.client.id: found twice (first on line 3), expected once");
  EXPECT_EQ(Complaints("record:\n  fields: [{path: a, path: b}]\n"),
            "c.yaml:2: record.fields[0].path: found twice (first on line 2), expected once");
  EXPECT_EQ(Complaints("input:\n  topics: [a, b, a]\n"),
            "c.yaml:2: input.topics[2]: found a, expected every item once");
  EXPECT_EQ(Complaints("record:\n  fields: [a, {path: a, weight: 3}]\n"),
            "c.yaml:2: record.fields[1]: found a again, expected every field once");
}

TEST_F(ConfigError, MergeKeysAliasesAndTagsAreRefused) {
  EXPECT_EQ(Complaints("log:\n  <<: {level: info}\n"),
            "c.yaml:2: log.<<: found a merge key (<<), expected the settings themselves");
  EXPECT_EQ(Complaints("app: &name a\nstate:\n  dir: *name\n"),
            "c.yaml:3: found an alias (*name), expected the value itself\n"
            "c.yaml:3: state.dir: found nothing, expected text");
  EXPECT_EQ(Complaints("app: !!str a\n"),
            "c.yaml:1: found a tag (!name), expected the value without it");
  EXPECT_EQ(Complaints("log:\n  ? [a]\n  : b\n"),
            "c.yaml:2: found a key that is not text, expected a name\n"
            "c.yaml:2: log.: unknown setting, did you mean log?");
}

TEST_F(ConfigError, TextThatIsNotYamlIsReportedWithLineAndColumn) {
  EXPECT_EQ(Complaints("log:\n  level: [info\n"),
            "c.yaml:3: not YAML: end of sequence flow not found (column 1)");
  EXPECT_EQ(Complaints("log:\n  level: info\n format: text\n"),
            "c.yaml:3: not YAML: end of map not found (column 2)");
}

TEST_F(ConfigError, ATabInTheIndentationIsNamed) {
  EXPECT_EQ(
      Complaints("log:\n\tlevel: info\n"),
      "c.yaml:2: not YAML: illegal map value (column 7); indented with a tab, expected spaces");
}

TEST_F(ConfigError, EmptyFilesAndSecondDocumentsAreRefused) {
  const std::string empty =
      "c.yaml:1: found no settings, expected at least one; `neardup config example` prints all";
  EXPECT_EQ(Complaints(""), empty);
  EXPECT_EQ(Complaints("# only a comment\n"), empty);
  EXPECT_EQ(Complaints("{}\n"), empty);
  EXPECT_EQ(Complaints("app: a\n---\napp: b\n"),
            "c.yaml:3: found a second document (---), expected one per file");
}

TEST_F(ConfigError, UnsetVariablesNameFileAndLine) {
  EXPECT_EQ(Complaints("kafka:\n  brokers: ${BROKERS}\n"),
            "c.yaml:2: kafka.brokers: ${BROKERS}: not set in the environment; set it, or write "
            "${BROKERS:-default}");
}

TEST_F(ConfigError, PropertiesThatBreakTheGuaranteesAreRefusedWithTheReason) {
  EXPECT_EQ(Complaints("kafka:\n  properties:\n    acks: 1\n"),
            "c.yaml:3: kafka.properties.acks: this librdkafka property cannot be set: always all: "
            "a record must not be lost with its broker");
  EXPECT_EQ(Complaints("kafka:\n  producer_properties:\n    max.in.flight: 6\n"),
            "c.yaml:3: kafka.producer_properties.max.in.flight: this librdkafka property cannot be "
            "set: expected 1 to 5: with more requests in flight, a resent batch can change places");
  EXPECT_EQ(Complaints("app: a\n", {}, {"kafka.consumer_properties.group.id=a"}),
            "--set kafka.consumer_properties.group.id: this librdkafka property cannot be set: "
            "neardup names the group after app");
}

TEST_F(ConfigError, ContradictionsBetweenSettingsAreNamed) {
  EXPECT_EQ(Complaints("lease:\n  heartbeat_interval_ms: 3s\n"),
            "c.yaml:2: lease.heartbeat_interval_ms: found 3s, expected at most a third of "
            "lease.session_timeout_ms (6s)");
  EXPECT_EQ(Complaints("retry:\n  backoff_min_ms: 20s\n"),
            "c.yaml:2: retry.backoff_min_ms: found 20s, expected at most retry.backoff_max_ms "
            "(10s)");
  EXPECT_EQ(Complaints("transaction:\n  interval_ms: 29s\n"),
            "c.yaml:2: transaction.timeout_ms: found 30s, expected more than "
            "transaction.interval_ms (29s) + 1s");
  EXPECT_EQ(Complaints("kafka:\n  inflight_bytes_max: 2MiB\n"),
            "c.yaml:2: kafka.inflight_bytes_max: found 2MiB, expected at least "
            "record.record_bytes_max (4MiB)");
  EXPECT_EQ(Complaints("metrics:\n  tls_certificate_path: tls.crt\n"),
            "c.yaml:2: metrics.tls_key_path: found nothing, expected a value, because "
            "metrics.tls_certificate_path is set");
  EXPECT_EQ(Complaints("record:\n  format: avro\n"),
            "c.yaml:2: registry.url: found nothing, expected the address of a schema registry, "
            "because record.format is avro");
  EXPECT_EQ(Complaints("metrics:\n  password: ${PASSWORD}\n", {{"PASSWORD", "hidden"}}),
            "c.yaml:2: metrics.user: found nothing, expected a value, because metrics.password is "
            "set");
}

TEST_F(ConfigError, ComparedFieldsCannotBeExcluded) {
  EXPECT_EQ(Complaints("record:\n  fields: [a, b]\n  exclude: [b]\n"),
            "c.yaml:3: record.exclude[0] (\"b\") excludes /b, which record.fields selects; remove "
            "one of them");
  EXPECT_EQ(
      Complaints("record:\n  fields: [/a/b]\n  exclude: [a]\n"),
      "c.yaml:3: record.exclude[0] (\"a\") excludes /a/b, which record.fields selects; remove "
      "one of them");
  EXPECT_EQ(Complaints("record:\n  fields: [a, ab]\n  exclude: [/a/b, /ab/c]\n"), "");
}

TEST_F(ConfigError, OptionsThatTheFilterRefusesAreReportedWhereTheyWereWritten) {
  EXPECT_EQ(Complaints("app: a\nrecord:\n  fields: [a, /a]\n"),
            "c.yaml:3: record.fields[1] (\"/a\") is listed twice; list each field once");
}

TEST_F(ConfigError, EveryTopicHasOneUse) {
  EXPECT_EQ(Complaints("input:\n  topics: [a, b]\noutput:\n  unique_topic: u\n"),
            "c.yaml:4: output.unique_topic: found u, expected a name with {topic}, because there "
            "are several input topics");
  EXPECT_EQ(Complaints("input:\n  topics: [a]\noutput:\n  unique_topic: \"{topic}\"\n"),
            "c.yaml:4: output.unique_topic: found a, which is an input topic, expected a topic "
            "that nothing else uses");
  EXPECT_EQ(Complaints("output:\n  unique_topic: same\n  duplicate_topic: same\n"),
            "c.yaml:3: output.duplicate_topic: found same, which is output.unique_topic, expected "
            "a topic that nothing else uses");
  EXPECT_EQ(Complaints("input:\n  topics: [a, a.unique]\n"),
            "c.yaml:2: output.unique_topic: found a.unique, which is an input topic, expected a "
            "topic that nothing else uses");
  EXPECT_EQ(Complaints("app: x\ninput:\n  topics: [x-changelog]\n"),
            "c.yaml:3: input.topics: found x-changelog, which is the changelog, expected another "
            "topic");
  EXPECT_EQ(Complaints("app: x\noutput:\n  duplicate_topic: x-lease\n"),
            "c.yaml:3: output.duplicate_topic: found x-lease, which is the lease topic, expected a "
            "topic that nothing else uses");
  std::string name(245, 'a');
  EXPECT_EQ(Complaints("input:\n  topics: [" + name + "]\noutput:\n  unique_topic: u\n  " +
                       "duplicate_topic: d\n  dead_letter_topic: \"{topic}.dead\"\n"),
            "c.yaml:6: output.dead_letter_topic: found a name of 250 bytes, expected at most 249 "
            "bytes once {topic} is replaced by an input topic");
}

TEST_F(ConfigError, AllMistakesAreReportedTogether) {
  EXPECT_EQ(Complaints("app: A!\nlog:\n  level: loud\n  fromat: json\n",
                       {{"NEARDUP_METRICS__PORT", "web"}}, {"window.window_ms=1"}),
            "c.yaml:4: log.fromat: unknown setting, did you mean log.format?\n"
            "c.yaml:1: app: found A!, expected a name of 1 to 200 lower-case letters, digits, '.', "
            "'_' or '-', starting with a letter or digit; or \"\" for one from the input topics\n"
            "c.yaml:3: log.level: found loud, expected one of debug, info, warn, error\n"
            "NEARDUP_METRICS__PORT: metrics.port: found web, expected a whole number from 0 to "
            "65535\n"
            "--set window.window_ms: found 1, expected milliseconds, or a number with ms, s, m, h "
            "or d, from 1s to 3653d");
}

}  // namespace
}  // namespace neardup
