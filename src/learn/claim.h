// What settings would find, measured: copies are planted in a sample, and the settings decide them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "detect/base/quantity.h"
#include "detect/filter/record_features.h"
#include "learn/edits.h"
#include "learn/neighbours.h"
#include "neardup/filter.h"
#include "neardup/options.h"
#include "neardup/record.h"

namespace neardup {

/// Copies with one kind of edit.
struct ClaimedEdit {
  Edit edit;
  uint64_t planted = 0;
  uint64_t found = 0;

  double share() const { return ShareAmong(found, planted); }
};

/// What settings find in a sample. The copies are made of its own records.
struct Claim {
  /// One word replaced; 5 % and 20 % of the words replaced, at least one; one sentence dropped;
  /// sentences in another order; the last fifth missing; a fifth added; 5 % misspelt.
  std::vector<ClaimedEdit> edits;
  uint64_t unique = 0;  ///< records of the sample that have no duplicate before them
  uint64_t exact = 0;   ///< records that repeat an earlier one
  // Parts of `exact`, estimated from at most 2,000 of them:
  uint64_t other_fields = 0;  ///< a field differs that may differ (FieldSelector::free)
  uint64_t masked = 0;        ///< these fields agree, and the texts differ in what masks hide
  /// Records that are joined with another one by distance. Estimated from at most 2,000 of them.
  JoinedRecords joined;

  /// The share of the copies with small changes (one word, 5 %) that are found.
  double recall() const;
  /// Whether any copy could be planted: a sample of numbers has no words to replace.
  bool measured() const;
};

/// "of planted copies it finds 99 % of those with one word changed, ..., and least with 20 %
/// changed: 60 %; of the 120 records that it joins by likeness, 3 % share less than 60 % of their
/// phrases". Without a full stop.
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
  /// A record, and the earlier one that it is joined with.
  struct Join {
    size_t later = 0;
    size_t earlier = 0;
    size_t alike = 1;  ///< unique records that are near the later record
  };
  JoinedRecords Audit(const FilterOptions& options, std::span<const Join> joined);
  void CountWords(RecordFeatureReader& reader);
  /// Distinct token hashes of a record, ascending.
  std::vector<uint64_t> WordsOf(size_t record, RecordFeatureReader& reader) const;
  void AuditEqual(const FilterOptions& options, std::span<const Join> equal, Claim& claim) const;

  std::vector<RecordView> records_;
  std::vector<Copy> copies_;
  std::string spec_;  ///< FingerprintSpec of the following
  std::vector<FingerprintedRecord> record_prints_;
  std::vector<FingerprintedRecord> copy_prints_;
  std::vector<std::optional<Phrases>> phrases_;  ///< of each record
  /// How many of the first kCountedMax records hold each token; empty: not counted yet.
  std::unordered_map<uint64_t, size_t> holders_;
  static constexpr size_t kCountedMax = 5000;
};

}  // namespace neardup
