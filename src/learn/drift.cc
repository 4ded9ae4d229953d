#include "learn/drift.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <span>

#include "detect/base/quantity.h"

namespace neardup {
namespace {

/// A divergence above this is drift, in samples without end. docs/drift.md has the values on either
/// side.
constexpr double kDivergenceMax = 0.1;
/// The same for kBits.
constexpr double kBitsMax = 0.12;
/// Chance alone exceeds its mean by this many standard deviations in one of 30,000 cases.
constexpr double kDeviations = 4;
/// Fewer records than this in a histogram tell nothing.
constexpr uint64_t kCountMin = 50;
/// Distinct values depend on the number of records, so these numbers may differ by this factor.
constexpr double kCountsFactor = 1.5;

uint64_t Sum(std::span<const uint64_t> bins) {
  return std::accumulate(bins.begin(), bins.end(), uint64_t{0});
}

/// Two samples hold `a` and `b` records, and each record has a property with the probability p.
/// Returns the variance of the difference between the two shares, divided by p (1 - p).
double DifferenceVariance(uint64_t a, uint64_t b) {
  return 1 / static_cast<double>(a) + 1 / static_cast<double>(b);
}

/// x log2(x / mean). It is 0 if x is 0.
double Excess(double x, double mean) { return x > 0 ? x * std::log2(x / mean) : 0; }

/// The Jensen-Shannon divergence of two histograms with the same bins, divided by its threshold.
/// For large samples of one distribution it is chi-square distributed, in units of `unit`. The
/// number of degrees of freedom is the number of bins minus one.
double DivergenceRatio(std::span<const uint64_t> a, std::span<const uint64_t> b) {
  const uint64_t all_a = Sum(a);
  const uint64_t all_b = Sum(b);
  if (std::min(all_a, all_b) < kCountMin) return 0;
  double divergence = 0;
  int bins = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    const double p = ShareAmong(a[i], all_a);
    const double q = ShareAmong(b[i], all_b);
    const double mean = (p + q) / 2;
    bins += mean > 0 ? 1 : 0;
    divergence += (Excess(p, mean) + Excess(q, mean)) / 2;
  }
  const double freedom = std::max(bins - 1, 1);
  const double unit = DifferenceVariance(all_a, all_b) / (8 * std::log(2.0));
  const double chance = (freedom + kDeviations * std::sqrt(2 * freedom)) * unit;
  return divergence / (kDivergenceMax + chance);
}

double ShareRatio(uint64_t part_a, uint64_t all_a, uint64_t part_b, uint64_t all_b) {
  return DivergenceRatio(std::vector<uint64_t>{part_a, all_a - part_a},
                         std::vector<uint64_t>{part_b, all_b - part_b});
}

std::string Percent(uint64_t part, uint64_t all) {
  const double percent = 100 * ShareAmong(part, all);
  return fmt::format("{:.{}f} %", percent, percent > 0 && percent < 10 ? 1 : 0);
}

AspectDrift DeadLetters(const StreamProfile& a, const StreamProfile& b) {
  return {DriftAspect::kDeadLetters,
          ShareRatio(a.dead_letters, a.records, b.dead_letters, b.records),
          fmt::format("dead letters: {} of the records, now {}", Percent(a.dead_letters, a.records),
                      Percent(b.dead_letters, b.records))};
}

AspectDrift Duplicates(const StreamProfile& a, const StreamProfile& b) {
  const auto bins = [](const StreamProfile& of) {
    return std::vector<uint64_t>{of.unique, of.exact_duplicates, of.near_duplicates};
  };
  const auto text = [](const StreamProfile& of) {
    return fmt::format("{} exact and {} near", Percent(of.exact_duplicates, of.comparable()),
                       Percent(of.near_duplicates, of.comparable()));
  };
  return {DriftAspect::kDuplicates, DivergenceRatio(bins(a), bins(b)),
          fmt::format("duplicates of one another among {} records: {}, now {}", b.records, text(a),
                      text(b))};
}

double Mean(std::span<const uint64_t> bins) {
  double sum = 0;
  for (size_t i = 0; i < bins.size(); ++i) sum += static_cast<double>(i * bins[i]);
  return sum / static_cast<double>(std::max<uint64_t>(Sum(bins), 1));
}

AspectDrift Distances(const StreamProfile& a, const StreamProfile& b) {
  return {DriftAspect::kDistances, DivergenceRatio(a.distances, b.distances),
          fmt::format("distance of near duplicates: {:.1f} bits on average, now {:.1f}",
                      Mean(a.distances), Mean(b.distances))};
}

/// The number of bytes of the shortest text in this bin of StreamProfile::lengths.
uint64_t BytesFrom(size_t bin) { return bin == 0 ? 0 : uint64_t{1} << (bin - 1); }

AspectDrift Lengths(const StreamProfile& a, const StreamProfile& b) {
  const auto median = [](const StreamProfile& of) {
    uint64_t below = 0;
    size_t bin = 0;
    while (bin + 1 < of.lengths.size() && 2 * (below + of.lengths[bin]) <= Sum(of.lengths)) {
      below += of.lengths[bin++];
    }
    return fmt::format("{} to {} bytes", BytesFrom(bin), BytesFrom(bin + 1) - 1);
  };
  const std::string was = median(a);
  const std::string is = median(b);
  return {DriftAspect::kLengths, DivergenceRatio(a.lengths, b.lengths),
          was == is
              ? fmt::format("length of the compared text: spread otherwise around a median "
                            "of {}",
                            is)
              : fmt::format("length of the compared text: the median is {}, now {}", was, is)};
}

std::string NameText(const FieldProfile& field) {
  return field.path.empty() ? "all other fields" : "field " + field.path;
}

/// The field that differs most.
AspectDrift Presence(const StreamProfile& a, const StreamProfile& b) {
  AspectDrift most{DriftAspect::kPresence, 0, "presence of the fields: as it was"};
  for (size_t i = 0; i < std::min(a.fields.size(), b.fields.size()); ++i) {
    const FieldProfile& was = a.fields[i];
    const FieldProfile& is = b.fields[i];
    const double ratio = ShareRatio(was.present, a.comparable(), is.present, b.comparable());
    if (ratio <= most.ratio) continue;
    most.ratio = ratio;
    most.text =
        fmt::format("{}: in {} of the records, now in {}", NameText(was),
                    Percent(was.present, a.comparable()), Percent(is.present, b.comparable()));
  }
  return most;
}

/// The field that differs most, of those that are about as frequent as they were.
AspectDrift Distinctness(const StreamProfile& a, const StreamProfile& b) {
  AspectDrift most{DriftAspect::kDistinctness, 0, "distinct values of the fields: as they were"};
  for (size_t i = 0; i < std::min(a.fields.size(), b.fields.size()); ++i) {
    const FieldProfile& was = a.fields[i];
    const FieldProfile& is = b.fields[i];
    const auto [fewer, more] = std::minmax(was.present, is.present);
    if (static_cast<double>(more) > kCountsFactor * static_cast<double>(fewer)) continue;
    const double ratio = ShareRatio(was.distinct, was.present, is.distinct, is.present);
    if (ratio <= most.ratio) continue;
    most.ratio = ratio;
    most.text = fmt::format("{}: {} of its values are distinct, now {}", NameText(was),
                            Percent(was.distinct, was.present), Percent(is.distinct, is.present));
  }
  return most;
}

AspectDrift Bits(const StreamProfile& a, const StreamProfile& b) {
  AspectDrift bits{DriftAspect::kBits, 0, "what the texts are about: too few records to tell"};
  if (std::min(a.sketched, b.sketched) < kCountMin) return bits;
  const double variance = DifferenceVariance(a.sketched, b.sketched);
  const auto count = static_cast<double>(a.ones.size());
  double square = 0;
  double expected = 0;
  for (size_t bit = 0; bit < a.ones.size(); ++bit) {
    const double p = ShareAmong(a.ones[bit], a.sketched);
    const double q = ShareAmong(b.ones[bit], b.sketched);
    const double mean = (p + q) / 2;
    square += (p - q) * (p - q) / count;
    expected += mean * (1 - mean) * variance / count;
  }
  const double chance = expected * (1 + kDeviations * std::sqrt(2 / count));
  bits.ratio = std::sqrt(square / (kBitsMax * kBitsMax + chance));
  bits.text = fmt::format(
      "what the texts are about: the share of ones in a bit of the simhash has moved by {:.0f} "
      "percentage points",
      100 * std::sqrt(std::max(square - expected, 0.0)));
  return bits;
}

AspectDrift Joins(const StreamProfile& live) {
  const JoinedRecords& joined = live.joined;
  return {DriftAspect::kJoins, joined.Excess(),
          fmt::format("near duplicates: {} of {} share less than {:.0f} % of their phrases with "
                      "their original, and {} less than {:.0f} %; they may be no copies",
                      Percent(joined.doubtful, joined.near), joined.near,
                      100 * JoinedRecords::kCopyShare, Percent(joined.unlike, joined.near),
                      100 * JoinedRecords::kLikeShare)};
}

}  // namespace

