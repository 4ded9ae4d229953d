#include "record/field_collector.h"

#include <simdjson.h>

#include <algorithm>
#include <charconv>

#include "base/hash.h"
#include "record/event_time.h"

namespace neardup {

namespace {

size_t CountDigits(std::string_view text) {
  size_t count = 0;
  while (count < text.size() && text[count] >= '0' && text[count] <= '9') ++count;
  return count;
}

bool StartsWithAny(std::string_view text, std::string_view choices) {
  return !text.empty() && choices.find(text.front()) != std::string_view::npos;
}

/// The code unit of an escape `\uXXXX` that `text` begins with; -1 if it does not.
int EscapedUnit(std::string_view text) {
  if (text.size() < 6 || text[0] != '\\' || text[1] != 'u') return -1;
  unsigned unit = 0;
  const char* end = text.data() + 6;
  const auto [stop, error] = std::from_chars(text.data() + 2, end, unit, 16);
  return error == std::errc() && stop == end ? static_cast<int>(unit) : -1;
}

bool IsHighSurrogate(int unit) { return unit >= 0xD800 && unit <= 0xDBFF; }
bool IsLowSurrogate(int unit) { return unit >= 0xDC00 && unit <= 0xDFFF; }

}  // namespace

const char* Name(JsonKind kind) {
  switch (kind) {
    case JsonKind::kObject:
      return "an object";
    case JsonKind::kArray:
      return "an array";
    case JsonKind::kString:
      return "a string";
    case JsonKind::kNumber:
      return "a number";
    case JsonKind::kBoolean:
      return "a boolean";
    case JsonKind::kNull:
      return "null";
  }
  return "a value";
}

std::optional<JsonKind> ScalarKind(std::string_view text) {
  if (text == "null") return JsonKind::kNull;
  if (text == "true" || text == "false") return JsonKind::kBoolean;
  if (IsJsonNumber(text)) return JsonKind::kNumber;
  return std::nullopt;
}

bool IsJsonNumber(std::string_view text) {
  if (StartsWithAny(text, "-")) text.remove_prefix(1);
  const size_t whole = CountDigits(text);
  if (whole == 0 || (whole > 1 && text.front() == '0')) return false;
  text.remove_prefix(whole);
  if (StartsWithAny(text, ".")) {
    text.remove_prefix(1);
    const size_t fraction = CountDigits(text);
    if (fraction == 0) return false;
    text.remove_prefix(fraction);
  }
  if (StartsWithAny(text, "eE")) {
    text.remove_prefix(1);
    if (StartsWithAny(text, "+-")) text.remove_prefix(1);
    const size_t exponent = CountDigits(text);
    if (exponent == 0) return false;
    text.remove_prefix(exponent);
  }
  return text.empty();
}

std::string_view TrimEnd(std::string_view text) {
  while (!text.empty() && (text.back() == ' ' || text.back() == '\n' || text.back() == '\r' ||
                           text.back() == '\t')) {
    text.remove_suffix(1);
  }
  return text;
}

bool HasLoneSurrogate(std::string_view raw) {
  size_t at = 0;
  while ((at = raw.find('\\', at)) != std::string_view::npos) {
    const int unit = EscapedUnit(raw.substr(at));
    if (IsLowSurrogate(unit)) return true;
    if (IsHighSurrogate(unit)) {
      at += 6;
      if (!IsLowSurrogate(EscapedUnit(raw.substr(at)))) return true;
    }
    at += unit < 0 ? 2 : 6;
  }
  return false;
}

size_t FirstInvalidUtf8(std::string_view text) {
  size_t at = 0;
  // Whole stretches first, so that a fault at the end of a large payload is found fast. A stretch
  // may be up to 3 bytes longer, to end where a character ends.
  for (const size_t stride : {size_t{1} << 16, size_t{1} << 8, size_t{1}}) {
    bool advanced = true;
    while (advanced) {
      advanced = false;
      for (size_t size = stride; size < stride + 4 && at + size <= text.size(); ++size) {
        if (simdjson::validate_utf8(text.data() + at, size)) {
          at += size;
          advanced = true;
          break;
        }
      }
    }
  }
  return at;
}

namespace {

uint64_t ElementHash(uint64_t parent, uint64_t index) {
  char bytes[8];
  for (int i = 0; i < 8; ++i) bytes[i] = static_cast<char>(index >> (8 * i));
  return Hash64({bytes, sizeof bytes}, ~parent);
}

/// The start of a text for an error, never half a character.
std::string Excerpt(std::string_view text) {
  constexpr size_t kBytesMax = 48;
  if (text.size() <= kBytesMax) return '"' + std::string(text) + '"';
  size_t size = kBytesMax;
  while (size > 0 && (static_cast<unsigned char>(text[size]) & 0xC0) == 0x80) --size;
  return '"' + std::string(text.substr(0, size)) + "...\"";
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
  return {Selection::kRoot, selection_.everything() ? 0 : Selection::kNoField, 0, 0};
}

Collector::Place Collector::Member(const Place& parent, std::string_view key, size_t offset) {
  Place child;
  child.field = parent.field;
  child.depth = parent.depth + 1;
  child.path_hash = Hash64(key, parent.path_hash);
  const uint32_t number =
      parent.node == Selection::kNoNode ? Selection::kNoNode : selection_.Child(parent.node, key);
  if (number != Selection::kNoNode) {
    Enter(number, child);
    const bool again = std::exchange(seen_[number], record_number_) == record_number_;
    if (again && selection_.node(number).once) {
      Refuse(Reason::kDuplicateKey, "the field " + selection_.node(number).pointer +
                                        " stands twice, again at byte " + std::to_string(offset));
    }
  }
  if (child.depth == 1 && selection_.everything() && child.field != Selection::kNoField) {
    top_level_keys_.emplace_back(child.path_hash, key);
  }
  return child;
}

Collector::Place Collector::Element(const Place& parent, uint64_t index) const {
  Place child;
  child.field = parent.field;
  child.depth = parent.depth + 1;
  child.path_hash = ElementHash(parent.path_hash, index);
  if (parent.node != Selection::kNoNode) {
    char digits[20];
    const auto end = std::to_chars(digits, digits + sizeof digits, index).ptr;
    const std::string_view key(digits, static_cast<size_t>(end - digits));
    const uint32_t number = selection_.Child(parent.node, key);
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
  pieces_.push_back({field, selected.weight16, text, place.path_hash, selected.key});
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
  Refuse(Reason::kEventTime, "the time field " + selection_.node(place.node).pointer + " is " +
                                 (readable ? Excerpt(text) : Name(kind)) + ", expected " +
                                 Expectation(options_.time_format));
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
  Refuse(Reason::kDuplicateKey, "the field " + Excerpt(twice->second) + " stands twice");
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
           missing == 0 ? "a top-level field is null" : "there is no top-level field to compare");
  } else if (missing == present_.size()) {
    Refuse(Reason::kMissingField,
           "all selected fields are missing or null (the first is " + first_missing->pointer + ")");
  } else if (any_is_enough && missing > 0) {
    Refuse(Reason::kMissingField,
           "the selected field " + first_missing->pointer + " is missing or null");
  }
}

void Collector::CheckTime(ExtractedRecord& result) {
  if (options_.time_field.empty()) return;
  if (field_time_ms_) {
    result.outcome.time_ms = *field_time_ms_;
    return;
  }
  Refuse(Reason::kEventTime, "the time field " + options_.time_field +
                                 " is missing or null, expected " +
                                 Expectation(options_.time_format));
}

void Collector::Refuse(Reason reason, std::string text) {
  if (reason_ != Reason::kNone) return;
  reason_ = reason;
  error_ = std::move(text);
}

}  // namespace neardup
