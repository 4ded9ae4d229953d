// The command on folders that are not a state.dir; tests/e2e runs it on those of a real lane.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "app/commands.h"
#include "app/exit_code.h"
#include "state/temporary_folder.h"

namespace neardup {
namespace {

using testing::HasSubstr;

struct Said {
  int exit_code = kExitOk;
  std::string text;
};

Said Inspect(const std::filesystem::path& state_dir) {
  testing::internal::CaptureStderr();
  const int exit_code = SnapshotCommand({.state_dir = state_dir.string()});
  return {exit_code, testing::internal::GetCapturedStderr()};
}

TEST(SnapshotCommand, ReportsAFolderWithoutSnapshots) {
  const TemporaryFolder state;
  const Said said = Inspect(state.path());
  EXPECT_EQ(said.exit_code, kExitNoInput);
  EXPECT_THAT(said.text, HasSubstr(state.path().string() + ": holds no snapshot"));
}

TEST(SnapshotCommand, FailsIfTheFolderOfALaneCannotBeListed) {
  const TemporaryFolder state;
  std::filesystem::create_directory(state.path() / "lane-0");
  std::ofstream(state.path() / "lane-3") << "no folder";
  const Said said = Inspect(state.path());
  EXPECT_EQ(said.exit_code, kExitIo);
  EXPECT_THAT(said.text, HasSubstr((state.path() / "lane-3").string() + ": cannot be listed"));
}

}  // namespace
}  // namespace neardup
