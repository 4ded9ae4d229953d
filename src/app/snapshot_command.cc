#include <spdlog/fmt/chrono.h>
#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "app/commands.h"
#include "app/exit_code.h"
#include "base/number_text.h"
#include "neardup/result.h"
#include "state/snapshot.h"
#include "state/snapshot_restore.h"

namespace neardup {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

constexpr int kLanesMax = 1024;

struct InspectedSnapshot {
  fs::path manifest_path;
  std::optional<SnapshotManifest> manifest;  ///< none where it cannot be read
  std::optional<Error> error;
};

Result<std::vector<InspectedSnapshot>> Inspect(const SnapshotArguments& arguments) {
  std::vector<InspectedSnapshot> inspected;
  for (uint16_t lane = 0; lane < kLanesMax; ++lane) {
    const fs::path folder = SnapshotFolder(arguments.state_dir, lane);
    const Result<SnapshotNumbers> found = ListSnapshots(folder);
    if (!found.ok() && found.error().code == ErrorCode::kNotFound) continue;
    if (!found.ok()) return found.error();
    for (const uint64_t number : found->manifests) {
      InspectedSnapshot& snapshot = inspected.emplace_back();
      snapshot.manifest_path = ManifestPath(folder, number);
      Result<SnapshotManifest> manifest = ReadSnapshotManifest(folder, lane, number);
      if (!manifest.ok()) {
        snapshot.error = manifest.error();
        continue;
      }
      snapshot.manifest = std::move(*manifest);
      if (!arguments.verify) continue;
      const Result<void> checked = CheckSnapshot(folder, *snapshot.manifest);
      if (!checked.ok()) snapshot.error = checked.error();
    }
  }
  return inspected;
}

std::string TimeText(int64_t ms) {
  if (ms == INT64_MIN) return "none";
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(static_cast<std::time_t>(ms / 1000)));
}

void PrintText(const InspectedSnapshot& snapshot, bool verified) {
  std::printf("%s\n", snapshot.manifest_path.c_str());
  if (snapshot.manifest) {
    const SnapshotManifest& manifest = *snapshot.manifest;
    std::printf("  written       %s\n", TimeText(manifest.written_ms).c_str());
    std::printf("  entries       %s, up to seq %s\n", Grouped(manifest.entries()).c_str(),
                Grouped(manifest.seq).c_str());
    std::printf("  changelog     up to offset %s\n",
                Grouped(static_cast<uint64_t>(manifest.end.offset)).c_str());
    std::printf("  bytes         %s in %zu segments\n", Grouped(manifest.bytes()).c_str(),
                manifest.segments.size());
    for (const SnapshotSegment& segment : manifest.segments) {
      std::printf("    %016llu  %s bytes, %s entries from seq %s, newest event time %s\n",
                  static_cast<unsigned long long>(segment.number), Grouped(segment.bytes).c_str(),
                  Grouped(segment.entries).c_str(), Grouped(segment.seq_first).c_str(),
                  TimeText(segment.time_max_ms).c_str());
    }
  }
  if (snapshot.error) {
    std::printf("  NOT WHOLE     %s\n", snapshot.error->text.c_str());
  } else {
    std::printf("  %s\n", verified ? "whole: every checksum and every delta holds"
                                   : "not verified: `neardup snapshot verify` reads all of it");
  }
}

ordered_json JsonOf(const InspectedSnapshot& snapshot, bool verified) {
  ordered_json json = {{"manifest", snapshot.manifest_path.string()},
                       {"ok", !snapshot.error.has_value()},
                       {"verified", verified}};
  if (snapshot.error) json["error"] = snapshot.error->text;
  if (!snapshot.manifest) return json;
  const SnapshotManifest& manifest = *snapshot.manifest;
  json["lane"] = manifest.lane;
  json["written_ms"] = manifest.written_ms;
  json["seq"] = manifest.seq;
  json["entries"] = manifest.entries();
  json["bytes"] = manifest.bytes();
  json["changelog_offset"] = manifest.end.offset;
  json["segments"] = ordered_json::array();
  for (const SnapshotSegment& segment : manifest.segments) {
    json["segments"].push_back({{"number", segment.number},
                                {"bytes", segment.bytes},
                                {"entries", segment.entries},
                                {"seq_first", segment.seq_first},
                                {"changelog_offset", segment.changelog_offset}});
  }
  return json;
}

}  // namespace

int SnapshotCommand(const SnapshotArguments& arguments) {
  const Result<std::vector<InspectedSnapshot>> found = Inspect(arguments);
  if (!found.ok()) return Fail(found.error());
  const std::vector<InspectedSnapshot>& inspected = *found;
  if (inspected.empty()) {
    return Fail({ErrorCode::kNotFound, arguments.state_dir +
                                           ": holds no snapshot; expected the state.dir of an "
                                           "instance, with lane-0 in it"});
  }
  if (arguments.json) {
    ordered_json json = {{"snapshots", ordered_json::array()}};
    for (const auto& snapshot : inspected) {
      json["snapshots"].push_back(JsonOf(snapshot, arguments.verify));
    }
    std::printf("%s\n", json.dump(2).c_str());
  } else {
    for (const auto& snapshot : inspected) PrintText(snapshot, arguments.verify);
  }
  const bool whole = std::none_of(inspected.begin(), inspected.end(),
                                  [](const auto& snapshot) { return snapshot.error.has_value(); });
  return whole ? kExitOk : kExitNo;
}

}  // namespace neardup
