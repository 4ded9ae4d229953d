// The folder of a lane's snapshots: who has it, what is in it, what cannot be written.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <optional>

#include "detect/base/temporary_folder.h"
#include "stream/state/snapshot.h"

namespace neardup {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

void Touch(const fs::path& path) { std::ofstream file(path); }

/// In a process of its own.
bool AnotherProcessCanTake(const fs::path& folder) {
  const pid_t child = fork();
  if (child == 0) _exit(TakeSnapshotFolder(folder).ok() ? 0 : 1);
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  return WEXITSTATUS(status) == 0;
}

TEST(SnapshotFolder, OnlyOneProcessAtATimeMayLockIt) {
  const TemporaryFolder state;
  const fs::path folder = SnapshotFolder(state.path(), 12);
  EXPECT_EQ(folder, state.path() / "lane-12");
  {
    const Result<FileLock> lock = TakeSnapshotFolder(folder);
    ASSERT_TRUE(lock.ok()) << lock.error().text;
    EXPECT_FALSE(AnotherProcessCanTake(folder));
    EXPECT_TRUE(AnotherProcessCanTake(SnapshotFolder(state.path(), 13)));
    const Result<FileLock> again = TakeSnapshotFolder(folder);
    ASSERT_FALSE(again.ok());
    EXPECT_EQ(again.error().code, ErrorCode::kUnavailable);
    EXPECT_TRUE(again.error().retriable);
    EXPECT_THAT(again.error().text, HasSubstr((folder / "lock").string()));
    EXPECT_THAT(again.error().text, HasSubstr("another process has this folder in use"));
  }
  EXPECT_TRUE(AnotherProcessCanTake(folder));
  EXPECT_TRUE(TakeSnapshotFolder(folder).ok());
}

TEST(SnapshotFolder, ItStaysLockedWhileTheLockIsMoved) {
  const TemporaryFolder state;
  std::optional<FileLock> kept;
  {
    Result<FileLock> lock = TakeSnapshotFolder(state.path());
    ASSERT_TRUE(lock.ok());
    kept = std::move(lock).value();
  }
  EXPECT_FALSE(AnotherProcessCanTake(state.path()));
  kept.reset();
  EXPECT_TRUE(AnotherProcessCanTake(state.path()));
}

TEST(SnapshotFolder, AFolderThatCannotBeCreatedIsAnErrorWithItsPath) {
  const TemporaryFolder state;
  const fs::path in_its_place = state.path() / "lane-0";
  Touch(in_its_place);
  for (const fs::path& folder :
       {in_its_place, in_its_place / "lane-0", fs::path("/proc/neardup/lane-0")}) {
    const Result<FileLock> lock = TakeSnapshotFolder(folder);
    ASSERT_FALSE(lock.ok()) << folder;
    EXPECT_EQ(lock.error().code, ErrorCode::kIo);
    EXPECT_THAT(lock.error().text, HasSubstr(folder.string()));
  }
}

TEST(SnapshotFolder, ListsTheNewestFirstAndIgnoresOtherFiles) {
  const TemporaryFolder state;
  const fs::path& folder = state.path();
  for (const uint64_t number : {3, 12, 1}) Touch(SegmentPath(folder, number));
  for (const uint64_t number : {uint64_t{9}, uint64_t{1234567890123456}})
    Touch(ManifestPath(folder, number));
  const fs::path left_over = ManifestPath(folder, 10).string() + ".tmp";
  Touch(left_over);
  for (const char* name : {"lock", "12.segment", "-000000000000007.manifest", "x.manifest",
                           "00000000000000011.segment", "0000000000000005.other"}) {
    Touch(folder / name);
  }
  const Result<SnapshotNumbers> found = ListSnapshots(folder);
  ASSERT_TRUE(found.ok());
  EXPECT_THAT(found->segments, ElementsAre(12, 3, 1));
  EXPECT_THAT(found->manifests, ElementsAre(1234567890123456, 9));
  EXPECT_THAT(found->left_over, ElementsAre(left_over));
  EXPECT_EQ(SegmentPath(folder, 12).filename(), "0000000000000012.segment");
  EXPECT_EQ(ManifestPath(folder, 12).filename(), "0000000000000012.manifest");
}

TEST(SnapshotFolder, AnAbsentFolderIsNotFound) {
  const TemporaryFolder state;
  const Result<SnapshotNumbers> found = ListSnapshots(state.path() / "absent");
  ASSERT_FALSE(found.ok());
  EXPECT_EQ(found.error().code, ErrorCode::kNotFound);
  EXPECT_THAT(found.error().text, HasSubstr((state.path() / "absent").string()));
}

}  // namespace
}  // namespace neardup
