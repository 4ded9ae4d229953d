#include "learn/neighbours.h"

#include <algorithm>
#include <climits>
#include <cmath>
#include <iterator>
#include <set>
#include <utility>

#include "detect/base/hash.h"
#include "detect/fingerprint/exact_hash.h"

namespace neardup {
namespace {

/// The nearest record before this one, the first of several, and their DistanceSum.
std::pair<size_t, int> NearestBefore(const SampleFingerprints& fingerprints, size_t index) {
  std::pair<size_t, int> nearest = {0, INT_MAX};
  for (size_t other = 0; other < index; ++other) {
    const int sum = fingerprints.DistanceSum(index, other);
    if (sum < nearest.second) nearest = {other, sum};
  }
  return nearest;
}

}  // namespace

SampleFingerprints::SampleFingerprints(const Sample& sample)
    : simhashes_(sample.hash_seeds().size() - 1), orders_(simhashes_.size()) {
  for (size_t i = 0; i < sample.records().size(); ++i) {
    if (sample.records()[i].exact_only) continue;
    if (sample.records()[i].drawn) drawn_.push_back(records_.size());
    records_.push_back(i);
  }
  for (size_t seed = 0; seed < simhashes_.size(); ++seed) {
    const auto centre = CentreOf(sample, seed + 1);
    for (const size_t i : records_) {
      const SampledRecord& record = sample.records()[i];
      const UncentredFingerprint& fingerprint = record.fingerprints[seed + 1];
      simhashes_[seed].push_back(KeyedSimhash(SimhashOf(fingerprint, centre), record.key));
      orders_[seed].push_back(KeyedOrder(fingerprint.order, record.key));
    }
  }
  TakeValues(sample);
}

void SampleFingerprints::TakeValues(const Sample& sample) {
  const std::vector<bool> numeric = sample.numeric_fields();
  const auto texts = std::ranges::count(numeric, false);
  const bool any_numeric = texts < static_cast<int64_t>(numeric.size());
  parts_ = static_cast<size_t>(texts) + (any_numeric ? 1 : 0);
  for (const size_t i : records_) {
    const std::vector<uint64_t>& values = sample.records()[i].values;
    uint64_t numeric_hash = 0;
    for (size_t field = 0; field < values.size(); ++field) {
      if (numeric[field]) {
        numeric_hash = Mix64(numeric_hash + values[field]);
      } else {
        values_.push_back(values[field]);
      }
    }
    if (any_numeric) values_.push_back(numeric_hash);
  }
}

NeighbourStatistics FindNeighbours(const SampleFingerprints& fingerprints,
                                   std::span<const size_t> drawn, std::span<const size_t> among) {
  NeighbourStatistics found;
  found.records = drawn.size();
  found.differing.resize(fingerprints.parts());
  const int seeds = static_cast<int>(fingerprints.seeds());
  std::vector<bool> is_drawn(fingerprints.size());
  for (const size_t i : drawn) is_drawn[i] = true;
  size_t all = 0;
  for (const size_t i : drawn) {
    int nearest = INT_MAX;
    size_t neighbours = 0;
    for (const size_t j : among) {
      if (j == i) continue;
      const int sum = fingerprints.DistanceSum(i, j);
      if (j < i) nearest = std::min(nearest, sum);
      if (sum > kNeighbourBits * seeds) continue;
      ++neighbours;
      if (is_drawn[j] && j > i) continue;  // counted from the other side
      ++found.near_pairs;
      for (size_t part = 0; part < fingerprints.parts(); ++part) {
        found.differing[part] += fingerprints.DiffersIn(part, i, j) ? 1 : 0;
      }
    }
    if (nearest != INT_MAX) ++found.nearest[static_cast<size_t>(nearest / seeds)];
    all += neighbours;
    found.with_neighbour += neighbours > 0 ? 1 : 0;
  }
  if (found.with_neighbour > 0) {
    found.neighbours_mean = static_cast<double>(all) / static_cast<double>(found.with_neighbour);
  }
  return found;
}

double LargestDifferingShare(const NeighbourStatistics& statistics) {
  if (statistics.differing.size() < 2 || statistics.near_pairs == 0) return 1;
  const size_t most = *std::ranges::max_element(statistics.differing);
  return static_cast<double>(most) / static_cast<double>(statistics.near_pairs);
}

std::vector<std::vector<SamplePair>> FindSamplePairs(const Sample& sample,
                                                     const SampleFingerprints& fingerprints,
                                                     int distance_max, size_t pairs_max) {
  std::vector<std::vector<SamplePair>> pairs(static_cast<size_t>(distance_max) + 1);
  std::vector<std::set<size_t>> shown(pairs.size());
  const auto position = [&](size_t index) {
    return sample.records()[fingerprints.record(index)].position;
  };
  for (size_t later = 1; later < fingerprints.size(); ++later) {
    const auto [earlier, sum] = NearestBefore(fingerprints, later);
    const size_t distance = static_cast<size_t>(sum) / fingerprints.seeds();
    if (distance >= pairs.size() || pairs[distance].size() >= pairs_max) continue;
    if (shown[distance].contains(earlier)) continue;
    shown[distance].insert({earlier, later});
    pairs[distance].push_back({position(earlier), position(later)});
  }
  return pairs;
}

namespace {

/// Of the records that are joined by distance, about this share may be unlike, and this share
/// doubtful.
constexpr double kUnlikeMax = 0.01;
constexpr double kDoubtfulMax = 0.15;
constexpr double kSeriesMax = 0.125;
/// Chance exceeds its mean by more than this many standard deviations in one of 40 cases.
constexpr double kJoinDeviations = 2;

/// The phrases below `limit`.
std::span<const uint64_t> Below(uint64_t limit, const Phrases& phrases) {
  const auto end = std::ranges::lower_bound(phrases.hashes, limit);
  return std::span(phrases.hashes).first(static_cast<size_t>(end - phrases.hashes.begin()));
}

}  // namespace

Phrases PhrasesOf(std::span<const uint64_t> triples, size_t most) {
  Phrases phrases;
  std::vector<uint64_t>& hashes = phrases.hashes;
  hashes.assign(triples.begin(), triples.end());
  std::ranges::sort(hashes);
  hashes.erase(std::unique(hashes.begin(), hashes.end()), hashes.end());
  if (hashes.size() <= most) return phrases;
  phrases.limit = hashes[most];
  hashes = std::vector<uint64_t>(hashes.begin(), hashes.begin() + static_cast<ptrdiff_t>(most));
  return phrases;
}

double SharedPhrases(const Phrases& a, const Phrases& b) {
  const uint64_t limit = std::min(a.limit, b.limit);
  const std::span<const uint64_t> first = Below(limit, a);
  const std::span<const uint64_t> second = Below(limit, b);
  std::vector<uint64_t> shared;
  std::set_intersection(first.begin(), first.end(), second.begin(), second.end(),
                        std::back_inserter(shared));
  const size_t shorter = std::max<size_t>(std::min(first.size(), second.size()), 1);
  return static_cast<double>(shared.size()) / static_cast<double>(shorter);
}

void JoinedRecords::Add(double shared) {
  ++near;
  unlike += shared < kLikeShare ? 1 : 0;
  doubtful += shared < kCopyShare ? 1 : 0;
}

double JoinedRecords::Excess() const {
  const auto excess = [this](uint64_t count, double share_max) {
    if (count == 0) return 0.0;
    const double allowed = share_max * static_cast<double>(near);
    return static_cast<double>(count) / (allowed + kJoinDeviations * std::sqrt(allowed));
  };
  return std::max(excess(unlike, kUnlikeMax), excess(doubtful, kDoubtfulMax));
}

bool JoinedRecords::AreForms() const {
  const double allowed = kSeriesMax * static_cast<double>(near);
  return static_cast<double>(series) > allowed + kJoinDeviations * std::sqrt(allowed);
}

}  // namespace neardup
