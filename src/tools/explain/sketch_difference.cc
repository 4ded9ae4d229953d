#include "explain/sketch_difference.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>

namespace neardup {
namespace {

constexpr int kBits = 64;

struct MovedFeature {
  WordPull pull;
  uint64_t hash = 0;

  /// How far the feature moves the sum of a bit, from the first record to the second.
  double Move(int bit) const {
    const double change = static_cast<double>(pull.weight_b) - static_cast<double>(pull.weight_a);
    return (hash >> bit & 1) != 0 ? change : -change;
  }
};

std::vector<MovedFeature> Moved(const std::vector<ExplainedFeature>& features_a,
                                const std::vector<ExplainedFeature>& features_b) {
  std::vector<MovedFeature> all;
  std::unordered_map<uint64_t, size_t> places;
  for (const ExplainedFeature& a : features_a) {
    places.emplace(a.hash, all.size());
    all.push_back({{a.text, a.count, 0, a.weight, 0, 0}, a.hash});
  }
  for (const ExplainedFeature& b : features_b) {
    const auto [place, added] = places.emplace(b.hash, all.size());
    if (added) all.push_back({{b.text, 0, 0, 0, 0, 0}, b.hash});
    WordPull& pull = all[place->second].pull;
    pull.count_b = b.count;
    pull.weight_b = b.weight;
  }
  std::erase_if(all, [](const MovedFeature& one) {
    return one.pull.weight_a == one.pull.weight_b && one.pull.count_a == one.pull.count_b;
  });
  return all;
}

}  // namespace

SketchDifference DivideDifference(const std::vector<ExplainedFeature>& features_a,
                                  const SketchVotes& votes_a,
                                  const std::vector<ExplainedFeature>& features_b,
                                  const SketchVotes& votes_b) {
  std::vector<MovedFeature> moved = Moved(features_a, features_b);
  SketchDifference difference;
  for (int bit = 0; bit < kBits; ++bit) {
    if (((votes_a.code ^ votes_b.code) >> bit & 1) == 0) continue;
    difference.bits.push_back(bit);
    const double side = (votes_b.code >> bit & 1) != 0 ? 1 : -1;
    const auto at = static_cast<size_t>(bit);
    const double of_model = std::max(side * (votes_a.bars[at] - votes_b.bars[at]), 0.0);
    double all = of_model;
    for (const MovedFeature& one : moved) all += std::max(side * one.Move(bit), 0.0);
    if (all <= 0) {  // the model moved the bit by less than a double can tell
      difference.model_bits += 1;
      continue;
    }
    difference.model_bits += of_model / all;
    for (MovedFeature& one : moved) one.pull.bits += std::max(side * one.Move(bit), 0.0) / all;
  }
  for (MovedFeature& one : moved) difference.pulls.push_back(std::move(one.pull));
  std::stable_sort(difference.pulls.begin(), difference.pulls.end(),
                   [](const WordPull& a, const WordPull& b) { return a.bits > b.bits; });
  return difference;
}

}  // namespace neardup
