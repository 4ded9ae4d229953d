#include "learn/sample.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <utility>

namespace neardup {
namespace {

constexpr size_t kRecordsMin = 100;
constexpr size_t kCommonPercent = 1;
constexpr size_t kCommonRecordsMin = 10;
constexpr int64_t kCentreUnit = 4096;

int64_t CeilingOfQuotient(int64_t dividend, int64_t divisor) {
  return dividend > 0 ? (dividend + divisor - 1) / divisor : dividend / divisor;
}

UncentredFingerprint FingerprintOf(const RecordFeatures& features) {
  UncentredFingerprint fingerprint;
  fingerprint.order = features.order;
  BitSums sums = features.sums;
  const int64_t root = RootMeanSquare(sums);
  for (size_t bit = 0; bit < sums.size(); ++bit) {
    fingerprint.sums[bit] = static_cast<int32_t>(CeilingOfQuotient(kCentreUnit * sums[bit], root));
  }
  return fingerprint;
}

/// Number of records that are compared by distance.
size_t Comparable(const Sample& sample) {
  const auto& records = sample.records();
  return static_cast<size_t>(
      std::count_if(records.begin(), records.end(),
                    [](const SampledRecord& record) { return !record.exact_only; }));
}

}  // namespace

Sample::Sample(const FilterOptions& options, const std::vector<uint64_t>& hash_seeds)
    : hash_seeds_(hash_seeds), values_(options) {
  assert(!hash_seeds.empty());
  for (const uint64_t seed : hash_seeds) {
    FilterOptions seeded = options;
    seeded.model.hash_seed = seed;
    readers_.emplace_back(seeded);
  }
}

void Sample::Add(const RecordView& record, bool drawn) {
  const uint64_t number = seen_++;
  const RecordHashes& hashes = readers_.front().Read(record);
  if (!hashes.outcome.comparable()) {
    if (dead_letters_++ == 0) first_dead_letter_ = hashes.outcome.error;
    return;
  }
  if (!exact_.insert(hashes.exact).second) {
    ++repeats_;
    return;
  }
  const RecordFeatures& features = readers_.front().Count();
  SampledRecord sampled;
  sampled.position = record.position;
  sampled.exact = hashes.exact;
  sampled.key = hashes.key;
  sampled.features = features.features;
  sampled.number = number;
  sampled.drawn = drawn;
  sampled.exact_only = features.exact_only;
  if (!features.exact_only) {
    sampled.triples.assign(features.triples.begin(), features.triples.end());
    std::sort(sampled.triples.begin(), sampled.triples.end());
    sampled.triples.erase(std::unique(sampled.triples.begin(), sampled.triples.end()),
                          sampled.triples.end());
    sampled.fingerprints.push_back(FingerprintOf(features));
    for (size_t seed = 1; seed < readers_.size(); ++seed) {
      readers_[seed].Read(record);
      sampled.fingerprints.push_back(FingerprintOf(readers_[seed].Count()));
    }
    sampled.values = values_.Read(record);
  }
  records_.push_back(std::move(sampled));
}

std::array<int32_t, 64> CentreOf(const Sample& sample, size_t seed) {
  std::array<int64_t, 64> total{};
  for (const SampledRecord& record : sample.records()) {
    if (record.exact_only) continue;
    for (size_t bit = 0; bit < total.size(); ++bit)
      total[bit] += record.fingerprints[seed].sums[bit];
  }
  const auto count = static_cast<int64_t>(std::max<size_t>(Comparable(sample), 1));
  std::array<int32_t, 64> centre{};
  for (size_t bit = 0; bit < total.size(); ++bit) {
    centre[bit] = static_cast<int32_t>((2 * total[bit] + count) / (2 * count));
  }
  return centre;
}

Model LearnModel(const Sample& sample) {
  Model model;
  model.hash_seed = sample.hash_seeds().front();
  const size_t comparable = Comparable(sample);
  if (comparable < kRecordsMin) return model;
  model.centre = CentreOf(sample, 0);
  std::vector<uint64_t> triples;  // once for each record that has it
  for (const SampledRecord& record : sample.records()) {
    triples.insert(triples.end(), record.triples.begin(), record.triples.end());
  }
  std::sort(triples.begin(), triples.end());
  for (auto triple = triples.begin(); triple != triples.end();) {
    const auto next =
        std::find_if(triple, triples.end(), [triple](uint64_t t) { return t != *triple; });
    const auto records = static_cast<size_t>(next - triple);
    if (100 * records > kCommonPercent * comparable && records > kCommonRecordsMin) {
      model.common.push_back(*triple);
    }
    triple = next;
  }
  return model;
}

std::string NothingComparableText(const Sample& sample) {
  return fmt::format("none of its {} records can be compared; the first: {}", sample.seen(),
                     sample.first_dead_letter());
}

uint64_t SimhashOf(const UncentredFingerprint& fingerprint, const std::array<int32_t, 64>& centre) {
  uint64_t simhash = 0;
  for (size_t bit = 0; bit < centre.size(); ++bit) {
    simhash |= uint64_t{fingerprint.sums[bit] > centre[bit]} << bit;
  }
  return simhash;
}

}  // namespace neardup
