#include "stream/state/snapshot.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <system_error>
#include <utility>

#include "detect/base/file.h"
#include "detect/base/quantity.h"
#include "detect/record/json_syntax.h"
#include "stream/state/byte_stream.h"

namespace neardup {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

constexpr int kSnapshotVersion = 1;
constexpr std::string_view kSegmentMagic = "NDSG";
constexpr uint16_t kSegmentVersion = 1;
constexpr size_t kNumberDigits = 16;
constexpr const char* kSegmentExtension = ".segment";
constexpr const char* kManifestExtension = ".manifest";

Error CorruptManifest(std::string_view what) {
  return {ErrorCode::kCorrupt, fmt::format("manifest of a snapshot: {}", what)};
}

/// This and the two functions that read JSON below throw what nlohmann throws.
uint64_t ReadHex(const ordered_json& json) {
  const auto text = json.get<std::string>();
  uint64_t value = 0;
  for (const char digit : text) {
    value = value << 4 | static_cast<uint64_t>(digit <= '9' ? digit - '0' : digit - 'a' + 10);
  }
  return value;
}

ordered_json ToJson(const SnapshotSegment& segment) {
  ordered_json json = {{"number", segment.number},
                       {"bytes", segment.bytes},
                       {"checksum", Hex64(segment.checksum)},
                       {"entries", segment.entries},
                       {"seq_first", segment.seq_first},
                       {"changelog_offset", segment.changelog_offset},
                       {"time_max_ms", nullptr}};
  if (segment.time_max_ms != INT64_MIN) json["time_max_ms"] = segment.time_max_ms;
  return json;
}

SnapshotSegment SegmentFromJson(const ordered_json& json) {
  SnapshotSegment segment;
  segment.number = json.at("number").get<uint64_t>();
  segment.bytes = json.at("bytes").get<uint64_t>();
  segment.checksum = ReadHex(json.at("checksum"));
  segment.entries = json.at("entries").get<uint64_t>();
  segment.seq_first = json.at("seq_first").get<uint64_t>();
  segment.changelog_offset = json.at("changelog_offset").get<int64_t>();
  const ordered_json& time = json.at("time_max_ms");
  if (!time.is_null()) segment.time_max_ms = time.get<int64_t>();
  return segment;
}

SnapshotManifest ManifestFromJson(const ordered_json& json) {
  SnapshotManifest manifest;
  manifest.number = json.at("number").get<uint64_t>();
  manifest.lane = json.at("lane").get<uint16_t>();
  manifest.spec = json.at("spec").get<std::string>();
  manifest.written_ms = json.at("written_ms").get<int64_t>();
  manifest.changelog = json.at("changelog").value("name", "");
  manifest.end.offset = json.at("changelog").at("offset").get<int64_t>();
  manifest.end.checksum = ReadHex(json.at("changelog").at("checksum"));
  manifest.seq = json.at("seq").get<uint64_t>();
  for (const ordered_json& segment : json.at("segments")) {
    manifest.segments.push_back(SegmentFromJson(segment));
  }
  return manifest;
}

fs::path Numbered(const fs::path& folder, uint64_t number, const char* extension) {
  return folder / fmt::format("{:0{}}{}", number, kNumberDigits, extension);
}

std::optional<uint64_t> NumberOf(const fs::path& path) {
  const std::string stem = path.stem().string();
  return stem.size() == kNumberDigits ? ParseNumber<uint64_t>(stem) : std::nullopt;
}

Error CannotBeListed(const fs::path& folder, const std::error_code& error) {
  std::error_code ignored;
  const bool link = fs::is_symlink(fs::symlink_status(folder, ignored));
  const bool absent = error == std::errc::no_such_file_or_directory;
  if (absent && !link) {
    return Error{ErrorCode::kNotFound, fmt::format("{}: no such folder", folder.string())};
  }
  return Error{
      ErrorCode::kIo,
      fmt::format("{}: cannot be listed: {}; expected a folder that this user may read and "
                  "write; repair it, or move it away",
                  folder.string(), absent ? "a symbolic link to nothing" : error.message())};
}

Error CorruptSegment(const fs::path& path, std::string_view what) {
  return {ErrorCode::kCorrupt, fmt::format("{}: {}", path.string(), what)};
}

/// The bytes of the file that belong to the segment, if their checksum is right.
Result<std::string> ReadChecked(const fs::path& path, const SnapshotSegment& row) {
  Result<std::string> read = ReadFile(path);
  if (!read.ok())
    return Error{read.error().code, fmt::format("{}: {}", path.string(), read.error().text)};
  std::string bytes = std::move(read).value();
  if (bytes.size() < row.bytes) {
    return CorruptSegment(
        path, fmt::format("expected at least {} bytes, found {}", row.bytes, bytes.size()));
  }
  bytes.resize(row.bytes);
  if (Hash64(bytes) != row.checksum) {
    return CorruptSegment(path, fmt::format("expected checksum {:016x}, which the manifest names, "
                                            "found {:016x}; the file is damaged",
                                            row.checksum, Hash64(bytes)));
  }
  return bytes;
}

void ReadSegmentHeader(ByteReader& in, uint16_t lane) {
  if (in.Raw(kSegmentMagic.size(), "magic") != kSegmentMagic) in.Fail("magic", "\"NDSG\"");
  if (in.U16("version") != kSegmentVersion) in.Fail("version", fmt::format("{}", kSegmentVersion));
  if (in.U16("lane") != lane) in.Fail("lane", fmt::format("{}", lane));
}

}  // namespace

