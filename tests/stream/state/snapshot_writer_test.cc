// What the writer leaves on disk, and what is still good when it cannot write.
#include "stream/state/snapshot_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "detect/base/temporary_folder.h"
#include "stream/state/fresh_deltas.h"
#include "stream/state/lane_history.h"
#include "stream/state/snapshot.h"
#include "stream/state/snapshot_restore.h"

namespace neardup {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class SnapshotWriterTest : public testing::Test {
 protected:
  SnapshotWriterTest() { Reopen(std::nullopt); }

  const fs::path& folder() const { return folder_.path(); }

  void Reopen(std::optional<SnapshotManifest> base) {
    auto writer =
        SnapshotWriter::New(folder(), 0, FingerprintSpec(options_), base, /*segment_bytes=*/2000);
    ASSERT_TRUE(writer.ok()) << writer.error().text;
    writer_ = std::move(writer).value();
    appended_ = base ? CountUpTo(history_.changelog(), base->end.offset) : 0;
  }

  Result<void> AppendNew() {
    const Changelog& changelog = history_.changelog();
    for (; appended_ < changelog.size(); ++appended_) {
      NEARDUP_TRY(writer_->Append(changelog[appended_].delta, changelog[appended_].mark));
    }
    return {};
  }
  Result<void> AppendAndPublish() {
    history_.Commit(20);
    NEARDUP_TRY(AppendNew());
    return writer_->Publish(0);
  }

  /// The newest snapshot is the one that the writer says, and whole.
  void ExpectPublishedIsGood() {
    SnapshotEvents events;
    events.refused = [](const Error& error) { ADD_FAILURE() << error.text; };
    const auto restored = RestoreSnapshot(folder(), options_, 0, events);
    ASSERT_TRUE(restored.ok());
    ASSERT_TRUE(restored->has_value());
    ASSERT_TRUE(writer_->published());
    EXPECT_EQ((*restored)->manifest, *writer_->published());
    const size_t end = CountUpTo(history_.changelog(), (*restored)->manifest.end.offset);
    ExpectSameProgress(*Folded(options_, history_.changelog(), 0, end), *(*restored)->state);
  }

  /// After an error a new writer goes on where the last manifest is.
  void ExpectGoesOn() {
    Reopen(writer_->published());
    const Result<void> published = AppendAndPublish();
    ASSERT_TRUE(published.ok()) << published.error().text;
    EXPECT_EQ(writer_->published()->seq, history_.state().seq());
    ExpectPublishedIsGood();
  }

  std::set<fs::path> Files() const {
    std::set<fs::path> files;
    for (const auto& file : fs::directory_iterator(folder())) files.insert(file.path());
    return files;
  }

  std::map<fs::path, uintmax_t> Sizes() const {
    std::map<fs::path, uintmax_t> sizes;
    for (const fs::path& file : Files()) sizes[file] = fs::file_size(file);
    return sizes;
  }

