// Tests of `tune` and `learn` over files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "commands/commands.h"
#include "config/config_text.h"
#include "learn/model_file.h"
#include "learn/synthetic_streams.h"
#include "process/exit_code.h"

namespace neardup {
namespace {

using ::testing::HasSubstr;
using ::testing::internal::CaptureStderr;
using ::testing::internal::CaptureStdout;
using ::testing::internal::GetCapturedStderr;
using ::testing::internal::GetCapturedStdout;

class TuneCommandTest : public ConfigText {
 protected:
  TuneCommandTest() {
    std::string lines;
    for (const std::string& payload : TextStream(8, 300, 100, 3)) lines += payload + "\n";
    arguments_.sample = Write("sample.jsonl", lines).string();
    arguments_.output = (folder_ / "c.yaml").string();
  }

  /// Exit code; what was printed is in out_ and err_.
  int Run(const TuneArguments& arguments) {
    CaptureStdout();
    CaptureStderr();
    const int code = TuneCommand(arguments);
    out_ = GetCapturedStdout();
    err_ = GetCapturedStderr();
    return code;
  }

  TuneArguments arguments_;
  std::string out_;
  std::string err_;
};

TEST_F(TuneCommandTest, WritesConfigModelAndPageToOneFolder) {
  ASSERT_EQ(Run(arguments_), kExitOk) << err_;
  EXPECT_THAT(out_, HasSubstr("near, distance_max"));
  EXPECT_EQ(err_, "");
  const Result<LoadedConfig> config = LoadConfig({arguments_.output, {}, {}});
  ASSERT_TRUE(config.ok()) << config.error().text;
  EXPECT_EQ(config->settings.lane.filter.model, *ReadModel(folder_ / "c.model.json"));
  EXPECT_TRUE(std::filesystem::exists(folder_ / "c.html"));
}

TEST_F(TuneCommandTest, OverwritesNothingUnlessForced) {
  for (const char* name : {"c.yaml", "c.model.json", "c.html"}) {
    const std::filesystem::path file = Write(name, "mine");
    EXPECT_EQ(Run(arguments_), kExitIo) << name;
    EXPECT_EQ(Plain(err_), "neardup: " + std::string(name) +
                               ": already exists; overwrite it with --force, or choose another "
                               "name\n");
    EXPECT_EQ(out_, "");
    std::filesystem::remove(file);
  }
  EXPECT_TRUE(std::filesystem::exists(arguments_.sample));
  EXPECT_EQ(Run(arguments_), kExitOk) << err_;
  EXPECT_EQ(Run(arguments_), kExitIo);
  arguments_.force = true;
  EXPECT_EQ(Run(arguments_), kExitOk) << err_;
}

TEST_F(TuneCommandTest, RefusesNoSourceAndTwoSources) {
  arguments_.topic = "articles";
  EXPECT_EQ(Run(arguments_), kExitUsage);
  arguments_.topic.clear();
  arguments_.sample.clear();
  EXPECT_EQ(Run(arguments_), kExitUsage);
  EXPECT_THAT(err_, HasSubstr("found neither --sample nor --topic, expected one of them"));
}

TEST_F(TuneCommandTest, ReadsAtMostTheNumberOfRecordsThatIsGiven) {
  arguments_.records = 120;
  arguments_.json = true;
  ASSERT_EQ(Run(arguments_), kExitOk) << err_;
  const int records = nlohmann::json::parse(out_).at("sample").at("records").get<int>();
  EXPECT_LE(records, 120);
  EXPECT_GT(records, 60) << "about as many, from the whole length of the file";
}

TEST_F(TuneCommandTest, SaysWhatIsWrongWithTheSample) {
  arguments_.sample = (folder_ / "absent.jsonl").string();
  EXPECT_EQ(Run(arguments_), kExitNoInput);
  EXPECT_THAT(err_, HasSubstr("absent.jsonl: cannot be opened"));
  arguments_.sample = Write("empty.jsonl", "").string();
  EXPECT_EQ(Run(arguments_), kExitNoInput);
  EXPECT_THAT(err_, HasSubstr("empty.jsonl: found no record"));
  arguments_.sample = Write("broken.jsonl", "{\n{\n").string();
  EXPECT_EQ(Run(arguments_), kExitConfig);
  EXPECT_THAT(err_, HasSubstr("broken.jsonl: holds no JSON object; expected JSON Lines"));
}

TEST_F(TuneCommandTest, SaysHowMarkedPairsComeOutAndWhichDoNot) {
  const std::vector<std::string> payloads = TextStream(8, 300, 100, 3);
  std::string lines;
  const auto add = [&](const std::string& a, const std::string& b, const char* expect) {
    const nlohmann::json line = {{"a", a}, {"b", b}, {"expect", expect}};
    lines += line.dump() + "\n";
  };
  for (size_t i = 0; i < 12; ++i) {
    add(payloads[i], payloads[i], "duplicate");
    add(payloads[i], payloads[i + 100], "unique");
  }
  add(payloads[0], payloads[0], "unique");  // the opposite of the first line
  arguments_.labels = Write("marked.jsonl", lines).string();
  ASSERT_EQ(Run(arguments_), kExitOk) << err_;
  EXPECT_THAT(out_,
              HasSubstr("24 of 25 marked pairs come out right: 12 of 12 copies are found, 12 of "
                        "13 others stay apart"));
  EXPECT_THAT(out_, HasSubstr("12 marked copies say little, mark at least 30"));
  EXPECT_THAT(Plain(out_), HasSubstr("marked.jsonl:25: expected unique, found exact duplicate"));
  arguments_.json = arguments_.force = true;
  ASSERT_EQ(Run(arguments_), kExitOk) << err_;
  EXPECT_EQ(nlohmann::json::parse(out_)["labels"]["wrong"], nlohmann::json({24}));
}

TEST_F(TuneCommandTest, RefusesMarksThatItCannotUse) {
  arguments_.labels =
      Write("marked.jsonl", R"({"a": {"text": "x"}, "b": {"text": "x"}, "expect": "dead-letter"})")
          .string();
  EXPECT_EQ(Run(arguments_), kExitBadInput);
  EXPECT_THAT(Plain(err_), HasSubstr("marked.jsonl:1: expect: found dead-letter, expected unique"));
  arguments_.labels = (folder_ / "nothing.jsonl").string();
  arguments_.force = true;
  EXPECT_NE(Run(arguments_), kExitOk);
  EXPECT_THAT(Plain(err_), HasSubstr("nothing.jsonl"));
  arguments_.compare = "c.yaml";
  arguments_.output.clear();
  EXPECT_EQ(Run(arguments_), kExitUsage);
  EXPECT_THAT(err_, HasSubstr("found both --labels and --compare"));
}

TEST_F(TuneCommandTest, NamesABrokerThatDoesNotAnswer) {
  arguments_.sample.clear();
  arguments_.topic = "articles";
  arguments_.config.sets = {"kafka.brokers=127.0.0.1:1", "kafka.answer_timeout_ms=1s"};
  EXPECT_EQ(Run(arguments_), kExitUnavailable) << err_;
  EXPECT_THAT(err_, HasSubstr("127.0.0.1:1"));
}

TEST_F(TuneCommandTest, LearnWritesTheModelThatTuneWrites) {
  arguments_.config.sets = {"record.fields=[text]"};
  ASSERT_EQ(Run(arguments_), kExitOk) << err_;
  LearnArguments learn;
  learn.config = arguments_.config;
  learn.sample = arguments_.sample;
  learn.output = (folder_ / "m.json").string();
  CaptureStderr();
  ASSERT_EQ(LearnCommand(learn), kExitOk);
  EXPECT_THAT(GetCapturedStderr(), HasSubstr("m.json: learned from "));
  EXPECT_EQ(*ReadModel(folder_ / "m.json"), *ReadModel(folder_ / "c.model.json"));
  CaptureStderr();
  EXPECT_EQ(LearnCommand(learn), kExitIo) << "the output exists";
  learn.output = (folder_ / "few.json").string();
  learn.records = 20;
  EXPECT_EQ(LearnCommand(learn), kExitOk);
  EXPECT_THAT(GetCapturedStderr(), HasSubstr("fewer than 100 records"));
}

class CompareTuningTest : public TuneCommandTest {
 protected:
  void SetUp() override {
    ASSERT_EQ(Run(arguments_), kExitOk) << err_;
    compare_.compare = arguments_.output;
  }