const char* Name(DriftAspect aspect) {
  constexpr std::array<const char*, kDriftAspects> kNames = {
      "dead_letters", "duplicates", "distances", "presence",
      "distinctness", "lengths",    "bits",      "joins"};
  return kNames[static_cast<size_t>(aspect)];
}

std::vector<AspectDrift> Compare(const StreamProfile& reference, const StreamProfile& live) {
  std::vector<AspectDrift> drift = {DeadLetters(reference, live),  Duplicates(reference, live),
                                    Distances(reference, live),    Presence(reference, live),
                                    Distinctness(reference, live), Lengths(reference, live),
                                    Bits(reference, live),         Joins(live)};
  const auto [fewer, more] = std::minmax(reference.records, live.records);
  const bool same = reference.options == live.options;
  if (!same || fewer < kDriftRecordsMin || 2 * fewer < more) {
    for (AspectDrift& aspect : drift) aspect.ratio = 0;
  }
  return drift;
}

std::vector<AspectDrift> Drifted(std::vector<AspectDrift> drift) {
  std::erase_if(drift, [](const AspectDrift& aspect) { return aspect.ratio <= 1; });
  std::ranges::stable_sort(drift, std::ranges::greater(), &AspectDrift::ratio);
  return drift;
}

}  // namespace neardup
