// Finds out which fields of a stream are worth comparing, from a sample of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "feature/token_list.h"
#include "feature/tokeniser.h"
#include "record/field_selection.h"

namespace neardup {

enum class FieldRole : uint8_t {
  kProse,  ///< what people read and compare: sentences, most of them found in no other record
  kText,   ///< longer than a name, but made of parts that many records share
  kShortText,
  kIdentifier,  ///< this role and the following: better left out
  kTime,
  kConstant,
  kFlag,
  kMetadata,  ///< says something about a record whose prose says what it is
  kRare,
};
const char* Name(FieldRole role);

/// Whether fields of this role are worth comparing.
constexpr bool IsCompared(FieldRole role) {
  return role == FieldRole::kProse || role == FieldRole::kText || role == FieldRole::kShortText;
}

/// What the sample shows of a field. A record counts as having the field if its value is neither
/// missing nor null nor empty. `present` is a share (0 to 1) of all records; all other shares and
/// means are over the records that have the field.
struct FieldFacts {
  /// A top-level name or a JSON Pointer, as record.fields takes it. An array is one field, whatever
  /// it holds.
  std::string path;
  size_t records = 0;  ///< that have the field
  double present = 0;
  /// Share of the records that name the field, whatever its value, for which it is not empty.
  double filled = 0;
  size_t values = 0;    ///< number of distinct values
  double distinct = 0;  ///< distinct values per record
  /// The same for all records that the studied ones were drawn from, estimated. Headings that come
  /// again in every file seem different in a small part of the records.
  double distinct_of_all = 0;
  /// Tokens of one item of an array, on average; of the whole value if it is no array. An array of
  /// names or tags has many tokens, but says nothing.
  double tokens_of_item = 0;
  double most_frequent = 0;  ///< share of the most frequent value
  double tokens_mean = 0;
  double bytes_mean = 0;
  double times = 0;  ///< share for which IsTimeText is true
  double numbers = 0;
  double flags = 0;  ///< share of true, false, yes, no, 1, 0 and the like
  double words = 0;  ///< share of one word: printable ASCII without white space
  double codes = 0;  ///< share for which IsCodeText is true
  /// Share of the records whose value is a whole number larger than the whole number before it.
  double rises = 0;
  /// Share of the records in which the field is a date, as other fields are, and none of these is
  /// later.
  double latest_dates = 0;
  double worded = 0;  ///< share of its tokens that hold no digit
  /// Of the phrases (three tokens in a row) of its distinct values, the share that many values
  /// hold.
  double common_phrases = 0;
  /// Share of the records whose value has few tokens and is in another record, too: a formula, such
  /// as "fixed a typo", that says of what kind a record is.
  double formulas = 0;
};

struct StudiedField {
  FieldFacts facts;
  FieldRole role = FieldRole::kText;
  std::string reason;  ///< why it has this role, for people
};

/// Whether nearly all values are times or codes. The values alone say so, even in a small sample.
bool HoldsTimes(const FieldFacts& facts);
bool HoldsCodes(const FieldFacts& facts);

/// The role that fits these facts, and why.
StudiedField JudgeField(FieldFacts facts);

/// Whether nearly every record holds prose, so that the prose says what the records are.
bool ProseSaysAll(std::span<const StudiedField> fields);

/// If nearly every record holds prose, all other fields that would be compared become kMetadata: a
/// copy has the same text, but comes from another source, at another time, under another name.
/// Where a few records lack the prose, the longest text that all records have stays beside it, so
/// that those can be compared, too.
void LeaveMetadata(std::vector<StudiedField>& fields);

/// The shortest selector of a path: a top-level name, or else a JSON Pointer.
std::string SelectorOf(const FieldPath& path);

/// Collects the facts of all fields. Only one thread may use it.
class FieldStudy {
 public:
  /// The records that are added were drawn at random from this many; 0: they are all.
  explicit FieldStudy(size_t records_of_all = 0);

  /// A payload that is no JSON object counts as a record without fields.
  void Add(std::string_view payload);

  /// Returns the studied fields (at most kFieldsMax), in the order in which they were first seen,
  /// after LeaveMetadata.
  std::vector<StudiedField> Finish() const;

  /// Only the first 500 fields are studied. Records with more of them use data as names.
  static constexpr size_t kFieldsMax = 500;
  /// Number of values whose field was not studied.
  uint64_t fields_left_out() const { return fields_left_out_; }

 private:
  struct Counts {
    std::string path;
    size_t named = 0;
    size_t present = 0;
    size_t tokens = 0;
    size_t items = 0;
    size_t bytes = 0;
    size_t times = 0;
    size_t numbers = 0;
    size_t flags = 0;
    size_t words = 0;
    size_t codes = 0;
    size_t rises = 0;
    size_t latest_dates = 0;
    int64_t number_before = 0;
    struct Value {
      size_t records = 0;
      size_t tokens = 0;
    };
    std::unordered_map<uint64_t, Value> values;    ///< by hash of the value
    std::unordered_map<uint64_t, size_t> phrases;  ///< distinct values by hash of the phrase
    size_t value_tokens = 0;                       ///< of the distinct values, as far as looked at
    size_t worded = 0;                             ///< of these, without a digit
  };

  void Count(Counts& counts, std::string_view text, size_t items);
  /// FieldFacts::distinct_of_all, from the number of values that were seen once and twice.
  double DistinctOfAll(const FieldFacts& facts, size_t once, size_t twice) const;
  /// Counts the words and phrases of tokens_, which are those of a value that is new.
  void CountPhrases(Counts& counts);

  Tokeniser tokeniser_;
  TokenList tokens_;  ///< scratch
  size_t records_of_all_;
  size_t records_ = 0;
  uint64_t fields_left_out_ = 0;
  std::vector<Counts> fields_;
  std::unordered_map<std::string, size_t> numbers_;  ///< index into fields_ by JSON Pointer
};

}  // namespace neardup
