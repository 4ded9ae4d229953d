// bench_hash: collisions, speed and fairness of the hash function of the project, beside others.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <span>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "bench/hash_function.h"
#include "bench/hash_quality.h"
#include "bench/program.h"
#include "bench/text_set.h"

namespace neardup {
namespace {

constexpr int kComparedBits = 32;
/// A function hashes all texts again until a pass has taken this long.
constexpr double kPassNsMin = 5e6;

/// Takes results that nobody reads, so that the compiler keeps the calls.
volatile uint64_t discarded = 0;

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
  const std::string seed = fmt::format(", seed {}", arguments.seed);
  workloads.push_back({"short", "synthetic: 4 to 16 letters and digits" + seed,
                       ShortTexts(arguments.count, arguments.seed)});
  workloads.push_back({"twins",
                       "synthetic: 64 characters; of 64 texts any two differ in one or two" + seed,
                       TwinTexts(arguments.count, arguments.seed)});
  std::vector<std::string> all;
  for (size_t i = 0; i < arguments.inputs.size(); ++i) {
    const std::string fields = arguments.fields.empty() ? "" : arguments.fields[i];
    NEARDUP_ASSIGN(const RecordTexts read, ReadTexts(arguments.inputs[i], SplitAtCommas(fields)));
    if (read.texts.empty()) {
      return Error{ErrorCode::kConfig, fmt::format("{}: found no record with one of the fields {}",
                                                   arguments.inputs[i], fields)};
    }
    workloads.push_back({fmt::format("input{}", i + 1),
                         fmt::format("{}: {} records, {} refused", arguments.inputs[i],
                                     read.texts.size(), read.refused),
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

/// Fixed point, unless the count is very small.
std::string Readable(double count) {
  return count == 0 || count >= 0.05 ? fmt::format("{:.1f}", count) : fmt::format("{:.0e}", count);
}

/// Nanoseconds per text. Other programs can only make a time longer: compare the shortest.
struct HashSpeed {
  double ns_min = 0;
  double ns_median = 0;
};

double MeanNs(const HashFunction& function, std::span<const std::string_view> texts) {
  const auto begin = std::chrono::steady_clock::now();
  double elapsed_ns = 0;
  double calls = 0;
  while (elapsed_ns < kPassNsMin) {
    discarded = function.sum(texts);
    calls += static_cast<double>(texts.size());
    const std::chrono::duration<double, std::nano> elapsed =
        std::chrono::steady_clock::now() - begin;
    elapsed_ns = elapsed.count();
  }
  return elapsed_ns / calls;
}

double Median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// Times the functions in turns. Each round starts with another function, so that a disturbance of
/// the machine affects all of them. There must be at least one text and one round.
std::vector<HashSpeed> MeasureSpeed(std::span<const HashFunction> functions,
                                    std::span<const std::string_view> texts, int rounds) {
  const size_t count = functions.size();
  std::vector<std::vector<double>> ns(count);
  for (size_t round = 0; round < static_cast<size_t>(rounds); ++round) {
    for (size_t i = 0; i < count; ++i) {
      const size_t turn = (round + i) % count;
      ns[turn].push_back(MeanNs(functions[turn], texts));
    }
  }
  std::vector<HashSpeed> speeds;
  for (const std::vector<double>& own : ns) {
    speeds.push_back({*std::min_element(own.begin(), own.end()), Median(own)});
  }
  return speeds;
}

/// Prints the row of one hash function and adds its measurements.
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
  fmt::print(
      "{:<12} {:>5} {:>6} {:>10} {:>10} {:>10} {:>10.1f} {:>10.1f} {:>9.2f} {:>8.2f} {:>8.4f} "
      "{:>9.3f}\n",
      function.name, function.bits, in_use, collisions, Readable(expected), collisions32,
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
  fmt::print("\n{} ({})\n{} distinct texts, {} bytes, {:.1f} bytes per text\n", workload.name,
             workload.description, texts.size(), workload.set.bytes(),
             static_cast<double>(workload.set.bytes()) / count);
  fmt::print("a perfect hash function: {} collisions in 32 bits; bias of each bit +-{:.4f}\n",
             Readable(expected32), deviation);
  fmt::print("{:<12} {:>5} {:>6} {:>10} {:>10} {:>10} {:>10} {:>10} {:>9} {:>8} {:>8} {:>9}\n",
             "hash", "bits", "in use", "collisions", "expected", "in 32 bits", "ns/text", "median",
             "bytes/ns", "x XXH3", "max bias", "avalanche");
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
  fmt::print("{}\n{} rounds; every time is that of the fastest round, except the median\n",
             MachineLine(), arguments.rounds);
  std::vector<Measurement> measurements;
  for (const Workload& workload : workloads) ReportWorkload(workload, arguments, measurements);
  if (!arguments.json.empty()) NEARDUP_TRY(WriteJson(measurements, arguments.json));
  return {};
}

Result<void> Main(CLI::App& app, int argc, char** argv) {
  Arguments arguments;
  app.description(
      "Collisions, speed and fairness of hash functions, on synthetic texts and your own");
  app.add_option("-i,--input", arguments.inputs, "JSON Lines, also .gz; may be repeated")
      ->allow_extra_args(false);
  app.add_option("--fields", arguments.fields, "fields to hash, such as a,b; once for each --input")
      ->allow_extra_args(false);
  app.add_option("--json", arguments.json, "also write the figures to this file");
  app.add_option("--count", arguments.count, "synthetic texts of each kind")
      ->check(CLI::Range(2, 100'000'000));
  app.add_option("--seed", arguments.seed, "seed of the synthetic texts and of the flipped bits");
  app.add_option("--rounds", arguments.rounds, "number of times that each function is measured")
      ->check(CLI::Range(1, 1000));
  app.parse(argc, argv);
  if (!arguments.fields.empty() && arguments.fields.size() != arguments.inputs.size()) {
    throw CLI::ValidationError(fmt::format(
        "found {} --input and {} --fields; expected none or one --fields for each --input",
        arguments.inputs.size(), arguments.fields.size()));
  }
  return Run(arguments);
}

}  // namespace
}  // namespace neardup

int main(int argc, char** argv) {
  return neardup::RunProgram("bench_hash", neardup::Main, argc, argv);
}
