#include "stream/lane/route_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <charconv>
#include <utility>

#include "detect/base/message_text.h"
#include "detect/base/quantity.h"

namespace neardup {
namespace {

constexpr std::string_view kPackedName = "neardup";
/// Separate headers are named kSeparatePrefix + field; the packed text uses the field alone.
constexpr std::string_view kSeparatePrefix = "neardup-";
constexpr std::string_view kFlagValue = "true";
/// Holds the own key of a record that is keyed by its group, in every style.
constexpr std::string_view kOwnKeyName = "neardup-key";

/// The fields of the header, in the order of kHeaderNames.
enum HeaderField : size_t {
  kSeq,
  kLane,
  kOrigin,
  kOriginal,
  kDistance,
  kKind,
  kReason,
  kError,
  kLate,
  kClamped,
  kPassed,
  kSuspect,
  kReleased,
  kReplaces,
  kNewest,
  kKeyed,
  kObserved,
  kSimhash,
  kOrder,
  kExact,
  kNumbers,
  kHeaderFieldCount
};
/// As separate headers are named.
constexpr std::array<std::string_view, kHeaderFieldCount> kHeaderNames = {
    "neardup-seq",      "neardup-lane",     "neardup-origin", "neardup-original",
    "neardup-distance", "neardup-kind",     "neardup-reason", "neardup-error",
    "neardup-late",     "neardup-clamped",  "neardup-passed", "neardup-suspect",
    "neardup-released", "neardup-replaces", "neardup-newest", "neardup-keyed",
    "neardup-observed", "neardup-simhash",  "neardup-order",  "neardup-exact",
    "neardup-numbers"};

constexpr std::string_view PackedName(size_t field) {
  return kHeaderNames[field].substr(kSeparatePrefix.size());
}

constexpr size_t kFingerprintDigits = 16;
constexpr std::string_view kPositionForm = "topic/partition/offset";
constexpr std::string_view kHexForm = "16 lower-case hex digits";

bool IsUnreserved(char c) {
  if (('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z') || ('0' <= c && c <= '9')) return true;
  return c != '\0' && std::string_view("-._~/:,()'").find(c) != std::string_view::npos;
}

int HexDigit(char c) {
  if ('0' <= c && c <= '9') return c - '0';
  if ('A' <= c && c <= 'F') return c - 'A' + 10;
  if ('a' <= c && c <= 'f') return c - 'a' + 10;
  return -1;
}

void AppendNumber(std::string& out, int64_t number) {
  std::array<char, 20> digits;
  auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  out.append(digits.data(), end);
}

void AppendHex(std::string& out, uint64_t number) {
  for (int shift = 60; shift >= 0; shift -= 4) {
    out.push_back("0123456789abcdef"[(number >> shift) & 15]);
  }
}

void AppendPositionTo(std::string& out, const InputPartition& partition, int64_t offset) {
  AppendPercentEncoded(out, partition.topic);
  out.push_back('/');
  AppendNumber(out, partition.partition);
  out.push_back('/');
  AppendNumber(out, offset);
}

Error Corrupt(std::string_view field, std::string_view expected, std::string_view found) {
  return {ErrorCode::kCorrupt,
          fmt::format("neardup header: {} must be {}, found '{}'", field, expected, found)};
}

/// Canonical decimal: digits only, no leading zero.
template <class Number>
std::optional<Number> ParseCanonical(std::string_view text) {
  const bool digits = text.find_first_not_of("0123456789") == text.npos;
  if (!digits || (text.size() > 1 && text[0] == '0')) return std::nullopt;
  return ParseNumber<Number>(text);
}

std::optional<ParsedPosition> ParsePosition(std::string_view text) {
  const size_t offset_slash = text.rfind('/');
  if (offset_slash == text.npos || offset_slash == 0) return std::nullopt;
  const size_t partition_slash = text.rfind('/', offset_slash - 1);
  if (partition_slash == text.npos || partition_slash == 0) return std::nullopt;
  auto topic = PercentDecoded(text.substr(0, partition_slash));
  auto partition =
      ParseCanonical<int32_t>(text.substr(partition_slash + 1, offset_slash - partition_slash - 1));
  auto offset = ParseCanonical<int64_t>(text.substr(offset_slash + 1));
  if (!topic || !partition || !offset) return std::nullopt;
  return ParsedPosition{{std::move(*topic), *partition}, *offset};
}

std::optional<Reason> ParseReason(std::string_view text) {
  for (int i = 1; i < kReasonCount; ++i) {
    if (text == Name(static_cast<Reason>(i))) return static_cast<Reason>(i);
  }
  return std::nullopt;
}

/// The flags, and where a parsed header holds them.
constexpr std::array<std::pair<HeaderField, bool ParsedHeader::*>, 7> kFlags = {
    {{kLate, &ParsedHeader::late},
     {kClamped, &ParsedHeader::clamped},
     {kPassed, &ParsedHeader::passed},
     {kSuspect, &ParsedHeader::suspect},
     {kReleased, &ParsedHeader::released},
     {kKeyed, &ParsedHeader::keyed},
     {kObserved, &ParsedHeader::observed}}};

/// One field of either form. Flags have no value in a packed header.
struct Field {
  std::string_view name;
  std::optional<std::string_view> value;
};

/// Collects the fields of one record, each at most once, and checks that they belong together.
class FieldReader {
 public:
  explicit FieldReader(bool packed) : packed_(packed) {}

