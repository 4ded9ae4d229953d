#include <spdlog/fmt/chrono.h>
#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "commands/program/command_line.h"
#include "commands/program/commands.h"
#include "commands/program/message.h"
#include "detect/base/file.h"
#include "detect/base/quantity.h"
#include "neardup/filter.h"
#include "neardup/result.h"
#include "service/topics/lane_learning.h"
#include "stream/state/snapshot.h"
#include "stream/state/snapshot_restore.h"

namespace neardup {
namespace {

struct SnapshotArguments {
  std::string state_dir;
  /// Read every byte and every delta.
  bool verify = false;
  bool json = false;
};

struct RestoredArguments {
  /// Of the instance; its state.dir holds the snapshots.
  ConfigArguments config;
  /// File with the JSON payload of one record; only for `find`.
  std::string record;
  bool json = false;
};

namespace fs = std::filesystem;
using nlohmann::ordered_json;

constexpr int kLaneFoldersMax = 1024;

struct InspectedSnapshot {
  fs::path manifest_path;
  std::optional<SnapshotManifest> manifest;  ///< none where it cannot be read
  std::optional<Error> error;
};

Result<void> CheckStateDir(const std::string& path) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) return {};
  const bool exists = fs::exists(path, ignored);
  return Error{exists ? ErrorCode::kIo : ErrorCode::kNotFound,
               fmt::format("{}: {}expected the state.dir of an instance", path,
                           exists ? "found a file, " : "no such folder; ")};
}

