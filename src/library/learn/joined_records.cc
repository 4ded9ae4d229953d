#include "learn/joined_records.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace neardup {
namespace {

/// Of the records that are joined by distance, about this share may be unlike, and this share
/// doubtful.
constexpr double kUnlikeMax = 0.01;
constexpr double kDoubtfulMax = 0.15;
/// Chance exceeds its mean by more than this many standard deviations in one of 40 cases.
constexpr double kJoinDeviations = 2;

/// The phrases below `limit`.
std::span<const uint64_t> Below(uint64_t limit, const Phrases& phrases) {
  const auto end = std::lower_bound(phrases.hashes.begin(), phrases.hashes.end(), limit);
  return std::span(phrases.hashes).first(static_cast<size_t>(end - phrases.hashes.begin()));
}

}  // namespace

Phrases PhrasesOf(std::span<const uint64_t> triples, size_t most) {
  Phrases phrases;
  std::vector<uint64_t>& hashes = phrases.hashes;
  hashes.assign(triples.begin(), triples.end());
  std::sort(hashes.begin(), hashes.end());
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

}  // namespace neardup
