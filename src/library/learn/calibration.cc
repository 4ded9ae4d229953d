#include "learn/calibration.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

#include "index/match.h"

namespace neardup {

namespace {

constexpr size_t kSeeds = 8;
constexpr size_t kSeedsOfProse = 3;
/// Arbitrary, but fixed, so that results can be repeated.
constexpr uint64_t kFirstSeed = 0x6e656172647570;

/// Pairs with a larger mean distance count as unrelated.
constexpr int kRelatedMax = 18;

double Ways(int n, int k) {
  double ways = k < 0 || k > n ? 0 : 1;
  for (int i = 0; i < k && ways > 0; ++i) ways = ways * (n - i) / (i + 1);
  return ways;
}

/// The probability that the index finds two records by their simhashes: one of the
/// two halves of their bits must differ in at most one bit (index/search.cc).
double FoundShare(int distance) {
  const double one_half = Ways(32, distance) + 32 * Ways(32, distance - 1);
  return std::min(2 * one_half / Ways(64, distance), 1.0);
}

/// Estimates how often two unrelated records match by chance, from all unrelated pairs of a sample.
class ChanceMatches {
 public:
  explicit ChanceMatches(const SampleFingerprints& fingerprints) : simhash_(kBins), order_(kBins) {
    const int seeds = static_cast<int>(fingerprints.seeds());
    for (size_t i = 1; i < fingerprints.size(); ++i) {
      for (size_t j = 0; j < i; ++j) {
        if (fingerprints.DistanceSum(i, j) <= kRelatedMax * seeds) continue;
        for (size_t seed = 0; seed < fingerprints.seeds(); ++seed) {
          ++simhash_[static_cast<size_t>(fingerprints.SimhashDistance(seed, i, j))];
          ++order_[static_cast<size_t>(fingerprints.OrderDistance(seed, i, j))];
        }
        total_ += fingerprints.seeds();
      }
    }
  }

  /// Probability that two unrelated records have a simhash distance of at most `distance_max`, and
  /// at most `distance_sum_max` together with their order distance, and find each other without a
  /// text key. The two distances are taken as independent. Rises with `distance_max`.
  double PairRate(int distance_max, int distance_sum_max) const {
    double rate = 0;
    double nearer = 0;
    for (int distance = 0; distance <= distance_max; ++distance) {
      const double within = ShareWithin(simhash_, distance);
      const double at = std::max(within - nearer, 0.0);
      rate += at * FoundShare(distance) * ShareWithin(order_, distance_sum_max - distance);
      nearer = within;
    }
    return rate;
  }

 private:
  static constexpr size_t kBins = 65;
  /// Fewer pairs than this do not give a share that can be trusted.
  static constexpr uint64_t kPairsMin = 100;
  /// Bits over which the slope of the histogram is taken.
  static constexpr int kSlopeBits = 3;

  /// Share of the pairs within the distance. If the sample has too few such pairs, the share is
  /// extrapolated from the slope of the histogram, which gives too much rather than too little.
  double ShareWithin(const std::vector<uint64_t>& bins, int distance_max) const {
    if (total_ == 0) return 1;
    if (distance_max < 0) return 0;
    const auto last = static_cast<size_t>(std::min(distance_max, static_cast<int>(kBins) - 1));
    std::vector<uint64_t> below(bins.size());
    std::partial_sum(bins.begin(), bins.end(), below.begin());
    const auto share = [&](size_t bits) {
      return static_cast<double>(below[bits]) / static_cast<double>(total_);
    };
    if (below[last] >= kPairsMin) return share(last);
    size_t known = last;
    while (known < kBins - 1 - kSlopeBits && below[known] < kPairsMin) ++known;
    const double slope =
        std::pow(share(known + kSlopeBits) / std::max(share(known), 1e-300), 1.0 / kSlopeBits);
    return share(known) / std::pow(slope, static_cast<double>(known - last));
  }

  std::vector<uint64_t> simhash_;  ///< pairs by simhash distance under each seed
  std::vector<uint64_t> order_;    ///< pairs by order distance under each seed
  uint64_t total_ = 0;
};

/// Largest distance whose chance matches stay within the bound.
int WindowDistanceMax(const std::vector<double>& rates, double rate_max) {
  int distance = kDistanceMax;
  while (distance > 0 && rates[static_cast<size_t>(distance)] > rate_max) --distance;
  return distance;
}

/// The window that was asked for. If its chance matches leave less than half of the distance that
/// the copies in the sample need: a window in which that distance can be used.
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

Calibration Calibrate(const Sample& sample, const CalibrationOptions& options) {
  const SampleFingerprints fingerprints(sample);
  Calibration result;
  result.comparable = fingerprints.size();
  result.similarity = options.similarity;
  std::vector<size_t> all(fingerprints.size());
  std::iota(all.begin(), all.end(), size_t{0});
  result.neighbours = FindNeighbours(fingerprints, fingerprints.drawn(), all);
  result.valley = FindValley(result.neighbours);
  ModeChoice choice = ChooseMode(result.neighbours);
  if (options.prose && choice.mode != MatchMode::kExact) choice = ProseMode(choice.too_few);
  result.mode = choice.mode;
  result.reason = choice.reason;
  result.too_few = choice.too_few;

  std::vector<double>& rates = result.false_match_rates;
  rates.resize(kDistanceMax + 1);
  if (!choice.too_few) {
    const ChanceMatches chance(fingerprints);
    const int sum_max = std::min(kTunedDistanceSumMax, LimitsOf(options.similarity).sum_max);
    for (int distance = 0; distance <= kDistanceMax; ++distance) {
      rates[static_cast<size_t>(distance)] = chance.PairRate(distance, sum_max);
    }
  }
  result.window_entries = ChooseWindow(choice, rates, options);
  for (double& rate : rates) rate *= static_cast<double>(result.window_entries);
  result.window_distance_max = WindowDistanceMax(rates, options.false_match_rate_max);
  result.distance_max = choice.distance_max;
  result.widen = result.mode == MatchMode::kNear && choice.copies &&
                 (options.prose || result.valley.near_share >= kNearShareMin);
  // At 0, only records that share a text key are compared by likeness.
  result.false_match_rate =
      result.window_distance_max == 0 ? 0 : rates[static_cast<size_t>(result.window_distance_max)];
  return result;
}

bool ShortRecordsHaveCopies(const Sample& sample, uint32_t features) {
  const SampleFingerprints fingerprints(sample);
  std::vector<size_t> indices;
  for (size_t index = 0; index < fingerprints.size(); ++index) {
    if (sample.records()[fingerprints.record(index)].features < features) indices.push_back(index);
  }
  std::vector<size_t> drawn;
  std::set_intersection(indices.begin(), indices.end(), fingerprints.drawn().begin(),
                        fingerprints.drawn().end(), std::back_inserter(drawn));
  const ModeChoice choice = ChooseMode(FindNeighbours(fingerprints, drawn, indices));
  return choice.mode == MatchMode::kNear && choice.copies;
}

std::vector<uint64_t> CalibrationSeeds(uint64_t hash_seed, bool prose) {
  const size_t count = prose ? kSeedsOfProse : kSeeds;
  std::vector<uint64_t> seeds = {hash_seed};
  for (uint64_t seed = kFirstSeed; seeds.size() <= count; ++seed) seeds.push_back(seed);
  return seeds;
}

}  // namespace neardup
