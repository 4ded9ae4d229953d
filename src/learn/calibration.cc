#include "learn/calibration.h"

#include <algorithm>
#include <numeric>

#include "learn/chance_matches.h"

namespace neardup {
namespace {

constexpr size_t kSeeds = 8;
/// Any, but the same for ever.
constexpr uint64_t kFirstSeed = 0x6e656172647570;

/// As match.distance_sum_max of the configuration that is proposed.
constexpr int kDistanceSumMax = 28;
/// What tells related records from unrelated ones when chance matches are counted.
constexpr int kRelatedMax = 18;

/// Largest distance whose chance matches stay within the bound.
int WindowDistanceMax(const std::vector<double>& rates, double rate_max) {
  int distance = kDistanceMax;
  while (distance > kDistanceMin && rates[static_cast<size_t>(distance)] > rate_max) --distance;
  return distance;
}

/// Where chance matches in the window leave less than half of the distance at which the sample
/// shows copies: the window in which these may be looked for.
uint64_t ChooseWindow(const ModeChoice& choice, const std::vector<double>& pair_rates,
                      const CalibrationOptions& options) {
  const double allowed = options.false_match_rate_max;
  std::vector<double> rates = pair_rates;
  for (double& rate : rates) rate *= static_cast<double>(options.window_entries);
  const int within = WindowDistanceMax(rates, allowed);
  if (!choice.copies || 2 * within >= choice.distance_max) return options.window_entries;
  const double smaller = allowed / pair_rates[static_cast<size_t>(choice.distance_max)];
  const bool enough = smaller >= static_cast<double>(options.window_entries_min);
  return enough ? static_cast<uint64_t>(smaller) : options.window_entries;
}

}  // namespace

std::vector<uint64_t> CalibrationSeeds(uint64_t hash_seed) {
  std::vector<uint64_t> seeds = {hash_seed};
  for (uint64_t seed = kFirstSeed; seeds.size() <= kSeeds; ++seed) seeds.push_back(seed);
  return seeds;
}

Calibration Calibrate(const Sample& sample, const CalibrationOptions& options) {
  const SampledCodes codes(sample);
  std::vector<size_t> all(codes.size());
  std::iota(all.begin(), all.end(), size_t{0});
  const VotedChoice voted = VoteMode(codes, all);
  Calibration result;
  result.comparable = codes.size();
  result.structure = voted.structure;
  result.gap = FindGap(result.structure);
  result.mode = voted.choice.mode;
  result.reason = voted.choice.reason;
  result.votes = voted.votes;
  result.votes_for = voted.votes_for;

  const ChanceMatches chance(codes, kRelatedMax);
  std::vector<double>& rates = result.false_match_rates;
  for (int distance = 0; distance <= kDistanceMax; ++distance) {
    rates.push_back(chance.PairRate(distance, kDistanceSumMax));
  }
  result.window_entries = ChooseWindow(voted.choice, rates, options);
  for (double& rate : rates) rate *= static_cast<double>(result.window_entries);
  result.window_distance_max = WindowDistanceMax(rates, options.false_match_rate_max);
  result.distance_max = std::min(voted.choice.distance_max, result.window_distance_max);
  result.widen = result.mode == MatchMode::kNear && voted.choice.copies &&
                 result.gap.near_share >= kNearShareMin;
  result.false_match_rate = rates[static_cast<size_t>(result.distance_max)];
  return result;
}

bool ShortRecordsStandApart(const Sample& sample, uint32_t features) {
  const SampledCodes codes(sample);
  std::vector<size_t> numbers;
  for (size_t number = 0; number < codes.size(); ++number) {
    if (sample.records()[codes.record(number)].features < features) numbers.push_back(number);
  }
  const ModeChoice choice = VoteMode(codes, numbers).choice;
  return choice.mode == MatchMode::kNear && choice.copies;
}

}  // namespace neardup