Result<std::vector<InspectedSnapshot>> Inspect(const SnapshotArguments& arguments) {
  NEARDUP_TRY(CheckStateDir(arguments.state_dir));
  std::vector<InspectedSnapshot> inspected;
  for (uint16_t lane = 0; lane < kLaneFoldersMax; ++lane) {
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

std::string NewestText(int64_t ms) {
  if (ms == INT64_MIN) return "none";
  return UtcText(ms);
}

void PrintInspected(const InspectedSnapshot& snapshot, bool verified) {
  std::printf("%s\n", snapshot.manifest_path.c_str());
  if (snapshot.manifest) {
    const SnapshotManifest& manifest = *snapshot.manifest;
    std::printf("  written       %s\n", NewestText(manifest.written_ms).c_str());
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
                  NewestText(segment.time_max_ms).c_str());
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

// Commands on the index of a snapshot.

/// The newest usable snapshot in the state.dir of the configuration. Prints why others are refused.
Result<RestoredSnapshot> RestoreNewest(const Settings& settings) {
  if (settings.state_dir.empty()) {
    return Error{ErrorCode::kConfig,
                 "state.dir: found nothing, expected the folder of an instance's snapshots; set it "
                 "with --state-dir"};
  }
  NEARDUP_TRY(CheckStateDir(settings.state_dir));
  std::optional<Error> refused;
  const SnapshotEvents events = {.refused =
                                     [&refused](const Error& error) {
                                       Say("neardup: warning: snapshot refused: {}", error.text);
                                       refused = error;
                                     },
                                 .progress = [](uint64_t, uint64_t) {}};
  const uint16_t lane = settings.lane.lane;
  NEARDUP_ASSIGN(std::optional<RestoredSnapshot> restored,
                 RestoreSnapshot(SnapshotFolder(settings.state_dir, lane), settings.lane.filter,
                                 lane, events));
  if (restored) return std::move(*restored);
  return Error{
      refused ? refused->code : ErrorCode::kNotFound,
      fmt::format(
          "{}: found no usable snapshot of lane {}; `neardup snapshot verify` checks all of them",
          settings.state_dir, lane)};
}

/// `neardup snapshot index`: restores the newest usable snapshot and prints how full its index is.
/// kNotFound if there is no snapshot, kMismatch if it was written with other settings.
Result<int> SnapshotIndexCommand(const RestoredArguments& arguments) {
  NEARDUP_ASSIGN(LoadedConfig config, Load(arguments.config));
  NEARDUP_TRY(TakeLearnedOf(config, PrintKafkaErrors()));
  NEARDUP_ASSIGN(const RestoredSnapshot restored, RestoreNewest(config.settings));
  const Filter& filter = restored.state->filter();
  const IndexStatistics statistics = filter.Statistics();
  if (arguments.json) {
    ordered_json json = {{"manifest", restored.manifest.number},
                         {"seq", restored.state->seq()},
                         {"entries", filter.entries()},
                         {"bytes", filter.bytes()},
                         {"oldest_ms", filter.oldest_time_ms()},
                         {"bucket_median", statistics.bucket_median},
                         {"bucket_p99", statistics.bucket_p99},
                         {"bucket_max", statistics.bucket_max},
                         {"full_key_lines_share", statistics.full_key_lines_share},
                         {"keys_refused", statistics.keys_refused}};
    std::printf("%s\n", json.dump(2).c_str());
    return kExitOk;
  }
  const auto row = [](const char* name, const std::string& text) {
    std::printf("%-16s %s\n", name, text.c_str());
  };
  row("snapshot",
      fmt::format("{}, up to seq {}", restored.manifest.number, Grouped(restored.state->seq())));
  row("entries", fmt::format("{}, the oldest of {}", Grouped(filter.entries()),
                             NewestText(filter.oldest_time_ms())));
  row("memory", fmt::format("{} bytes", Grouped(filter.bytes())));
  row("bucket entries",
      fmt::format("median {}, p99 {}, largest {}", Grouped(statistics.bucket_median),
                  Grouped(statistics.bucket_p99), Grouped(statistics.bucket_max)));
  row("full key lines", fmt::format("{:.2f} %", 100 * statistics.full_key_lines_share));
  row("refused keys", Grouped(statistics.keys_refused));
  return kExitOk;
}

/// The largest event time of all inputs, 0 without inputs.
int64_t NewestTime(const LaneState& state) {
  int64_t newest = 0;
  for (const InputProgress& input : state.inputs()) newest = std::max(newest, input.time_ms);
  return newest;
}

Result<std::vector<Match>> FindMatches(const LaneState& state, const FilterOptions& options,
                                       const std::string& file) {
  Result<std::string> payload = ReadFile(file, options.record.record_bytes_max);
  if (!payload.ok()) {
    return Error{payload.error().code, fmt::format("{}: {}", file, payload.error().text)};
  }
  Fingerprinter fingerprinter(options);
  // A record matches no entry at its own position, so this position must be of no entry.
  const Position nowhere = {.input = kInputMax, .offset = kOffsetMax};
  const FingerprintedRecord record =
      fingerprinter.Compute({nowhere, NewestTime(state), std::string_view(*payload)});
  if (!record.outcome.comparable()) {
    return Error{ErrorCode::kCorrupt,
                 fmt::format("{}: found a record that cannot be compared ({}): {}", file,
                             Name(record.outcome.reason), record.outcome.error)};
  }
  return state.filter().FindAll(record);
}

/// `neardup snapshot find`: restores the newest usable snapshot and prints the remembered records
/// that the record in `record` repeats, the best first. Without record.time_field, the event time
/// is the newest of the snapshot. kExitOk if there are any, kExitNo if there is none, kCorrupt if
/// the record cannot be compared.
Result<int> SnapshotFindCommand(const RestoredArguments& arguments) {
  NEARDUP_ASSIGN(LoadedConfig config, Load(arguments.config));
  NEARDUP_TRY(TakeLearnedOf(config, PrintKafkaErrors()));
  NEARDUP_ASSIGN(const RestoredSnapshot restored, RestoreNewest(config.settings));
  const LaneState& state = *restored.state;
  NEARDUP_ASSIGN(const std::vector<Match> matches,
                 FindMatches(state, config.settings.lane.filter, arguments.record));
  ordered_json json = {{"matches", ordered_json::array()}};
  for (const Match& match : matches) {
    const InputPartition& input = state.inputs()[match.original.input].partition;
    if (arguments.json) {
      json["matches"].push_back({{"topic", input.topic},
                                 {"partition", input.partition},
                                 {"offset", match.original.offset},
                                 {"time_ms", match.time_ms},
                                 {"kind", Name(match.kind)},
                                 {"distance", match.distance}});
    } else {
      std::printf("%s/%d offset %lld, %s, distance %d, %s\n", input.topic.c_str(), input.partition,
                  static_cast<long long>(match.original.offset), NewestText(match.time_ms).c_str(),
                  match.distance, Name(match.kind));
    }
  }
  if (arguments.json) std::printf("%s\n", json.dump(2).c_str());
  if (!arguments.json && matches.empty()) std::printf("no match\n");
  return matches.empty() ? kExitNo : kExitOk;
}

/// `neardup snapshot`: prints the snapshots of all lanes, newest first. kExitNo when a check finds
/// a damaged one, kNotFound when there is none, kIo when a lane's folder cannot be listed.
Result<int> SnapshotCommand(const SnapshotArguments& arguments) {
  NEARDUP_ASSIGN(const std::vector<InspectedSnapshot> inspected, Inspect(arguments));
  if (inspected.empty()) {
    return Error{
        ErrorCode::kNotFound,
        arguments.state_dir +
            ": holds no snapshot; expected the state.dir of an instance, with lane-0 in it"};
  }
  if (arguments.json) {
    ordered_json json = {{"snapshots", ordered_json::array()}};
    for (const auto& snapshot : inspected) {
      json["snapshots"].push_back(JsonOf(snapshot, arguments.verify));
    }
    std::printf("%s\n", json.dump(2).c_str());
  } else {
    for (const auto& snapshot : inspected) PrintInspected(snapshot, arguments.verify);
  }
  const bool whole = std::none_of(inspected.begin(), inspected.end(),
                                  [](const auto& snapshot) { return snapshot.error.has_value(); });
  return whole ? kExitOk : kExitNo;
}

void AddInspection(CommandLine& line, CLI::App* group, const char* name, const char* help,
                   bool verify, const char* example) {
  const auto arguments = std::make_shared<SnapshotArguments>();
  arguments->verify = verify;
  CLI::App* command = line.AddTo(group, name, help, {example});
  AddOption(command, "--state-dir", "FOLDER", arguments->state_dir, "the state.dir of the instance")
      ->required();
  command->add_flag("--json", arguments->json, "print one JSON object");
  line.Runs(command, [arguments] { return SnapshotCommand(*arguments); });
}

/// A command that restores the newest snapshot.
CLI::App* AddRestored(CommandLine& line, CLI::App* group, const char* name, const char* help,
                      const std::shared_ptr<RestoredArguments>& arguments,
                      Result<int> (*run)(const RestoredArguments&), const char* example) {
  CLI::App* command = line.AddTo(group, name, help, {example});
  AddConfig(command, arguments->config);
  AddShortForm(command, arguments->config, "--state-dir");
  command->add_flag("--json", arguments->json, "print one JSON object");
  line.Runs(command, [arguments, run] { return run(*arguments); });
  return command;
}

}  // namespace

void AddSnapshot(CommandLine& line) {
  CLI::App* group = line.AddGroup("snapshot", "inspect the snapshots of an instance");
  AddInspection(line, group, "inspect", "print manifests and segments", false,
                "neardup snapshot inspect --state-dir /var/lib/neardup");
  AddInspection(line, group, "verify", "print the same, and check every byte and every delta", true,
                "neardup snapshot verify --state-dir /var/lib/neardup");
  AddRestored(line, group, "index", "restore the newest snapshot, and print how full its index is",
              std::make_shared<RestoredArguments>(), &SnapshotIndexCommand,
              "neardup snapshot index --config neardup.yaml");
  const auto find = std::make_shared<RestoredArguments>();
  AddRestored(line, group, "find",
              "list the remembered records that a record repeats, the best match first", find,
              &SnapshotFindCommand, "neardup snapshot find --config neardup.yaml --record a.json")
      ->add_option("--record", find->record, "read the JSON payload of one record from this file")
      ->type_name("FILE")
      ->required();
}

}  // namespace neardup
