// The fingerprints of many records as columns: what can be kept, sent and decided later.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "neardup/fingerprint.h"
#include "neardup/options.h"

namespace neardup {

/// One value for each record in each column, 88 bytes a record. With the same FingerprintSpec,
/// these values give the same verdicts as the records that they were computed from.
struct FingerprintColumns {
  std::vector<uint64_t> simhash;
  std::vector<uint64_t> order;
  std::vector<uint64_t> exact;
  std::vector<uint64_t> numbers;
  /// ProbedKeys in their order of preference; 0 fills the places after the last.
  std::vector<std::array<uint32_t, ProbedKeys::kMax>> text_keys;
  std::vector<uint32_t> features;
  /// Event time in milliseconds since 1970-01-01 UTC.
  std::vector<int64_t> time_ms;
  /// The value of a Reason. Anything but 0: the record is a dead letter, and only `time_ms` has a
  /// meaning besides.
  std::vector<uint8_t> reason;
  /// 1: a null value that counts as unique (ReadOutcome::passed).
  std::vector<uint8_t> passed;
  /// Why records are dead letters, by their rows.
  std::vector<std::pair<size_t, std::string>> errors;

  size_t size() const { return simhash.size(); }
  void Reserve(size_t records);
  void Add(const FingerprintedRecord& record);
  /// The record in this row, at this position. Its error text is empty.
  FingerprintedRecord At(size_t row, Position position) const;
};

}  // namespace neardup
