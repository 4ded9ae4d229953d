#include "detect/record/field_extractor.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>
#include <utility>

#include "detect/record/field_collector.h"
#include "detect/record/foreign_format.h"
#include "detect/record/json_syntax.h"

namespace neardup {
namespace {

namespace ondemand = simdjson::ondemand;

/// Scratch memory for larger payloads is released when a smaller one arrives.
constexpr size_t kKeptBytes = size_t{1} << 20;

}  // namespace

/// One pass over the document with simdjson's On-Demand reader. It visits every value, so that all
/// are validated. The DOM would validate by itself, but it forgets how numbers are written and
/// refuses integers beyond 64 bits.
class FieldExtractor::Walk {
 public:
  explicit Walk(const RecordOptions& options) : options_(options), collector_(options) {
    Reserve(0);
  }

  const ExtractedRecord& Extract(const RecordView& record);

 private:
  using Place = Collector::Place;

  /// Makes room for a payload in buffer_ and parser_.
  void Reserve(size_t payload_bytes);
  // These return false once the record is a dead letter.
  bool ReadDocument(std::string_view payload);
  bool ReadScalarDocument(ondemand::document& document, std::string_view payload);
  bool ReadObject(ondemand::object object, const Place& place, size_t depth);
  bool ReadArray(ondemand::array array, const Place& place, size_t depth);
  bool ReadValue(ondemand::value value, const Place& place, size_t depth);
  bool ReadString(ondemand::value& value, std::string_view token, const Place& place);
  bool ReadKey(ondemand::field& field, std::string_view& key);

  /// Adds to the error what the payload is, if it is no JSON object.
  void NameFormat(std::string_view payload);
  /// Makes the record a dead letter and returns false.
  bool Fail(Reason reason, std::string text);
  bool FailDepth();
  bool FailParse(simdjson::error_code error);
  /// Offset of at_ in the payload.
  size_t Offset() const { return skipped_ + static_cast<size_t>(at_ - buffer_.data()); }

  RecordOptions options_;
  ondemand::parser parser_;
  std::vector<char> buffer_;
  /// Bytes of the payload before those in buffer_.
  size_t skipped_ = 0;
  /// The last token that was read, for error texts.
  const char* at_ = nullptr;

