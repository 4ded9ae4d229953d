#include "detect/record/field_collector.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "detect/base/message_text.h"
#include "detect/record/event_time.h"
#include "detect/record/field_names.h"

namespace neardup {
namespace {

/// The text in quotes, for an error; a long one is cut, but never inside a character.
std::string Excerpt(std::string_view text) {
  constexpr size_t kBytesMax = 48;
  return fmt::format("\"{}{}\"", CutAtCharacter(text, kBytesMax),
                     text.size() > kBytesMax ? "..." : "");
}

}  // namespace

Collector::Collector(const RecordOptions& options)
    : options_(options),
      selection_(options),
      seen_(selection_.node_count(), 0),
      present_(selection_.fields().size(), 0) {}

void Collector::Start() {
  ++record_number_;
  pieces_.clear();
  reason_ = Reason::kNone;
  field_time_ms_.reset();
  null_found_ = false;
  top_level_keys_.clear();
}

Collector::Place Collector::root() const {
  return {Selection::kRoot, selection_.root_field(), 0, 0};
}

Collector::Place Collector::Member(const Place& parent, std::string_view key, size_t offset) {
  Place child;
  child.field = parent.field;
  child.depth = parent.depth + 1;
  child.path_hash = MemberPathHash(parent.path_hash, key);
  const uint32_t number =
      parent.node == Selection::kNoNode ? Selection::kNoNode : selection_.Child(parent.node, key);
  if (number != Selection::kNoNode) {
    Enter(number, child);
    const bool again = std::exchange(seen_[number], record_number_) == record_number_;
    if (again && selection_.node(number).once) {
      Refuse(Reason::kDuplicateKey,
             fmt::format("the field {} occurs twice, the second time at byte {}",
                         selection_.node(number).pointer, offset));
    }
  }
  const bool is_rest =
      selection_.root_field() != Selection::kNoField && child.field == selection_.root_field();
  if (child.depth == 1 && is_rest) {
    top_level_keys_.emplace_back(child.path_hash, key);
  }
  return child;
}

Collector::Place Collector::Element(const Place& parent, uint64_t index) const {
  Place child;
  child.field = parent.field;
  child.depth = parent.depth + 1;
  child.path_hash = ElementPathHash(parent.path_hash, index);
  if (parent.node != Selection::kNoNode) {
    char digits[20];
    const auto end = std::to_chars(digits, digits + sizeof digits, index).ptr;
    const std::string_view key(digits, static_cast<size_t>(end - digits));
    uint32_t number = selection_.Child(parent.node, key);
    if (number == Selection::kNoNode) number = selection_.Child(parent.node, kAnyElement);
    if (number != Selection::kNoNode) Enter(number, child);
  }
  return child;
}

void Collector::Enter(uint32_t node_number, Place& child) const {
  const Selection::Node& node = selection_.node(node_number);
  if (node.excluded) child.field = Selection::kNoField;
  if (node.field != Selection::kNoField) child.field = node.field;
  if (node.time || !node.children.empty()) child.node = node_number;
}

void Collector::Take(const Place& place, JsonKind kind, std::string_view text) {
  if (kind == JsonKind::kNull) {
    null_found_ = null_found_ || (place.depth == 1 && place.field != Selection::kNoField);
    return;
  }
  TakeTime(place, kind, text);
  if (place.field == Selection::kNoField) return;
  const auto field = static_cast<uint32_t>(place.field);
  present_[field] = record_number_;
  const Selection::Field& selected = selection_.fields()[field];
  pieces_.push_back({field, selected.weight16, text, place.path_hash, selected.key, selected.free,
                     kind == JsonKind::kNumber});
}

void Collector::TakeContainer(const Place& place, JsonKind kind) {
  TakeTime(place, kind, {});
  if (place.field != Selection::kNoField) present_[place.field] = record_number_;
}

void Collector::TakeTime(const Place& place, JsonKind kind, std::string_view text) {
  if (place.node == Selection::kNoNode || !selection_.node(place.node).time) return;
  const bool readable = kind == JsonKind::kString ||
                        (kind == JsonKind::kNumber && options_.time_format != TimeFormat::kRfc3339);
  if (readable) field_time_ms_ = ParseEventTime(text, options_.time_format);
  if (field_time_ms_) return;
  Refuse(Reason::kEventTime,
         fmt::format("the time field {} is {}, expected {}", selection_.node(place.node).pointer,
                     readable ? Excerpt(text) : Name(kind), Expectation(options_.time_format)));
}

void Collector::Finish(ExtractedRecord& result) {
  CheckTopLevelKeys();
  CheckMissing();
  CheckTime(result);
  result.pieces.swap(pieces_);
  if (reason_ != Reason::kNone) result.outcome.Fail(reason_, std::move(error_));
}

void Collector::CheckTopLevelKeys() {
  std::sort(top_level_keys_.begin(), top_level_keys_.end());
  const auto twice = std::adjacent_find(
      top_level_keys_.begin(), top_level_keys_.end(),
      [](const auto& left, const auto& right) { return left.first == right.first; });
  if (twice == top_level_keys_.end()) return;
  Refuse(Reason::kDuplicateKey,
         fmt::format("the top-level field {} occurs twice, expected once", Excerpt(twice->second)));
}

void Collector::CheckMissing() {
  const bool any_is_enough = options_.missing_fields == MissingFields::kAny;
  size_t missing = 0;
  const Selection::Field* first_missing = nullptr;
  for (size_t i = 0; i < present_.size(); ++i) {
    if (present_[i] == record_number_) continue;
    ++missing;
    if (first_missing == nullptr) first_missing = &selection_.fields()[i];
  }
  if (selection_.everything()) {
    if (missing == 0 && !(any_is_enough && null_found_)) return;
    Refuse(Reason::kMissingField,
           missing == 0 ? "a top-level field is null, and record.missing_fields is any"
                        : "no top-level field holds anything to compare");
  } else if (missing == present_.size()) {
    Refuse(Reason::kMissingField,
           fmt::format("all selected fields are missing or null (the first is {})",
                       first_missing->pointer));
  } else if (any_is_enough && missing > 0) {
    Refuse(Reason::kMissingField,
           fmt::format("the selected field {} is missing or null, and record.missing_fields is any",
                       first_missing->pointer));
  }
}

void Collector::CheckTime(ExtractedRecord& result) {
  if (options_.time_field.empty()) return;
  if (field_time_ms_) {
    result.outcome.time_ms = *field_time_ms_;
    return;
  }
  if (options_.missing_time == MissingTime::kTimestamp) return;
  Refuse(Reason::kEventTime,
         fmt::format("the time field {} is missing or null, expected {}; with record.missing_time: "
                     "timestamp, the timestamp of such a record counts",
                     options_.time_field, Expectation(options_.time_format)));
}

void Collector::Refuse(Reason reason, std::string text) {
  if (reason_ != Reason::kNone) return;
  reason_ = reason;
  error_ = std::move(text);
}

}  // namespace neardup
