#include "stream/route_header.h"

#include <array>
#include <cassert>
#include <charconv>

#include "stream/percent_text.h"

namespace neardup {
namespace {

constexpr std::string_view kPackedName = "neardup";
/// Separate headers are named kSeparatePrefix + field; the packed text uses the field alone.
constexpr std::string_view kSeparatePrefix = "neardup-";
constexpr std::string_view kFlagValue = "true";

constexpr std::string_view kSeq = "neardup-seq";
constexpr std::string_view kOrigin = "neardup-origin";
constexpr std::string_view kOriginal = "neardup-original";
constexpr std::string_view kDistance = "neardup-distance";
constexpr std::string_view kKind = "neardup-kind";
constexpr std::string_view kReason = "neardup-reason";
constexpr std::string_view kError = "neardup-error";
constexpr std::string_view kLate = "neardup-late";
constexpr std::string_view kClamped = "neardup-clamped";
constexpr std::string_view kPassed = "neardup-passed";
constexpr std::string_view kSimhash = "neardup-simhash";
constexpr std::string_view kOrder = "neardup-order";
constexpr std::string_view kExact = "neardup-exact";

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

std::string_view CutAtCharacter(std::string_view text, size_t bytes_max) {
  if (text.size() <= bytes_max) return text;
  size_t end = bytes_max;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return text.substr(0, end);
}

}  // namespace

const std::vector<HeaderView>& RouteHeaderWriter::Write(uint64_t seq, const InputPartition& origin,
                                                        int64_t origin_offset,
                                                        const Verdict& verdict,
                                                        const InputPartition* original,
                                                        const Fingerprint& fingerprint) {
  text_.clear();
  fields_.clear();
  headers_.clear();
  if (style_ == HeaderStyle::kNone) return headers_;
  StartField(kSeq);
  AppendNumber(text_, static_cast<int64_t>(seq));
  StartField(kOrigin);
  AppendPosition(origin, origin_offset);
  WriteVerdict(verdict, original);
  const bool has_fingerprint = verdict.decision != Decision::kDeadLetter && !verdict.passed;
  if (style_ == HeaderStyle::kFull && has_fingerprint) WriteFingerprint(fingerprint);
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

void RouteHeaderWriter::WriteVerdict(const Verdict& verdict, const InputPartition* original) {
  if (verdict.decision == Decision::kDuplicate) {
    assert(original != nullptr);
    StartField(kOriginal);
    AppendPosition(*original, verdict.original.offset);
    StartField(kDistance);
    AppendNumber(text_, verdict.distance);
    StartField(kKind);
    text_.append(Name(verdict.kind));
  }
  if (verdict.decision == Decision::kDeadLetter) {
    StartField(kReason);
    text_.append(Name(verdict.reason));
    if (!verdict.error.empty()) {
      StartField(kError);
      AppendPercentEncoded(text_, CutAtCharacter(verdict.error, kRouteErrorBytesMax));
    }
  }
  if (verdict.late) StartFlag(kLate);
  if (verdict.clamped) StartFlag(kClamped);
  if (verdict.passed) StartFlag(kPassed);
}

void RouteHeaderWriter::WriteFingerprint(const Fingerprint& fingerprint) {
  StartField(kSimhash);
  AppendHex(text_, fingerprint.simhash);
  StartField(kOrder);
  AppendHex(text_, fingerprint.order);
  StartField(kExact);
  AppendHex(text_, fingerprint.exact);
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
  AppendPercentEncoded(text_, partition.topic);
  text_.push_back('/');
  AppendNumber(text_, partition.partition);
  text_.push_back('/');
  AppendNumber(text_, offset);
}

}  // namespace neardup