  ExtractedRecord result_;
  Collector collector_;
};

const ExtractedRecord& FieldExtractor::Walk::Extract(const RecordView& record) {
  result_.pieces.clear();
  result_.outcome = {.time_ms = record.time_ms};
  if (record.unreadable != nullptr) {
    result_.outcome = *record.unreadable;
    return result_;
  }
  if (!record.value) {
    result_.outcome.passed = options_.null_value == NullValue::kUnique;
    if (!result_.outcome.passed)
      Fail(Reason::kNullValue,
           "the value is null (a tombstone), expected a JSON object (record.null_value: unique "
           "lets it pass)");
    return result_;
  }
  if (record.value->size() > options_.record_bytes_max) {
    Fail(Reason::kTooLarge,
         fmt::format("the payload has more than {} bytes (record.record_bytes_max)",
                     options_.record_bytes_max));
    NameFormat(*record.value);
    return result_;
  }
  collector_.Start();
  if (ReadDocument(*record.value)) {
    collector_.Finish(result_);
  } else {
    NameFormat(*record.value);
  }
  return result_;
}

void FieldExtractor::Walk::NameFormat(std::string_view payload) {
  ReadOutcome& outcome = result_.outcome;
  const bool is_json =
      outcome.reason == Reason::kTooDeep || outcome.reason == Reason::kDuplicateKey;
  if (is_json) return;
  const std::optional<ForeignFormat> format = FormatOfPayload(payload);
  if (!format) return;
  if (format->at > 0) outcome.error = fmt::format("not JSON at byte {}", format->at);
  outcome.error += fmt::format("; found {}: {}", format->what, format->remedy);
}

void FieldExtractor::Walk::Reserve(size_t payload_bytes) {
  const bool shrink = parser_.capacity() > kKeptBytes && payload_bytes <= kKeptBytes;
  if (shrink) {
    parser_ = ondemand::parser();
    buffer_ = std::vector<char>();
  }
  if (shrink || parser_.capacity() < payload_bytes || parser_.capacity() == 0) {
    const size_t capacity = std::bit_ceil(std::max(payload_bytes, size_t{4096}));
    buffer_.resize(capacity + simdjson::SIMDJSON_PADDING);
    // The reader enters at most a few levels below the container that is refused as too deep.
    if (parser_.allocate(capacity, options_.depth_max + 8) != simdjson::SUCCESS) {
      throw std::bad_alloc();
    }
  }
}

bool FieldExtractor::Walk::ReadDocument(std::string_view payload) {
  skipped_ = payload.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
  payload = TrimEnd(payload.substr(skipped_));
  if (payload.empty()) return Fail(Reason::kParse, "the payload is empty, expected a JSON object");
  Reserve(payload.size());
  std::memcpy(buffer_.data(), payload.data(), payload.size());
  std::memset(buffer_.data() + payload.size(), 0, simdjson::SIMDJSON_PADDING);
  const std::string_view text(buffer_.data(), payload.size());
  at_ = buffer_.data();

  ondemand::document document;
  const auto started = parser_.iterate(text.data(), text.size(), buffer_.size()).get(document);
  if (started == simdjson::UTF8_ERROR) {
    return Fail(Reason::kEncoding,
                fmt::format("not UTF-8 at byte {}; convert text in another encoding first, for "
                            "instance with iconv -f WINDOWS-1252 -t UTF-8",
                            skipped_ + FirstInvalidUtf8(text)));
  }
  if (started != simdjson::SUCCESS) return FailParse(started);
  const char first = text[text.find_first_not_of(" \n\r\t")];
  if (first == '{') {
    ondemand::object object;
    if (const auto error = document.get_object().get(object)) return FailParse(error);
    if (!ReadObject(object, collector_.root(), 1)) return false;
  } else if (first == '[') {
    ondemand::array array;
    if (const auto error = document.get_array().get(array)) return FailParse(error);
    if (!ReadArray(array, Place{}, 1)) return false;
  } else {
    return ReadScalarDocument(document, text);
  }
  if (document.current_location().error() != simdjson::OUT_OF_BOUNDS) {
    return FailParse(simdjson::TRAILING_CONTENT);
  }
  return first == '{' || Fail(Reason::kNotObject, "the root is an array, expected a JSON object");
}

bool FieldExtractor::Walk::ReadScalarDocument(ondemand::document& document,
                                              std::string_view payload) {
  payload.remove_prefix(payload.find_first_not_of(" \n\r\t"));
  auto kind = ScalarKind(payload);
  if (payload.front() == '"') {
    std::string_view token;
    const bool valid = document.raw_json_token().get(token) == simdjson::SUCCESS &&
                       TrimEnd(token).size() == payload.size() && !HasLoneSurrogate(payload) &&
                       document.get_string().error() == simdjson::SUCCESS;
    if (valid) kind = JsonKind::kString;
  }
  if (!kind) return FailParse(simdjson::TAPE_ERROR);
  return Fail(Reason::kNotObject,
              fmt::format("the root is {}, expected a JSON object", Name(*kind)));
}

bool FieldExtractor::Walk::ReadObject(ondemand::object object, const Place& place, size_t depth) {
  if (depth > options_.depth_max) return FailDepth();
  for (auto member : object) {
    ondemand::field field;
    if (const auto error = std::move(member).get(field)) return FailParse(error);
    std::string_view key;
    if (!ReadKey(field, key)) return false;
    const Place child = place.matters() ? collector_.Member(place, key, Offset()) : Place{};
    if (!ReadValue(field.value(), child, depth)) return false;
  }
  return true;
}

bool FieldExtractor::Walk::ReadArray(ondemand::array array, const Place& place, size_t depth) {
  if (depth > options_.depth_max) return FailDepth();
  uint64_t index = 0;
  for (auto element : array) {
    if (const auto error = element.error()) return FailParse(error);
    const Place child = place.matters() ? collector_.Element(place, index) : Place{};
    if (!ReadValue(element.value_unsafe(), child, depth)) return false;
    ++index;
  }
  return true;
}

bool FieldExtractor::Walk::ReadValue(ondemand::value value, const Place& place, size_t depth) {
  const std::string_view token = TrimEnd(value.raw_json_token());
  at_ = token.data();
  switch (token.empty() ? '\0' : token.front()) {
    case '"':
      return ReadString(value, token, place);
    case '{': {
      ondemand::object object;
      if (const auto error = value.get_object().get(object)) return FailParse(error);
      if (place.matters()) collector_.TakeContainer(place, JsonKind::kObject);
      return ReadObject(object, place, depth + 1);
    }
    case '[': {
      ondemand::array array;
      if (const auto error = value.get_array().get(array)) return FailParse(error);
      if (place.matters()) collector_.TakeContainer(place, JsonKind::kArray);
      return ReadArray(array, place, depth + 1);
    }
    default: {
      const auto kind = ScalarKind(token);
      if (!kind) return FailParse(simdjson::TAPE_ERROR);
      if (place.matters()) collector_.Take(place, *kind, token);
      return true;
    }
  }
}

bool FieldExtractor::Walk::ReadString(ondemand::value& value, std::string_view token,
                                      const Place& place) {
  std::string_view text;
  if (std::memchr(token.data(), '\\', token.size()) == nullptr) {
    // Nothing to unescape. The reader has already checked that the quotes are paired and that no
    // control character stands between them.
    if (token.size() < 2 || token.back() != '"') return FailParse(simdjson::TAPE_ERROR);
    text = token.substr(1, token.size() - 2);
    // The value must be read: if it were skipped, the reader would take `"x":` for a key even where
    // no key may stand.
    if (const auto error = value.get_raw_json_string().error()) return FailParse(error);
  } else {
    if (HasLoneSurrogate(token)) {
      return Fail(Reason::kEncoding,
                  fmt::format("a lone surrogate in the string at byte {}", Offset()));
    }
    if (const auto error = value.get_string().get(text)) return FailParse(error);
  }
  if (place.matters()) collector_.Take(place, JsonKind::kString, text);
  return true;
}

bool FieldExtractor::Walk::ReadKey(ondemand::field& field, std::string_view& key) {
  const char* begin = field.key().raw();
  at_ = begin - 1;
  const char* end = begin;
  bool escaped = false;
  for (; *end != '"'; ++end) {
    if (*end == '\\') {
      escaped = true;
      ++end;
    }
  }
  key = {begin, static_cast<size_t>(end - begin)};
  if (!escaped) return true;
  if (HasLoneSurrogate(key)) {
    return Fail(Reason::kEncoding, fmt::format("a lone surrogate in the key at byte {}", Offset()));
  }
  const auto error = field.unescaped_key().get(key);
  return error == simdjson::SUCCESS || FailParse(error);
}

bool FieldExtractor::Walk::Fail(Reason reason, std::string text) {
  result_.outcome.Fail(reason, std::move(text));
  return false;
}

bool FieldExtractor::Walk::FailDepth() {
  return Fail(Reason::kTooDeep,
              fmt::format("nested deeper than {} levels (record.depth_max) at byte {}",
                          options_.depth_max, Offset()));
}

bool FieldExtractor::Walk::FailParse(simdjson::error_code error) {
  return Fail(Reason::kParse, fmt::format("not JSON at or after byte {}: {}", Offset(),
                                          simdjson::error_message(error)));
}

FieldExtractor::FieldExtractor(const RecordOptions& options)
    : walk_(std::make_unique<Walk>(options)) {}
FieldExtractor::~FieldExtractor() = default;
FieldExtractor::FieldExtractor(FieldExtractor&&) noexcept = default;
FieldExtractor& FieldExtractor::operator=(FieldExtractor&&) noexcept = default;

const ExtractedRecord& FieldExtractor::Extract(const RecordView& record) {
  return walk_->Extract(record);
}

RecordIdReader::RecordIdReader(const std::string& id_field) {
  if (id_field.empty()) return;
  RecordOptions options;
  options.fields = {{id_field, 1.0}};
  extractor_ = std::make_unique<FieldExtractor>(options);
}

std::string_view RecordIdReader::FieldText(std::string_view payload) {
  if (!extractor_) return {};
  const ExtractedRecord& record = extractor_->Extract({{}, 0, payload});
  const bool found = record.outcome.comparable() && record.pieces.size() == 1;
  return found ? record.pieces[0].text : std::string_view();
}

std::string RecordIdReader::Read(std::string_view payload, int64_t line) {
  const std::string_view text = FieldText(payload);
  return text.empty() ? std::to_string(line) : std::string(text);
}

}  // namespace neardup
