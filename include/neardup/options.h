// What a Filter can be told. Plain values with defaults; ranges are checked by Filter::New.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "neardup/model.h"

namespace neardup {

/// A field to compare: a top-level name, or a JSON Pointer (RFC 6901) when it starts with '/'.
struct FieldSelector {
  std::string path;
  /// Multiplies the weight of the field's tokens. Range 0.1 to 100; kept in steps of 1/16.
  double weight = 1.0;
  /// A key field is not compared by likeness: two records can be duplicates only when the tokens of
  /// all their key fields are equal. Its weight stays 1, and masks leave it alone.
  bool key = false;

  bool operator==(const FieldSelector&) const = default;
};

/// When a record is a dead letter for lack of fields.
enum class MissingFields : uint8_t {
  kAll,  ///< every selected field is missing or null
  kAny,  ///< at least one selected field is missing or null
};

/// What becomes of a record with Kafka's null value (a tombstone).
enum class NullValue : uint8_t {
  kDeadLetter,  ///< dead letter with reason null_value
  kUnique,      ///< passes to unique, neither compared nor remembered
};

enum class TimeFormat : uint8_t {
  kRfc3339,       ///< 2026-01-31T12:00:00Z, with optional fraction and offset
  kMilliseconds,  ///< integer milliseconds since 1970
  kSeconds,       ///< seconds since 1970, fraction allowed
};

struct RecordOptions {
  /// Empty: every top-level field that is not excluded.
  std::vector<FieldSelector> fields;
  /// Top-level names or JSON Pointers that are never compared, also below a selected field.
  std::vector<std::string> exclude;
  MissingFields missing_fields = MissingFields::kAll;
  NullValue null_value = NullValue::kDeadLetter;
  /// Event time from this field instead of the record's timestamp; empty: the timestamp.
  std::string time_field;
  TimeFormat time_format = TimeFormat::kRfc3339;
  /// Larger payloads are dead letters. Range 1 KiB to 1 GiB.
  size_t record_bytes_max = size_t{64} << 20;
  /// Deeper JSON is a dead letter. Range 1 to 1024.
  size_t depth_max = 128;

  bool operator==(const RecordOptions&) const = default;
};

/// Parts of texts that count as equal whatever they say, each kind as one constant token. Off: they
/// are text as any other. What each kind takes: feature/mask.h.
struct Masks {
  bool time = false;
  bool uuid = false;
  bool ip = false;
  bool hex = false;
  bool number = false;

  constexpr bool any() const { return time || uuid || ip || hex || number; }
  bool operator==(const Masks&) const = default;
};

struct FeatureOptions {
  /// A record with fewer distinct tokens is only compared exactly; those of key fields do not
  /// count. Range 0 to 1000.
  uint32_t features_min = 12;
  /// Take `<...>` out of text and decode character entities before tokenising.
  bool markup = true;
  /// For streams such as logs, in which records that say the same differ in these.
  Masks masks;

  bool operator==(const FeatureOptions&) const = default;
};

struct WindowOptions {
  /// Two records match only if their event times are at most this far apart.
  /// Range 1 s to 10 years.
  int64_t window_ms = int64_t{24} * 3600 * 1000;
  /// Extra time entries are kept for records that arrive late. Range 0 to 10 years.
  int64_t lateness_ms = int64_t{10} * 60 * 1000;
  /// An event time more than this ahead of the clock is clamped. Range 0 to 10 years.
  int64_t ahead_max_ms = int64_t{60} * 60 * 1000;
  /// Entries remembered at most; the oldest go first. Range 1,000 to 1,000,000,000.
  uint64_t entries_max = 1'000'000;

  bool operator==(const WindowOptions&) const = default;
};

/// When two records are duplicates, and how originals are looked for. Records whose selected fields
/// are equal always are; others by the distances of their simhashes and of their order sketches.
struct MatchOptions {
  /// Largest Hamming distance of two simhashes, inclusive. Range 0 (exact only) to 12.
  int distance_max = 8;
  /// Largest sum of the distances of simhash and order sketch. Range 0 to 128.
  int distance_sum_max = 24;
  /// A record of n distinct tokens is allowed a distance of n / features_per_bit at most: in a
  /// short record one word may be what tells it from another. Range 0 (no such rule) to 100.
  uint32_t features_per_bit = 3;
  /// Take one shared text key for 2 more bits in both, two or more keys for 4. Wants text_keys.
  bool widen = false;
  /// Look records up by their text keys too. They find most of what lies beyond the guarantee.
  bool text_keys = true;
  /// Look up the blocks with one bit flipped too: raises the guarantee from 3 to 7 bits, at 64 more
  /// probes a record.
  bool neighbours = false;

  bool operator==(const MatchOptions&) const = default;
};

/// Every original within this simhash distance that the other options accept is found.
constexpr int GuaranteedDistance(const MatchOptions& match) {
  const int most = match.neighbours ? 7 : 3;
  return match.distance_max < most ? match.distance_max : most;
}

/// What tells duplicates. Any other scheme than the filter's own takes the place of MatchOptions,
/// features_min and weights; docs/schemes.md says what there is.
struct MatchScheme {
  /// "neardup": the filter's own.
  std::string name = "neardup";
  /// Parameters of another scheme by name; those that are not named have their default.
  std::map<std::string, double> values;

  bool is_own() const { return name == MatchScheme().name; }
  bool operator==(const MatchScheme&) const = default;
};

struct FilterOptions {
  RecordOptions record;
  FeatureOptions feature;
  Model model;
  MatchOptions match;
  WindowOptions window;
  MatchScheme scheme{};

  bool operator==(const FilterOptions&) const = default;
};

/// Canonical JSON text of everything that gives a fingerprint its meaning (fields, features,
/// algorithm version), and of nothing else. Two filters with equal text compute equal fingerprints;
/// state of another text is refused. Distance, window and capacity are not part of it.
std::string FingerprintSpec(const FilterOptions& options);

}  // namespace neardup
