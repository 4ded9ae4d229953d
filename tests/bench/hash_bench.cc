// bench_hash: collisions, speed and fairness of the hash the project uses and of those it does not.
#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdio>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "bench/hash_function.h"
#include "bench/hash_quality.h"
#include "bench/hash_speed.h"
#include "bench/json_lines.h"
#include "bench/machine.h"
#include "bench/program.h"
#include "bench/report.h"
#include "bench/text_set.h"

namespace neardup {
namespace {

constexpr int kComparedBits = 32;

struct Arguments {
  std::vector<std::string> inputs;
  std::vector<std::string> fields;
  std::string json;
  size_t count = 1'000'000;
  uint64_t seed = 1;
  int rounds = 15;
};

struct Workload {
  std::string name;
  std::string description;
  TextSet set;
};

std::vector<std::string> SplitAtCommas(const std::string& list) {
  std::vector<std::string> parts;
  std::istringstream stream(list);
  for (std::string part; std::getline(stream, part, ',');) parts.push_back(part);
  return parts;
}

Result<std::vector<Workload>> Workloads(const Arguments& arguments) {
  std::vector<Workload> workloads;
  const std::string seed = ", seed " + std::to_string(arguments.seed);
  workloads.push_back({"short", "made up: 4 to 16 letters and digits" + seed,
                       ShortTexts(arguments.count, arguments.seed)});
  workloads.push_back({"twins", "made up: 64 characters, 64 texts that differ in one or two" + seed,
                       TwinTexts(arguments.count, arguments.seed)});
  std::vector<std::string> all;
  for (size_t i = 0; i < arguments.inputs.size(); ++i) {
    const std::string fields = arguments.fields.empty() ? "" : arguments.fields[i];
    NEARDUP_ASSIGN(const RecordTexts read, ReadTexts(arguments.inputs[i], SplitAtCommas(fields)));
    if (read.texts.empty()) {
      return Error{ErrorCode::kConfig, arguments.inputs[i] + ": no record has one of the fields"};
    }
    workloads.push_back({"input" + std::to_string(i + 1),
                         arguments.inputs[i] + ": " + std::to_string(read.texts.size()) +
                             " records, " + std::to_string(read.refused) + " refused",
                         TextSet(read.texts)});
    all.insert(all.end(), read.texts.begin(), read.texts.end());
  }
  if (all.empty()) return workloads;
  TextSet records(all);
  TextSet tokens = TokensOf(records.texts());
  if (arguments.inputs.size() > 1) {
    workloads.push_back({"inputs", "all inputs together", std::move(records)});
  }
  if (!tokens.texts().empty()) {
    workloads.push_back({"tokens", "tokens of all inputs", std::move(tokens)});
  }
  return workloads;
}

/// Fixed point where a person can read it.
std::string Readable(double count) {
  char text[32];
  std::snprintf(text, sizeof text, count == 0 || count >= 0.05 ? "%.1f" : "%.0e", count);
  return text;
}

/// Prints the row of one hash and keeps its numbers.
void ReportHash(const Workload& workload, const HashFunction& function, const HashSpeed& speed,
                double ratio, uint64_t seed, std::vector<Measurement>& measurements) {
  const auto texts = workload.set.texts();
  std::vector<Digest> digests;
  digests.reserve(texts.size());
  for (const std::string_view text : texts) digests.push_back(function.hash(text));
  const int in_use = BitsInUse(digests);
  const uint64_t collisions = Collisions(digests, function.bits);
  const double expected = ExpectedCollisions(texts.size(), function.bits);
  const uint64_t collisions32 = Collisions(digests, kComparedBits);
  const double bytes_per_text =
      static_cast<double>(workload.set.bytes()) / static_cast<double>(texts.size());
  const double bias = BiasMax(digests, function.bits);
  const double avalanche = AvalancheShare(function.hash, function.bits, texts, seed);
  std::printf("%-12s %5d %6d %10llu %10s %10llu %10.1f %10.1f %9.2f %8.2f %8.4f %9.3f\n",
              function.name, function.bits, in_use, static_cast<unsigned long long>(collisions),
              Readable(expected).c_str(), static_cast<unsigned long long>(collisions32),
              speed.ns_min, speed.ns_median, bytes_per_text / speed.ns_min, ratio, bias, avalanche);
  const std::string prefix = "hash." + workload.name + "." + function.name + ".";
  const auto add = [&](const char* name, double value, const char* unit) {
    measurements.push_back({prefix + name, value, unit});
  };
  add("bits", function.bits, "bits");
  add("bits_in_use", in_use, "bits");
  add("collisions", static_cast<double>(collisions), "texts");
  add("collisions_expected", expected, "texts");
  add("collisions_32", static_cast<double>(collisions32), "texts");
  add("time_min", speed.ns_min, "ns/text");
  add("time_median", speed.ns_median, "ns/text");
  add("speed", bytes_per_text / speed.ns_min, "bytes/ns");
  add("speed_by_xxh3", ratio, "1");
  add("bias_max", bias, "1");
  add("avalanche_share", avalanche, "1");
}

void ReportWorkload(const Workload& workload, const Arguments& arguments,
                    std::vector<Measurement>& measurements) {
  const auto texts = workload.set.texts();
  const auto count = static_cast<double>(texts.size());
  const double expected32 = ExpectedCollisions(texts.size(), kComparedBits);
  const double deviation = 0.5 / std::sqrt(count);
  std::printf("\n%s (%s)\n%zu distinct texts, %zu bytes, %.1f bytes per text\n",
              workload.name.c_str(), workload.description.c_str(), texts.size(),
              workload.set.bytes(), static_cast<double>(workload.set.bytes()) / count);
  std::printf("a perfect hash: %s collisions in 32 bits; bias of each bit +-%.4f\n",
              Readable(expected32).c_str(), deviation);
  std::printf("%-12s %5s %6s %10s %10s %10s %10s %10s %9s %8s %8s %9s\n", "hash", "bits", "in use",
              "collisions", "expected", "in 32 bits", "ns/text", "median", "bytes/ns", "x XXH3",
              "max bias", "avalanche");
  const std::string prefix = "hash." + workload.name + ".";
  measurements.push_back({prefix + "texts", count, "texts"});
  measurements.push_back({prefix + "bytes", static_cast<double>(workload.set.bytes()), "bytes"});
  measurements.push_back({prefix + "collisions_32_expected", expected32, "texts"});
  const auto functions = HashFunctions();
  const std::vector<HashSpeed> speeds = MeasureSpeed(functions, texts, arguments.rounds);
  for (size_t i = 0; i < functions.size(); ++i) {
    ReportHash(workload, functions[i], speeds[i], speeds.back().ns_min / speeds[i].ns_min,
               arguments.seed, measurements);
  }
}

Result<void> Run(const Arguments& arguments) {
  NEARDUP_ASSIGN(const std::vector<Workload> workloads, Workloads(arguments));
  std::printf("%s\n%d rounds; times are those of the fastest, but for the median\n",
              MachineLine().c_str(), arguments.rounds);
  std::vector<Measurement> measurements;
  for (const Workload& workload : workloads) ReportWorkload(workload, arguments, measurements);
  if (!arguments.json.empty()) NEARDUP_TRY(WriteJson(measurements, arguments.json));
  return {};
}

Result<void> Main(CLI::App& app, int argc, char** argv) {
  Arguments arguments;
  app.description("Collisions, speed and fairness of hashes, over made-up texts and your own");
  app.add_option("-i,--input", arguments.inputs, "JSON Lines, also .gz; repeatable")
      ->allow_extra_args(false);
  app.add_option("--fields", arguments.fields, "fields to take, as a,b; one for each --input")
      ->allow_extra_args(false);
  app.add_option("--json", arguments.json, "also write the numbers into this file");
  app.add_option("--count", arguments.count, "made-up texts of each kind")
      ->check(CLI::Range(2, 100'000'000));
  app.add_option("--seed", arguments.seed, "of what is made up and of the flipped bits");
  app.add_option("--rounds", arguments.rounds, "times each hash is measured")
      ->check(CLI::Range(1, 1000));
  app.parse(argc, argv);
  if (!arguments.fields.empty() && arguments.fields.size() != arguments.inputs.size()) {
    throw CLI::ValidationError(std::to_string(arguments.inputs.size()) + " --input but " +
                               std::to_string(arguments.fields.size()) +
                               " --fields; each input needs its own");
  }
  return Run(arguments);
}

}  // namespace
}  // namespace neardup

int main(int argc, char** argv) {
  return neardup::RunProgram("bench_hash", neardup::Main, argc, argv);
}
