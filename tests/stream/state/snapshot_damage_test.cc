// Every byte that a disk may lose: what is restored then is a whole snapshot or none, and who is
// refused is named.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
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

/// Each time it is published a segment is begun.
constexpr uint64_t kSegmentForEach = 1;
/// One takes two.
constexpr uint64_t kSegmentForTwo = 550;

/// Two snapshots that have segments in common, and what they should come to. The parameter is
/// after how many bytes a segment is begun.
class SnapshotDamage : public testing::TestWithParam<uint64_t> {
 protected:
  SnapshotDamage() {
    auto writer =
        SnapshotWriter::New(folder(), 0, FingerprintSpec(options_), std::nullopt, GetParam());
    EXPECT_TRUE(writer.ok());
    writer_ = std::move(writer).value();
    const int publications = GetParam() == kSegmentForTwo ? 3 : 2;
    for (int i = 0; i < publications; ++i) {
      AppendTransaction();
      Publish();
    }
    older_ = *writer_->published();
    history_.Restart();
    history_.AddInput();
    AppendTransaction();
    Publish();
    newer_ = *writer_->published();
    whole_ = FileBytes();
  }

  std::map<fs::path, std::string> FileBytes() const {
    std::map<fs::path, std::string> bytes;
    for (const auto& file : fs::directory_iterator(folder())) {
      if (file.is_regular_file()) bytes[file.path()] = ReadFile(file.path()).value();
    }
    return bytes;
  }

  const fs::path& folder() const { return folder_.path(); }

  void AppendTransaction() {
    history_.Commit(1);
    const Changelog& changelog = history_.changelog();
    for (; appended_ < changelog.size(); ++appended_) {
      EXPECT_TRUE(writer_->Append(changelog[appended_].delta, changelog[appended_].mark).ok());
    }
  }
  void Publish() { EXPECT_TRUE(writer_->Publish(0).ok()); }

  /// What is restored; the texts of what was refused are in refused_.
  std::optional<RestoredSnapshot> Restored() {
    refused_.clear();
    SnapshotEvents events;
    events.refused = [this](const Error& error) { refused_.push_back(error); };
    auto restored = RestoreSnapshot(folder(), options_, 0, events);
    EXPECT_TRUE(restored.ok());
    if (!restored->has_value()) return std::nullopt;
    const SnapshotManifest& manifest = (*restored)->manifest;
    EXPECT_TRUE(manifest == newer_ || manifest == older_);
    const size_t end = CountUpTo(history_.changelog(), manifest.end.offset);
    std::unique_ptr<LaneState>& expected = expected_[end];
    if (!expected) expected = Folded(options_, history_.changelog(), 0, end);
    ExpectSameProgress(*expected, *(*restored)->state);
    ExpectSameVerdicts(*expected, *(*restored)->state, history_.changelog(), end);
    return std::move(*restored);
  }

  /// Whether a snapshot is whole when the file is damaged from this byte on.
  bool IsWhole(const SnapshotManifest& manifest, const fs::path& damaged, uint64_t byte) const {
    if (damaged == ManifestPath(folder(), manifest.number)) return false;
    return std::none_of(manifest.segments.begin(), manifest.segments.end(),
                        [&](const SnapshotSegment& row) {
                          return damaged == SegmentPath(folder(), row.number) && byte < row.bytes;
                        });
  }

  /// The file is damaged from this byte on: the newest whole snapshot is taken, each other one
  /// refused, by its name and the name of the file.
  void ExpectNewestWhole(const fs::path& damaged, uint64_t byte, bool missing = false) {
    const bool manifest_missing = missing && damaged.extension() == ".manifest";
    const std::optional<RestoredSnapshot> restored = Restored();
    size_t refused = 0;
    for (const SnapshotManifest& manifest : {newer_, older_}) {
      const fs::path path = ManifestPath(folder(), manifest.number);
      if (IsWhole(manifest, damaged, byte)) {
        ASSERT_TRUE(restored);
        EXPECT_EQ(restored->manifest, manifest);
        EXPECT_EQ(refused_.size(), refused);
        return;
      }
      if (manifest_missing && path == damaged) continue;
      ASSERT_GT(refused_.size(), refused);
      EXPECT_THAT(refused_[refused].text, HasSubstr(path.string()));
      EXPECT_THAT(refused_[refused].text, HasSubstr(damaged.string()));
      EXPECT_EQ(refused_[refused].code, missing ? ErrorCode::kNotFound : ErrorCode::kCorrupt);
      ++refused;
    }
    EXPECT_FALSE(restored);
    EXPECT_EQ(refused_.size(), refused);
  }

  /// In place: file systems write a file that is replaced out at once, which takes its time.
  static void Write(const fs::path& path, std::string_view bytes) {
    std::ofstream file(path, std::ios::binary | std::ios::app);
    file.close();
    std::fstream again(path, std::ios::binary | std::ios::in | std::ios::out);
    again << bytes;
    again.close();
    ASSERT_TRUE(again);
    fs::resize_file(path, bytes.size());
  }

