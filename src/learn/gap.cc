#include "learn/gap.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace neardup {
namespace {

/// Unrelated texts differ in 20 to 30 bits of 64, short ones in fewer, and the nearest of many in
/// fewer again; copies with a third of their words changed differ in 14.
constexpr int kUnrelatedMin = 14;
/// Edits of one word in short records leave holes below.
constexpr int kGapMin = 6;
/// As good as empty: this share of the records.
constexpr double kEmptyShare = 0.003;

/// Three bins in one, so that one bin's noise decides nothing.
std::vector<double> Smoothed(const std::vector<uint32_t>& bins) {
  std::vector<double> smooth(bins.size());
  for (size_t i = 0; i < bins.size(); ++i) {
    const size_t end = std::min(i + 2, bins.size());
    for (size_t k = i == 0 ? 0 : i - 1; k < end; ++k) smooth[i] += bins[k];
  }
  return smooth;
}

}  // namespace

Gap FindGap(const NearStructure& structure) {
  const std::vector<double> smooth = Smoothed(structure.nearest);
  const auto begin = smooth.begin();
  const auto unrelated = std::max_element(begin + kUnrelatedMin, smooth.end());
  Gap gap;
  gap.unrelated = static_cast<int>(unrelated - begin);
  // One more record everywhere, so that few records are no proof of an empty place.
  auto emptiest = begin + kGapMin;
  for (auto place = begin + kGapMin; place <= unrelated; ++place) {
    const double near_peak = *std::max_element(begin, place + 1);
    const double depth = (*place + 1) / (std::min(near_peak, *unrelated) + 1);
    if (depth >= gap.depth_of_lower) continue;
    gap.depth_of_lower = depth;
    emptiest = place;
  }
  gap.depth = (*emptiest + 1) / (*unrelated + 1);
  const double as_empty = *emptiest + std::sqrt(*emptiest) + 1;
  auto left = emptiest;
  while (left > begin + kGapMin && *(left - 1) <= as_empty) --left;
  auto right = emptiest;
  while (right < unrelated && *(right + 1) <= as_empty) ++right;
  gap.at = static_cast<int>((left - begin + (right - begin)) / 2);

  const auto records = static_cast<double>(std::max<size_t>(structure.records, 1));
  const auto& bins = structure.nearest;
  gap.near_share = std::accumulate(bins.begin(), bins.begin() + gap.at, 0.0) / records;
  auto others = unrelated;
  while (others > begin && *others > std::max(kEmptyShare * records, 1.0)) --others;
  gap.others_begin = static_cast<int>(others - begin);
  return gap;
}

}  // namespace neardup
