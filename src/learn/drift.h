// How far a stream has moved away from what it was.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "learn/stream_profile.h"

namespace neardup {

/// What of two profiles is compared. Each aspect has one statistic:
///
/// - kBits: each bit of the simhash is 1 in some share of the unique records. The statistic is the
///   root mean square, over the 64 bits, of the difference between the shares of both profiles.
/// - the others: the Jensen-Shannon divergence of two histograms, in bits, 0 to 1. For a share it
///   is the divergence of a histogram of two bins; of several fields, the largest counts.
///
/// - kJoins: the share of near duplicates that are unlike or doubtful, by JoinedRecords. It depends
///   on the live profile alone.
///
/// The threshold of a statistic is a constant, plus what chance alone gives in samples of this
/// size.
enum class DriftAspect : uint8_t {
  kDeadLetters,   ///< share of records that cannot be compared
  kDuplicates,    ///< shares of unique records, exact and near duplicates
  kDistances,     ///< distances of near duplicates
  kPresence,      ///< share of records that have a field
  kDistinctness,  ///< distinct values of a field per record that has it
  kLengths,       ///< lengths of the compared texts
  kBits,          ///< what the texts are about, as the simhash sees it
  kJoins,         ///< near duplicates that share too little text with their originals
};
inline constexpr size_t kDriftAspects = 8;
/// One word, for labels.
const char* Name(DriftAspect aspect);

struct AspectDrift {
  DriftAspect aspect = DriftAspect::kDeadLetters;
  /// The statistic divided by its threshold: above 1 the stream has drifted. 0 where the profiles
  /// hold too few records to tell.
  double ratio = 0;
  /// For people: what was and what is, such as "field title: in 98 % of the records, now in 12 %".
  std::string text;
};

/// One for each aspect, in the order of DriftAspect. Every ratio is 0 if the two
/// cannot be compared: if their options differ, if one holds less than half as many records as the
/// other, or if one holds less than kDriftRecordsMin.
std::vector<AspectDrift> Compare(const StreamProfile& reference, const StreamProfile& live);
inline constexpr uint64_t kDriftRecordsMin = 200;

/// Those that have drifted, the largest ratio first.
std::vector<AspectDrift> Drifted(std::vector<AspectDrift> drift);

}  // namespace neardup
