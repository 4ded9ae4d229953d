#include "state/snapshot_manifest.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/hash.h"
#include "base/hex.h"

namespace neardup {
namespace {

using nlohmann::ordered_json;

constexpr int kVersion = 1;

Error Corrupt(const std::string& what) {
  return {ErrorCode::kCorrupt, "manifest of a snapshot: " + what};
}

/// Throws what nlohmann throws, as all that reads below.
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

SnapshotSegment ReadSegment(const ordered_json& json) {
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

SnapshotManifest ReadManifest(const ordered_json& json) {
  SnapshotManifest manifest;
  manifest.number = json.at("number").get<uint64_t>();
  manifest.lane = json.at("lane").get<uint16_t>();
  manifest.spec = json.at("spec").get<std::string>();
  manifest.written_ms = json.at("written_ms").get<int64_t>();
  manifest.end.offset = json.at("changelog").at("offset").get<int64_t>();
  manifest.end.checksum = ReadHex(json.at("changelog").at("checksum"));
  manifest.seq = json.at("seq").get<uint64_t>();
  for (const ordered_json& segment : json.at("segments")) {
    manifest.segments.push_back(ReadSegment(segment));
  }
  return manifest;
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
  const ordered_json json = {
      {"neardup_snapshot", kVersion},
      {"number", manifest.number},
      {"lane", manifest.lane},
      {"spec", manifest.spec},
      {"written_ms", manifest.written_ms},
      {"changelog", {{"offset", manifest.end.offset}, {"checksum", Hex64(manifest.end.checksum)}}},
      {"seq", manifest.seq},
      {"segments", segments}};
  const std::string line = json.dump();
  return line + "\n" + Hex64(Hash64(line)) + "\n";
}

Result<SnapshotManifest> DecodeSnapshotManifest(std::string_view text) {
  const size_t line_bytes = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, line_bytes);
  if (text.substr(line_bytes) != "\n" + Hex64(Hash64(line)) + "\n") {
    return Corrupt("expected a line of JSON and its checksum; it is damaged");
  }
  const ordered_json json = ordered_json::parse(line, nullptr, false);
  if (!json.is_object()) return Corrupt("expected a JSON object");
  const auto version = json.find("neardup_snapshot");
  if (version == json.end() || *version != kVersion) {
    return Error{ErrorCode::kMismatch,
                 "manifest of a snapshot: written by another version of neardup; expected "
                 "\"neardup_snapshot\": " +
                     std::to_string(kVersion)};
  }
  try {
    SnapshotManifest manifest = ReadManifest(json);
    if (manifest.segments.empty()) return Corrupt("expected at least one segment");
    if (Encode(manifest) != text) return Corrupt("expected what neardup itself writes");
    return manifest;
  } catch (const nlohmann::json::exception& error) {
    return Corrupt(error.what());
  }
}

}  // namespace neardup
