// What a stretch of a stream looks like, in counts: for a later stretch to be compared with.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "detect/filter/record_features.h"
#include "detect/index/match.h"
#include "detect/record/field_extractor.h"
#include "learn/neighbours.h"
#include "neardup/fingerprint.h"
#include "neardup/options.h"
#include "neardup/record.h"

namespace neardup {

/// What a compared field holds. A record has the field if any text in it is not empty.
struct FieldProfile {
  std::string path;       ///< as in record.fields; empty: all fields together, as none are listed
  uint64_t present = 0;   ///< records that have the field
  uint64_t distinct = 0;  ///< distinct values in them

  bool operator==(const FieldProfile&) const = default;
};

/// Counts over records that followed one another. They depend on the number of records, so only
/// profiles of about as many records can be compared.
struct StreamProfile {
  /// Duplicates by distance; the last element counts every larger distance.
  static constexpr size_t kDistances = 18;
  /// Element i counts texts of 2^(i-1) to 2^i - 1 bytes; the first one those without a byte, the
  /// last one also all longer ones.
  static constexpr size_t kLengths = 24;
  /// Fields beyond these are not counted.
  static constexpr size_t kFieldsMax = 32;

  uint64_t options = 0;  ///< ProfiledOptions of those that it was taken with
  uint64_t records = 0;  ///< the sum of the following four, and of those that pass unchecked
  uint64_t unique = 0;   ///< no duplicate of another one of these records
  uint64_t exact_duplicates = 0;
  uint64_t near_duplicates = 0;
  uint64_t dead_letters = 0;
  std::array<uint64_t, kDistances> distances{};  ///< of near duplicates
  std::array<uint64_t, kLengths> lengths{};      ///< of the compared text of comparable records
  /// Unique records that have enough tokens to be compared by distance; 0 if only equal records are
  /// joined, because then the simhash decides nothing.
  uint64_t sketched = 0;
  /// For each bit of the simhash, the number of these records in which it is 1.
  std::array<uint64_t, 64> ones{};
  std::vector<FieldProfile> fields;
  JoinedRecords joined;  ///< near duplicates, and how much they share with their originals

  uint64_t comparable() const { return unique + exact_duplicates + near_duplicates; }
  bool operator==(const StreamProfile&) const = default;
};

/// Larger records are left out of profiles, which bounds the memory of a profiler.
inline constexpr size_t kProfiledBytesMax = size_t{64} << 10;

/// Counts one profile after the other. It compares each record with all unique ones of the same
/// profile, so the result does not depend on what came before, nor on an index. It takes at most
/// about eight megabytes. One owner thread.
class StreamProfiler {
 public:
  /// A profile is complete after `records_max` records. The options must be valid.
  StreamProfiler(const FilterOptions& options, size_t records_max);

  /// The profile must not be complete. `fingerprinted` is the same record, computed with the same
  /// options.
  void Add(const RecordView& record, const FingerprintedRecord& fingerprinted);
  bool complete() const { return profile_.records >= records_max_; }
  uint64_t records() const { return profile_.records; }

  /// Returns the profile so far, and begins a new one.
  StreamProfile Take();
  /// Begins a new one.
  void Drop();

 private:
  /// A unique record of the profile.
  struct Original {
    Fingerprint fingerprint;
    StoredKeys text_keys;
    int64_t time_ms = 0;
    Phrases phrases;
  };

  void CountFields(const RecordView& record);
  void CountVerdict(const RecordView& record, const FingerprintedRecord& fingerprinted);
  void CountUnique(const RecordView& record, const FingerprintedRecord& fingerprinted);
  Phrases PhrasesIn(const RecordView& record);
  /// The best match of the record, if it has one.
  std::optional<EntryMatch> Find(const FingerprintedRecord& record) const;

  MatchOptions match_;
  int64_t window_ms_;
  size_t records_max_;
  FieldExtractor extractor_;
  RecordFeatureReader reader_;
  std::vector<Original> originals_;
  std::vector<uint64_t> simhashes_;  ///< of originals_; side by side, because all are looked at
  StreamProfile profile_;
  std::vector<uint64_t> value_;                ///< of the record that is counted, by field
  std::vector<std::vector<uint64_t>> values_;  ///< hashes of the values, by field
};

/// A hash of all options that a profile depends on.
uint64_t ProfiledOptions(const FilterOptions& options);

/// The most records that a profile needs.
inline constexpr size_t kProfiledRecords = 3000;

/// The profile of the first kProfiledRecords of a sample. The options must be valid.
StreamProfile ProfileOf(std::span<const RecordView> records, const FilterOptions& options);

}  // namespace neardup
