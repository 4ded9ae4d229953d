// Collects the selected texts and the event time of a document, and what is wrong with them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "detect/record/field_extractor.h"
#include "detect/record/field_selection.h"
#include "detect/record/json_syntax.h"
#include "neardup/options.h"
#include "neardup/verdict.h"

namespace neardup {

/// Follows a walk over a document without knowing how JSON is read. For each record the walk calls
/// Start; then Member or Element for each value in a place that matters(), and Take or
/// TakeContainer with the value itself; then Finish. Keeps scratch memory: one instance per thread.
class Collector {
 public:
  /// Where a value stands, as far as the selection is concerned.
  struct Place {
    uint32_t node = Selection::kNoNode;   ///< the node of its key, while selectors continue below
    int32_t field = Selection::kNoField;  ///< the field that its text belongs to
    uint32_t depth = 0;                   ///< 0: the root
    uint64_t path_hash = 0;               ///< as TextPiece::path_hash

    /// False: nothing here or below is compared or tells the time.
    bool matters() const { return node != Selection::kNoNode || field != Selection::kNoField; }
  };

  /// The options must be valid.
  explicit Collector(const RecordOptions& options);

  void Start();
  Place root() const;
  /// The place of a member of an object. `key` must live until Finish; `offset` is the byte it
  /// stands at, for an error text.
  Place Member(const Place& parent, std::string_view key, size_t offset);
  /// The place of an element of an array.
  Place Element(const Place& parent, uint64_t index) const;
  /// A string without quotes and escapes, or another scalar as it is written. `text` must live
  /// until the pieces are no longer used.
  void Take(const Place& place, JsonKind kind, std::string_view text);
  /// An object or an array.
  void TakeContainer(const Place& place, JsonKind kind);
  /// Fills in the pieces and the event time, or the first reason why the record is a dead letter.
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
  std::vector<uint64_t> seen_;     ///< per node: the last record_number_ that had it
  std::vector<uint64_t> present_;  ///< per field: the last record_number_ with a value but null
  std::optional<int64_t> field_time_ms_;
  // Used only if no fields are listed:
  bool null_found_ = false;  ///< a top-level field is null
  std::vector<std::pair<uint64_t, std::string_view>> top_level_keys_;  ///< path hash and key
};

}  // namespace neardup
