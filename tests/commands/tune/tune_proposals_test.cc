// Tests that each proposal is in the terminal output, on the page and in the configuration.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "commands/tune/tune_config.h"
#include "explain/pages.h"
#include "explain/tune_summary.h"
#include "learn/model_file.h"
#include "learn/synthetic_streams.h"
#include "service/config/config_text.h"

namespace neardup {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

class TuneProposals : public ConfigText {
 protected:
  TuneProposals() { files_ = {"sample", "", folder_ / "c.yaml", folder_ / "c.model.json", {}}; }

  /// Expects the proposal `name` in every output, and that the service reads the same options.
  void ExpectNamed(const Tuning& tuning, const std::string& name,
                   const std::vector<std::string>& payloads) {
    Settings settings;
    settings.lane.filter = tuning.proposed;
    settings.model_file = "c.model.json";
    Write("c.model.json", ModelText(tuning.proposed.model));
    const std::string yaml = TuneConfig(settings, tuning, files_);
    const Result<LoadedConfig> read = Load(yaml);
    ASSERT_TRUE(read.ok()) << read.error().text << "\n" << yaml;
    EXPECT_EQ(read->settings.lane.filter, tuning.proposed);
    EXPECT_THAT(yaml, HasSubstr("Proposed: "));
    const auto json = nlohmann::json::parse(TuneJson(tuning, files_));
    ASSERT_TRUE(json["proposals"].contains(name)) << json["proposals"];
    const auto text = json["proposals"][name].get<std::string>();
    EXPECT_THAT(TuneText(tuning, files_), HasSubstr(text));
    EXPECT_THAT(TunePage(tuning, files_, ViewsOf(payloads)), HasSubstr(text));
  }

  static Tuning TuningOf(const std::vector<std::string>& payloads, const FilterOptions& filter) {
    Result<Tuning> tuning = Tune(ViewsOf(payloads), {.filter = filter});
    EXPECT_TRUE(tuning.ok()) << tuning.error().text;
    return std::move(tuning).value();
  }

  TuneFiles files_;
};

TEST_F(TuneProposals, SayHowEachFieldIsUsed) {
  std::vector<std::string> payloads = TextStream(7, 200, 100, 3);
  for (size_t i = 0; i < payloads.size(); ++i) {
    const std::string number = std::to_string(i);
    payloads[i].insert(1,
                       R"("shelf":"k)" + number + R"(","hall":"north","id":"r)" + number + R"(",)");
  }
  const Tuning tuning = TuningOf(payloads, {});
  const std::string text = TuneText(tuning, files_);
  std::map<std::string, std::string> uses;
  const auto json = nlohmann::json::parse(TuneJson(tuning, files_));
  for (const auto& field : json["fields"]) {
    uses[field["path"]] = field["use"];
    EXPECT_THAT(text, HasSubstr(field["use"].get<std::string>()));
  }
  EXPECT_THAT(uses, ElementsAre(Pair("hall", "must agree"), Pair("id", "left out"),
                                Pair("shelf", "may differ"), Pair("text", "compared")));
}

TEST_F(TuneProposals, NameTheMasksInEveryOutput) {
  SeededRandom random(7);
  std::vector<std::string> payloads;
  while (payloads.size() < 200) {
    Fields line = LogLine(random);
    line[1].second.insert(0, "2026-02-03 04:05:" + std::to_string(10 + payloads.size() % 50) + " ");
    payloads.push_back(RecordOf(line));
  }
  const Tuning tuning = TuningOf(payloads, {});
  ExpectNamed(tuning, "masks", payloads);
}

TEST_F(TuneProposals, OfJsonHoldTheQuestionsThatAPersonShouldAnswer) {
  SeededRandom random(8);
  std::vector<std::string> payloads;
  while (payloads.size() < 200) payloads.push_back(RecordOf(LogLine(random)));
  const Tuning tuning = TuningOf(payloads, {});
  const auto json = nlohmann::json::parse(TuneJson(tuning, files_));
  EXPECT_EQ(json["questions"].get<std::vector<std::string>>(), tuning.questions);
  ASSERT_EQ(tuning.questions.size(), 1U);
  EXPECT_THAT(tuning.questions[0], HasSubstr("To join them: --set 'feature.masks=["));
}

TEST_F(TuneProposals, NameShortRecordsAndASmallerWindowInEveryOutput) {
  const std::vector<std::string> payloads = TextStream(7, 200, 100, 3);
  Tuning tuning = TuningOf(payloads, TextOptions());
  EXPECT_THAT(ProposalsOf(tuning), IsEmpty()) << "only a distance is proposed";
  tuning.short_reason = "there are copies";
  tuning.proposed.feature.features_min = 4;
  tuning.window_smaller = true;
  tuning.proposed.window.entries_max = 14'404;
  ExpectNamed(tuning, "short", payloads);
  ExpectNamed(tuning, "window", payloads);
  EXPECT_THAT(TuneText(tuning, files_), HasSubstr("at most 14,404 unique records"));
}

}  // namespace
}  // namespace neardup
