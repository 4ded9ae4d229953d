#include "learn/sample.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <map>
#include <numeric>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "detect/base/hash.h"
#include "detect/feature/mask.h"
#include "detect/index/processor.h"
#include "neardup/filter.h"

namespace neardup {

FieldValueReader::FieldValueReader(const FilterOptions& options)
    : extractor_(options.record),
      tokeniser_(options.feature.markup, options.feature.masks),
      masking_tokeniser_(options.feature.markup, kAllMasks),
      values_(std::max<size_t>(options.record.fields.size(), 1)),
      counts_(values_.size()) {}

const std::vector<uint64_t>& FieldValueReader::Read(const RecordView& record) {
  std::ranges::fill(values_, 0);
  for (const TextPiece& piece : extractor_.Extract(record).pieces) {
    tokens_.Clear();
    tokeniser_.Tokenise(piece.text, tokens_, piece.number ? TextKind::kNumber : TextKind::kText);
    const std::string_view text = tokens_.TextFrom(0);
    // A sum does not depend on the order, and the members of an object may come in any order.
    if (!text.empty()) values_[piece.field] += Mix64(Hash64(text) + piece.path_hash);
    CountTokens(piece);
  }
  return values_;
}

void FieldValueReader::CountTokens(const TextPiece& piece) {
  Counts& counts = counts_[piece.field];
  tokens_.Clear();
  masking_tokeniser_.Tokenise(piece.text, tokens_);
  for (const std::string_view token : TokensOf(tokens_.TextFrom(0))) {
    ++counts.tokens;
    counts.maskable += IsMaskToken(token) ? 1 : 0;
  }
}

std::vector<bool> FieldValueReader::NumericFields() const {
  std::vector<bool> numeric;
  for (const Counts& counts : counts_) {
    numeric.push_back(counts.tokens > 0 && 2 * counts.maskable >= counts.tokens);
  }
  return numeric;
}

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
  return static_cast<size_t>(std::ranges::count(records, false, &SampledRecord::exact_only));
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
    std::ranges::sort(sampled.triples);
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
  std::ranges::sort(triples);
  for (auto triple = triples.begin(); triple != triples.end();) {
    const auto next = std::upper_bound(triple, triples.end(), *triple);
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

namespace {

/// Drawn at random, each with its nearest others. Copies come in ones and twos; the events of a
/// series fill all places.
constexpr size_t kDrawn = 1000;
constexpr size_t kNearest = 3;
/// Arbitrary, but fixed, so that results can be repeated.
constexpr uint64_t kDrawSeed = 0x6e656172647570;

/// Indices of the `count` lowest hashes, ascending.
std::vector<size_t> Lowest(size_t count, const std::vector<uint64_t>& hashes) {
  std::vector<size_t> indices(hashes.size());
  std::iota(indices.begin(), indices.end(), size_t{0});
  if (indices.size() <= count) return indices;
  const auto end = indices.begin() + static_cast<ptrdiff_t>(count);
  std::nth_element(indices.begin(), end, indices.end(),
                   [&](size_t a, size_t b) { return hashes[a] < hashes[b]; });
  indices.erase(end, indices.end());
  std::ranges::sort(indices);
  return indices;
}

/// A hash of each payload, and of how many equal ones came before it.
std::vector<uint64_t> PayloadHashes(std::span<const RecordView> records) {
  std::unordered_map<uint64_t, uint64_t> seen;
  std::vector<uint64_t> hashes;
  for (const RecordView& record : records) {
    const uint64_t hash = Hash64(record.value.value_or(std::string_view()));
    hashes.push_back(Mix64(hash + Mix64(kDrawSeed + seen[hash]++)));
  }
  return hashes;
}

/// The distinct records of a sample that are not dead letters.
struct Distinct {
  std::vector<size_t> records;   ///< indices into the sample
  std::vector<uint64_t> hashes;  ///< of the content, seeded
  std::vector<uint64_t> simhashes;
  std::vector<bool> sketched;  ///< the record has enough tokens to be compared by distance
};

Distinct FindDistinct(std::span<const RecordView> records, const FilterOptions& options,
                      DrawnRecords& drawn) {
  Distinct distinct;
  FilterOptions centred = WithNearFeatures(options);
  drawn.model = ModelOfPart(records, options);
  centred.model = drawn.model;
  Fingerprinter fingerprinter(centred);
  std::unordered_set<uint64_t> seen;
  for (size_t i = 0; i < records.size(); ++i) {
    const FingerprintedRecord record = fingerprinter.Compute(records[i]);
    if (!record.outcome.comparable()) {
      ++drawn.dead_letters;
    } else if (!seen.insert(record.fingerprint.exact).second) {
      ++drawn.repeats;
    } else {
      distinct.records.push_back(i);
      distinct.hashes.push_back(Mix64(record.fingerprint.exact + kDrawSeed));
      distinct.simhashes.push_back(record.fingerprint.simhash);
      distinct.sketched.push_back(record.fingerprint.simhash != record.fingerprint.exact);
    }
  }
  drawn.distinct = distinct.records.size();
  return distinct;
}

/// The nearest others of a record, as indices into `distinct`.
std::vector<size_t> NearestTo(const Distinct& distinct, size_t record) {
  std::array<std::pair<int, size_t>, kNearest> nearest;
  nearest.fill({65, 0});
  for (size_t other = 0; other < distinct.simhashes.size(); ++other) {
    const int distance = BitCount(distinct.simhashes[record] ^ distinct.simhashes[other]);
    if (distance >= nearest.back().first || other == record || !distinct.sketched[other]) continue;
    nearest.back() = {distance, other};
    std::ranges::sort(nearest);
  }
  std::vector<size_t> found;
  for (const auto& [distance, other] : nearest) {
    if (distance <= 64) found.push_back(other);
  }
  return found;
}

}  // namespace

std::vector<RecordView> RandomPart(std::span<const RecordView> records, size_t count) {
  std::vector<RecordView> part;
  for (const size_t i : Lowest(count, PayloadHashes(records))) part.push_back(records[i]);
  return part;
}

std::vector<RecordView> ShuffledPart(std::span<const RecordView> records, size_t count) {
  const std::vector<uint64_t> hashes = PayloadHashes(records);
  std::vector<size_t> indices = Lowest(count, hashes);
  std::ranges::sort(indices, [&](size_t a, size_t b) { return hashes[a] < hashes[b]; });
  std::vector<RecordView> part;
  for (const size_t i : indices) part.push_back(records[i]);
  return part;
}

Model ModelOfPart(std::span<const RecordView> records, const FilterOptions& options) {
  Sample sample(options, {options.model.hash_seed});
  for (const RecordView& record : RandomPart(records)) sample.Add(record);
  return LearnModel(sample);
}

DrawnRecords DrawRecords(std::span<const RecordView> records, const FilterOptions& options) {
  DrawnRecords drawn;
  const Distinct distinct = FindDistinct(records, options, drawn);
  std::map<size_t, bool> chosen;  // at random, by index into `distinct`
  if (distinct.records.size() <= kStudiedMax) {
    for (size_t i = 0; i < distinct.records.size(); ++i) chosen[i] = true;
  } else {
    for (const size_t i : Lowest(kDrawn, distinct.hashes)) {
      chosen[i] = true;
      if (!distinct.sketched[i]) continue;
      for (const size_t other : NearestTo(distinct, i)) chosen.emplace(other, false);
    }
  }
  for (const auto& [i, at_random] : chosen) {
    drawn.records.push_back({distinct.records[i], at_random});
  }
  return drawn;
}

}  // namespace neardup
