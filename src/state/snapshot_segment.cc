#include "state/snapshot_segment.h"

#include <algorithm>
#include <utility>

#include "state/byte_reader.h"
#include "state/byte_writer.h"
#include "state/snapshot_files.h"

namespace neardup {
namespace {

constexpr std::string_view kMagic = "NDSG";
constexpr uint16_t kVersion = 1;

Error Corrupt(const std::filesystem::path& path, const std::string& what) {
  return {ErrorCode::kCorrupt, path.string() + ": " + what};
}

/// The bytes of the file that belong to the segment, checked as a whole.
Result<std::string> ReadChecked(const std::filesystem::path& path, const SnapshotSegment& row) {
  NEARDUP_ASSIGN(std::string bytes, ReadFile(path));
  if (bytes.size() < row.bytes) {
    return Corrupt(path, "has " + std::to_string(bytes.size()) + " bytes, expected " +
                             std::to_string(row.bytes));
  }
  bytes.resize(row.bytes);
  if (Hash64(bytes) != row.checksum) {
    return Corrupt(path, "its bytes do not have the checksum that the manifest names");
  }
  return bytes;
}

void ReadHeader(ByteReader& in, uint16_t lane) {
  if (in.Raw(kMagic.size(), "magic") != kMagic) in.Fail("magic", "\"NDSG\"");
  if (in.U16("version") != kVersion) in.Fail("version", std::to_string(kVersion));
  if (in.U16("lane") != lane) in.Fail("lane", std::to_string(lane));
}

}  // namespace

Result<SegmentWriter> SegmentWriter::Start(const std::filesystem::path& folder, uint16_t lane,
                                           const SnapshotSegment& row) {
  NEARDUP_ASSIGN(AppendedFile file, AppendedFile::Open(SegmentPath(folder, row.number), 0));
  SegmentWriter writer(std::move(file), row);
  ByteWriter header;
  header.Raw(kMagic);
  header.U16(kVersion);
  header.U16(lane);
  NEARDUP_TRY(writer.Write(header.bytes()));
  return writer;
}

Result<SegmentWriter> SegmentWriter::Continue(const std::filesystem::path& folder,
                                              const SnapshotSegment& row) {
  const std::filesystem::path path = SegmentPath(folder, row.number);
  NEARDUP_ASSIGN(const std::string bytes, ReadChecked(path, row));
  NEARDUP_ASSIGN(AppendedFile file, AppendedFile::Open(path, row.bytes));
  SegmentWriter writer(std::move(file), row);
  writer.hash_.Add(bytes);
  return writer;
}

Result<void> SegmentWriter::Append(const Delta& delta, int64_t changelog_offset) {
  ByteWriter frame;
  const std::string bytes = Encode(delta);
  frame.U32(static_cast<uint32_t>(bytes.size()));
  frame.Raw(bytes);
  if (row_.seq_first == 0) {
    row_.seq_first = delta.seq_first;
    row_.changelog_offset = changelog_offset;
  }
  row_.entries += delta.entries.size();
  for (const Entry& entry : delta.entries) {
    row_.time_max_ms = std::max(row_.time_max_ms, entry.time_ms);
  }
  return Write(frame.bytes());
}

Result<void> SegmentWriter::Write(std::string_view bytes) {
  NEARDUP_TRY(file_.Append(bytes));
  hash_.Add(bytes);
  row_.bytes += bytes.size();
  row_.checksum = hash_.value();
  return {};
}

Result<void> ReadSegment(const std::filesystem::path& folder, uint16_t lane,
                         const SnapshotSegment& row,
                         const std::function<Result<void>(Delta&&)>& visit) {
  const std::filesystem::path path = SegmentPath(folder, row.number);
  NEARDUP_ASSIGN(const std::string bytes, ReadChecked(path, row));
  ByteReader in(bytes);
  ReadHeader(in, lane);
  while (in.ok() && in.remaining() > 0) {
    const uint32_t size = in.U32("size of a delta");
    const std::string_view frame = in.Raw(size, "delta");
    if (!in.ok()) break;
    Result<Delta> delta = DecodeDelta(frame);
    if (!delta.ok()) {
      return Corrupt(path, "delta that ends at byte " + std::to_string(in.offset()) + ": " +
                               delta.error().text);
    }
    NEARDUP_TRY(visit(std::move(*delta)));
  }
  if (!in.ok()) return Corrupt(path, in.error().text);
  return {};
}

}  // namespace neardup