  Result<void> Read(const Field& field) {
    size_t index = 0;
    while (index < kHeaderFieldCount && PackedName(index) != field.name) ++index;
    if (index == kHeaderFieldCount) {
      return Error{ErrorCode::kCorrupt,
                   fmt::format("neardup header: unknown field '{}'", field.name)};
    }
    if (std::exchange(seen_[index], true)) {
      return Error{ErrorCode::kCorrupt,
                   fmt::format("neardup header: field '{}' occurs twice", field.name)};
    }
    const auto which = static_cast<HeaderField>(index);
    for (const auto& [name, flag] : kFlags) {
      if (which == name) return ReadFlag(header_.*flag, field);
    }
    if (!field.value) return Corrupt(field.name, "a field with a value", "none");
    return ReadValue(which, field.name, *field.value);
  }

  Result<ParsedHeader> Finish() {
    for (HeaderField which : {kSeq, kOrigin}) {
      if (!seen_[which]) return Missing(which, "every record");
    }
    const bool has_original = seen_[kOriginal] || seen_[kDistance] || seen_[kKind];
    for (HeaderField which : {kOriginal, kDistance, kKind}) {
      if (has_original && !seen_[which]) return Missing(which, "a duplicate");
    }
    if (seen_[kSuspect] && !has_original) return Missing(kOriginal, "a suspect");
    const bool duplicate = has_original && !seen_[kSuspect];
    if (seen_[kError] && !seen_[kReason]) return Missing(kReason, "a record with an error");
    if (has_original && seen_[kReason]) {
      return Error{ErrorCode::kCorrupt,
                   "neardup header: expected an original or a reason, found both"};
    }
    for (const HeaderField part : {kSimhash, kOrder, kExact}) {
      const bool any = seen_[kSimhash] || seen_[kOrder] || seen_[kExact];
      if (any && !seen_[part]) return Missing(part, "a fingerprint");
    }
    if (seen_[kNumbers] && !seen_[kSimhash]) return Missing(kSimhash, "a fingerprint");
    if (seen_[kObserved] && !duplicate && !seen_[kReason]) {
      return Error{ErrorCode::kCorrupt,
                   "neardup header: expected observed with an original or a reason, found neither"};
    }
    if (seen_[kReleased] && !duplicate) return Missing(kOriginal, "a released record");
    for (const HeaderField which : {kReplaces, kNewest}) {
      if (seen_[which] && !duplicate) {
        return Missing(kOriginal, fmt::format("a record with {}", PackedName(which)));
      }
    }
    if (seen_[kReplaces] && seen_[kNewest]) {
      return Error{ErrorCode::kCorrupt,
                   "neardup header: expected one of replaces and newest, found both"};
    }
    if (has_original) header_.original = std::move(original_);
    if (seen_[kSimhash]) header_.fingerprint = fingerprint_;
    return std::move(header_);
  }

