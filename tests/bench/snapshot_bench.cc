// bench_snapshot: writes a snapshot, restores from it, and measures how writing delays decisions.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "bench/program.h"
#include "bench/snapshot_cost.h"

namespace neardup {
namespace {

namespace fs = std::filesystem;

struct Arguments {
  uint64_t entries = 10'000'000;
  std::string folder;
  std::string json;
};

Result<void> Run(const Arguments& arguments) {
  std::printf("%s\n", MachineLine().c_str());
  const fs::path parent =
      arguments.folder.empty() ? fs::temp_directory_path() : fs::path(arguments.folder);
  NEARDUP_ASSIGN(std::vector<Measurement> found, MeasureSnapshot(arguments.entries, parent));
  for (Measurement& measurement : found) {
    measurement.name += "_" + std::to_string(arguments.entries / 1'000'000) + "m";
    std::printf("%-40s %14.3f %s\n", measurement.name.c_str(), measurement.value,
                measurement.unit.c_str());
  }
  return arguments.json.empty() ? Result<void>() : WriteJson(found, arguments.json);
}

Result<void> Main(CLI::App& app, int argc, char** argv) {
  Arguments arguments;
  app.description(
      "Writes a snapshot, restores from it, and decides records while 1 % more is written");
  app.add_option("--entries", arguments.entries, "number of entries in the snapshot")
      ->check(CLI::Range(1'000'000, 1'000'000'000))
      ->capture_default_str();
  app.add_option("--dir", arguments.folder, "folder to write to, on the disk to measure");
  app.add_option("--json", arguments.json, "also write the figures to this file");
  app.parse(argc, argv);
  return Run(arguments);
}

}  // namespace
}  // namespace neardup

int main(int argc, char** argv) {
  return neardup::RunProgram("bench_snapshot", neardup::Main, argc, argv);
}
