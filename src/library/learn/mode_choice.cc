#include "learn/mode_choice.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

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

}  // namespace neardup
