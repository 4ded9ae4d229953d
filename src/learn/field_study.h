// Which fields of a stream are worth comparing, from a sample of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "feature/text_features.h"
#include "feature/tokeniser.h"
#include "record/field_selection.h"

namespace neardup {

enum class FieldRole : uint8_t {
  kText,
  kShortText,
  kIdentifier,  ///< the following are better left out
  kTime,
  kConstant,
  kFlag,
  kRare,
};
const char* Name(FieldRole role);
constexpr bool IsCompared(FieldRole role) {
  return role == FieldRole::kText || role == FieldRole::kShortText;
}

/// What was seen of a field. Shares are of the records in which it is present, that of `present`
/// itself is of all records.
struct FieldFacts {
  /// A top-level name or a JSON Pointer, as record.fields takes it. An array is one field, whatever
  /// it holds.
  std::string path;
  size_t records = 0;
  /// Share of the records where it is neither missing nor null nor empty.
  double present = 0;
  size_t values = 0;         ///< distinct ones
  double distinct = 0;       ///< values per record
  double most_frequent = 0;  ///< share of the most frequent value
  double tokens_mean = 0;
  double bytes_mean = 0;
  double times = 0;  ///< share that is a time of day with its date
  double numbers = 0;
  double flags = 0;  ///< true, false and what is written in their place
  double words = 0;  ///< share that is one word: an ASCII text without white space
};

struct StudiedField {
  FieldFacts facts;
  FieldRole role = FieldRole::kText;
  /// Why, for a person.
  std::string reason;
};

/// The role that fits these facts, and why.
StudiedField JudgeField(FieldFacts facts);

/// The shorter selector of a place: a top-level name, or else a JSON Pointer.
std::string SelectorOf(const FieldPath& path);

/// One owner thread.
class FieldStudy {
 public:
  FieldStudy();

  /// What is no JSON object is counted and otherwise left out.
  void Add(std::string_view payload);

  /// In the order in which they were first met.
  std::vector<StudiedField> Finish() const;

  /// Fields beyond the first 500 are not studied: keys that are data.
  static constexpr size_t kFieldsMax = 500;
  uint64_t fields_left_out() const { return fields_left_out_; }

 private:
  struct Counts {
    std::string path;
    size_t present = 0;
    size_t tokens = 0;
    size_t bytes = 0;
    size_t times = 0;
    size_t numbers = 0;
    size_t flags = 0;
    size_t words = 0;
    std::unordered_map<uint64_t, size_t> values;  ///< records by hash of the value
  };

  void Count(Counts& counts, std::string_view text);

  Tokeniser tokeniser_;
  TokenList tokens_;
  size_t records_ = 0;
  uint64_t fields_left_out_ = 0;
  std::vector<Counts> fields_;
  std::unordered_map<std::string, size_t> numbers_;  ///< of fields_, by JSON Pointer
};

}  // namespace neardup
