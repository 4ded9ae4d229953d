#include "learn/drawn_records.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/hash.h"
#include "index/processor.h"
#include "learn/sample.h"
#include "neardup/filter.h"

namespace neardup {
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
  std::sort(indices.begin(), indices.end());
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
    std::sort(nearest.begin(), nearest.end());
  }
  std::vector<size_t> found;
  for (const auto& [distance, other] : nearest) {
    if (distance <= 64) found.push_back(other);
  }
  return found;
}

}  // namespace

std::vector<RecordView> RandomPart(std::span<const RecordView> records) {
  std::vector<RecordView> part;
  for (const size_t i : Lowest(kStudiedMax, PayloadHashes(records))) part.push_back(records[i]);
  return part;
}

std::vector<RecordView> ShuffledPart(std::span<const RecordView> records, size_t count) {
  const std::vector<uint64_t> hashes = PayloadHashes(records);
  std::vector<size_t> indices = Lowest(count, hashes);
  std::sort(indices.begin(), indices.end(),
            [&](size_t a, size_t b) { return hashes[a] < hashes[b]; });
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
