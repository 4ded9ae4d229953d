// The bits of RFC 8259 that simdjson's On-Demand reader leaves to its caller.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "neardup/options.h"
#include "neardup/verdict.h"
#include "record/field_extractor.h"
#include "record/field_selection.h"

namespace neardup {

enum class JsonKind : uint8_t { kObject, kArray, kString, kNumber, kBoolean, kNull };

/// With its article, for error texts.
const char* Name(JsonKind kind);

/// What a number, true, false or null is; nullopt when the text is none of them.
std::optional<JsonKind> ScalarKind(std::string_view text);

/// Whether the text is one number of the JSON grammar, of any size.
bool IsJsonNumber(std::string_view text);

/// Takes JSON white space off the end.
std::string_view TrimEnd(std::string_view text);

/// Whether the raw text of a string (escapes as written) has a \uD800..\uDFFF escape that is not
/// half of a pair.
bool HasLoneSurrogate(std::string_view raw);

/// Offset of the first byte that is not part of a whole UTF-8 character; size if there is none.
size_t FirstInvalidUtf8(std::string_view text);

// What a walk over a document brings home: pieces, event time, and what is wrong with them.

/// For each record: Start, then for every member and element of a place that matters its own place
/// and what stands there, then Finish. Knows nothing of how JSON is read.
class Collector {
 public:
  /// Where a value stands, as far as selecting goes.
  struct Place {
    uint32_t node = Selection::kNoNode;
    int32_t field = Selection::kNoField;
    uint32_t depth = 0;
    uint64_t path_hash = 0;

    /// Else nothing there or below is compared or read.
    bool matters() const { return node != Selection::kNoNode || field != Selection::kNoField; }
  };

  explicit Collector(const RecordOptions& options);

  void Start();
  Place root() const;
  /// `key` must live until Finish; `offset` is its byte, for an error text.
  Place Member(const Place& parent, std::string_view key, size_t offset);
  Place Element(const Place& parent, uint64_t index) const;
  /// A string without quotes and escapes, or a scalar as it is written.
  void Take(const Place& place, JsonKind kind, std::string_view text);
  void TakeContainer(const Place& place, JsonKind kind);
  /// Fills in pieces and time, or the first reason against the record.
  void Finish(ExtractedRecord& result);

 private:
  void Enter(uint32_t node_number, Place& child) const;
  void TakeTime(const Place& place, JsonKind kind, std::string_view text);
  void CheckTopLevelKeys();
  void CheckMissing();
  void CheckTime(ExtractedRecord& result);
  /// Keeps the first reason.
  void Refuse(Reason reason, std::string text);

  RecordOptions options_;
  Selection selection_;
  std::vector<TextPiece> pieces_;
  Reason reason_ = Reason::kNone;
  std::string error_;
  uint64_t record_number_ = 0;
  std::vector<uint64_t> seen_;     ///< per node: number of the record it was last met in
  std::vector<uint64_t> present_;  ///< per field: likewise, with a value that is not null
  std::optional<int64_t> field_time_ms_;
  // Only when no fields are listed:
  bool null_found_ = false;  ///< a top-level field is null
  std::vector<std::pair<uint64_t, std::string_view>> top_level_keys_;
};

}  // namespace neardup