  const FilterOptions options_ = SnapshotTestOptions();
  TemporaryFolder folder_;
  LaneHistory history_{options_, 1};
  std::unique_ptr<SnapshotWriter> writer_;
  size_t appended_ = 0;
};

TEST_F(SnapshotWriterTest, KeepsTwoManifestsAndTheSegmentsTheyName) {
  std::optional<SnapshotManifest> before;
  for (int i = 0; i < 20; ++i) {
    if (i % 5 == 4) writer_->DropBelow(before->segments.back().changelog_offset);
    if (i % 7 == 6) Reopen(writer_->published());
    ASSERT_TRUE(AppendAndPublish().ok());
    const SnapshotManifest& newest = *writer_->published();
    std::set<fs::path> expected = {ManifestPath(folder(), newest.number)};
    for (const SnapshotSegment& row : newest.segments) {
      expected.insert(SegmentPath(folder(), row.number));
    }
    if (before) {
      expected.insert(ManifestPath(folder(), before->number));
      for (const SnapshotSegment& row : before->segments) {
        expected.insert(SegmentPath(folder(), row.number));
      }
      EXPECT_GT(newest.number, before->number);
    }
    EXPECT_EQ(Files(), expected);
    before = newest;
  }
  EXPECT_GT(before->segments.front().number, 3U) << "nothing was ever left out";
}

TEST_F(SnapshotWriterTest, BeginsAnewWithAFreshDelta) {
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(AppendAndPublish().ok());
  history_.Commit(20);  // pending when the fresh one comes
  ASSERT_TRUE(AppendNew().ok());
  ASSERT_GT(writer_->published()->segments.size(), 1U);
  const uint64_t newest = writer_->published()->segments.back().number;

  const Delta last = history_.changelog().back().delta;
  const auto fresh = FreshDeltas(options_, last, {});
  ASSERT_TRUE(fresh.ok());
  const ChangelogMark mark{history_.changelog().back().mark.offset + 5, 77};
  ASSERT_TRUE(writer_->Append(fresh->front(), mark).ok());
  ASSERT_TRUE(writer_->Publish(0).ok());
  const SnapshotManifest manifest = *writer_->published();
  ASSERT_EQ(manifest.segments.size(), 1U);
  EXPECT_GT(manifest.segments[0].number, newest);
  EXPECT_EQ(manifest.segments[0].changelog_offset, mark.offset);
  EXPECT_TRUE(CheckSnapshot(folder(), manifest).ok());
  const auto restored = RestoreSnapshot(folder(), options_, 0, {});
  ASSERT_TRUE(restored.ok() && restored->has_value());
  const auto anew = MakeLane(options_);
  ASSERT_TRUE(anew->Apply(fresh->front()).ok());
  ExpectSameProgress(*(*restored)->state, *anew);
}

TEST_F(SnapshotWriterTest, PublishesNothingWhenThereIsNothingNew) {
  ASSERT_TRUE(writer_->Publish(1).ok());
  EXPECT_FALSE(writer_->published());
  EXPECT_TRUE(Files().empty());
  ASSERT_TRUE(AppendAndPublish().ok());
  const std::set<fs::path> files = Files();
  ASSERT_TRUE(writer_->Publish(2).ok());
  Reopen(writer_->published());
  ASSERT_TRUE(writer_->Publish(3).ok());
  EXPECT_EQ(Files(), files);
  EXPECT_EQ(writer_->published()->written_ms, 0);
}

TEST_F(SnapshotWriterTest, TheManifestDescribesEachSegment) {
  for (int i = 0; i < 8; ++i) ASSERT_TRUE(AppendAndPublish().ok());
  const SnapshotManifest& manifest = *writer_->published();
  ASSERT_GT(manifest.segments.size(), 2U);
  EXPECT_EQ(manifest.seq, history_.state().seq());
  EXPECT_EQ(manifest.end, history_.changelog().back().mark);
  uint64_t entries = 0;
  for (size_t i = 0; i < manifest.segments.size(); ++i) {
    const SnapshotSegment& row = manifest.segments[i];
    EXPECT_EQ(fs::file_size(SegmentPath(folder(), row.number)), row.bytes);
    const int64_t end = i + 1 < manifest.segments.size() ? manifest.segments[i + 1].changelog_offset
                                                         : manifest.end.offset + 1;
    SnapshotSegment expected = row;
    expected.entries = 0;
    expected.time_max_ms = INT64_MIN;
    for (const ChangelogRecord& record : history_.changelog()) {
      if (record.mark.offset < row.changelog_offset || record.mark.offset >= end) continue;
      if (record.mark.offset == row.changelog_offset) expected.seq_first = record.delta.seq_first;
      expected.entries += record.delta.entries.size();
      for (const Entry& entry : record.delta.entries) {
        expected.time_max_ms = std::max(expected.time_max_ms, entry.time_ms);
      }
    }
    EXPECT_EQ(row, expected);
    entries += row.entries;
  }
  EXPECT_EQ(entries, manifest.entries());
}

TEST_F(SnapshotWriterTest, StartingOverKeepsTheOldFilesUntilItPublishes) {
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(AppendAndPublish().ok());
  const std::set<fs::path> files = Files();
  const uint64_t number = writer_->published()->number;
  Reopen(std::nullopt);
  EXPECT_EQ(Files(), files);
  ASSERT_TRUE(AppendAndPublish().ok());
  EXPECT_EQ(writer_->published()->number, number + 1);
  EXPECT_GT(writer_->published()->segments.front().number, 2U) << "numbers are not given again";
  EXPECT_EQ(writer_->published()->seq, history_.state().seq());
  for (const fs::path& path : Files()) EXPECT_FALSE(files.contains(path)) << path;
  ExpectPublishedIsGood();
}

// ---- when it cannot write

/// Files of this process grow no further, as on a full disk.
class FullDisk {
 public:
  explicit FullDisk(uint64_t file_bytes_max) {
    before_handler_ = std::signal(SIGXFSZ, SIG_IGN);
    EXPECT_EQ(getrlimit(RLIMIT_FSIZE, &before_), 0);
    rlimit limit = before_;
    limit.rlim_cur = file_bytes_max;
    EXPECT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
  }
  ~FullDisk() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, before_handler_);
  }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;

 private:
  rlimit before_ = {};
  void (*before_handler_)(int) = nullptr;
};

