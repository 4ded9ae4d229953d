// bench_fingerprint: the time from a JSON payload to its fingerprint, compared with simdjson's
// parser alone and with a naive fingerprint, in one run.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <iterator>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "bench/bare_parse.h"
#include "bench/naive_fingerprint.h"
#include "bench/program.h"
#include "bench/thread_clock.h"
#include "detect/base/random.h"
#include "detect/base/simd.h"
#include "detect/feature/character.h"
#include "neardup/filter.h"

namespace neardup {
namespace {

constexpr int kRounds = 7;
constexpr size_t kSizes[] = {300, 500, 1000, 2000, 8000};

enum class Kind { kLatin, kChinese, kMixed };
constexpr Kind kKinds[] = {Kind::kLatin, Kind::kChinese, Kind::kMixed};

const char* Name(Kind kind) {
  switch (kind) {
    case Kind::kLatin:
      return "latin";
    case Kind::kChinese:
      return "chinese";
    case Kind::kMixed:
      return "mixed";
  }
  return "";
}

/// Makes words with the lengths and the repetitions of English: the n-th of 20,000 words is as
/// frequent as 1/n.
class Words {
 public:
  explicit Words(uint64_t seed) : random_(seed) {
    for (int i = 0; i < 20'000; ++i) {
      std::string word;
      const uint64_t length = 1 + random_.Below(5) + random_.Below(6);
      for (uint64_t k = 0; k < length; ++k) word += static_cast<char>('a' + random_.Below(26));
      words_.push_back(word);
    }
  }

  std::string Latin() {
    // The logarithm of a rank with the frequency 1/rank is evenly distributed.
    const double share = static_cast<double>(random_.Below(1'000'000)) / 1e6;
    const auto rank = static_cast<size_t>(std::pow(static_cast<double>(words_.size()), share)) - 1;
    std::string word = words_[rank];
    if (random_.Below(8) == 0) word[0] = static_cast<char>(word[0] - 'a' + 'A');
    const uint64_t end = random_.Below(12);
    return word + (end == 0 ? ". " : end == 1 ? ", " : " ");
  }

  std::string Chinese() {
    char bytes[4];
    const uint64_t end = random_.Below(14);
    if (end == 0) return "，";
    const auto code_point = static_cast<uint32_t>(0x4E00 + random_.Below(3000));
    return {bytes, EncodeUtf8(code_point, bytes)};
  }

  std::string Any(Kind kind) {
    if (kind == Kind::kMixed) kind = random_.Below(8) == 0 ? Kind::kLatin : Kind::kChinese;
    return kind == Kind::kLatin ? Latin() : Chinese();
  }

