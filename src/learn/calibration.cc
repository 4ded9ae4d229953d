#include "learn/calibration.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <utility>

#include "detect/index/match.h"

namespace neardup {
namespace {

/// The peak of unrelated records lies at this distance or beyond. Unrelated texts differ in 20 to
/// 30 of 64 bits; the nearest of many short texts differ in fewer. Copies with a third of their
/// words changed differ in 14.
constexpr int kUnrelatedMin = 14;
/// Places below this are no valley: edits of single words in short records leave holes there.
constexpr size_t kValleyMin = 6;
/// A place with at most this share of the records is as good as empty.
constexpr double kEmptyShare = 0.003;

/// Fewer records than this say nothing about a stream, and have no model (LearnModel).
constexpr size_t kComparableMin = 100;

/// More neighbours than this on average make a series. Copies come one or two at a time (1.0 to 1.5
/// neighbours in streams of texts), the events of a series in dozens (2.2 to 40 neighbours).
constexpr double kSeriesNeighbours = 2;
/// With a valley at most this full (ratio to the lower peak), many neighbours are many copies of
/// one record and no series.
constexpr double kManyCopiesRatio = 0.04;
/// A valley at most this full (ratio to the unrelated records) is clear. Streams of articles,
/// petitions, products and titles have at most 0.04.
constexpr double kClearRatio = 0.06;
/// The events of a series nearly all differ in what tells them apart: a page, a time, a price.
constexpr double kDifferingShareOfSeries = 0.8;
/// A valley at most this full (ratio to the lower peak) separates two peaks.
constexpr double kTwoPeaksRatio = 0.5;

/// The sums of three neighbouring bins: the noise of a single bin then decides nothing.
std::vector<double> Smoothed(const std::vector<uint32_t>& bins) {
  std::vector<double> smooth(bins.size());
  for (size_t i = 0; i < bins.size(); ++i) {
    const size_t end = std::min(i + 2, bins.size());
    for (size_t k = i == 0 ? 0 : i - 1; k < end; ++k) smooth[i] += bins[k];
  }
  return smooth;
}

ModeChoice Near(int distance, bool copies, std::string reason) {
  const int most = copies ? kDistanceMax : kDistanceMaxWithoutCopies;
  return {MatchMode::kNear, std::clamp(distance, kDistanceMin, most), copies, std::move(reason)};
}

/// Compares the count at each place from kValleyMin to `unrelated` with the lower of the two peaks
/// around it. Returns the place with the smallest ratio, and that ratio.
std::pair<size_t, double> FindEmptiest(const std::vector<double>& smooth, size_t unrelated) {
  std::pair<size_t, double> emptiest(kValleyMin, Valley().ratio_to_lower_peak);
  double near_peak = *std::max_element(smooth.begin(), smooth.begin() + kValleyMin);
  for (size_t place = kValleyMin; place <= unrelated; ++place) {
    near_peak = std::max(near_peak, smooth[place]);
    // One record is added everywhere, so that an empty place among few records proves little.
    const double ratio = (smooth[place] + 1) / (std::min(near_peak, smooth[unrelated]) + 1);
    if (ratio < emptiest.second) emptiest = {place, ratio};
  }
  return emptiest;
}

/// Takes the places around `emptiest` whose counts are larger only by the noise of counting.
/// Returns the middle of them.
size_t MiddleOfValley(const std::vector<double>& smooth, size_t emptiest, size_t unrelated) {
  const double as_empty = smooth[emptiest] + std::sqrt(smooth[emptiest]) + 1;
  size_t left = emptiest;
  while (left > kValleyMin && smooth[left - 1] <= as_empty) --left;
  size_t right = emptiest;
  while (right < unrelated && smooth[right + 1] <= as_empty) ++right;
  return (left + right) / 2;
}

}  // namespace

Valley FindValley(const NeighbourStatistics& statistics) {
  const std::vector<double> smooth = Smoothed(statistics.nearest);
  const auto begin = smooth.begin();
  const auto peak = std::max_element(begin + kUnrelatedMin, smooth.end());
  const auto unrelated = static_cast<size_t>(peak - begin);
  const auto [emptiest, ratio] = FindEmptiest(smooth, unrelated);
  const size_t middle = MiddleOfValley(smooth, emptiest, unrelated);

  const auto records = static_cast<double>(std::max<size_t>(statistics.records, 1));
  const auto near_end = statistics.nearest.begin() + static_cast<std::ptrdiff_t>(middle);
  size_t unrelated_begin = unrelated;
  while (unrelated_begin > 0 && smooth[unrelated_begin] > std::max(kEmptyShare * records, 1.0)) {
    --unrelated_begin;
  }
  Valley valley;
  valley.unrelated = static_cast<int>(unrelated);
  valley.ratio_to_lower_peak = ratio;
  valley.ratio_to_unrelated = (smooth[emptiest] + 1) / (smooth[unrelated] + 1);
  valley.middle = static_cast<int>(middle);
  valley.near_share = std::accumulate(statistics.nearest.begin(), near_end, 0.0) / records;
  valley.unrelated_begin = static_cast<int>(unrelated_begin);
  return valley;
}

const char* Name(MatchMode mode) {
  constexpr const char* kNames[] = {"near", "exact", "unclear"};
  return kNames[static_cast<size_t>(mode)];
}

ModeChoice ChooseMode(const NeighbourStatistics& statistics) {
  if (statistics.records < kComparableMin) {
    return {MatchMode::kUnclear, kDistanceMin, false,
            "too few records of the sample have enough words to be compared by distance", true};
  }
  const Valley valley = FindValley(statistics);
  const double neighbour_share =
      static_cast<double>(statistics.with_neighbour) / static_cast<double>(statistics.records);
  if (statistics.neighbours_mean > kSeriesNeighbours && neighbour_share >= kNearShareMin &&
      valley.ratio_to_lower_peak > kManyCopiesRatio && valley.ratio_to_unrelated > kClearRatio) {
    if (LargestDifferingShare(statistics) < kDifferingShareOfSeries) {
      return Near(kDistanceMax, true,
                  "records come in many copies that are written differently; unlike in a series of "
                  "events, no single field tells them apart");
    }
    return {MatchMode::kExact, 0, false,
            "records come in series of events that differ by little; near matching would join "
            "different events, so only equal records are joined"};
  }
  if (valley.near_share < kNearShareMin) {
    return Near(valley.unrelated_begin - 2, false,
                "the sample has almost no copies, so the distance stays below the distances of its "
                "unrelated records");
  }
  if (valley.ratio_to_unrelated <= kClearRatio) {
    return Near(valley.middle, true, "copies are clearly closer than unrelated records");
  }
  if (statistics.neighbours_mean <= kSeriesNeighbours &&
      valley.ratio_to_lower_peak <= kTwoPeaksRatio) {
    return Near(valley.middle, true,
                "copies come one or two at a time and make a peak of their own in the histogram, "
                "although some are as far away as unrelated records");
  }
  return {MatchMode::kUnclear, kDistanceMin, false,
          "the distances of copies and of different records overlap; look at the pairs and set the "
          "distance yourself"};
}

ModeChoice ProseMode(bool too_few) {
  ModeChoice choice = Near(kDistanceMax, true, "records that share most of their prose are copies");
  choice.too_few = too_few;
  return choice;
}

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
  ModeChoice& choice = result;
  choice = ChooseMode(result.neighbours);
  if (options.prose && choice.mode != MatchMode::kExact) choice = ProseMode(choice.too_few);

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
