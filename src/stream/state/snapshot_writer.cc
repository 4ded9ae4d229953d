#include "stream/state/snapshot_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <set>
#include <utility>

#include "detect/base/file.h"

namespace neardup {
namespace {

namespace fs = std::filesystem;

Result<void> Remove(const fs::path& path) {
  std::error_code error;
  fs::remove(path, error);
  if (!error) return {};
  return Retriable(ErrorCode::kIo,
                   fmt::format("{}: cannot be removed: {}", path.string(), error.message()));
}

/// Removes nothing while a manifest cannot be read: it may name any segment.
Result<void> RemoveUnnamedSegments(const fs::path& folder, const SnapshotNumbers& found) {
  std::set<uint64_t> named;
  for (const uint64_t number : found.manifests) {
    const Result<std::string> text = ReadFile(ManifestPath(folder, number));
    if (!text.ok()) return {};
    const Result<SnapshotManifest> manifest = DecodeSnapshotManifest(*text);
    if (!manifest.ok() && manifest.error().code == ErrorCode::kCorrupt) continue;
    if (!manifest.ok()) return {};
    for (const SnapshotSegment& segment : manifest->segments) named.insert(segment.number);
  }
  for (const uint64_t number : found.segments) {
    const fs::path path = SegmentPath(folder, number);
    if (!named.contains(number) && fs::is_regular_file(path)) NEARDUP_TRY(Remove(path));
  }
  return {};
}

bool NamesSegment(const SnapshotManifest& manifest, uint64_t segment) {
  return std::ranges::any_of(
      manifest.segments, [segment](const SnapshotSegment& row) { return row.number == segment; });
}

}  // namespace

Result<std::unique_ptr<SnapshotWriter>> SnapshotWriter::New(const fs::path& folder, uint16_t lane,
                                                            std::string spec,
                                                            std::optional<SnapshotManifest> base,
                                                            uint64_t segment_bytes,
                                                            std::string changelog) {
  NEARDUP_ASSIGN(const SnapshotNumbers found, ListSnapshots(folder));
  std::unique_ptr<SnapshotWriter> writer(
      new SnapshotWriter(folder, lane, std::move(spec), segment_bytes));
  if (!found.manifests.empty()) writer->next_manifest_ = found.manifests.front() + 1;
  if (!found.segments.empty()) writer->next_segment_ = found.segments.front() + 1;
  for (const fs::path& path : found.left_over) NEARDUP_TRY(Remove(path));
  NEARDUP_TRY(RemoveUnnamedSegments(folder, found));
  if (base) NEARDUP_TRY(writer->Continue(*base));
  writer->manifest_.changelog = std::move(changelog);
  return writer;
}

SnapshotWriter::~SnapshotWriter() {
  // Best effort: New tries again. The manifest goes first, so that none names a missing segment.
  std::error_code ignored;
  for (auto path = unpublished_.rbegin(); path != unpublished_.rend(); ++path) {
    if (fs::is_regular_file(*path, ignored)) fs::remove(*path, ignored);
  }
  if (!published_) return;
  const SnapshotSegment& newest = published_->segments.back();
  const fs::path path = SegmentPath(folder_, newest.number);
  if (fs::file_size(path, ignored) > newest.bytes && !ignored) {
    fs::resize_file(path, newest.bytes, ignored);
  }
}

Result<void> SnapshotWriter::Continue(const SnapshotManifest& base) {
  assert(base.lane == manifest_.lane && base.spec == manifest_.spec);
  manifest_ = base;
  published_ = base;
  const SnapshotSegment& newest = base.segments.back();
  if (newest.bytes >= segment_bytes_) return {};
  NEARDUP_ASSIGN(growing_, SegmentWriter::Continue(folder_, newest));
  manifest_.segments.pop_back();
  return {};
}

Result<void> SnapshotWriter::Append(Delta delta, const ChangelogMark& mark) {
  manifest_.end = mark;
  manifest_.seq = delta.seq_last;
  if (pending_ && CanMerge(*pending_, delta)) {
    Merge(*pending_, std::move(delta));
    return {};
  }
  if (delta.fresh) {
    pending_.reset();
    growing_.reset();
    manifest_.segments.clear();
  }
  NEARDUP_TRY(WritePending());
  pending_ = std::move(delta);
  pending_offset_ = mark.offset;
  return {};
}

Result<void> SnapshotWriter::WritePending() {
  if (!pending_) return {};
  if (!growing_ || growing_->row().bytes >= segment_bytes_) NEARDUP_TRY(StartSegment());
  NEARDUP_TRY(growing_->Append(*pending_, pending_offset_));
  pending_.reset();
  return {};
}

Result<void> SnapshotWriter::StartSegment() {
  if (growing_) {
    NEARDUP_TRY(growing_->Sync());
    manifest_.segments.push_back(growing_->row());
  }
  SnapshotSegment row;
  row.number = next_segment_++;
  unpublished_.push_back(SegmentPath(folder_, row.number));
  NEARDUP_ASSIGN(growing_, SegmentWriter::Start(folder_, manifest_.lane, row));
  return {};
}

void SnapshotWriter::DropBelow(int64_t changelog_offset) {
  std::vector<SnapshotSegment>& segments = manifest_.segments;
  const auto end_of = [&](size_t segment) {
    if (segment + 1 < segments.size()) return segments[segment + 1].changelog_offset;
    return growing_ ? growing_->row().changelog_offset : INT64_MAX;
  };
  size_t dead = 0;
  while (dead < segments.size() && end_of(dead) <= changelog_offset) ++dead;
  segments.erase(segments.begin(), segments.begin() + static_cast<std::ptrdiff_t>(dead));
}

Result<void> SnapshotWriter::Publish(int64_t written_ms) {
  if (!pending_) return {};
  NEARDUP_TRY(WritePending());
  NEARDUP_TRY(growing_->Sync());
  SnapshotManifest manifest = manifest_;
  manifest.number = next_manifest_++;
  manifest.written_ms = written_ms;
  manifest.segments.push_back(growing_->row());
  unpublished_.push_back(ManifestPath(folder_, manifest.number));
  NEARDUP_TRY(WriteFileDurably(unpublished_.back(), Encode(manifest)));
  unpublished_.clear();
  const std::optional<SnapshotManifest> before = std::exchange(published_, std::move(manifest));
  return RemoveAllBut(before);
}

Result<void> SnapshotWriter::RemoveAllBut(const std::optional<SnapshotManifest>& before) const {
  NEARDUP_ASSIGN(const SnapshotNumbers found, ListSnapshots(folder_));
  for (const uint64_t number : found.manifests) {
    const bool kept = number == published_->number || (before && number == before->number);
    if (!kept) NEARDUP_TRY(Remove(ManifestPath(folder_, number)));
  }
  for (const uint64_t number : found.segments) {
    const bool named =
        NamesSegment(*published_, number) || (before && NamesSegment(*before, number));
    if (!named) NEARDUP_TRY(Remove(SegmentPath(folder_, number)));
  }
  return {};
}

}  // namespace neardup
