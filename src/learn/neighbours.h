// How close the records of a sample are to each other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "detect/index/processor.h"
#include "learn/sample.h"

namespace neardup {

/// The fingerprints of the comparable records of a sample, those with enough tokens to be compared
/// by distance, under several hash seeds. The distance of two simhashes has an error of some bits.
/// The mean over several seeds has so little that results depend on the records and not on the
/// seed. Records are named by their index, 0 to size() - 1.
class SampleFingerprints {
 public:
  /// Takes all hash seeds of the sample but the first, which is the one that the filter will use.
  explicit SampleFingerprints(const Sample& sample);

  size_t size() const { return records_.size(); }
  size_t seeds() const { return simhashes_.size(); }
  /// Index into Sample::records().
  size_t record(size_t index) const { return records_[index]; }
  /// The records that were drawn at random (SampledRecord::drawn), ascending.
  const std::vector<size_t>& drawn() const { return drawn_; }

  int SimhashDistance(size_t seed, size_t a, size_t b) const {
    return Distance(simhashes_[seed][a], simhashes_[seed][b]);
  }
  int OrderDistance(size_t seed, size_t a, size_t b) const {
    return Distance(orders_[seed][a], orders_[seed][b]);
  }
  /// The mean simhash distance over all seeds, times seeds().
  int DistanceSum(size_t a, size_t b) const {
    int sum = 0;
    for (const auto& simhashes : simhashes_) sum += Distance(simhashes[a], simhashes[b]);
    return sum;
  }

  /// Number of parts of a record: each selected field of text is a part, and all numeric fields
  /// together are one, since a series of measurements may change now in one and now in another.
  size_t parts() const { return parts_; }
  bool DiffersIn(size_t part, size_t a, size_t b) const {
    return values_[a * parts_ + part] != values_[b * parts_ + part];
  }

 private:
  void TakeValues(const Sample& sample);
  static int Distance(uint64_t a, uint64_t b) { return BitCount(a ^ b); }

  std::vector<size_t> records_;
  std::vector<size_t> drawn_;
  std::vector<std::vector<uint64_t>> simhashes_;  ///< [seed][index]
  std::vector<std::vector<uint64_t>> orders_;     ///< [seed][index]
  size_t parts_ = 0;
  std::vector<uint64_t> values_;  ///< hashes: [index * parts_ + part]
};

/// Two records are neighbours if their mean distance is at most this many bits.
inline constexpr int kNeighbourBits = 10;

struct NeighbourStatistics {
  static constexpr size_t kBins = 65;
  /// Histogram by whole bits, 0 to 64: the mean distance of each drawn record to the nearest
  /// earlier record, if there is one.
  std::vector<uint32_t> nearest = std::vector<uint32_t>(kBins);
  size_t records = 0;          ///< that were drawn
  size_t with_neighbour = 0;   ///< drawn records that have a neighbour, earlier or later
  double neighbours_mean = 0;  ///< neighbours of each of these records
  size_t near_pairs = 0;       ///< pairs of neighbours, of which at least one was drawn
  /// For each part (SampleFingerprints::parts), the near pairs that differ in it.
  std::vector<size_t> differing;
};

/// Of the records `drawn`, among the records `among`. Both are indices, ascending, and `drawn` is a
/// part of `among`.
NeighbourStatistics FindNeighbours(const SampleFingerprints& fingerprints,
                                   std::span<const size_t> drawn, std::span<const size_t> among);

/// Of the part in which near pairs differ most often, the share of near pairs that differ in it. 1
/// if records have one part only, or if there are no near pairs.
double LargestDifferingShare(const NeighbourStatistics& statistics);

/// Two records for people to look at.
struct SamplePair {
  Position earlier;
  Position later;
};

/// For each whole bit of mean distance, 0 to `distance_max`, at most `pairs_max` records, each with
/// the nearest record before it, in the order of the sample. At one distance no record is in two
/// pairs, so that a single series does not fill it.
std::vector<std::vector<SamplePair>> FindSamplePairs(const Sample& sample,
                                                     const SampleFingerprints& fingerprints,
                                                     int distance_max, size_t pairs_max);

// How much joined records share: whether a person would call them copies.

/// Phrases of a record (hashes of three adjacent tokens): those below `limit`, distinct, ascending.
struct Phrases {
  std::vector<uint64_t> hashes;
  uint64_t limit = UINT64_MAX;
};

/// Of more than `most` phrases, the smallest ones are kept: they are a random sample, and the same
/// one in each record (bottom-k sketch, Broder 1997).
Phrases PhrasesOf(std::span<const uint64_t> triples, size_t most = SIZE_MAX);

/// The part of the phrases of the shorter record that both records have, 0 to 1. It is 0 if one of
/// them has no phrases.
double SharedPhrases(const Phrases& a, const Phrases& b);

/// Counts over records that were joined by likeness.
struct JoinedRecords {
  /// Copies share more of their phrases than this, even with a fifth of their words replaced.
  static constexpr double kLikeShare = 0.3;
  /// A person calls records copies if they share as much.
  static constexpr double kCopyShare = 0.6;

  uint64_t near = 0;
  uint64_t unlike = 0;    ///< they share less than kLikeShare
  uint64_t doubtful = 0;  ///< they share less than kCopyShare
  /// Records of a series. At least kSeries records are near each other. The record has a common
  /// word that its original lacks, and the original has a common word that the record lacks. A word
  /// is common if at least kKnownWord records hold it. A misspelt copy has rare words, and a cut
  /// copy has no words of its own.
  uint64_t series = 0;
  static constexpr size_t kKnownWord = 3;
  static constexpr size_t kSeries = 6;

  void Add(double shared);
  /// Whether too many of the records are in series. Then they are filled-in forms, and no copies.
  bool AreForms() const;
  /// The number of unlike or doubtful records, divided by the number that is allowed: 1 % or 15 %
  /// of `near`, and what may be chance in one sample. Above 1 the settings join what is no copy.
  double Excess() const;

  bool operator==(const JoinedRecords&) const = default;
};

}  // namespace neardup