 private:
  static Error Missing(HeaderField which, std::string_view what) {
    return {ErrorCode::kCorrupt, fmt::format("neardup header: field '{}' is missing; {} has it",
                                             PackedName(which), what)};
  }

  Result<void> ReadFlag(bool& flag, const Field& field) const {
    const bool as_written = packed_ ? !field.value : field.value == kFlagValue;
    if (!as_written) {
      return Corrupt(field.name, packed_ ? "a flag without a value" : "'true'",
                     field.value.value_or("null"));
    }
    flag = true;
    return {};
  }

  Result<void> ReadValue(HeaderField which, std::string_view name, std::string_view value) {
    switch (which) {
      case kSeq:
        return Store(header_.seq, ParseSeq(value), name, "a number from 1 on", value);
      case kLane:
        return Store(header_.lane, ParseCanonical<uint16_t>(value), name, "a whole number", value);
      case kOrigin:
        return StorePosition(header_.origin, header_.origin_offset, name, value);
      case kOriginal:
        return StorePosition(original_.partition, original_.offset, name, value);
      case kReplaces:
        return Store(header_.replaces, ParsePosition(value), name, kPositionForm, value);
      case kNewest:
        return Store(header_.newest, ParsePosition(value), name, kPositionForm, value);
      case kDistance:
        return Store(original_.distance, ParseCanonical<int>(value), name, "a whole number", value);
      case kKind:
        return Store(original_.kind, ParseKind(value), name, "exact or near", value);
      case kReason:
        return Store(header_.reason, ParseReason(value), name, "a known reason", value);
      case kError:
        return Store(header_.error, PercentDecoded(value), name, "percent-encoded text", value);
      case kSimhash:
        return Store(fingerprint_.simhash, ParseHex(value), name, kHexForm, value);
      case kOrder:
        return Store(fingerprint_.order, ParseHex(value), name, kHexForm, value);
      case kExact:
        return Store(fingerprint_.exact, ParseHex(value), name, kHexForm, value);
      case kNumbers:
        return Store(fingerprint_.numbers, ParseHex(value), name, kHexForm, value);
      default:  // the flags have no value
        assert(false);
        return {};
    }
  }

  template <class T>
  static Result<void> Store(std::optional<T>& target, std::optional<T> parsed,
                            std::string_view name, std::string_view expected,
                            std::string_view found) {
    if (!parsed) return Corrupt(name, expected, found);
    target = std::move(parsed);
    return {};
  }
  template <class T>
  static Result<void> Store(T& target, std::optional<T> parsed, std::string_view name,
                            std::string_view expected, std::string_view found) {
    if (!parsed) return Corrupt(name, expected, found);
    target = std::move(*parsed);
    return {};
  }
  static Result<void> StorePosition(InputPartition& partition, int64_t& offset,
                                    std::string_view name, std::string_view value) {
    auto position = ParsePosition(value);
    if (!position) return Corrupt(name, kPositionForm, value);
    partition = std::move(position->partition);
    offset = position->offset;
    return {};
  }

  static std::optional<uint64_t> ParseSeq(std::string_view text) {
    auto seq = ParseCanonical<uint64_t>(text);
    return seq && *seq > 0 ? seq : std::nullopt;
  }

  static std::optional<MatchKind> ParseKind(std::string_view text) {
    if (text == Name(MatchKind::kExact)) return MatchKind::kExact;
    if (text == Name(MatchKind::kNear)) return MatchKind::kNear;
    return std::nullopt;
  }
  static std::optional<uint64_t> ParseHex(std::string_view text) {
    uint64_t number = 0;
    const bool lower_hex = text.find_first_not_of("0123456789abcdef") == text.npos;
    if (text.size() != kFingerprintDigits || !lower_hex) return std::nullopt;
    std::from_chars(text.data(), text.data() + text.size(), number, 16);
    return number;
  }

