// Snapshots of something else are refused, with what differs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "detect/base/file.h"
#include "detect/base/hash.h"
#include "detect/base/temporary_folder.h"
#include "stream/state/durable_file.h"
#include "stream/state/lane_history.h"
#include "stream/state/snapshot.h"
#include "stream/state/snapshot_restore.h"
#include "stream/state/snapshot_writer.h"

namespace neardup {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

class SnapshotRefusal : public testing::Test {
 protected:
  SnapshotRefusal() {
    LaneHistory history(options_, 1);
    history.Commit(20);
    auto writer = SnapshotWriter::New(folder(), 0, FingerprintSpec(options_), std::nullopt);
    EXPECT_TRUE(writer.ok());
    for (const ChangelogRecord& record : history.changelog()) {
      EXPECT_TRUE((*writer)->Append(record.delta, record.mark).ok());
    }
    EXPECT_TRUE((*writer)->Publish(0).ok());
  }

  const fs::path& folder() const { return folder_.path(); }
  fs::path manifest_path() const { return ManifestPath(folder(), 1); }

  /// Why the only snapshot is not used.
  Error Refused(const FilterOptions& options, uint16_t lane) {
    return Refused(folder(), options, lane);
  }
  static Error Refused(const fs::path& folder, const FilterOptions& options, uint16_t lane) {
    std::vector<Error> refused;
    SnapshotEvents events;
    events.refused = [&](const Error& error) { refused.push_back(error); };
    const auto restored = RestoreSnapshot(folder, options, lane, events);
    EXPECT_TRUE(restored.ok());
    EXPECT_FALSE(restored->has_value());
    EXPECT_EQ(refused.size(), 1U);
    return refused.size() == 1 ? refused[0] : Error{};
  }

  const FilterOptions options_ = SnapshotTestOptions();
  TemporaryFolder folder_;
};

TEST_F(SnapshotRefusal, RefusesASnapshotOfAnotherLane) {
  const Error error = Refused(options_, 7);
  EXPECT_EQ(error.code, ErrorCode::kMismatch);
  EXPECT_THAT(error.text, HasSubstr(manifest_path().string() +
                                    ": expected number 1 of lane 7, found number 1 of lane 0"));
}

TEST_F(SnapshotRefusal, RefusesARenamedManifest) {
  fs::rename(manifest_path(), ManifestPath(folder(), 12));
  const Error error = Refused(options_, 0);
  EXPECT_EQ(error.code, ErrorCode::kMismatch);
  EXPECT_THAT(error.text, HasSubstr("0000000000000012.manifest: expected number 12 of lane 0, "
                                    "found number 1 of lane 0; the file was renamed or copied"));
}

TEST_F(SnapshotRefusal, RefusesOtherFingerprintSettingsAndNamesThem) {
  FilterOptions options = options_;
  options.record.fields[0].path = "/text";
  const Error error = Refused(options, 0);
  EXPECT_EQ(error.code, ErrorCode::kMismatch);
  EXPECT_THAT(error.text, HasSubstr(manifest_path().string() +
                                    ": written with other fingerprint settings: "
                                    "record.fields: configured [text], changelog [title]"));
}

TEST_F(SnapshotRefusal, RefusesAnotherVersionOfTheFormat) {
  std::string line = ReadFile(manifest_path()).value();
  line = line.substr(0, line.find('\n'));
  const std::string version = "\"neardup_snapshot\":1";
  line.replace(line.find(version), version.size(), "\"neardup_snapshot\":2");
  char checksum[20];
  std::snprintf(checksum, sizeof checksum, "%016llx",
                static_cast<unsigned long long>(Hash64(line)));
  ASSERT_TRUE(WriteFileDurably(manifest_path(), line + "\n" + checksum + "\n").ok());
  const Error error = Refused(options_, 0);
  EXPECT_EQ(error.code, ErrorCode::kMismatch);
  EXPECT_THAT(error.text, HasSubstr(manifest_path().string()));
  EXPECT_THAT(error.text, HasSubstr("written by another version of neardup"));
}

TEST_F(SnapshotRefusal, ARefusalNamesTheFileOnce) {
  ASSERT_TRUE(WriteFileDurably(manifest_path(), "{}").ok());
  const std::string text = Refused(options_, 0).text;
  const std::string path = manifest_path().string();
  ASSERT_THAT(text, HasSubstr(path));
  EXPECT_THAT(text.substr(text.find(path) + 1), Not(HasSubstr(path)));
}

TEST_F(SnapshotRefusal, AFolderThatIsAbsentIsNotRefused) {
  SnapshotEvents events;
  events.refused = [](const Error& error) { ADD_FAILURE() << error.text; };
  const auto restored = RestoreSnapshot(folder() / "absent", options_, 0, events);
  ASSERT_TRUE(restored.ok());
  EXPECT_FALSE(restored->has_value());
}

TEST_F(SnapshotRefusal, AFolderThatCannotBeListedIsRefusedWithTheCause) {
  const fs::path file = folder() / "file";
  ASSERT_TRUE(WriteFileDurably(file, "").ok());
  const fs::path loop = folder() / "loop";
  fs::create_symlink(loop, loop);
  const fs::path dangling = folder() / "dangling";
  fs::create_symlink(folder() / "absent", dangling);
  const std::vector<std::pair<fs::path, std::string>> found = {
      {file, "Not a directory"},
      {file / "lane-0", "Not a directory"},
      {loop, "Too many levels of symbolic links"},
      {dangling, "a symbolic link to nothing"}};
  for (const auto& [path, what] : found) {
    const Error error = Refused(path, options_, 0);
    EXPECT_EQ(error.code, ErrorCode::kIo);
    EXPECT_EQ(error.text, path.string() + ": cannot be listed: " + what +
                              "; expected a folder that this user may read and write; repair it, "
                              "or move it away");
  }
}

TEST_F(SnapshotRefusal, ALinkToAnEmptyFolderIsNotRefused) {
  fs::create_directory(folder() / "empty");
  fs::create_directory_symlink(folder() / "empty", folder() / "link");
  SnapshotEvents events;
  events.refused = [](const Error& error) { ADD_FAILURE() << error.text; };
  const auto restored = RestoreSnapshot(folder() / "link", options_, 0, events);
  ASSERT_TRUE(restored.ok());
  EXPECT_FALSE(restored->has_value());
}

TEST_F(SnapshotRefusal, InvalidOptionsAreAnError) {
  FilterOptions options = options_;
  options.window.entries_max = 1;
  const auto restored = RestoreSnapshot(folder(), options, 0, {});
  ASSERT_FALSE(restored.ok());
  EXPECT_EQ(restored.error().code, ErrorCode::kConfig);
}

}  // namespace
}  // namespace neardup
