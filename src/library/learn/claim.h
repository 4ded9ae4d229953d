// What settings would find, measured: copies are planted in a sample, and the settings decide them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "edits/edits.h"
#include "neardup/filter.h"
#include "neardup/options.h"
#include "neardup/record.h"

namespace neardup {

/// Copies with one kind of edit.
struct ClaimedEdit {
  Edit edit;
  uint64_t planted = 0;
  uint64_t found = 0;

  double share() const {
    return planted == 0 ? 0 : static_cast<double>(found) / static_cast<double>(planted);
  }
};

/// What settings find in a sample. The copies are made of its own records.
struct Claim {
  /// One word replaced; 5 % and 20 % of the words replaced, at least one; one sentence dropped;
  /// sentences in another order.
  std::vector<ClaimedEdit> edits;
  uint64_t unique = 0;  ///< records of the sample that have no duplicate before them
  uint64_t exact = 0;   ///< records that repeat an earlier one
  uint64_t near = 0;    ///< records that are joined with another one, by distance
  /// Part of `near`: records that share less than 30 % of the phrases of the shorter of the two.
  /// Estimated from at most 2,000 of them.
  uint64_t unlike = 0;
  uint64_t doubtful = 0;  ///< the same for less than 60 %

  /// The share of the copies with small changes (one word, 5 %) that are found.
  double recall() const;
  /// Of the records that are joined by distance, the share of those that are unlike.
  double unlike_share() const;
  /// Whether any copy could be planted: a sample of numbers has no words to replace.
  bool measured() const;
};

/// "of planted copies it finds 99 % of those with one word changed, ...; of the 120 records that it
/// joins by likeness, 3 % share less than 60 % of their phrases". Without a full stop.
std::string ClaimText(const Claim& claim);
/// What a person should know of a poor claim; empty: it is good.
std::string ClaimDoubt(const Claim& claim);

/// A sample with planted copies, to try settings on. Deterministic. One owner thread.
class PlantedSample {
 public:
  /// The fields, keys and excluded fields of `record` say which texts are edited. It takes at most
  /// kRecordsMax records, and the same ones whatever their order.
  PlantedSample(std::span<const RecordView> records, const RecordOptions& record);
  static constexpr size_t kRecordsMax = 20'000;

  /// Decides all records and then all copies. `options` must select the same fields. Settings that
  /// differ in MatchOptions only are quick to try one after the other.
  Claim Measure(const FilterOptions& options);

 private:
  /// A copy, with the index of its edit.
  struct Copy {
    std::string payload;
    int64_t time_ms = 0;
    size_t edit = 0;
  };

  void Plant(const RecordOptions& record);
  void Fingerprint(const FilterOptions& options);
  /// Share of the phrases of the shorter record that the other one has, too.
  double SharedPhrases(size_t a, size_t b) const;

  std::vector<RecordView> records_;
  std::vector<Copy> copies_;
  std::string spec_;  ///< FingerprintSpec of the following
  std::vector<FingerprintedRecord> record_prints_;
  std::vector<FingerprintedRecord> copy_prints_;
  std::vector<std::vector<uint64_t>> phrases_;  ///< of each record: distinct, ascending
};

}  // namespace neardup