  /// A manifest that is newest, and whole as such.
  void WriteNewest(SnapshotManifest manifest) {
    manifest.number = newer_.number + 1;
    Write(ManifestPath(folder(), manifest.number), Encode(manifest));
  }
  /// It is refused with these words, and the earlier one is taken.
  void ExpectNewestRefused(const std::string& words) {
    const std::optional<RestoredSnapshot> restored = Restored();
    ASSERT_EQ(refused_.size(), 1U);
    EXPECT_THAT(refused_[0].text, HasSubstr(ManifestPath(folder(), newer_.number + 1).string()));
    EXPECT_THAT(refused_[0].text, HasSubstr(words));
    ASSERT_TRUE(restored);
    EXPECT_EQ(restored->manifest, newer_);
  }

  const FilterOptions options_ = SnapshotTestOptions();
  TemporaryFolder folder_;
  LaneHistory history_{options_, 1};
  std::unique_ptr<SnapshotWriter> writer_;
  size_t appended_ = 0;
  SnapshotManifest older_;
  SnapshotManifest newer_;
  std::map<fs::path, std::string> whole_;  ///< bytes of all files
  std::map<size_t, std::unique_ptr<LaneState>> expected_;
  std::vector<Error> refused_;
};

INSTANTIATE_TEST_SUITE_P(, SnapshotDamage, testing::Values(kSegmentForEach, kSegmentForTwo),
                         [](const auto& test) {
                           return test.param == kSegmentForTwo ? "WithASegmentThatHasGrown"
                                                               : "WithASegmentMore";
                         });

TEST_P(SnapshotDamage, TheTwoSnapshotsShareSegments) {
  ASSERT_GE(older_.segments.size(), 2U);
  EXPECT_EQ(newer_.segments[0], older_.segments[0]);
  const SnapshotSegment& grown = newer_.segments[older_.segments.size() - 1];
  EXPECT_EQ(grown.number, older_.segments.back().number);
  if (GetParam() == kSegmentForTwo) {
    EXPECT_EQ(newer_.segments.size(), older_.segments.size());
    EXPECT_GT(grown.bytes, older_.segments.back().bytes);
  } else {
    EXPECT_EQ(newer_.segments.size(), older_.segments.size() + 1);
    EXPECT_EQ(grown, older_.segments.back());
  }
  EXPECT_EQ(whole_.size(), 2 + newer_.segments.size());
  EXPECT_EQ(Restored()->manifest, newer_);
  EXPECT_TRUE(refused_.empty());
}

TEST_P(SnapshotDamage, AfterAnyFlippedByteTheNewestWholeSnapshotIsRestored) {
  for (const auto& [path, bytes] : whole_) {
    for (size_t at = 0; at < bytes.size(); ++at) {
      SCOPED_TRACE(path.filename().string() + " byte " + std::to_string(at));
      std::string flipped = bytes;
      flipped[at] = static_cast<char>(flipped[at] ^ (1 << at % 8));
      Write(path, flipped);
      ExpectNewestWhole(path, at);
      if (HasFailure()) return;
    }
    Write(path, bytes);
  }
}

TEST_P(SnapshotDamage, AfterAnyCutOfAFileTheNewestWholeSnapshotIsRestored) {
  for (const auto& [path, bytes] : whole_) {
    for (size_t length = 0; length < bytes.size(); ++length) {
      SCOPED_TRACE(path.filename().string() + " cut to " + std::to_string(length));
      Write(path, std::string_view(bytes).substr(0, length));
      ExpectNewestWhole(path, length);
      if (HasFailure()) return;
    }
    Write(path, bytes);
  }
}

TEST_P(SnapshotDamage, WithoutAnyOneFileTheNewestWholeSnapshotIsRestored) {
  for (const auto& [path, bytes] : whole_) {
    SCOPED_TRACE(path.filename().string());
    fs::remove(path);
    ExpectNewestWhole(path, 0, /*missing=*/true);
    Write(path, bytes);
  }
}

TEST_P(SnapshotDamage, RefusesSegmentsThatAreWholeButHoldNoDeltas) {
  const SnapshotSegment& row = newer_.segments.back();
  const std::string& bytes = whole_.at(SegmentPath(folder(), row.number));
  const uint64_t number = row.number + 1;
  const auto expect_refused = [&](const std::string& damaged) {
    SnapshotManifest manifest = newer_;
    manifest.segments.back() = row;
    manifest.segments.back().number = number;
    manifest.segments.back().bytes = damaged.size();
    manifest.segments.back().checksum = Hash64(damaged);
    Write(SegmentPath(folder(), number), damaged);
    WriteNewest(manifest);
    ExpectNewestRefused("");
  };
  for (size_t length = 0; length < bytes.size(); ++length) {
    SCOPED_TRACE("cut to " + std::to_string(length));
    expect_refused(bytes.substr(0, length));
    if (HasFailure()) return;
  }
  for (size_t at = 0; at < bytes.size(); ++at) {
    SCOPED_TRACE("byte " + std::to_string(at));
    std::string flipped = bytes;
    flipped[at] = static_cast<char>(flipped[at] ^ (1 << at % 8));
    expect_refused(flipped);
    if (HasFailure()) return;
  }
}