  bool packed_;
  std::array<bool, kHeaderFieldCount> seen_{};
  ParsedHeader header_;
  ParsedOriginal original_;
  Fingerprint fingerprint_;
};

Result<ParsedHeader> ParsePacked(std::string_view text) {
  FieldReader reader(/*packed=*/true);
  while (true) {
    const size_t end = text.find(';');
    const std::string_view field = text.substr(0, end);
    const size_t equals = field.find('=');
    std::optional<std::string_view> value;
    if (equals != field.npos) value = field.substr(equals + 1);
    NEARDUP_TRY(reader.Read({field.substr(0, equals), value}));
    if (end == text.npos) return reader.Finish();
    text.remove_prefix(end + 1);
  }
}

Result<ParsedHeader> ParseSeparate(const std::vector<HeaderView>& headers, size_t first,
                                   size_t count) {
  FieldReader reader(/*packed=*/false);
  for (size_t i = first; i < first + count; ++i) {
    NEARDUP_TRY(reader.Read({headers[i].name.substr(kSeparatePrefix.size()), headers[i].value}));
  }
  return reader.Finish();
}

}  // namespace

void AppendPercentEncoded(std::string& out, std::string_view text) {
  for (char c : text) {
    if (IsUnreserved(c)) {
      out.push_back(c);
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    out.push_back('%');
    out.push_back("0123456789ABCDEF"[byte >> 4]);
    out.push_back("0123456789ABCDEF"[byte & 15]);
  }
}

std::optional<std::string> PercentDecoded(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (IsUnreserved(text[i])) {
      out.push_back(text[i]);
      continue;
    }
    if (text[i] != '%' || i + 2 >= text.size()) return std::nullopt;
    const int high = HexDigit(text[i + 1]);
    const int low = HexDigit(text[i + 2]);
    if (high < 0 || low < 0) return std::nullopt;
    out.push_back(static_cast<char>(high * 16 + low));
    i += 2;
  }
  return out;
}

const std::vector<HeaderView>& RouteHeaderWriter::Write(const RoutedRecord& record) {
  text_.clear();
  fields_.clear();
  headers_.clear();
  if (record.group_key) headers_.push_back({kOwnKeyName, record.message.key});
  StartField(kHeaderNames[kSeq]);
  AppendNumber(text_, static_cast<int64_t>(record.seq));
  if (lane_) {
    StartField(kHeaderNames[kLane]);
    AppendNumber(text_, *lane_);
  }
  StartField(kHeaderNames[kOrigin]);
  AppendPosition(record.input, record.message.position.offset);
  WriteVerdict(record);
  const Verdict& verdict = record.verdict;
  const bool has_fingerprint = verdict.decision != Decision::kDeadLetter && !verdict.outcome.passed;
  if (style_ == HeaderStyle::kFull && has_fingerprint) WriteFingerprint(record.fingerprint);
  const std::string_view text = text_;
  if (style_ != HeaderStyle::kSeparate) {
    headers_.push_back({kPackedName, text});
    return headers_;
  }
  for (size_t i = 0; i < fields_.size(); ++i) {
    const size_t end = i + 1 < fields_.size() ? fields_[i + 1].begin : text.size();
    headers_.push_back(
        {fields_[i].header_name, text.substr(fields_[i].begin, end - fields_[i].begin)});
  }
  return headers_;
}

void RouteHeaderWriter::WriteVerdict(const RoutedRecord& record) {
  const Verdict& verdict = record.verdict;
  if (verdict.has_match()) {
    assert(record.original_input != nullptr);
    StartField(kHeaderNames[kOriginal]);
    AppendPosition(*record.original_input, verdict.match.original.offset);
    StartField(kHeaderNames[kDistance]);
    AppendNumber(text_, verdict.match.distance);
    StartField(kHeaderNames[kKind]);
    text_.append(Name(verdict.match.kind));
  }
  if (verdict.decision == Decision::kDeadLetter) {
    StartField(kHeaderNames[kReason]);
    text_.append(Name(verdict.outcome.reason));
    if (!verdict.outcome.error.empty()) {
      StartField(kHeaderNames[kError]);
      AppendPercentEncoded(text_, CutAtCharacter(verdict.outcome.error, kRouteErrorBytesMax));
    }
  }
  if (verdict.late) StartFlag(kHeaderNames[kLate]);
  if (verdict.clamped) StartFlag(kHeaderNames[kClamped]);
  if (verdict.outcome.passed) StartFlag(kHeaderNames[kPassed]);
  if (verdict.is_suspect()) StartFlag(kHeaderNames[kSuspect]);
  const bool replaces = record.joined != nullptr && record.joined->replaces;
  const bool elsewhere = record.route != RouteOf(verdict.decision);
  const bool observed = elsewhere && record.mode == RoutingMode::kObserve;
  if (elsewhere && !observed && !replaces) StartFlag(kHeaderNames[kReleased]);
  WriteGroup(record);
  if (observed) StartFlag(kHeaderNames[kObserved]);
}

void RouteHeaderWriter::WriteGroup(const RoutedRecord& record) {
  if (record.newest_input != nullptr) {
    StartField(kHeaderNames[record.joined->replaces ? kReplaces : kNewest]);
    AppendPosition(*record.newest_input, record.joined->newest_before.offset);
  }
  if (record.group_key) StartFlag(kHeaderNames[kKeyed]);
}

void RouteHeaderWriter::WriteFingerprint(const Fingerprint& fingerprint) {
  StartField(kHeaderNames[kSimhash]);
  AppendHex(text_, fingerprint.simhash);
  StartField(kHeaderNames[kOrder]);
  AppendHex(text_, fingerprint.order);
  StartField(kHeaderNames[kExact]);
  AppendHex(text_, fingerprint.exact);
  StartField(kHeaderNames[kNumbers]);
  AppendHex(text_, fingerprint.numbers);
}

void RouteHeaderWriter::StartField(std::string_view header_name) {
  if (style_ == HeaderStyle::kSeparate) {
    fields_.push_back({header_name, text_.size()});
    return;
  }
  if (!text_.empty()) text_.push_back(';');
  text_.append(header_name.substr(kSeparatePrefix.size()));
  text_.push_back('=');
}

void RouteHeaderWriter::StartFlag(std::string_view header_name) {
  StartField(header_name);
  if (style_ == HeaderStyle::kSeparate) {
    text_.append(kFlagValue);
  } else {
    text_.pop_back();
  }
}

void RouteHeaderWriter::AppendPosition(const InputPartition& partition, int64_t offset) {
  AppendPositionTo(text_, partition, offset);
}

std::string GroupKey(const InputPartition& original, int64_t offset) {
  std::string key;
  AppendPositionTo(key, original, offset);
  return key;
}

Result<ParsedHeader> ParseRouteHeader(const std::vector<HeaderView>& headers) {
  auto is_separate = [](const HeaderView& header) {
    return header.name.substr(0, kSeparatePrefix.size()) == kSeparatePrefix;
  };
  const auto last = std::find_if(headers.rbegin(), headers.rend(), [&](const HeaderView& header) {
    return header.name == kPackedName || is_separate(header);
  });
  if (last == headers.rend()) {
    return Error{ErrorCode::kNotFound, "no neardup header: expected an output record of neardup"};
  }
  const size_t end = static_cast<size_t>(headers.rend() - last);
  size_t first = end - 1;
  if (last->name != kPackedName) {
    while (headers[first].name != kHeaderNames[kSeq] && first > 0 &&
           is_separate(headers[first - 1])) {
      --first;
    }
  } else if (!last->value) {
    return Corrupt(kPackedName, "text", "null");
  }
  NEARDUP_ASSIGN(ParsedHeader parsed, last->name == kPackedName
                                          ? ParsePacked(*last->value)
                                          : ParseSeparate(headers, first, end - first));
  if (parsed.keyed) {
    if (first == 0 || headers[first - 1].name != kOwnKeyName) {
      return Error{ErrorCode::kCorrupt,
                   fmt::format("neardup header: the record is keyed by its group; expected the "
                               "header '{}' with its own key before the others, found none",
                               kOwnKeyName)};
    }
    --first;
    parsed.own_key = headers[first].value;
  }
  parsed.first = first;
  parsed.count = end - first;
  return parsed;
}

}  // namespace neardup
