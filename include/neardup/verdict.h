// What the filter says about one record.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "neardup/record.h"

namespace neardup {

enum class Decision : uint8_t { kUnique = 0, kDuplicate = 1, kDeadLetter = 2 };

/// exact: the selected fields are equal after normalisation. near: alike, not equal.
enum class MatchKind : uint8_t { kExact = 0, kNear = 1 };

/// Why a record is a dead letter.
enum class Reason : uint8_t {
  kNone = 0,
  kParse = 1,           ///< not JSON
  kEncoding = 2,        ///< not UTF-8, or a lone surrogate
  kTooDeep = 3,         ///< nested deeper than depth_max
  kNotObject = 4,       ///< JSON, but the root is no object
  kMissingField = 5,    ///< selected fields missing or null, by policy
  kDuplicateKey = 6,    ///< a selected field stands twice in the object
  kEventTime = 7,       ///< the time field is missing, of a wrong type or unreadable
  kNullValue = 8,       ///< Kafka's null value, by policy
  kTooLarge = 9,        ///< larger than record_bytes_max, or than the output topic takes
  kUndeliverable = 10,  ///< the broker refused the record twice
};
inline constexpr int kReasonCount = 11;

constexpr const char* Name(Decision decision) {
  switch (decision) {
    case Decision::kUnique:
      return "unique";
    case Decision::kDuplicate:
      return "duplicate";
    case Decision::kDeadLetter:
      return "dead-letter";
  }
  return "dead-letter";
}
constexpr const char* Name(MatchKind kind) { return kind == MatchKind::kExact ? "exact" : "near"; }
constexpr const char* Name(Reason reason) {
  switch (reason) {
    case Reason::kNone:
      return "none";
    case Reason::kParse:
      return "parse";
    case Reason::kEncoding:
      return "encoding";
    case Reason::kTooDeep:
      return "too_deep";
    case Reason::kNotObject:
      return "not_object";
    case Reason::kMissingField:
      return "missing_field";
    case Reason::kDuplicateKey:
      return "duplicate_key";
    case Reason::kEventTime:
      return "event_time";
    case Reason::kNullValue:
      return "null_value";
    case Reason::kTooLarge:
      return "too_large";
    case Reason::kUndeliverable:
      return "undeliverable";
  }
  return "none";
}

/// What reading a record came to: when it happened, and whether it can be compared. Extraction
/// fills it in; the fingerprint and the verdict carry it along whole.
struct ReadOutcome {
  /// Event time in milliseconds since 1970-01-01 UTC. Means nothing unless comparable().
  int64_t time_ms = 0;
  /// Anything but kNone: the record is a dead letter.
  Reason reason = Reason::kNone;
  /// A null value that passes by policy (NullValue::kUnique): neither compared nor remembered.
  /// Never set together with a reason.
  bool passed = false;
  /// Says what is wrong with a dead letter, for a person.
  std::string error{};

  bool comparable() const { return reason == Reason::kNone && !passed; }
  /// Makes the record a dead letter.
  void Fail(Reason why, std::string text) {
    reason = why;
    passed = false;
    error = std::move(text);
  }
};

/// An earlier unique record that a record repeats.
struct Match {
  Position original;
  /// Event time of the original.
  int64_t time_ms = 0;
  /// Hamming distance of the simhashes, or the distance of another scheme; never negative.
  int distance = 0;
  MatchKind kind = MatchKind::kExact;

  bool operator==(const Match&) const = default;
};

struct Verdict {
  Decision decision = Decision::kUnique;
  /// The record's own, with the event time that the filter used (see `clamped`).
  ReadOutcome outcome;
  /// Duplicates only: the best match.
  Match match;
  /// Older than the horizon: its original may already have been forgotten.
  bool late = false;
  /// Its event time was ahead of the clock and was clamped.
  bool clamped = false;
};

}  // namespace neardup