uint64_t SnapshotManifest::entries() const {
  uint64_t sum = 0;
  for (const SnapshotSegment& segment : segments) sum += segment.entries;
  return sum;
}

uint64_t SnapshotManifest::bytes() const {
  uint64_t sum = 0;
  for (const SnapshotSegment& segment : segments) sum += segment.bytes;
  return sum;
}

std::string Encode(const SnapshotManifest& manifest) {
  ordered_json segments = ordered_json::array();
  for (const SnapshotSegment& segment : manifest.segments) segments.push_back(ToJson(segment));
  ordered_json changelog = ordered_json::object();
  if (!manifest.changelog.empty()) changelog["name"] = manifest.changelog;
  changelog["offset"] = manifest.end.offset;
  changelog["checksum"] = Hex64(manifest.end.checksum);
  const ordered_json json = {{"neardup_snapshot", kSnapshotVersion},
                             {"number", manifest.number},
                             {"lane", manifest.lane},
                             {"spec", manifest.spec},
                             {"written_ms", manifest.written_ms},
                             {"changelog", changelog},
                             {"seq", manifest.seq},
                             {"segments", segments}};
  const std::string line = json.dump();
  return line + "\n" + Hex64(Hash64(line)) + "\n";
}

Result<SnapshotManifest> DecodeSnapshotManifest(std::string_view text) {
  const size_t line_bytes = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, line_bytes);
  if (text.substr(line_bytes) != "\n" + Hex64(Hash64(line)) + "\n") {
    return CorruptManifest("expected a line of JSON and its checksum; the file is damaged");
  }
  if (NestsDeeperThan(line)) return CorruptManifest("found JSON that is nested too deep");
  const ordered_json json = ordered_json::parse(line, nullptr, false);
  if (!json.is_object()) return CorruptManifest("expected a JSON object");
  if (HasFraction(json)) return CorruptManifest("expected whole numbers of at most 64 bits");
  const auto version = json.find("neardup_snapshot");
  if (version == json.end() || *version != kSnapshotVersion) {
    return Error{ErrorCode::kMismatch,
                 fmt::format("manifest of a snapshot: written by another version of neardup "
                             "(expected \"neardup_snapshot\": {}, found {}); nothing has to be "
                             "done: neardup writes a new snapshot",
                             kSnapshotVersion, version == json.end() ? "none" : version->dump())};
  }
  try {
    SnapshotManifest manifest = ManifestFromJson(json);
    if (manifest.segments.empty()) return CorruptManifest("expected at least one segment");
    if (Encode(manifest) != text)
      return CorruptManifest("expected the exact bytes that neardup writes");
    return manifest;
  } catch (const nlohmann::json::exception& error) {
    return CorruptManifest(error.what());
  }
}

fs::path SnapshotFolder(const fs::path& state_dir, uint16_t lane) {
  return state_dir / fmt::format("lane-{}", lane);
}

Result<FileLock> TakeSnapshotFolder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) {
    return Error{ErrorCode::kIo, fmt::format("{}: the folder cannot be created: {}",
                                             folder.string(), error.message())};
  }
  return FileLock::Take(folder / "lock");
}

fs::path SegmentPath(const fs::path& folder, uint64_t number) {
  return Numbered(folder, number, kSegmentExtension);
}

