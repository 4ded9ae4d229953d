// Tests of `tune` and `learn` over files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "commands/program/message.h"
#include "commands/program/run_words.h"
#include "learn/model_file.h"
#include "learn/synthetic_streams.h"
#include "service/config/config_text.h"

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
    options_["--input"] = Write("sample.jsonl", lines).string();
    options_["--output"] = (folder_ / "c.yaml").string();
  }

  /// Options and their values; a flag has an empty one.
  using Options = std::map<std::string, std::string>;

  /// Exit code of `neardup COMMAND`; what was printed is in out_ and err_.
  int Run(const Options& options, const std::string& command = "tune") {
    std::vector<std::string> words = {command};
    for (const auto& [name, value] : options) {
      words.push_back(name);
      if (!value.empty()) words.push_back(value);
    }
    CaptureStdout();
    CaptureStderr();
    const int code = RunWords(words);
    out_ = GetCapturedStdout();
    err_ = GetCapturedStderr();
    return code;
  }

  Options options_;
  std::string out_;
  std::string err_;
};

TEST_F(TuneCommandTest, RefusesStandardOutputBecauseItWritesThreeFiles) {
  options_["--output"] = "-";
  EXPECT_EQ(Run(options_), kExitUsage);
  EXPECT_THAT(err_, HasSubstr("--output: found -, expected the name of a file"));
  EXPECT_FALSE(std::filesystem::exists("-.model.json"));
}

TEST_F(TuneCommandTest, WritesConfigModelAndPageToOneFolder) {
  ASSERT_EQ(Run(options_), kExitOk) << err_;
  EXPECT_THAT(out_, HasSubstr("near, similarity"));
  EXPECT_EQ(err_, "");
  const Result<LoadedConfig> config = LoadConfig({options_["--output"], {}, {}});
  ASSERT_TRUE(config.ok()) << config.error().text;
  EXPECT_EQ(config->settings.lane.filter.model, *ReadModel(folder_ / "c.model.json"));
  EXPECT_TRUE(std::filesystem::exists(folder_ / "c.html"));
}

TEST_F(TuneCommandTest, OverwritesNothingUnlessForced) {
  for (const char* name : {"c.yaml", "c.model.json", "c.html"}) {
    const std::filesystem::path file = Write(name, "mine");
    EXPECT_EQ(Run(options_), kExitIo) << name;
    EXPECT_EQ(Plain(err_), "neardup: " + std::string(name) +
                               ": already exists; overwrite it with --force, or choose another "
                               "name\n");
    EXPECT_EQ(out_, "");
    std::filesystem::remove(file);
  }
  EXPECT_TRUE(std::filesystem::exists(options_["--input"]));
  EXPECT_EQ(Run(options_), kExitOk) << err_;
  EXPECT_EQ(Run(options_), kExitIo);
  options_["--force"];
  EXPECT_EQ(Run(options_), kExitOk) << err_;
}

TEST_F(TuneCommandTest, RefusesNoSourceAndTwoSources) {
  options_["--topic"] = "articles";
  EXPECT_EQ(Run(options_), kExitUsage);
  options_.erase("--topic");
  options_.erase("--input");
  EXPECT_EQ(Run(options_), kExitUsage);
  EXPECT_THAT(err_, HasSubstr("found neither --input nor --topic, expected one of them"));
}

TEST_F(TuneCommandTest, ReadsAtMostTheNumberOfRecordsThatIsGiven) {
  options_["--records"] = "120";
  options_["--json"];
  ASSERT_EQ(Run(options_), kExitOk) << err_;
  const int records = nlohmann::json::parse(out_).at("sample").at("records").get<int>();
  EXPECT_LE(records, 120);
  EXPECT_GT(records, 60) << "about as many, from the whole length of the file";
}

TEST_F(TuneCommandTest, SaysWhatIsWrongWithTheSample) {
  options_["--input"] = (folder_ / "absent.jsonl").string();
  EXPECT_EQ(Run(options_), kExitNoInput);
  EXPECT_THAT(err_, HasSubstr("absent.jsonl: cannot be opened"));
  options_["--input"] = Write("empty.jsonl", "").string();
  EXPECT_EQ(Run(options_), kExitNoInput);
  EXPECT_THAT(err_, HasSubstr("empty.jsonl: found no record"));
  options_["--input"] = Write("broken.jsonl", "{\n{\n").string();
  EXPECT_EQ(Run(options_), kExitBadInput);
  EXPECT_THAT(err_, HasSubstr("broken.jsonl: found a JSON object that has several lines"));
  options_["--input"] = Write("broken.jsonl", "nothing\n").string();
  EXPECT_EQ(Run(options_), kExitConfig);
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
  options_["--cases"] = Write("marked.jsonl", lines).string();
  ASSERT_EQ(Run(options_), kExitOk) << err_;
  EXPECT_THAT(out_,
              HasSubstr("24 of 25 marked pairs come out right: 12 of 12 copies are found, 12 of "
                        "13 others stay apart"));
  EXPECT_THAT(out_, HasSubstr("12 marked copies say little, mark at least 30"));
  EXPECT_THAT(Plain(out_), HasSubstr("marked.jsonl:25: expected unique, found exact duplicate"));
  options_["--json"];
  options_["--force"];
  ASSERT_EQ(Run(options_), kExitOk) << err_;
  EXPECT_EQ(nlohmann::json::parse(out_)["labels"]["wrong"], nlohmann::json({24}));
}

