#include "learn/mode_choice.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <random>
#include <utility>
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

namespace {

/// Any, but the same for ever.
constexpr uint64_t kHalvesSeed = 0x6e656172647570;
constexpr size_t kComparableMin = 50;
constexpr int kVotes = 12;

/// Copies come in ones and twos, events of one series in dozens: text streams have 1.0 to 1.5
/// neighbours, series 2.2 to 40.
constexpr double kSeriesNeighbours = 2;
/// Unless they are many copies of one record, with nothing between them and the rest.
constexpr double kManyCopiesDepth = 0.04;
/// A gap is clear when it is this empty. Streams of articles, petitions, products and titles have
/// 0.04 at most.
constexpr double kClearDepth = 0.06;
/// Events of a series differ, all of them, in what tells them apart: a page, a time, a price.
constexpr double kToldApartShare = 0.8;
/// Two modes with so much less between them than at the lower of them are two.
constexpr double kTwoModesDepth = 0.5;

ModeChoice Near(int distance, bool copies, std::string reason) {
  const int most = copies ? kDistanceMax : kDistanceMaxWithoutCopies;
  return {MatchMode::kNear, std::clamp(distance, kDistanceMin, most), copies, std::move(reason)};
}

/// The choices of random halves of the sample.
std::vector<ModeChoice> AskHalves(const SampledCodes& codes, std::span<const size_t> numbers) {
  std::vector<ModeChoice> choices;
  std::mt19937_64 random(kHalvesSeed);
  for (int vote = 0; vote < kVotes; ++vote) {
    std::vector<size_t> half;
    for (const size_t number : numbers) {
      if (random() % 2 == 0) half.push_back(number);
    }
    choices.push_back(ChooseMode(FindNearStructure(codes, half)));
  }
  return choices;
}

/// The whole sample decides, unless more than half of its halves agree on another mode.
MatchMode MajorityMode(const ModeChoice& whole, const std::vector<ModeChoice>& halves) {
  std::array<int, 3> votes{};
  for (const ModeChoice& half : halves) ++votes[static_cast<size_t>(half.mode)];
  for (size_t mode = 0; mode < votes.size(); ++mode) {
    if (2 * votes[mode] > kVotes) return static_cast<MatchMode>(mode);
  }
  return whole.mode;
}

/// The choice of that mode with the median distance.
ModeChoice MedianChoice(MatchMode mode, const ModeChoice& whole, std::vector<ModeChoice> choices) {
  choices.push_back(whole);
  std::erase_if(choices, [mode](const ModeChoice& choice) { return choice.mode != mode; });
  const auto middle = choices.begin() + static_cast<int64_t>((choices.size() - 1) / 2);
  std::nth_element(
      choices.begin(), middle, choices.end(),
      [](const ModeChoice& a, const ModeChoice& b) { return a.distance_max < b.distance_max; });
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

ModeChoice ChooseMode(const NearStructure& structure) {
  if (structure.records < kComparableMin) {
    return {MatchMode::kUnclear, kDistanceMin, false,
            "too few records of the sample have enough words to be compared"};
  }
  const Gap gap = FindGap(structure);
  const double neighbour_share =
      static_cast<double>(structure.with_neighbour) / static_cast<double>(structure.records);
  if (structure.neighbours_mean > kSeriesNeighbours && neighbour_share >= kNearShareMin &&
      gap.depth_of_lower > kManyCopiesDepth) {
    if (ShareToldApart(structure) < kToldApartShare) {
      return Near(kDistanceMax, true,
                  "records come in many copies that are written differently: no one field tells "
                  "them apart, as one would in a series of events");
    }
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
  if (structure.neighbours_mean <= kSeriesNeighbours && gap.depth_of_lower <= kTwoModesDepth) {
    return Near(gap.at, true,
                "copies come in ones and twos and have a mode of their own, though some lie among "
                "the other records");
  }
  return {MatchMode::kUnclear, kDistanceMin, false,
          "near and different records overlap: look at the examples"};
}

VotedChoice VoteMode(const SampledCodes& codes, std::span<const size_t> numbers) {
  VotedChoice voted;
  voted.structure = FindNearStructure(codes, numbers);
  const ModeChoice whole = ChooseMode(voted.structure);
  const std::vector<ModeChoice> halves = AskHalves(codes, numbers);
  voted.choice = MedianChoice(MajorityMode(whole, halves), whole, halves);
  voted.votes = kVotes;
  for (const ModeChoice& half : halves) {
    const bool agrees = half.mode == voted.choice.mode &&
                        std::abs(half.distance_max - voted.choice.distance_max) <= 1;
    voted.votes_for += agrees ? 1 : 0;
  }
  return voted;
}

}  // namespace neardup