TEST_F(SnapshotWriterTest, WhenASegmentDoesNotFitOnTheDiskTheLastManifestStaysWhole) {
  ASSERT_TRUE(AppendAndPublish().ok());
  const SnapshotSegment row = writer_->published()->segments.back();
  ASSERT_LT(row.bytes, 2000U) << "the test needs a segment that grows";
  Result<void> published;
  {
    const FullDisk full(row.bytes + 50);
    published = AppendAndPublish();
  }
  ASSERT_FALSE(published.ok());
  EXPECT_EQ(published.error().code, ErrorCode::kIo);
  EXPECT_TRUE(published.error().retriable);
  EXPECT_THAT(published.error().text, HasSubstr(SegmentPath(folder(), row.number).string()));
  EXPECT_EQ(fs::file_size(SegmentPath(folder(), row.number)), row.bytes + 50);
  ExpectPublishedIsGood();
  ExpectGoesOn();
}

TEST_F(SnapshotWriterTest, WhenAManifestDoesNotFitOnTheDiskTheLastOneStaysWhole) {
  ASSERT_TRUE(AppendAndPublish().ok());
  const SnapshotManifest before = *writer_->published();
  const fs::path temporary = ManifestPath(folder(), 2).string() + ".tmp";
  fs::create_symlink("/dev/full", temporary);
  const Result<void> published = AppendAndPublish();
  ASSERT_FALSE(published.ok());
  EXPECT_EQ(published.error().code, ErrorCode::kIo);
  EXPECT_THAT(published.error().text, HasSubstr(temporary.string() + ": writing: No space left"));
  EXPECT_EQ(*writer_->published(), before);
  ExpectPublishedIsGood();
  ExpectGoesOn();
}

TEST_F(SnapshotWriterTest, SnapshotsThatFailAgainAndAgainDoNotGrowTheFolder) {
  while (!writer_->published() || writer_->published()->segments.size() < 3) {
    ASSERT_TRUE(AppendAndPublish().ok());
  }
  const std::map<fs::path, uintmax_t> before = Sizes();
  for (int failure = 0; failure < 12; ++failure) {
    history_.Commit(30);
    {
      const FullDisk full(1500);  // some segments fit, and at last one does not
      const Result<void> appended = AppendNew();
      EXPECT_FALSE(appended.ok() && writer_->Publish(0).ok());
    }
    Reopen(writer_->published());
    EXPECT_EQ(Sizes(), before) << failure;
  }
  ExpectGoesOn();
}

TEST_F(SnapshotWriterTest, RemovesSegmentsOfACrashThatNoManifestNames) {
  ASSERT_TRUE(AppendAndPublish().ok());
  const std::map<fs::path, uintmax_t> before = Sizes();
  std::ofstream(SegmentPath(folder(), 77)) << "half of a segment";
  Reopen(writer_->published());
  EXPECT_EQ(Sizes(), before);
  std::ofstream(folder() / "77.segment") << "a file of somebody else";
  Reopen(writer_->published());
  EXPECT_TRUE(fs::exists(folder() / "77.segment"));
  ExpectPublishedIsGood();
}

TEST_F(SnapshotWriterTest, AFolderInPlaceOfASegmentIsAnErrorWithItsPath) {
  const fs::path segment = SegmentPath(folder(), 1);
  fs::create_directory(segment);
  const Result<void> published = AppendAndPublish();
  ASSERT_FALSE(published.ok());
  EXPECT_EQ(published.error().code, ErrorCode::kIo);
  EXPECT_THAT(published.error().text, HasSubstr(segment.string()));
  EXPECT_FALSE(writer_->published());
  ExpectGoesOn();
}

TEST_F(SnapshotWriterTest, AFolderThatWasRemovedIsAnErrorWithItsPath) {
  ASSERT_TRUE(AppendAndPublish().ok());
  fs::remove_all(folder());
  history_.Commit(20);
  ASSERT_TRUE(AppendNew().ok());
  const Result<void> published = writer_->Publish(0);
  ASSERT_FALSE(published.ok());
  EXPECT_EQ(published.error().code, ErrorCode::kIo);
  EXPECT_THAT(published.error().text, HasSubstr(folder().string()));
  const auto writer = SnapshotWriter::New(folder(), 0, FingerprintSpec(options_), std::nullopt);
  ASSERT_FALSE(writer.ok());
  EXPECT_THAT(writer.error().text, HasSubstr(folder().string()));
}

}  // namespace
}  // namespace neardup
