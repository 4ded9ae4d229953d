// The commands on folders that are not a state.dir, and on the snapshot of a small lane; tests/e2e
// runs them on snapshots of a real lane.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "commands/program/message.h"
#include "commands/program/run_words.h"
#include "detect/base/temporary_folder.h"
#include "neardup/filter.h"
#include "stream/state/lane_state.h"
#include "stream/state/snapshot.h"
#include "stream/state/snapshot_writer.h"

namespace neardup {
namespace {

using testing::HasSubstr;

struct Said {
  int exit_code = kExitOk;
  std::string text;
};

Said Inspect(const std::filesystem::path& state_dir) {
  testing::internal::CaptureStderr();
  const int exit_code = RunWords({"snapshot", "inspect", "--state-dir", state_dir.string()});
  return {exit_code, testing::internal::GetCapturedStderr()};
}

TEST(SnapshotCommand, ReportsAFolderWithoutSnapshots) {
  const TemporaryFolder state;
  const Said said = Inspect(state.path());
  EXPECT_EQ(said.exit_code, kExitNoInput);
  EXPECT_THAT(said.text, HasSubstr(state.path().string() + ": holds no snapshot"));
}

TEST(SnapshotCommand, NamesAStateDirThatIsNoFolder) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "file";
  std::ofstream(file) << "text";
  const Said of_file = Inspect(file);
  EXPECT_EQ(of_file.exit_code, kExitIo);
  EXPECT_THAT(of_file.text, HasSubstr(file.string() + ": found a file, expected the state.dir"));
  const Said of_nothing = Inspect(folder.path() / "none");
  EXPECT_EQ(of_nothing.exit_code, kExitNoInput);
  EXPECT_THAT(of_nothing.text, HasSubstr("none: no such folder; expected the state.dir"));
}

TEST(SnapshotCommand, FailsIfTheFolderOfALaneCannotBeListed) {
  const TemporaryFolder state;
  std::filesystem::create_directory(state.path() / "lane-0");
  std::ofstream(state.path() / "lane-3") << "no folder";
  const Said said = Inspect(state.path());
  EXPECT_EQ(said.exit_code, kExitIo);
  EXPECT_THAT(said.text, HasSubstr((state.path() / "lane-3").string() + ": cannot be listed"));
}

constexpr char kRain[] = R"({"title": "Rain", "text": "It will rain in the north tomorrow."})";
constexpr char kSnow[] = R"({"title": "Snow", "text": "Snow closes two passes in the Alps."})";
constexpr char kOther[] = R"({"title": "Votes", "text": "The council votes on a new bridge."})";

/// A state.dir with one snapshot of two entries: kRain at news/2 offset 7, kSnow at offset 8.
class RestoredSnapshotTest : public testing::Test {
 protected:
  void SetUp() override {
    FilterOptions options;
    options.window.entries_max = 1000;
    auto lane = LaneState::New(options, 0);
    ASSERT_TRUE(lane.ok()) << lane.error().text;
    LaneState& state = **lane;
    const auto input = state.AddInput({"news", 2}, 7);
    ASSERT_TRUE(input.ok()) << input.error().text;
    Fingerprinter fingerprinter(options);
    Position position = {*input, 7};
    for (const char* payload : {kRain, kSnow}) {
      ASSERT_EQ(
          state.filter().Decide(fingerprinter.Compute({position, 1'000'000, payload})).decision,
          Decision::kUnique);
      state.Advance(position);
      ++position.offset;
    }
    const std::filesystem::path folder = SnapshotFolder(folder_.path(), 0);
    const auto taken = TakeSnapshotFolder(folder);
    ASSERT_TRUE(taken.ok()) << taken.error().text;
    auto writer = SnapshotWriter::New(folder, 0, FingerprintSpec(options), std::nullopt);
    ASSERT_TRUE(writer.ok()) << writer.error().text;
    int64_t offset = 0;
    for (const Delta& delta : state.Uncommitted()) {
      ASSERT_TRUE((*writer)->Append(delta, {.offset = offset++, .checksum = 1}).ok());
    }
    ASSERT_TRUE((*writer)->Publish(2'000'000).ok());
  }

  /// Runs `neardup snapshot COMMAND` with one more setting, and more words.
  int Run(const std::string& command, const std::string& set,
          const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words = {"snapshot",    command,
                                      "--set",       set,
                                      "--set",       "window.entries_max=1000",
                                      "--state-dir", folder_.path().string()};
    words.insert(words.end(), more.begin(), more.end());
    return RunWords(words);
  }

  /// What `find` prints for a record with this payload.
  Said Find(const std::string& payload) const {
    const std::string file = (folder_.path() / "record.json").string();
    std::ofstream(file) << payload;
    testing::internal::CaptureStdout();
    const int exit_code = Run("find", "app=a", {"--record", file});
    return {exit_code, testing::internal::GetCapturedStdout()};
  }

  TemporaryFolder folder_;
};

TEST_F(RestoredSnapshotTest, FindListsTheRecordsThatARecordRepeats) {
  const Said found = Find(kSnow);
  EXPECT_EQ(found.exit_code, kExitOk);
  EXPECT_EQ(found.text, "news/2 offset 8, 1970-01-01T00:16:40Z, distance 0, exact\n");
}

TEST_F(RestoredSnapshotTest, FindSaysThatARecordRepeatsNone) {
  const Said found = Find(kOther);
  EXPECT_EQ(found.exit_code, kExitNo);
  EXPECT_EQ(found.text, "no match\n");
}

TEST_F(RestoredSnapshotTest, FindRefusesARecordThatCannotBeCompared) {
  testing::internal::CaptureStderr();
  EXPECT_EQ(Find("no JSON").exit_code, kExitIo);
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              HasSubstr("found a record that cannot be compared (parse)"));
}

TEST_F(RestoredSnapshotTest, IndexPrintsEntriesAndFill) {
  testing::internal::CaptureStdout();
  EXPECT_EQ(Run("index", "app=a"), kExitOk);
  const std::string text = testing::internal::GetCapturedStdout();
  EXPECT_THAT(text, HasSubstr("2, the oldest of 1970-01-01T00:16:40Z\n"));
  EXPECT_THAT(text, HasSubstr("largest 1\n"));
}

TEST_F(RestoredSnapshotTest, IndexRefusesTheSnapshotOfOtherSettings) {
  testing::internal::CaptureStderr();
  EXPECT_EQ(Run("index", "feature.features_min=4"), kExitConfig);
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              HasSubstr("feature.features_min: configured 4, changelog 12"));
}

}  // namespace
}  // namespace neardup