fs::path ManifestPath(const fs::path& folder, uint64_t number) {
  return Numbered(folder, number, kManifestExtension);
}

Result<SnapshotNumbers> ListSnapshots(const fs::path& folder) {
  std::error_code error;
  SnapshotNumbers found;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const fs::path& path = at->path();
    if (path.extension() == ".tmp") found.left_over.push_back(path);
    const std::optional<uint64_t> number = NumberOf(path);
    if (!number) continue;
    if (path.extension() == kManifestExtension) found.manifests.push_back(*number);
    if (path.extension() == kSegmentExtension) found.segments.push_back(*number);
  }
  if (error) return CannotBeListed(folder, error);
  std::ranges::sort(found.manifests, std::greater<>());
  std::ranges::sort(found.segments, std::greater<>());
  return found;
}

std::string SegmentHeader(uint16_t lane) {
  ByteWriter header;
  header.Raw(kSegmentMagic);
  header.U16(kSegmentVersion);
  header.U16(lane);
  return header.Take();
}

std::string SegmentFrame(const Delta& delta) {
  ByteWriter frame;
  const std::string bytes = Encode(delta);
  frame.U32(static_cast<uint32_t>(bytes.size()));
  frame.Raw(bytes);
  return frame.Take();
}

Result<SegmentWriter> SegmentWriter::Start(const fs::path& folder, uint16_t lane,
                                           const SnapshotSegment& row) {
  NEARDUP_ASSIGN(AppendedFile file, AppendedFile::Open(SegmentPath(folder, row.number), 0));
  SegmentWriter writer(std::move(file), row);
  NEARDUP_TRY(writer.Write(SegmentHeader(lane)));
  return writer;
}

Result<SegmentWriter> SegmentWriter::Continue(const fs::path& folder, const SnapshotSegment& row) {
  const fs::path path = SegmentPath(folder, row.number);
  NEARDUP_ASSIGN(const std::string bytes, ReadChecked(path, row));
  NEARDUP_ASSIGN(AppendedFile file, AppendedFile::Open(path, row.bytes));
  SegmentWriter writer(std::move(file), row);
  writer.hash_.Add(bytes);
  return writer;
}

Result<void> SegmentWriter::Append(const Delta& delta, int64_t changelog_offset) {
  if (row_.seq_first == 0) {
    row_.seq_first = delta.seq_first;
    row_.changelog_offset = changelog_offset;
  }
  row_.entries += delta.entries.size();
  for (const Entry& entry : delta.entries) {
    row_.time_max_ms = std::max(row_.time_max_ms, entry.time_ms);
  }
  return Write(SegmentFrame(delta));
}

Result<void> SegmentWriter::Write(std::string_view bytes) {
  NEARDUP_TRY(file_.Append(bytes));
  hash_.Add(bytes);
  row_.bytes += bytes.size();
  row_.checksum = hash_.value();
  return {};
}

Result<void> ReadSegmentBytes(std::string_view bytes, uint16_t lane,
                              const std::function<Result<void>(Delta&&)>& visit) {
  ByteReader in(bytes);
  ReadSegmentHeader(in, lane);
  while (in.ok() && in.remaining() > 0) {
    const uint32_t size = in.U32("size of a delta");
    const std::string_view frame = in.Raw(size, "delta");
    if (!in.ok()) break;
    Result<Delta> delta = DecodeDelta(frame);
    if (!delta.ok()) {
      return Error{ErrorCode::kCorrupt, fmt::format("the delta that ends at byte {}: {}",
                                                    in.offset(), delta.error().text)};
    }
    NEARDUP_TRY(visit(std::move(*delta)));
  }
  if (!in.ok()) return in.error();
  return {};
}

Result<void> ReadSegment(const fs::path& folder, uint16_t lane, const SnapshotSegment& row,
                         const std::function<Result<void>(Delta&&)>& visit) {
  const fs::path path = SegmentPath(folder, row.number);
  NEARDUP_ASSIGN(const std::string bytes, ReadChecked(path, row));
  // An error of `visit` goes out unchanged; one of the bytes names the file.
  bool of_visit = false;
  const Result<void> read = ReadSegmentBytes(bytes, lane, [&](Delta&& delta) -> Result<void> {
    Result<void> visited = visit(std::move(delta));
    of_visit = !visited.ok();
    return visited;
  });
  if (!read.ok() && !of_visit) return CorruptSegment(path, read.error().text);
  return read;
}

}  // namespace neardup