  /// Compares the configuration with a sample of these payloads.
  int Compare(const std::vector<std::string>& payloads) {
    std::string lines;
    for (const std::string& payload : payloads) lines += payload + "\n";
    compare_.sample = Write("newer.jsonl", lines).string();
    return Run(compare_);
  }

  TuneArguments compare_;
};

TEST_F(CompareTuningTest, SaysOfTheSameStreamThatNothingMatters) {
  EXPECT_EQ(Compare(TextStream(9, 300, 100, 3)), kExitOk) << out_ << err_;
  EXPECT_THAT(out_, HasSubstr("drift         none: the stream is as it was"));
  EXPECT_THAT(out_, HasSubstr("result        nothing has changed that matters"));
}

TEST_F(CompareTuningTest, SaysWhatHasChangedAndThatItMatters) {
  EXPECT_EQ(Compare(SeriesStream(9, 300)), kExitNo) << err_;
  EXPECT_THAT(out_, HasSubstr("duplicates of one another among 300 records"));
  EXPECT_THAT(out_, HasSubstr("match.distance_max"));
  EXPECT_THAT(out_, HasSubstr("result        it matters"));
  compare_.json = true;
  EXPECT_EQ(Compare(SeriesStream(9, 300)), kExitNo);
  EXPECT_THAT(out_, HasSubstr("\"matters\": true"));
}

TEST_F(CompareTuningTest, SaysThatDriftIsUnknownWithoutAProfile) {
  Write("plain.yaml", "record: {fields: [text]}\nmatch: {distance_max: 12}\n");
  compare_.compare = (folder_ / "plain.yaml").string();
  Compare(TextStream(9, 300, 100, 3));
  EXPECT_THAT(out_, HasSubstr("drift         unknown"));
}

TEST_F(CompareTuningTest, TakesOneConfigurationAndNoOutput) {
  compare_.sample = arguments_.sample;
  compare_.output = "x";
  EXPECT_EQ(Run(compare_), kExitUsage);
  EXPECT_THAT(err_, HasSubstr("found both --output and --compare, expected one of them"));
  compare_.output.clear();
  compare_.config.file = arguments_.output;
  EXPECT_EQ(Run(compare_), kExitUsage);
  EXPECT_THAT(err_, HasSubstr("found both --config and --compare, expected one of them"));
}

}  // namespace
}  // namespace neardup
