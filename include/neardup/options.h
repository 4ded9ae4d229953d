// What a Filter can be told: plain values with defaults. Filter::New checks them (CheckOptions).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "neardup/model.h"

namespace neardup {

/// The smallest and the largest value that an option may have. CheckOptions and the configuration
/// file take every range from the constants below, each of which stands under its option.
template <class T>
struct Range {
  T min;
  T max;

  /// False for NaN.
  constexpr bool Contains(T value) const { return value >= min && value <= max; }
};

/// A field to compare: a top-level name, or a JSON Pointer (RFC 6901) if it starts with '/'. In a
/// pointer, the name `*` stands for every element of an array: `/items/*/id`.
struct FieldSelector {
  /// A key field may be named "", which is the whole record: every field that no other selector
  /// takes, and that is not excluded, must then agree.
  std::string path;
  /// Multiplies the weight of the field's tokens. Rounded to 1/16.
  double weight = 1.0;
  static constexpr Range<double> kWeightRange = {0.1, 100};
  /// A key field is not compared by likeness: two records can be duplicates only if the tokens of
  /// all their key fields are equal. Its weight stays 1, and masks do not apply to it.
  bool key = false;
  /// A free field may differ where the text of the compared fields says what the record is. Where
  /// that text has fewer than kTellingTokens tokens, or is a standing one (Model::standing), only
  /// records that are equal in the free fields, too, are duplicates. No weight, no masks; never set
  /// together with `key`.
  bool free = false;
  /// A label or a state has fewer tokens: many different records share it.
  static constexpr size_t kTellingTokens = 3;

  /// Whether it is compared by likeness.
  bool is_text() const { return !key && !free; }

  bool operator==(const FieldSelector&) const = default;
};

/// When a record is a dead letter for lack of fields.
enum class MissingFields : uint8_t {
  kAll,  ///< every selected field is missing or null
  kAny,  ///< at least one selected field is missing or null
};

/// What happens to a record with Kafka's null value (a tombstone).
enum class NullValue : uint8_t {
  kDeadLetter,  ///< dead letter with reason null_value
  kUnique,      ///< passes to unique, neither compared nor remembered
};

/// What happens to a record whose time field is missing or null.
enum class MissingTime : uint8_t {
  kDeadLetter,  ///< dead letter with reason event_time
  kTimestamp,   ///< the record's timestamp is its event time
};

enum class TimeFormat : uint8_t {
  kRfc3339,       ///< 2026-01-31T12:00:00Z, with optional fraction and offset
  kMilliseconds,  ///< integer milliseconds since 1970
  kSeconds,       ///< seconds since 1970, fraction allowed
};

/// How the values of a topic are encoded. The library itself compares JSON: whoever hands records
/// to it decodes them first.
enum class RecordFormat : uint8_t {
  kAuto,     ///< each record by its first bytes: the frame of a schema registry, or else JSON
  kJson,     ///< a JSON object, which may have such a frame
  kText,     ///< UTF-8 text; its JSON is {"text": ...}
  kMsgpack,  ///< MessagePack
  kAvro,     ///< Avro in the frame of a schema registry
};

struct RecordOptions {
  RecordFormat format = RecordFormat::kAuto;
  /// Empty: every top-level field that is not excluded.
  std::vector<FieldSelector> fields;
  /// Top-level names or JSON Pointers that are never compared, not even inside a selected field.
  std::vector<std::string> exclude;
  MissingFields missing_fields = MissingFields::kAll;
  NullValue null_value = NullValue::kDeadLetter;
  /// The field that holds the event time; empty: the record's timestamp is the event time.
  std::string time_field;
  TimeFormat time_format = TimeFormat::kRfc3339;
  MissingTime missing_time = MissingTime::kDeadLetter;
  /// A record with a larger payload is a dead letter.
  size_t record_bytes_max = size_t{64} << 20;
  static constexpr Range<size_t> kRecordBytesMaxRange = {size_t{1} << 10, size_t{1} << 30};
  /// A record with deeper nested JSON is a dead letter.
  size_t depth_max = 128;
  static constexpr Range<size_t> kDepthMaxRange = {1, 1024};

  bool operator==(const RecordOptions&) const = default;
};

/// The kinds of text parts that are compared as equal whatever they say; detect/feature/mask.h
/// defines each kind.
struct Masks {
  bool timestamp = false;
  bool time = false;
  bool uuid = false;
  bool ip = false;
  bool pointer = false;
  bool hex = false;
  bool number = false;

  constexpr bool any() const { return timestamp || time || uuid || ip || pointer || hex || number; }
  bool operator==(const Masks&) const = default;
};

struct FeatureOptions {
  /// A record with fewer distinct tokens matches only equal records. Tokens of key fields do not
  /// count.
  uint32_t features_min = 12;
  static constexpr Range<uint32_t> kFeaturesMinRange = {0, 1000};
  /// Remove tags of HTML from text, and decode its named characters, before tokenising.
  bool markup = true;
  /// For streams, such as logs, whose repeated records differ in times, addresses or numbers.
  Masks masks;

