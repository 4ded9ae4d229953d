#include "learn/calibration.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace neardup {

namespace {

constexpr size_t kBins = 65;
/// So many pairs show a share well enough, and a slope over so many bits.
constexpr uint64_t kPairsMin = 100;
constexpr int kSlopeBits = 3;

}  // namespace

ChanceMatches::ChanceMatches(const SampledCodes& codes, int related_max)
    : simhash_(kBins), order_(kBins) {
  const int seeds = static_cast<int>(codes.seeds());
  for (size_t i = 1; i < codes.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      if (codes.DistanceSum(i, j) <= related_max * seeds) continue;
      for (size_t seed = 0; seed < codes.seeds(); ++seed) {
        ++simhash_[static_cast<size_t>(codes.SimhashDistance(seed, i, j))];
        ++order_[static_cast<size_t>(codes.OrderDistance(seed, i, j))];
      }
      total_ += codes.seeds();
    }
  }
}

double ChanceMatches::PairRate(int distance_max, int distance_sum_max) const {
  double rate = 0;
  double nearer = 0;
  for (int distance = 0; distance <= distance_max; ++distance) {
    const double within = TailShare(simhash_, total_, distance);
    const double at = std::max(within - nearer, 0.0);
    rate += at * TailShare(order_, total_, distance_sum_max - distance);
    nearer = within;
  }
  return rate;
}

double ChanceMatches::TailShare(const std::vector<uint64_t>& bins, uint64_t total,
                                int distance_max) {
  if (total == 0) return 1;
  if (distance_max < 0) return 0;
  const auto last = static_cast<size_t>(std::min(distance_max, static_cast<int>(kBins) - 1));
  std::vector<uint64_t> below(bins.size());
  std::partial_sum(bins.begin(), bins.end(), below.begin());
  const auto share = [&](size_t bits) {
    return static_cast<double>(below[bits]) / static_cast<double>(total);
  };
  if (below[last] >= kPairsMin) return share(last);
  size_t known = last;
  while (known < kBins - 1 - kSlopeBits && below[known] < kPairsMin) ++known;
  const double slope =
      std::pow(share(known + kSlopeBits) / std::max(share(known), 1e-300), 1.0 / kSlopeBits);
  return share(known) / std::pow(slope, static_cast<double>(known - last));
}

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
