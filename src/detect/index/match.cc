#include "detect/index/match.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <numbers>

namespace neardup {
namespace {

constexpr size_t kPercents = 101;
/// How many phrases, and how many pairs of tokens, change with one token.
constexpr double kPhrasesPerToken = 3;
constexpr double kPairsPerToken = 2;
constexpr double kDeviations = 0.5;

/// The probability that a bit differs.
double DifferingBits(double shared) { return std::acos(shared) / std::numbers::pi; }

SimilarityLimits Computed(double similarity) {
  const double changed = (1 - similarity) / kPhrasesPerToken;
  const double words = DifferingBits(1 - changed);
  const double pairs = DifferingBits(1 - kPairsPerToken * changed);
  const auto limit = [](double expected, double variance) {
    return static_cast<int>(std::lround(64 * expected + kDeviations * std::sqrt(64 * variance)));
  };
  const double of_words = words * (1 - words);
  return {limit(words, of_words), limit(words + pairs, of_words + pairs * (1 - pairs))};
}

}  // namespace

SimilarityLimits LimitsOf(double similarity) {
  static const std::array<SimilarityLimits, kPercents> limits = [] {
    std::array<SimilarityLimits, kPercents> computed;
    computed[0] = {64, 128};
    for (size_t percent = 1; percent < kPercents; ++percent) {
      computed[percent] = Computed(static_cast<double>(percent) / 100);
    }
    return computed;
  }();
  return limits[static_cast<size_t>(std::lround(100 * similarity))];
}

std::string LimitText(const MatchOptions& match) {
  if (match.distance_max == 0) return "only equal records";
  if (match.distance_max < LimitsOf(match.similarity).distance_max) {
    return fmt::format("distance_max {}", match.distance_max);
  }
  return fmt::format("similarity {}", match.similarity);
}

}  // namespace neardup
