#include "service/metrics/status.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "service/metrics/hand_clock.h"

namespace neardup {
namespace {

using Json = nlohmann::ordered_json;

const InputPartition kNews0{"news", 0};
const InputPartition kShop1{"shop", 1};

class StatusTest : public testing::Test {
 protected:
  Json Read() const { return Json::parse(status_.Text()); }

  HandClock clock_;
  Status status_{{"1.2.3", "abc", "GNU 12", "2.0.2"}, R"({"app": "news"})", clock_};
};

TEST_F(StatusTest, AnInstanceThatStartsKnowsItsVersionsAndItsSettings) {
  const Json json = Read();
  EXPECT_EQ(json["version"]["neardup"], "1.2.3");
  EXPECT_EQ(json["version"]["librdkafka"], "2.0.2");
  EXPECT_EQ(json["settings"], Json({{"app", "news"}}));
  EXPECT_EQ(json["lane"]["state"], "starting");
  EXPECT_TRUE(json["inputs"].empty());
  for (const char* unknown : {"index", "snapshot", "memory_bound_bytes"}) {
    EXPECT_TRUE(json[unknown].is_null()) << unknown;
  }
  EXPECT_TRUE(json["lane"]["last_commit"].is_null());
}

TEST_F(StatusTest, WithoutSettingsItShowsNone) {
  const Status status({"1", "2", "3", "4"}, "", clock_);
  EXPECT_FALSE(Json::parse(status.Text()).contains("settings"));
}

TEST_F(StatusTest, AnActiveLaneShowsWhereEachInputIs) {
  status_.Saw(event::PhaseChanged{LanePhase::kActive});
  status_.Saw(event::InputLag{kNews0, 5, 1.5});
  status_.Saw(event::InputPosition{kNews0, 100});
  status_.Saw(event::InputUnreachable{kShop1, true, {}});
  const Json inputs = Read()["inputs"];
  ASSERT_EQ(inputs.size(), 2U);
  EXPECT_EQ(inputs[0], Json({{"topic", "news"},
                             {"partition", 0},
                             {"next_offset", 100},
                             {"lag_records", 5},
                             {"lag_seconds", 1.5},
                             {"unreachable", false}}));
  EXPECT_TRUE(inputs[1]["next_offset"].is_null());
  EXPECT_TRUE(inputs[1]["unreachable"]);
}

TEST_F(StatusTest, CountsVerdictsInAllAndByMinuteOfTheLastHour) {
  CommittedBatch batch;
  batch.unique = 5;
  batch.passed = 1;
  batch.exact_duplicates = 3;
  batch.near_duplicates = 2;
  batch.dead_letters[1] = 4;
  clock_.now_ms = 1'700'000'040'000;  // the first millisecond of a minute
  for (const int64_t later_ms : {0, 59'999, 1, 3'599'999}) {
    clock_.now_ms += later_ms;
    status_.Saw(event::TransactionCommitted{batch});
  }
  const Json verdicts = Read()["verdicts"];
  EXPECT_EQ(verdicts["unique"], 24);
  EXPECT_EQ(verdicts["exact_duplicate"], 12);
  EXPECT_EQ(verdicts["near_duplicate"], 8);
  EXPECT_EQ(verdicts["dead_letter"], 16);
  EXPECT_EQ(Read()["lane"]["records"], 60);
  std::vector<std::string> shown;
  for (const VerdictMinute& minute : status_.Minutes()) {
    shown.push_back(minute.at + " " + std::to_string(minute.unique));
  }
  EXPECT_EQ(shown,
            (std::vector<std::string>{"2023-11-14T22:15:00.000Z 6", "2023-11-14T23:14:00.000Z 6"}));
  clock_.now_ms += 2 * 3'600'000;
  EXPECT_TRUE(status_.Minutes().empty());
}

TEST_F(StatusTest, ALaneThatIsLostHasNoInputsAndSaysWhy) {
  status_.Saw(event::PhaseChanged{LanePhase::kActive});
  status_.Saw(event::Promoted{7, 5, 0.25});
  status_.Saw(event::InputPosition{kNews0, 100});
  status_.Saw(event::LaneLost{{ErrorCode::kFenced, "another instance took the lane"}});
  status_.Saw(event::PhaseChanged{LanePhase::kStandby});
  status_.Saw(event::Followed{9});
  const Json json = Read();
  EXPECT_TRUE(json["inputs"].empty());
  EXPECT_EQ(json["lane"]["state"], "standby");
  EXPECT_EQ(json["lane"]["seq"], 9);
  EXPECT_EQ(json["lane"]["promotions"], 1);
  EXPECT_EQ(json["lane"]["last_promotion_seconds"], 0.25);
  EXPECT_EQ(json["lane"]["losses"], 1);
  EXPECT_EQ(json["lane"]["last_loss"]["error"], "another instance took the lane");
}

TEST_F(StatusTest, TimesAreWrittenInUtcOrNullWhereThereIsNone) {
  LaneGauges gauges;
  gauges.watermark_ms = 1'767'225'600'123;
  status_.Saw(event::Gauges{gauges});
  const Json index = Read()["index"];
  EXPECT_EQ(index["watermark"], "2026-01-01T00:00:00.123Z");
  EXPECT_TRUE(index["oldest"].is_null());
}

TEST_F(StatusTest, ShowsTheSnapshotAndWhatIsPurged) {
  status_.Saw(event::SnapshotWritten{{.entries = 10,
                                      .bytes = 240,
                                      .segments = 1,
                                      .seq = 12,
                                      .changelog_offset = 3,
                                      .seconds = 0.1}});
  status_.Saw(event::ChangelogPurged{2});
  status_.Saw(event::KeeperFailed{{ErrorCode::kIo, "the disk is full"}});
  status_.SetMemoryBound(1000);
  const Json json = Read();
  EXPECT_EQ(json["snapshot"]["entries"], 10);
  EXPECT_EQ(json["snapshot"]["changelog_offset"], 3);
  EXPECT_EQ(json["changelog"]["purged_to"], 2);
  EXPECT_EQ(json["changelog"]["last_failure"]["error"], "the disk is full");
  EXPECT_EQ(json["memory_bound_bytes"], 1000);
}

TEST_F(StatusTest, MissingTopicsAreListedUntilTheyAreBack) {
  status_.Saw(event::InputMissing{"news", true});
  status_.Saw(event::InputMissing{"shop", true});
  status_.Saw(event::InputMissing{"news", false});
  EXPECT_EQ(Read()["missing_topics"], Json({"shop"}));
}

TEST_F(StatusTest, AnErrorWithBytesThatAreNotUtf8IsStillJson) {
  status_.Saw(event::LaneLost{{ErrorCode::kIo, "found \xFF"}});
  EXPECT_EQ(Read()["lane"]["last_loss"]["error"], "found \xEF\xBF\xBD");
}

}  // namespace
}  // namespace neardup
