#include "service/config/config_text.h"
#include "service/config/yaml_value.h"

namespace neardup {
namespace {

class Interpolation : public ConfigText {
 protected:
  std::string TextOf(const std::string& text) {
    Result<Interpolated> result = Interpolate(text, environment_);
    return result.ok() ? result->text : "error: " + Plain(result.error().text);
  }

  Environment environment_ = {{"HOST", "kafka-1"}, {"EMPTY", ""}, {"LINES", "a\nb"}};
};

TEST_F(Interpolation, VariablesAreReplacedAnywhereInAText) {
  EXPECT_EQ(TextOf("${HOST}:9092,${HOST}:9093"), "kafka-1:9092,kafka-1:9093");
  EXPECT_EQ(TextOf("[${EMPTY}]"), "[]");
  EXPECT_EQ(TextOf("plain"), "plain");
}

TEST_F(Interpolation, DefaultsStandForUnsetAndEmptyVariables) {
  EXPECT_EQ(TextOf("${NONE:-x:y}"), "x:y");
  EXPECT_EQ(TextOf("${EMPTY:-x}"), "x");
  EXPECT_EQ(TextOf("${HOST:-x}"), "kafka-1");
  EXPECT_EQ(TextOf("${NONE:-}"), "");
}

TEST_F(Interpolation, DollarsCanBeWritten) {
  EXPECT_EQ(TextOf("$$HOST $${HOST} a$b $"), "$HOST ${HOST} a$b $");
}

TEST_F(Interpolation, ReferencesInsideAReplacementAreNotReplaced) {
  environment_["HOST"] = "${EMPTY:-again}$$";
  EXPECT_EQ(TextOf("${HOST}"), "${EMPTY:-again}$$");
}

TEST_F(Interpolation, UnsetVariablesAreErrors) {
  EXPECT_EQ(TextOf("${NONE}"),
            "error: ${NONE}: not set in the environment; set it, or write ${NONE:-default}");
  EXPECT_EQ(TextOf("${NONE:?ask the Kafka team}"),
            "error: ${NONE}: not set in the environment: ask the Kafka team");
}

TEST_F(Interpolation, LineBreaksInVariablesAreErrors) {
  EXPECT_EQ(TextOf("${LINES}"),
            "error: ${LINES}: found a line break in the variable, expected one line");
}

TEST_F(Interpolation, MalformedReferencesAreErrors) {
  EXPECT_EQ(TextOf("a ${HOST"), "error: found ${ without }, expected ${VAR}; write $$ for one $");
  EXPECT_EQ(TextOf("${NONE:-${HOST}}"),
            "error: found ${ without }, expected ${VAR}; write $$ for one $");
  EXPECT_EQ(TextOf("${HOST:x}"),
            "error: ${HOST:x}: expected ${HOST}, ${HOST:-default} or ${HOST:?message}");
  EXPECT_EQ(TextOf("${}"), "error: ${}: expected the name of a variable, or file: and a path");
  EXPECT_EQ(TextOf("${1A}"), "error: ${1A}: expected the name of a variable, or file: and a path");
}

TEST_F(Interpolation, FilesAreSecretsWithoutTheirLastLineBreak) {
  std::string path = Write("secret", "first\nsecond\n").string();
  Result<Interpolated> result = Interpolate("<${file:" + path + "}>", {});
  ASSERT_TRUE(result.ok()) << result.error().text;
  EXPECT_EQ(result->text, "<first\nsecond>");
  EXPECT_TRUE(result->secret);
  EXPECT_FALSE(Interpolate("${HOST}", environment_)->secret);
}

TEST_F(Interpolation, FilesThatCannotBeReadAreErrors) {
  EXPECT_EQ(TextOf("${file:secret}"),
            "error: ${file:secret}: found a relative path, expected one that starts with /");
  EXPECT_EQ(TextOf("${file:" + folder_.string() + "/absent}"),
            "error: ${file:absent}: cannot be read: No such file or directory");
  EXPECT_EQ(TextOf("${file:" + folder_.string() + "}"),
            "error: ${file:" + folder_.string() + "}: found a folder, expected a file");
  std::string zero = Write("zero", std::string("a\0b", 3)).string();
  EXPECT_EQ(TextOf("${file:" + zero + "}"),
            "error: ${file:zero}: found a zero byte, expected text");
  std::string large = Write("large", std::string((1 << 20) + 1, 'x')).string();
  EXPECT_EQ(TextOf("${file:" + large + "}"),
            "error: ${file:large}: found more than 1048576 bytes, expected at most 1048576");
}

}  // namespace
}  // namespace neardup
