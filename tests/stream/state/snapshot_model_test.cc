// Whatever a lane meets and whenever its snapshot is written: what is restored equals the fold of
// all deltas that the snapshot is said to hold.
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "detect/base/temporary_folder.h"
#include "stream/state/lane_history.h"
#include "stream/state/live_range.h"
#include "stream/state/snapshot_restore.h"
#include "stream/state/snapshot_writer.h"

namespace neardup {
namespace {

constexpr uint64_t kManyBytes = 20'000;

/// A history and the snapshot that follows it.
class FollowedLane {
 public:
  explicit FollowedLane(uint64_t seed)
      : history_(options_, seed), segment_bytes_(1000 + history_.random()() % kManyBytes) {
    Reopen(std::nullopt);
  }

  void Step() {
    history_.Step();
    AppendNew();
    std::mt19937_64& random = history_.random();
    if (random() % 3 == 0) writer_->DropBelow(live_->begin_offset());
    if (random() % 4 == 0) {
      const Result<void> published = writer_->Publish(static_cast<int64_t>(random() % 1000));
      ASSERT_TRUE(published.ok()) << published.error().text;
    }
    if (random() % 10 == 0) Reopen(writer_->published());
  }

  void CheckRestored() {
    SnapshotEvents events;
    uint64_t entries = 0;
    events.refused = [](const Error& error) { ADD_FAILURE() << error.text; };
    events.progress = [&](uint64_t so_far, uint64_t) { entries = so_far; };
    auto restored = RestoreSnapshot(folder_.path(), options_, 0, events);
    ASSERT_TRUE(restored.ok()) << restored.error().text;
    ASSERT_EQ(restored->has_value(), writer_->published().has_value());
    if (!restored->has_value()) return;
    const SnapshotManifest& manifest = (*restored)->manifest;
    EXPECT_EQ(manifest, *writer_->published());
    EXPECT_EQ(entries, manifest.entries());
    left_out_ = std::max(left_out_, manifest.segments.front().number - 1);
    const Changelog& changelog = history_.changelog();
    const size_t end = CountUpTo(changelog, manifest.end.offset);
    EXPECT_EQ(changelog[end - 1].mark, manifest.end);
    const auto expected = Folded(options_, changelog, 0, end);
    ExpectSameProgress(*expected, *(*restored)->state);
    ExpectSameVerdicts(*expected, *(*restored)->state, changelog, end);
    ++checks_;
  }

  std::mt19937_64& random() { return history_.random(); }
  uint64_t left_out() const { return left_out_; }
  int checks() const { return checks_; }

 private:
  void AppendNew() {
    const Changelog& changelog = history_.changelog();
    for (; appended_ < changelog.size(); ++appended_) {
      const ChangelogRecord& record = changelog[appended_];
      live_->Add(record.mark.offset, record.delta);
      const Result<void> appended = writer_->Append(record.delta, record.mark);
      ASSERT_TRUE(appended.ok()) << appended.error().text;
    }
  }

  /// As after a restart: what was not published is read again.
  void Reopen(std::optional<SnapshotManifest> base) {
    live_.emplace(options_.window);
    appended_ = 0;
    if (base) {
      appended_ = CountUpTo(history_.changelog(), base->end.offset);
      for (const SnapshotSegment& segment : base->segments) {
        live_->Add(segment.changelog_offset, segment.entries, segment.time_max_ms);
      }
    }
    auto writer =
        SnapshotWriter::New(folder_.path(), 0, FingerprintSpec(options_), base, segment_bytes_);
    ASSERT_TRUE(writer.ok()) << writer.error().text;
    writer_ = std::move(writer).value();
    AppendNew();
  }

  const FilterOptions options_ = SnapshotTestOptions();
  TemporaryFolder folder_;
  LaneHistory history_;
  uint64_t segment_bytes_;
  std::optional<LiveRange> live_;
  std::unique_ptr<SnapshotWriter> writer_;
  size_t appended_ = 0;
  uint64_t left_out_ = 0;
  int checks_ = 0;
};

TEST(Snapshot, RestoringItGivesTheStateOfAllDeltasThatItNames) {
  for (uint64_t seed = 1; seed <= 2; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    FollowedLane lane(seed);
    for (int step = 0; step < 120; ++step) {
      lane.Step();
      if (HasFatalFailure()) return;
      if (lane.random()() % 12 == 0) lane.CheckRestored();
      if (HasFailure()) return;
    }
    lane.CheckRestored();
    EXPECT_GT(lane.left_out(), 3U) << "segments that hold nothing live";
    EXPECT_GT(lane.checks(), 5);
  }
}

}  // namespace
}  // namespace neardup