  bool operator==(const FeatureOptions&) const = default;
};

struct WindowOptions {
  /// 3,653 days: ten years with up to three leap days.
  static constexpr int64_t kTenYearsMs = int64_t{3653} * 24 * 3600 * 1000;

  /// Two records match only if their event times are at most this far apart.
  int64_t window_ms = int64_t{24} * 3600 * 1000;
  static constexpr Range<int64_t> kWindowRange = {1000, kTenYearsMs};
  /// Entries are kept this much longer than the window, for records that arrive late.
  int64_t lateness_ms = int64_t{10} * 60 * 1000;
  static constexpr Range<int64_t> kLatenessRange = {0, kTenYearsMs};
  /// An event time more than this ahead of the clock is set back to the clock plus this.
  int64_t ahead_max_ms = int64_t{60} * 60 * 1000;
  static constexpr Range<int64_t> kAheadMaxRange = {0, kTenYearsMs};
  /// Largest number of remembered entries; the oldest are evicted first.
  uint64_t entries_max = 1'000'000;
  static constexpr Range<uint64_t> kEntriesMaxRange = {1000, 1'000'000'000};

  bool operator==(const WindowOptions&) const = default;
};

/// When two records are duplicates, and how originals are found. Records with equal selected fields
/// always are duplicates; other records by the distances of their simhashes and of their orders.
struct MatchOptions {
  /// Near records share about this share of their phrases (three tokens in a row) or more. It
  /// limits both distances below (detect/index/match.h); the stricter limit holds. 0: only the
  /// distances do.
  double similarity = 0.6;
  static constexpr Range<double> kSimilarityRange = {0.5, 0.95};
  /// Largest Hamming distance of two simhashes, inclusive. 0: only equal records match.
  int distance_max = 8;
  static constexpr Range<int> kDistanceMaxRange = {0, 12};
  /// Largest sum of the distance of the simhashes and the distance of the orders.
  int distance_sum_max = 24;
  static constexpr Range<int> kDistanceSumMaxRange = {0, 128};
  /// Largest simhash distance of two records that share no text key. Unrelated records share none,
  /// so this keeps chance matches rare in a large window. 0: such records match only if they are
  /// equal.
  int distance_chance_max = 12;
  static constexpr Range<int> kDistanceChanceMaxRange = {0, 12};
  /// A record of n distinct tokens is allowed a distance of at most n / features_per_bit, because
  /// in a short record a single word may tell two records apart. 0: no such limit.
  uint32_t features_per_bit = 3;
  static constexpr Range<uint32_t> kFeaturesPerBitRange = {0, 100};
  /// Allow 2 more bits in both distances for each text key that two records share: at most 6 in the
  /// distance of the words, and 4 in the sum. Requires text_keys.
  bool widen = false;
  /// Look records up by their text keys too, which finds most originals beyond the guarantee.
  bool text_keys = true;
  /// Look up blocks with one bit flipped too: raises the guarantee from 3 to 7 bits, at 64 more
  /// probes per record.
  bool neighbours = false;
  /// Near records must not hold numbers that conflict: numbers that only one of them has, on both
  /// sides, in more than 2 % of the distinct tokens (detect/index/match.h). Holds for suspects too.
  bool numbers = true;
  /// A record that is no duplicate is a suspect (Match::suspect) if it is as near to an entry as
  /// this distance instead of distance_max allows, without features_per_bit, and with a
  /// distance_sum_max that is larger by the same number of bits. Has no effect unless it is larger
  /// than distance_max, or if that is 0.
  int suspect_distance_max = 0;
  static constexpr Range<int> kSuspectDistanceMaxRange = {0, 16};

  bool operator==(const MatchOptions&) const = default;
};

/// Only records with equal selected fields match. Fingerprints then consist of the exact hash.
constexpr bool ExactOnly(const MatchOptions& match) { return match.distance_max == 0; }

/// Every original within this simhash distance that the other options accept is found.
constexpr int GuaranteedDistance(const MatchOptions& match) {
  const int most = match.neighbours ? 7 : 3;
  return match.distance_max < most ? match.distance_max : most;
}

struct FilterOptions {
  RecordOptions record;
  FeatureOptions feature;
  Model model;
  MatchOptions match;
  WindowOptions window;

  bool operator==(const FilterOptions&) const = default;
};

/// Options for a Fingerprinter whose fingerprints are decided again at other distances: as
/// `options`, but the fingerprints have a simhash, an order and text keys also where distance_max
/// is 0. Do not give them to a Filter, because their distance_max is at least 1.
FilterOptions WithNearFeatures(FilterOptions options);

/// Canonical JSON text of everything that gives a fingerprint its meaning (fields, features,
/// algorithm version), and of nothing else. Window and capacity are not part of it. The distance
/// counts only as 0 (ExactOnly) or not 0. Two filters with equal texts compute equal fingerprints;
/// a filter refuses state of another text.
std::string FingerprintSpec(const FilterOptions& options);

}  // namespace neardup