 private:
  SeededRandom random_;
  std::vector<std::string> words_;
};

/// Payloads of about `bytes` bytes: an id, a title and a text.
std::vector<std::string> Payloads(Kind kind, size_t bytes, size_t count) {
  Words words(bytes);
  std::vector<std::string> payloads;
  for (size_t i = 0; i < count; ++i) {
    std::string title;
    while (title.size() < 50) title += words.Any(kind);
    std::string payload = fmt::format(
        R"({{"id":"{}","published":"2026-01-31T12:00:00Z","title":"{}","text":")", i, title);
    while (payload.size() + 2 < bytes) payload += words.Any(kind);
    payloads.push_back(payload + "\"}");
  }
  return payloads;
}

/// Nanoseconds of processor time a payload, of the fastest round.
double Fastest(const std::vector<double>& rounds, size_t payloads) {
  return *std::min_element(rounds.begin(), rounds.end()) / static_cast<double>(payloads);
}

/// Nanoseconds for each payload.
struct Figures {
  double fingerprint = 0;  ///< of texts that the fingerprinter has not seen
  double copy = 0;         ///< of the same texts again
  double exact_mode = 0;   ///< of new texts, if only equal records match
  double parse = 0;
  double naive = 0;
};

/// All ways take turns, so that a busy machine slows all of them.
Figures Measure(std::span<const std::string> payloads) {
  FilterOptions options;
  options.record.fields = {{.path = "title"}, {.path = "text"}};
  FilterOptions exact_mode = options;
  exact_mode.match.distance_max = 0;
  // A fingerprinter knows the last texts, so that each round needs new ones.
  std::vector<Fingerprinter> near;
  std::vector<Fingerprinter> exact;
  BareParser parser;
  uint64_t sum = 0;
  const auto compute = [&](std::vector<Fingerprinter>& fingerprinters) {
    return [&](const std::string& payload) {
      sum += fingerprinters.back().Compute({{}, 0, payload}).fingerprint.simhash;
    };
  };
  const std::function<void(const std::string&)> ways[] = {
      compute(near), compute(near), compute(exact),
      [&](const std::string& payload) { sum += parser.Parse(payload) ? 1 : 0; },
      [&](const std::string& payload) {
        sum += ComputeNaively(payload, {"title", "text"}).words;
      }};
  constexpr size_t kWays = std::size(ways);
  std::vector<double> rounds[kWays];
  for (int round = 0; round < kRounds; ++round) {
    near.clear();
    exact.clear();
    near.emplace_back(options);
    exact.emplace_back(exact_mode);
    for (size_t way = 0; way < kWays; ++way) {
      ways[way](payloads.front());  // the scratch memory grows
      const double begin = ThreadNs();
      for (const std::string& payload : payloads.subspan(1)) ways[way](payload);
      rounds[way].push_back(ThreadNs() - begin);
    }
  }
  if (sum == 0) std::printf("\n");  // the work must not be optimised away
  const auto fastest = [&](size_t way) { return Fastest(rounds[way], payloads.size() - 1); };
  return {fastest(0), fastest(1), fastest(2), fastest(3), fastest(4)};
}

std::string SizeName(size_t bytes) {
  return bytes < 1000 ? std::to_string(bytes) : fmt::format("{}k", bytes / 1000);
}

Result<void> Run(size_t count, const std::string& json) {
  std::printf(
      "%s\n%zu payloads of each kind and size; the fastest of %d rounds, processor time of one "
      "thread\n\n",
      MachineLine().c_str(), count, kRounds);
  std::printf("%-8s %6s %16s %9s %15s %10s %10s %9s %9s\n", "text", "bytes", "fingerprint, ns",
              "copy, ns", "exact mode, ns", "parse, ns", "naive, ns", "to parse", "to naive");
  std::vector<Measurement> found;
  for (const Kind kind : kKinds) {
    for (const size_t bytes : kSizes) {
      const Figures ns = Measure(Payloads(kind, bytes, count + 1));
      const double to_parse = ns.fingerprint / ns.parse;
      const double to_naive = ns.naive / ns.fingerprint;
      std::printf("%-8s %6zu %16.0f %9.0f %15.0f %10.0f %10.0f %9.2f %9.1f\n", Name(kind), bytes,
                  ns.fingerprint, ns.copy, ns.exact_mode, ns.parse, ns.naive, to_parse, to_naive);
      const std::string prefix = kind == Kind::kLatin ? "" : std::string(Name(kind)) + "_";
      found.push_back({prefix + "fingerprint_ns_" + SizeName(bytes), ns.fingerprint, "ns"});
      found.push_back({prefix + "copy_ns_" + SizeName(bytes), ns.copy, "ns"});
      found.push_back({prefix + "exact_mode_ns_" + SizeName(bytes), ns.exact_mode, "ns"});
      found.push_back({prefix + "ratio_to_parse_" + SizeName(bytes), to_parse, ""});
      found.push_back({prefix + "ratio_to_naive_" + SizeName(bytes), to_naive, ""});
    }
  }
  return json.empty() ? Result<void>() : WriteJson(found, json);
}

Result<void> Main(CLI::App& app, int argc, char** argv) {
  size_t count = 250;
  std::string json;
  SimdLevel highest = SimdLevel::kAvx512;
  app.description(
      "Measures the time from a JSON payload to its fingerprint, beside simdjson's parser alone "
      "and a naive "
      "fingerprint");
  const std::map<std::string, SimdLevel> levels = {{"portable", SimdLevel::kPortable},
                                                   {"avx2", SimdLevel::kAvx2},
                                                   {"avx512", SimdLevel::kAvx512}};
  app.add_option("--simd", highest, "the highest level of SIMD instructions that may be used")
      ->transform(CLI::CheckedTransformer(levels));
  app.add_option("--payloads", count, "payloads of each kind and size")
      ->check(CLI::Range(10, 1'000'000))
      ->capture_default_str();
  app.add_option("--json", json, "also write the figures to this file");
  app.parse(argc, argv);
  LimitSimdLevel(highest);
  std::printf("%s loops\n", Name(UsedSimdLevel()));
  return Run(count, json);
}

}  // namespace
}  // namespace neardup

int main(int argc, char** argv) {
  return neardup::RunProgram("bench_fingerprint", neardup::Main, argc, argv);
}