TEST_F(TuneCommandTest, RefusesMarksThatItCannotUse) {
  options_["--cases"] =
      Write("marked.jsonl", R"({"a": {"text": "x"}, "b": {"text": "x"}, "expect": "dead-letter"})")
          .string();
  EXPECT_EQ(Run(options_), kExitBadInput);
  EXPECT_THAT(Plain(err_), HasSubstr("marked.jsonl:1: expect: found dead-letter, expected unique"));
  options_["--cases"] = (folder_ / "nothing.jsonl").string();
  options_["--force"];
  EXPECT_NE(Run(options_), kExitOk);
  EXPECT_THAT(Plain(err_), HasSubstr("nothing.jsonl"));
  options_["--compare"] = "c.yaml";
  options_.erase("--output");
  EXPECT_EQ(Run(options_), kExitUsage);
  EXPECT_THAT(err_, HasSubstr("found both --cases and --compare"));
}

TEST_F(TuneCommandTest, NamesABrokerThatDoesNotAnswer) {
  options_.erase("--input");
  options_["--topic"] = "articles";
  options_["--brokers"] = "127.0.0.1:1";
  options_["--set"] = "kafka.answer_timeout_ms=1s";
  EXPECT_EQ(Run(options_), kExitUnavailable) << err_;
  EXPECT_THAT(err_, HasSubstr("127.0.0.1:1"));
}

class CompareTuningTest : public TuneCommandTest {
 protected:
  void SetUp() override {
    ASSERT_EQ(Run(options_), kExitOk) << err_;
    compare_["--compare"] = options_["--output"];
  }

  /// Compares the configuration with a sample of these payloads.
  int Compare(const std::vector<std::string>& payloads) {
    std::string lines;
    for (const std::string& payload : payloads) lines += payload + "\n";
    compare_["--input"] = Write("newer.jsonl", lines).string();
    return Run(compare_);
  }

  Options compare_;
};

TEST_F(CompareTuningTest, SaysOfTheSameStreamThatNothingMatters) {
  EXPECT_EQ(Compare(TextStream(9, 300, 100, 3)), kExitOk) << out_ << err_;
  EXPECT_THAT(out_, HasSubstr("drift         none: the stream is as it was"));
  EXPECT_THAT(out_, HasSubstr("result        nothing has changed that matters"));
}

TEST_F(CompareTuningTest, SaysWhatHasChangedAndThatItMatters) {
  EXPECT_EQ(Compare(SeriesStream(9, 300)), kExitNo) << err_;
  EXPECT_THAT(out_, HasSubstr("length of the compared text"));
  EXPECT_THAT(out_, HasSubstr("match.distance_max"));
  EXPECT_THAT(out_, HasSubstr("result        it matters"));
  compare_["--json"];
  EXPECT_EQ(Compare(SeriesStream(9, 300)), kExitNo);
  EXPECT_THAT(out_, HasSubstr("\"matters\": true"));
}

TEST_F(CompareTuningTest, SaysThatDriftIsUnknownWithoutAProfile) {
  Write("plain.yaml", "record: {fields: [text]}\nmatch: {distance_max: 12}\n");
  compare_["--compare"] = (folder_ / "plain.yaml").string();
  Compare(TextStream(9, 300, 100, 3));
  EXPECT_THAT(out_, HasSubstr("drift         unknown"));
}

TEST_F(CompareTuningTest, TakesOneConfigurationAndNoOutput) {
  compare_["--input"] = options_["--input"];
  compare_["--output"] = "x";
  EXPECT_EQ(Run(compare_), kExitUsage);
  EXPECT_THAT(err_, HasSubstr("found both --output and --compare, expected one of them"));
  compare_.erase("--output");
  compare_["--config"] = options_["--output"];
  EXPECT_EQ(Run(compare_), kExitUsage);
  EXPECT_THAT(err_, HasSubstr("found both --config and --compare, expected one of them"));
}

}  // namespace
}  // namespace neardup
