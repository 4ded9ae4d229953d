// What is remembered of a record's content.
#pragma once

#include <cstdint>
#include <string>

#include "neardup/record.h"
#include "neardup/verdict.h"

namespace neardup {

/// `simhash`: weighted 64-bit SimHash of the selected fields; the Hamming distance of two of them
/// tells how alike the records are. `exact`: 64-bit hash of the normalised selected fields; equal
/// when (and, but for a 2^-64 chance, only when) these are equal.
/// A record with fewer than features_min distinct tokens has simhash == exact, so that it is near
/// nothing but its equals. Both are part of the changelog's format and never change for one
/// FingerprintSpec.
struct Fingerprint {
  uint64_t simhash = 0;
  uint64_t exact = 0;

  bool operator==(const Fingerprint&) const = default;
};

/// The stateless half of a decision. When `reason` is not kNone the record is a dead letter and
/// the fingerprint means nothing; `error` then says what is wrong, for a person.
struct FingerprintedRecord {
  Position position;
  int64_t time_ms = 0;
  Fingerprint fingerprint;
  /// Distinct tokens found.
  uint32_t features = 0;
  Reason reason = Reason::kNone;
  /// A null value that passes by policy (NullValue::kUnique).
  bool passed = false;
  std::string error;
};

}  // namespace neardup
