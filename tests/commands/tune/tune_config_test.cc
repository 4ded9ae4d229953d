// Tests that the service reads the configuration that `tune` writes.
#include "commands/tune/tune_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "learn/model_file.h"
#include "learn/synthetic_streams.h"
#include "service/config/config_text.h"

namespace neardup {
namespace {

using ::testing::AllOf;

using ::testing::HasSubstr;
using ::testing::Not;

class TuneConfigTest : public ConfigText {
 protected:
  TuneConfigTest() {
    files_.sample = "topic articles";
    files_.config = folder_ / "c.yaml";
    files_.model = folder_ / "c.model.json";
    files_.page = folder_ / "c.html";
  }

  static Tuning TuningOf(const std::vector<std::string>& payloads, const TuneOptions& options) {
    Result<Tuning> tuning = Tune(ViewsOf(payloads), options);
    EXPECT_TRUE(tuning.ok()) << tuning.error().text;
    return std::move(tuning).value();
  }

  static Settings SettingsOf(const Tuning& tuning) {
    Settings settings;
    settings.lane.filter = tuning.proposed;
    settings.model_file = "c.model.json";
    return settings;
  }

  /// Expects that the service reads the same options from the configuration and the model.
  std::string ExpectReadBack(const Tuning& tuning, const Settings& settings) {
    Write("c.model.json", ModelText(tuning.proposed.model));
    const std::string yaml = TuneConfig(settings, tuning, files_);
    const Result<LoadedConfig> read = Load(yaml);
    EXPECT_TRUE(read.ok()) << read.error().text << "\n" << yaml;
    if (!read.ok()) return yaml;
    EXPECT_EQ(read->settings.lane.filter, tuning.proposed);
    EXPECT_EQ(read->settings.kafka.brokers, settings.kafka.brokers);
    EXPECT_EQ(read->settings.kafka.topics, settings.kafka.topics);
    EXPECT_TRUE(read->warnings.empty());
    return yaml;
  }

  TuneFiles files_;
};

TEST_F(TuneConfigTest, IsReadBackAsTheSameOptionsInEachMode) {
  for (const auto& [payloads, mode] : {std::pair(TextStream(1, 300, 100, 3), MatchMode::kNear),
                                       std::pair(SeriesStream(1, 200), MatchMode::kExact),
                                       std::pair(TextStream(1, 30, 100, 3), MatchMode::kNear)}) {
    const Tuning tuning = TuningOf(payloads, {.calibration = {.window_entries = 50'000}});
    ASSERT_EQ(tuning.calibration.mode, mode);
    const std::string yaml = ExpectReadBack(tuning, SettingsOf(tuning));
    EXPECT_THAT(
        yaml, AllOf(HasSubstr(R"(fields: [text, {path: "", key: true}])"),
                    HasSubstr("features_min: 8"), HasSubstr("model: c.model.json"),
                    HasSubstr("entries_max: 50000"), HasSubstr(std::string("Mode ") + Name(mode))));
  }
}

TEST_F(TuneConfigTest, KeepsFieldsOfAnyNameAndOtherOptions) {
  TuneOptions options;
  options.filter.record.fields = {{"a: b", 1.0}, {"text", 2.5}, {"/x/~1y", 1.0}, {"${HOME}", 1.0}};
  options.filter.record.time_field = "at";
  options.filter.record.exclude = {"# no comment"};
  options.filter.record.missing_fields = MissingFields::kAll;
  options.filter.feature.markup = false;
  options.hash_seed = 77;
  std::vector<std::string> payloads = TextStream(1, 120, 100, 3);
  for (std::string& payload : payloads) payload.insert(1, R"("at":"2026-01-01T00:00:00Z",)");
  const Tuning tuning = TuningOf(payloads, options);
  ExpectReadBack(tuning, SettingsOf(tuning));
}

TEST_F(TuneConfigTest, IsReadyToRunWithATopic) {
  const Tuning tuning = TuningOf(TextStream(1, 120, 100, 3), {});
  Settings settings = SettingsOf(tuning);
  settings.kafka.brokers = "kafka-1:9092,kafka-2:9092";
  settings.kafka.topics = {"articles"};
  EXPECT_THAT(ExpectReadBack(tuning, settings), Not(HasSubstr("with --brokers")));
}

TEST_F(TuneConfigTest, GivesTheReasonsForFieldsThatAreLeftOut) {
  std::vector<std::string> payloads = TextStream(1, 120, 100, 3);
  for (size_t i = 0; i < payloads.size(); ++i) {
    payloads[i].insert(1, R"("id":"k)" + std::to_string(i) + R"(",)");
  }
  const Tuning proposed = TuningOf(payloads, {});
  const std::string text = ExpectReadBack(proposed, SettingsOf(proposed));
  EXPECT_THAT(text, HasSubstr("Left out: id (an identifier by its name"));
  EXPECT_THAT(text, HasSubstr("exclude: [id]"));
  TuneOptions options;
  options.filter.record.fields = {{"id", 1.0}, {"text", 1.0}};
  const Tuning given = TuningOf(payloads, options);
  EXPECT_THAT(ExpectReadBack(given, SettingsOf(given)), HasSubstr("Consider leaving out: id (an"));
}

TEST_F(TuneConfigTest, KeepsFieldsThatMayDiffer) {
  std::vector<std::string> payloads = TextStream(1, 120, 100, 3);
  for (size_t i = 0; i < payloads.size(); ++i) {
    payloads[i].insert(1, R"("shelf":"k)" + std::to_string(i) + R"(",)");
  }
  const Tuning tuning = TuningOf(payloads, {});
  EXPECT_THAT(ExpectReadBack(tuning, SettingsOf(tuning)),
              AllOf(HasSubstr("{path: shelf, free: true}"), HasSubstr(R"({path: "", key: true})")));
}

TEST_F(TuneConfigTest, KeepsFieldNamesInsideTheirComment) {
  std::vector<std::string> payloads = TextStream(1, 120, 100, 3);
  for (std::string& payload : payloads) {
    payload.insert(1, R"("x\nmatch:\n  distance_max: 7\n#\u0000\u001b":true,)");
  }
  const Tuning tuning = TuningOf(payloads, {});
  for (const char c : ExpectReadBack(tuning, SettingsOf(tuning))) {
    EXPECT_TRUE(c == '\n' || c < 0 || c >= ' ') << static_cast<int>(c);
  }
}

}  // namespace
}  // namespace neardup
