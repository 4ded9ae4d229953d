#include "learn/time_text.h"

#include <algorithm>
#include <regex>
#include <string>

#include "neardup/options.h"
#include "record/event_time.h"

namespace neardup {

namespace {

/// No accepted form is longer.
constexpr size_t kBytesMax = 48;
/// Epoch times from September 2001 to May 2033: numbers outside are more
/// likely to be identifiers.
constexpr int64_t kSinceMs = 1'000'000'000'000;
constexpr int64_t kUntilMs = 2'000'000'000'000;

/// Ten digits (seconds), thirteen (milliseconds), sixteen (microseconds) or nineteen (nanoseconds).
bool IsEpochTime(std::string_view text) {
  if (!std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; })) {
    return false;
  }
  if (text.size() == 16 || text.size() == 19) text = text.substr(0, 13);
  const TimeFormat format = text.size() == 13 ? TimeFormat::kMilliseconds : TimeFormat::kSeconds;
  if (format == TimeFormat::kSeconds && text.size() != 10) return false;
  const auto time_ms = ParseEventTime(text, format);
  return time_ms && *time_ms >= kSinceMs && *time_ms < kUntilMs;
}

/// The forms of logs and web forms.
bool IsWrittenTime(std::string_view text) {
  static const std::string clock = R"(\d{1,2}:\d{2}(:\d{2}([.,]\d+)?)?)";
  static const std::string zone = R"(( ?(Z|[AaPp][Mm]|[A-Z]{3,4}|[+-]\d{2}:?\d{2}))*)";
  static const std::string month = "(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}";
  static const std::string numbers =
      R"(\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4})";
  static const std::string names =
      R"(([A-Z][a-z]{2,8},? )?(\d{1,2} )?)" + month + R"(( {1,2}\d{1,2})?,?( \d{4})?)";
  static const std::string web_log = R"(\d{1,2}/)" + month + R"(/\d{4})";
  static const std::regex dated("(" + numbers + "|" + names + "|" + web_log + ")[ T:]" + clock +
                                zone + R"(( \d{4})?)");
  static const std::regex seconds(R"(\d{1,2}:\d{2}:\d{2}([.,]\d+)?)");
  static const std::regex compact(
      R"((\d{2})?\d{2}(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])[ T]([01]\d|2[0-3])([0-5]\d){2}Z?)");
  return std::regex_match(text.begin(), text.end(), dated) ||
         std::regex_match(text.begin(), text.end(), compact) ||
         std::regex_match(text.begin(), text.end(), seconds);
}

}  // namespace

bool IsTimeText(std::string_view text) {
  if (text.empty() || text.size() > kBytesMax) return false;
  if (ParseEventTime(text, TimeFormat::kRfc3339) || IsEpochTime(text)) return true;
  return text.find_first_of(": T") != std::string_view::npos && IsWrittenTime(text);
}

}  // namespace neardup