TEST_P(SnapshotDamage, RefusesManifestsThatContradictTheirSegments) {
  struct Lie {
    std::function<void(SnapshotManifest&)> tell;
    std::string words;
  };
  const std::vector<Lie> lies = {
      {[](SnapshotManifest& m) { ++m.seq; }, "expected segments that end at seq"},
      {[](SnapshotManifest& m) { ++m.segments[0].entries; }, "entries, found seq"},
      {[](SnapshotManifest& m) { m.segments.pop_back(); }, "expected segments that end at seq"},
      {[](SnapshotManifest& m) { m.segments.erase(m.segments.begin() + 1); }, "expected"},
      {[](SnapshotManifest& m) { std::swap(m.segments[0], m.segments[1]); }, "hole"},
      {[](SnapshotManifest& m) { m.segments.push_back(m.segments[0]); }, "hole"},
      {[](SnapshotManifest& m) { m.segments[0].number = 77; }, "0000000000000077.segment"},
      {[](SnapshotManifest& m) { m.segments[0].bytes = UINT64_MAX; }, "bytes, found"},
      {[](SnapshotManifest& m) { m.segments[0].bytes = 0; }, ".segment"},
  };
  for (const Lie& lie : lies) {
    SnapshotManifest manifest = newer_;
    lie.tell(manifest);
    WriteNewest(manifest);
    ExpectNewestRefused(lie.words);
  }
}

// ---- what a crash leaves

TEST_P(SnapshotDamage, BytesAfterASegmentAreIgnoredAndCutOffWhenItIsContinued) {
  const fs::path path = SegmentPath(folder(), newer_.segments.back().number);
  const std::string& bytes = whole_.at(path);
  Write(path, bytes + std::string(100, 'x'));
  EXPECT_EQ(Restored()->manifest, newer_);
  EXPECT_TRUE(refused_.empty());
  auto writer = SnapshotWriter::New(folder(), 0, newer_.spec, newer_);
  ASSERT_TRUE(writer.ok()) << writer.error().text;
  EXPECT_EQ(ReadFile(path).value(), bytes);
  writer_ = std::move(writer).value();
  AppendTransaction();
  Publish();
  newer_ = *writer_->published();
  EXPECT_EQ(SegmentPath(folder(), newer_.segments.back().number), path);
  EXPECT_EQ(ReadFile(path).value().substr(0, bytes.size()), bytes);
  EXPECT_EQ(Restored()->manifest, newer_);
}

TEST_P(SnapshotDamage, AManifestThatCannotBeWrittenLeavesTheFolderAsItWas) {
  AppendTransaction();
  const fs::path in_the_way = ManifestPath(folder(), newer_.number + 1).string() + ".tmp";
  fs::create_directory(in_the_way);
  EXPECT_FALSE(writer_->Publish(0).ok());
  writer_.reset();
  fs::remove(in_the_way);
  EXPECT_EQ(FileBytes(), whole_);
  EXPECT_EQ(Restored()->manifest, newer_);
  EXPECT_TRUE(refused_.empty());
}

TEST_P(SnapshotDamage, ATemporaryManifestIsIgnoredAndRemoved) {
  const fs::path left = ManifestPath(folder(), newer_.number + 1).string() + ".tmp";
  Write(left, "half of a mani");
  Write(folder() / "whatever.tmp", "");
  EXPECT_EQ(Restored()->manifest, newer_);
  ASSERT_TRUE(SnapshotWriter::New(folder(), 0, newer_.spec, newer_).ok());
  EXPECT_FALSE(fs::exists(left));
  EXPECT_FALSE(fs::exists(folder() / "whatever.tmp"));
  EXPECT_EQ(Restored()->manifest, newer_);
}

TEST_P(SnapshotDamage, ADamagedSegmentIsNotContinued) {
  const fs::path path = SegmentPath(folder(), newer_.segments.back().number);
  std::string bytes = whole_.at(path);
  bytes[20] ^= 1;
  Write(path, bytes);
  const auto writer = SnapshotWriter::New(folder(), 0, newer_.spec, newer_);
  ASSERT_FALSE(writer.ok());
  EXPECT_EQ(writer.error().code, ErrorCode::kCorrupt);
  EXPECT_THAT(writer.error().text, HasSubstr(path.string()));
  EXPECT_EQ(ReadFile(path).value(), bytes);
}

}  // namespace
}  // namespace neardup
