// Records of a stream from which a model is learned and a distance chosen.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_set>
#include <vector>

#include "filter/record_features.h"
#include "learn/field_values.h"
#include "neardup/model.h"
#include "neardup/options.h"

namespace neardup {

/// What simhash and order sketch are made of, under one hash seed, before they are keyed.
struct SampledSketch {
  /// 4096 times each sum of the simhash, divided by the root mean square of all 64, rounded up:
  /// above a whole number exactly when the quotient is.
  std::array<int32_t, 64> sums{};
  uint64_t order = 0;
};

/// What is kept of a record.
struct SampledRecord {
  Position position;
  uint64_t exact = 0;
  uint64_t key = 0;  ///< RecordFeatures::key
  uint32_t features = 0;
  /// How many records, repeats and dead letters too, the sample had seen before it.
  uint64_t number = 0;
  bool exact_only = false;
  /// One for each hash seed of the sample; none when exact_only.
  std::vector<SampledSketch> sketches;
  /// Under the first hash seed, keyed; distinct, ascending.
  std::vector<uint64_t> triples;
  /// FieldValueReader::Read; none when exact_only.
  std::vector<uint64_t> values;
};

/// One owner thread. Keeps some kilobytes a record.
class Sample {
 public:
  /// The options must be valid; instead of their model's hash seed those given are used, at least
  /// one.
  Sample(const FilterOptions& options, const std::vector<uint64_t>& hash_seeds);

  /// Takes the record in. Repeats of an earlier record, dead letters and what passes are counted
  /// only.
  void Add(const RecordView& record);

  /// Distinct by `exact`, in order of arrival.
  const std::vector<SampledRecord>& records() const { return records_; }
  const std::vector<uint64_t>& hash_seeds() const { return hash_seeds_; }
  /// FieldValueReader::HoldNumbers of the comparable ones among them.
  std::vector<bool> number_fields() const { return values_.HoldNumbers(); }
  uint64_t seen() const { return seen_; }
  uint64_t repeats() const { return repeats_; }
  uint64_t dead_letters() const { return dead_letters_; }

 private:
  std::vector<uint64_t> hash_seeds_;
  std::vector<RecordFeatureReader> readers_;
  FieldValueReader values_;
  std::vector<SampledRecord> records_;
  std::unordered_set<uint64_t> exact_;
  uint64_t seen_ = 0;
  uint64_t repeats_ = 0;
  uint64_t dead_letters_ = 0;
};

/// For each bit the mean of SampledSketch::sums of all records under hash seed number `seed`.
std::array<int32_t, 64> CentreOf(const Sample& sample, size_t seed);

/// Of the first hash seed of the sample: its centre, and the triples of tokens that stand in more
/// than 1 % of it (and in more than 10 records). A sample of fewer than 100 comparable records
/// gives a model that is not centred.
Model LearnModel(const Sample& sample);

/// The simhash of a record under a centre of the same hash seed, before it is keyed.
uint64_t SimhashOf(const SampledSketch& sketch, const std::array<int32_t, 64>& centre);

}  // namespace neardup
