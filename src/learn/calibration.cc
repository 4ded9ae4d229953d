#include "learn/calibration.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <numeric>
#include <random>
#include <span>

#include "learn/chance_matches.h"

namespace neardup {
namespace {

constexpr size_t kSeeds = 8;
/// Any, but the same for ever.
constexpr uint64_t kFirstSeed = 0x6e656172647570;
constexpr size_t kComparableMin = 50;
constexpr int kVotes = 12;

/// Below this share copies cannot be told from noise.
constexpr double kNearShareMin = 0.005;
/// Copies come in ones and twos, events of one series in dozens: text streams have 1.0 to 1.5
/// neighbours, series 2.2 to 40.
constexpr double kSeriesNeighbours = 2;
/// Unless they are many copies of one record, with nothing between them and the rest.
constexpr double kManyCopiesDepth = 0.04;
/// A gap is clear when it is this empty. Streams of articles, petitions, products and titles have
/// 0.04 at most.
constexpr double kClearDepth = 0.06;

constexpr int kDistanceMin = 3;
constexpr int kDistanceMax = 12;
constexpr int kDistanceMaxWithoutCopies = 8;
/// As match.distance_sum_max of the configuration that is proposed.
constexpr int kDistanceSumMax = 28;
/// What tells related records from unrelated ones when chance matches are counted.
constexpr int kRelatedMax = 18;

struct Choice {
  MatchMode mode = MatchMode::kUnclear;
  int distance_max = kDistanceMin;
  bool copies = false;
  std::string reason;
};

Choice Near(int distance, bool copies, std::string reason) {
  const int most = copies ? kDistanceMax : kDistanceMaxWithoutCopies;
  return {MatchMode::kNear, std::clamp(distance, kDistanceMin, most), copies, std::move(reason)};
}

Choice Choose(const NearStructure& structure) {
  if (structure.records < kComparableMin) {
    return {MatchMode::kUnclear, kDistanceMin, false,
            "too few records of the sample have enough words to be compared"};
  }
  const Gap gap = FindGap(structure);
  const double neighbour_share =
      static_cast<double>(structure.with_neighbour) / static_cast<double>(structure.records);
  if (structure.neighbours_mean > kSeriesNeighbours && neighbour_share >= kNearShareMin &&
      gap.depth_of_lower > kManyCopiesDepth) {
    return {MatchMode::kExact, 0, false,
            "near-duplicate mode joins different events here, use exact: records come in series "
            "that differ by little"};
  }
  if (gap.near_share < kNearShareMin) {
    return Near(
        gap.others_begin - 2, false,
        "the sample holds next to no copies; the distance keeps clear of its other records");
  }
  if (gap.depth <= kClearDepth) {
    return Near(gap.at, true, "copies stand apart from all other records");
  }
  return {MatchMode::kUnclear, kDistanceMin, false,
          "near and different records overlap: look at the examples"};
}

/// The choices of random halves of the sample.
std::vector<Choice> AskHalves(const SampledCodes& codes) {
  std::vector<Choice> choices;
  std::mt19937_64 random(kFirstSeed);
  for (int vote = 0; vote < kVotes; ++vote) {
    std::vector<size_t> half;
    for (size_t number = 0; number < codes.size(); ++number) {
      if (random() % 2 == 0) half.push_back(number);
    }
    choices.push_back(Choose(FindNearStructure(codes, half)));
  }
  return choices;
}

/// The whole sample decides, unless more than half of its halves agree on another mode.
MatchMode VoteMode(const Choice& whole, const std::vector<Choice>& halves) {
  std::array<int, 3> votes{};
  for (const Choice& half : halves) ++votes[static_cast<size_t>(half.mode)];
  for (size_t mode = 0; mode < votes.size(); ++mode) {
    if (2 * votes[mode] > kVotes) return static_cast<MatchMode>(mode);
  }
  return whole.mode;
}

/// The choice of that mode with the median distance.
Choice MedianChoice(MatchMode mode, const Choice& whole, std::vector<Choice> choices) {
  choices.push_back(whole);
  std::erase_if(choices, [mode](const Choice& choice) { return choice.mode != mode; });
  const auto middle = choices.begin() + static_cast<int64_t>((choices.size() - 1) / 2);
  std::nth_element(choices.begin(), middle, choices.end(), [](const Choice& a, const Choice& b) {
    return a.distance_max < b.distance_max;
  });
  return *middle;
}

}  // namespace

const char* Name(MatchMode mode) {
  switch (mode) {
    case MatchMode::kNear:
      return "near";
    case MatchMode::kExact:
      return "exact";
    case MatchMode::kUnclear:
      return "unclear";
  }
  return "unclear";
}

std::vector<uint64_t> CalibrationSeeds(uint64_t hash_seed) {
  std::vector<uint64_t> seeds = {hash_seed};
  for (uint64_t seed = kFirstSeed; seeds.size() <= kSeeds; ++seed) seeds.push_back(seed);
  return seeds;
}

Calibration Calibrate(const Sample& sample, const CalibrationOptions& options) {
  const SampledCodes codes(sample);
  std::vector<size_t> all(codes.size());
  std::iota(all.begin(), all.end(), size_t{0});
  Calibration result;
  result.comparable = codes.size();
  result.structure = FindNearStructure(codes, all);
  result.gap = FindGap(result.structure);

  const Choice whole = Choose(result.structure);
  const std::vector<Choice> halves = AskHalves(codes);
  const Choice choice = MedianChoice(VoteMode(whole, halves), whole, halves);
  result.mode = choice.mode;
  result.distance_max = choice.distance_max;
  result.reason = choice.reason;
  result.votes = kVotes;
  for (const Choice& half : halves) {
    const bool agrees =
        half.mode == choice.mode && std::abs(half.distance_max - choice.distance_max) <= 1;
    result.votes_for += agrees ? 1 : 0;
  }

  const ChanceMatches chance(codes, kRelatedMax);
  const auto rate = [&](int distance) {
    return chance.PairRate(distance, kDistanceSumMax) * static_cast<double>(options.window_entries);
  };
  for (int distance = 0; distance <= kDistanceMax; ++distance) {
    result.false_match_rates.push_back(rate(distance));
  }
  result.window_distance_max = kDistanceMax;
  while (result.window_distance_max > kDistanceMin &&
         rate(result.window_distance_max) > options.false_match_rate_max) {
    --result.window_distance_max;
  }
  result.distance_max = std::min(result.distance_max, result.window_distance_max);
  result.widen =
      choice.mode == MatchMode::kNear && choice.copies && result.gap.near_share >= kNearShareMin;
  result.false_match_rate = rate(result.distance_max);
  return result;
}

}  // namespace neardup
