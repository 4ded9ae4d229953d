// Finds out what the fields of a stream hold, from a sample of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "detect/feature/token_list.h"
#include "detect/feature/tokeniser.h"
#include "learn/record_fields.h"

namespace neardup {

// Recognises texts that are a time.

/// Whether the whole text is a time of day, with a date or with seconds. Accepted are RFC 3339,
/// seconds or milliseconds since 1970 from 2001 to 2033, and what logs and web forms write, such as
/// "2017/6/8 17:31:20" and "Dec 10 06:55:46". A date without a time of day is not accepted: it may
/// be what the record is about.
bool IsTimeText(std::string_view text);

/// What a field is for when two records are compared.
enum class FieldRole : uint8_t {
  kText,        ///< compared by likeness
  kKey,         ///< must agree
  kFree,        ///< may differ where the text says what the record is
  kIdentifier,  ///< this role and the following: left out, since it says nothing of the content
  kTime,
  kAddress,
  kCounter,
};
const char* Name(FieldRole role);

/// Whether fields of this role are looked at by the filter.
constexpr bool IsCompared(FieldRole role) { return role <= FieldRole::kFree; }

/// What the sample shows of a field. A record counts as having the field if its value is neither
/// missing nor null nor empty. `present` is a share (0 to 1) of all records; all other shares and
/// means are over the records that have the field.
struct FieldFacts {
  /// A top-level name or a JSON Pointer, as record.fields takes it. `*` stands for the elements of
  /// an array.
  std::string path;
  size_t records = 0;  ///< that have the field
  double present = 0;
  size_t values = 0;    ///< number of distinct values
  double distinct = 0;  ///< distinct values per record
  /// The same for all records that the studied ones were drawn from, estimated. Headings that come
  /// again in every file seem different in a small part of the records.
  double distinct_of_all = 0;
  double most_frequent = 0;  ///< share of the most frequent value
  /// The chance that two records have the same value.
  double match = 0;
  double tokens_mean = 0;
  double bytes_mean = 0;
  double times = 0;      ///< share for which IsTimeText is true
  double dates = 0;      ///< share of dates without a time of day: 2026-01-31
  double numbers = 0;    ///< share of numbers
  double long_ids = 0;   ///< share of whole numbers of seven or more digits
  double words = 0;      ///< share of one word: printable ASCII without white space
  double hashes = 0;     ///< share of UUIDs, and of 32 or more hex digits
  double addresses = 0;  ///< share of addresses of the web
  double levels = 0;     ///< share of levels of a log: info, WARN, 30
  double worded = 0;     ///< share of its tokens that do not begin with a digit
  /// Share of the records, in order, whose whole number is 1 above the number of the previous
  /// record.
  double steps = 0;
  /// Share of the records in which this field and others are dates, and none of the other
  /// fields is later.
  double latest_dates = 0;
};

struct StudiedField {
  FieldFacts facts;
  FieldName name;
  FieldRole role = FieldRole::kKey;
  FieldRole by_nature = FieldRole::kKey;  ///< the role that JudgeField gave
  std::string reason;                     ///< why it has this role, for people
};

/// Whether its values are texts: sentences, titles, messages.
bool IsTextual(const StudiedField& field);
/// Whether its values name a record: short texts of several words. `distinct` is
/// FieldFacts::distinct_of_all of the texts: a title is at least half as distinct.
bool IsTitle(const StudiedField& field, double distinct);
/// Whether its values are one word or number each, and all different.
bool IsDistinctWord(const FieldFacts& facts);

/// The role that a field has by its values and its name alone: kKey, or the role of a field that
/// says when, where from or by which delivery a record was written. A field of which nothing is
/// known is content.
StudiedField JudgeField(FieldFacts facts);

/// Collects the facts of all fields. Only one thread may use it.
class FieldStudy {
 public:
  /// The records that are added were drawn at random from this many; 0: they are all, in their
  /// order.
  explicit FieldStudy(size_t records_of_all = 0);

  /// A payload that is no JSON object counts as a record without fields.
  void Add(std::string_view payload);
  /// False once so many values were studied that more records would cost too much time.
  bool wants_more() const { return values_ < kValuesMax; }

  /// Returns the studied fields (at most kFieldsMax), in the order of their paths.
  std::vector<StudiedField> Finish() const;

  /// Only the first 1,500 fields are studied. Records with more of them use data as names.
  static constexpr size_t kFieldsMax = 1500;
  static constexpr size_t kValuesMax = 300'000;
  /// Number of values whose field was not studied.
  uint64_t fields_left_out() const { return fields_left_out_; }

 private:
  struct Counts {
    FieldFacts sums;  ///< its shares and means are sums; Finish divides them
    int64_t number_before = 0;
    std::unordered_map<uint64_t, size_t> values;  ///< records by hash of the value
  };

  void Count(Counts& counts, const RecordField& field);
  /// FieldFacts::distinct_of_all, from the number of values that were seen once and twice.
  double DistinctOfAll(const FieldFacts& facts, size_t once, size_t twice) const;

  Tokeniser tokeniser_;
  TokenList tokens_;  ///< scratch
  RecordFields reader_;
  size_t records_of_all_;
  size_t records_ = 0;
  size_t values_ = 0;
  uint64_t fields_left_out_ = 0;
  std::vector<Counts> fields_;
  std::unordered_map<std::string, size_t> numbers_;  ///< index into fields_ by path
};

}  // namespace neardup
