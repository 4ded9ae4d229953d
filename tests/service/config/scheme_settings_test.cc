// match.scheme and match.scheme_options, from every layer.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "config/documents.h"
#include "config_text.h"
#include "schemes/schemes.h"

namespace neardup {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class SchemeSettings : public ConfigText {
 protected:
  static MatchScheme SchemeOf(const Result<LoadedConfig>& config) {
    EXPECT_TRUE(config.ok()) << config.error().text;
    return config.ok() ? config->settings.lane.filter.scheme : MatchScheme();
  }
};

TEST_F(SchemeSettings, CanComeFromTheFileTheEnvironmentAndTheCommandLine) {
  const MatchScheme expected = {"minhash", {{"shingle_length", 4}, {"similarity_min", 0.8}}};
  EXPECT_EQ(SchemeOf(Load("match:\n  scheme: minhash\n  scheme_options:\n    shingle_length: 4\n"
                          "    similarity_min: 0.8\n")),
            expected);
  EXPECT_EQ(SchemeOf(LoadConfig(
                {{},
                 {},
                 {{"NEARDUP_MATCH__SCHEME", "minhash"},
                  {"NEARDUP_MATCH__SCHEME_OPTIONS", "{shingle_length: 4, similarity_min: 0.8}"}}})),
            expected);
  // One entry joins those of the file.
  EXPECT_EQ(SchemeOf(Load("match: {scheme: minhash, scheme_options: {shingle_length: 4}}", {},
                          {"match.scheme_options.similarity_min=0.8"})),
            expected);
}

TEST_F(SchemeSettings, MistakesAreReportedWhereTheyWereWritten) {
  EXPECT_THAT(Complaints("match:\n  scheme: minhahs\n"),
              HasSubstr("c.yaml:2: match.scheme: found minhahs, expected one of neardup, md5, "));
  EXPECT_THAT(Complaints("match:\n  scheme: minhahs\n"), HasSubstr("(did you mean minhash?)"));
  EXPECT_EQ(Complaints("match:\n  scheme: i-match\n"),
            "c.yaml:2: match.scheme: i-match needs document frequencies of a sample; it is offered "
            "by `neardup evaluate` only");
  EXPECT_EQ(Complaints("match:\n  scheme: minhash\n  scheme_options: {similarity_min: often}\n"),
            "c.yaml:3: match.scheme_options.similarity_min: found often, expected a number");
  EXPECT_EQ(
      Complaints("match:\n  scheme: minhash\n  scheme_options:\n    similarity_min: 3\n"),
      "c.yaml:3: match.scheme_options: scheme minhash: similarity_min is 3, expected a number "
      "from 0.01 to 1");
  EXPECT_EQ(Complaints("match: {scheme: minhash}", {}, {"match.scheme_options.length=3"}),
            "--set match.scheme_options.length: match.scheme_options: scheme minhash has no "
            "parameter 'length'; it takes shingle_length, similarity_min");
  EXPECT_THAT(Complaints("match:\n  scheme_options: {distance_max: 3}\n"),
              HasSubstr("c.yaml:2: match.scheme_options: found distance_max, expected none"));
}

TEST_F(SchemeSettings, OffersNoSchemeThatOnlyEvaluateTakes) {
  const std::string offered = Complaints("match:\n  scheme: minhahs\n");
  for (const SchemeRow& scheme : SchemeRows()) {
    const bool needs_sample = scheme.frequencies == FrequencyUse::kNeeded;
    const std::string name = " " + std::string(scheme.name);
    const bool is_offered = offered.find(name + ",") != offered.npos ||
                            offered.find(name + " (did you mean") != offered.npos;
    EXPECT_NE(is_offered, needs_sample) << scheme.name << ": " << offered;
  }
}

TEST_F(SchemeSettings, RunRefusesASchemeThatComparesAllEntriesAndFilterTakesIt) {
  Result<LoadedConfig> config = Load("input: {topics: [a]}\nmatch:\n  scheme: char-vector-code\n");
  ASSERT_TRUE(config.ok()) << config.error().text;
  const Result<void> runnable = CheckRunnable(*config);
  ASSERT_FALSE(runnable.ok());
  EXPECT_THAT(Plain(runnable.error().text),
              HasSubstr("c.yaml:3: match.scheme: found char-vector-code, which compares each "
                        "record with every remembered one"));
  EXPECT_TRUE(CheckRunnable(*Load("input: {topics: [a]}\nmatch: {scheme: shingles}\n")).ok());
}

TEST_F(SchemeSettings, SettingsThatAnotherSchemeIgnoresAreWarnings) {
  Result<LoadedConfig> config =
      Load("match:\n  scheme: segments\n  distance_max: 3\nfeature:\n  features_min: 5\n");
  ASSERT_TRUE(config.ok()) << config.error().text;
  std::vector<std::string> warnings;
  for (const std::string& warning : config->warnings) warnings.push_back(Plain(warning));
  EXPECT_THAT(
      warnings,
      ElementsAre("c.yaml:5: feature.features_min: has no effect with match.scheme: segments",
                  "c.yaml:3: match.distance_max: has no effect with match.scheme: segments"));
}

TEST_F(SchemeSettings, ASchemeWithoutAMemoryLimitIsShownAsSuch) {
  Result<LoadedConfig> config =
      Load("match: {scheme: minhash, scheme_options: {similarity_min: 0.8}}");
  ASSERT_TRUE(config.ok()) << config.error().text;
  const std::string shown = ShowConfig(*config, {});
  EXPECT_THAT(shown, HasSubstr("  scheme: minhash\n  scheme_options:\n    similarity_min: 0.8\n"));
  EXPECT_THAT(shown, HasSubstr("no limit  under this scheme it "
                               "grows with the records\n"));
  const auto json =
      nlohmann::json::parse(ShowConfig(*config, {.with_sources = true, .json = true}));
  EXPECT_TRUE(json["memory"]["total_bytes"].is_null());
  EXPECT_EQ(json["settings"]["match"]["scheme_options"]["similarity_min"], 0.8);
  EXPECT_EQ(json["origins"].count("match.scheme_options.similarity_min"), 1U);
}

}  // namespace
}  // namespace neardup
