// What the watch of a configuration says of a file that cannot be read.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "service/run/log_lines.h"
#include "service/run/reload.h"

namespace neardup {
namespace {

class ReloadWatchTest : public ::testing::Test {
 protected:
  void SetUp() override {
    path_ = std::filesystem::temp_directory_path() / ("neardup-reload-" + std::to_string(getpid()));
    Write("app: news\n");
  }
  void TearDown() override { std::filesystem::remove(path_); }

  void Write(const std::string& text) { std::ofstream(path_) << text; }

  /// Loads the file once, writes `text` to it, asks the watch to read it again, and returns the
  /// log.
  std::vector<std::string> LogOfReading(const std::string& text) {
    ConfigArguments arguments;
    arguments.file = path_.string();
    const Result<LoadedConfig> running = Load(arguments);
    EXPECT_TRUE(running.ok()) << running.error().text;
    Write(text);
    const LogLines log;
    std::atomic<int> asked = 0;
    ReloadHooks hooks;
    hooks.asked = [&] { return asked++ == 0; };
    hooks.learned = [] { return std::string(); };
    hooks.applied = [&](const LoadedConfig&) { lines_when_applied_ = log.lines().size(); };
    hooks.secrets_refused = [](bool) {};
    hooks.start_again = [](bool) {};
    ReloadWatch watch(arguments, *running, {}, hooks);
    // The second question comes after the first answer.
    while (asked < 2) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    watch.Next();
    return log.lines();
  }

  std::filesystem::path path_;
  std::optional<size_t> lines_when_applied_;  ///< number of log lines when `applied` was called
};

TEST_F(ReloadWatchTest, AMistakeInTheFileBeginsTheLineAndIsSaidOnce) {
  const std::vector<std::string> lines = LogOfReading("app: news\nwindow: [\n");
  ASSERT_EQ(lines.size(), 2U) << ::testing::PrintToString(lines);
  EXPECT_THAT(lines[0], ::testing::StartsWith(path_.string() + ":"));
  EXPECT_THAT(lines[0], ::testing::HasSubstr(": not YAML: "));
  EXPECT_EQ(lines[1],
            "the new configuration is refused for the reason above, and nothing is changed");
}

TEST_F(ReloadWatchTest, AChangeIsLoggedOnlyAfterItIsApplied) {
  const std::vector<std::string> lines = LogOfReading("app: news\nlog: {level: warn}\n");
  EXPECT_THAT(lines, ::testing::ElementsAre(::testing::HasSubstr("in force now: log.level")));
  EXPECT_EQ(lines_when_applied_, 0U);
}

TEST_F(ReloadWatchTest, EveryMistakeHasALineOfItsOwn) {
  const std::vector<std::string> lines = LogOfReading("app: news\nwindw: 1\nmatc: 2\n");
  ASSERT_EQ(lines.size(), 3U) << ::testing::PrintToString(lines);
  EXPECT_THAT(lines[0], ::testing::StartsWith(path_.string() + ":2: windw: "));
  EXPECT_THAT(lines[1], ::testing::StartsWith(path_.string() + ":3: matc: "));
}

}  // namespace
}  // namespace neardup
