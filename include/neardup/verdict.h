// What the filter decides about one record, and why.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "neardup/record.h"

namespace neardup {

enum class Decision : uint8_t { kUnique = 0, kDuplicate = 1, kDeadLetter = 2 };

enum class MatchKind : uint8_t {
  kExact = 0,  ///< the selected fields are equal after normalisation
  kNear = 1,   ///< the selected fields are alike
};

/// Why a record is a dead letter. The values are part of stored formats and never change.
enum class Reason : uint8_t {
  kNone = 0,
  kParse = 1,         ///< not JSON
  kEncoding = 2,      ///< not UTF-8, or a lone surrogate
  kTooDeep = 3,       ///< nested deeper than RecordOptions::depth_max
  kNotObject = 4,     ///< JSON, but the root is not an object
  kMissingField = 5,  ///< selected fields are missing or null (RecordOptions::missing_fields)
  kDuplicateKey = 6,  ///< the object has a selected field twice
  kEventTime =
      7,  ///< the time field is missing (MissingTime), has the wrong type or cannot be read
  kNullValue = 8,       ///< the record has no value (RecordOptions::null_value)
  kTooLarge = 9,        ///< larger than RecordOptions::record_bytes_max, or than the output accepts
  kUndeliverable = 10,  ///< the output refused the record twice
  kSchema = 11,         ///< the registry has no schema of its number, or the schema is refused
};
/// Number of reasons, kNone included: one more than the last. A test holds it against the names.
inline constexpr int kReasonCount = 12;

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
    case Reason::kSchema:
      return "schema";
  }
  return "unknown";
}

/// What reading a record gave: its event time, or why it cannot be compared. Extraction fills it
/// in; the fingerprinted record and the verdict carry it along.
struct ReadOutcome {
  /// Event time in milliseconds since 1970-01-01 UTC. Only meaningful if comparable().
  int64_t time_ms = 0;
  /// Anything but kNone makes the record a dead letter.
  Reason reason = Reason::kNone;
  /// A null value that counts as unique (NullValue::kUnique): it is neither compared nor
  /// remembered. Never set together with a reason.
  bool passed = false;
  /// With a reason: what is wrong, for a person.
  std::string error{};

  bool comparable() const { return reason == Reason::kNone && !passed; }
  /// Makes the record a dead letter.
  void Fail(Reason why, std::string text) {
    reason = why;
    passed = false;
    error = std::move(text);
  }
};

/// An earlier unique record that a record repeats, or seems to repeat.
struct Match {
  Position original;
  /// Event time of the original.
  int64_t time_ms = 0;
  /// Hamming distance of the simhashes, 0 to 64.
  int distance = 0;
  MatchKind kind = MatchKind::kExact;
  /// Too far away for a duplicate, and near enough to be looked at by a person
  /// (MatchOptions::suspect_distance_max). Such a match is never exact.
  bool suspect = false;
  /// The number of the original's entry in the filter: Filter::begin_number and the next ones. Two
  /// filters with the same entries may number them otherwise.
  uint64_t number = 0;

  /// Compares everything but the number.
  bool operator==(const Match& other) const {
    return original == other.original && time_ms == other.time_ms && distance == other.distance &&
           kind == other.kind && suspect == other.suspect;
  }
};

struct Verdict {
  Decision decision = Decision::kUnique;
  /// The record's outcome, with the event time that the filter used (see `clamped`).
  ReadOutcome outcome;
  /// The best match of a duplicate, or of a suspect: a unique record whose match is `suspect`. A
  /// suspect is remembered like every unique record.
  Match match;
  /// The record is older than the horizon: its original may already be forgotten.
  bool late = false;
  /// The event time was too far ahead of the clock and was clamped (WindowOptions::ahead_max_ms).
  bool clamped = false;

  bool is_suspect() const { return decision == Decision::kUnique && match.suspect; }
  /// `match` says something.
  bool has_match() const { return decision == Decision::kDuplicate || is_suspect(); }
};

}  // namespace neardup
