#include "detect/record/event_time.h"

#include <chrono>
#include <cmath>

#include "detect/base/quantity.h"

namespace neardup {
namespace {

constexpr int64_t kTimeMinMs = -62'135'596'800'000;  // 0001-01-01T00:00:00Z
constexpr int64_t kTimeMaxMs = 253'402'300'799'999;  // 9999-12-31T23:59:59.999Z

std::optional<int64_t> InRange(int64_t time_ms) {
  if (time_ms < kTimeMinMs || time_ms > kTimeMaxMs) return std::nullopt;
  return time_ms;
}

/// Reads text of fixed width from the front. `ok` becomes false, and stays so, if something else
/// than expected stands there.
struct Cursor {
  std::string_view text;
  bool ok = true;

  int Digits(size_t count) {
    int number = 0;
    for (size_t i = 0; i < count; ++i) {
      if (!HasDigit()) {
        ok = false;
        return 0;
      }
      number = number * 10 + (text.front() - '0');
      text.remove_prefix(1);
    }
    return number;
  }
  bool HasDigit() const { return !text.empty() && text.front() >= '0' && text.front() <= '9'; }
  /// Takes the next character if it is one of `choices`; returns it, or 0.
  char Accept(std::string_view choices) {
    if (text.empty() || choices.find(text.front()) == std::string_view::npos) return 0;
    const char found = text.front();
    text.remove_prefix(1);
    return found;
  }
  char Expect(std::string_view choices) {
    const char found = Accept(choices);
    ok = ok && found != 0;
    return found;
  }
};

int64_t FractionMs(Cursor& cursor) {
  if (cursor.Accept(".") == 0) return 0;
  cursor.ok = cursor.ok && cursor.HasDigit();
  int64_t fraction_ms = 0;
  for (int64_t place = 100; cursor.HasDigit(); place /= 10) {
    fraction_ms += place * (cursor.text.front() - '0');
    cursor.text.remove_prefix(1);
  }
  return fraction_ms;
}

std::chrono::minutes OffsetFromUtc(Cursor& cursor) {
  const char sign = cursor.Expect("Zz+-");
  if (sign != '+' && sign != '-') return std::chrono::minutes(0);
  const int hour = cursor.Digits(2);
  cursor.Expect(":");
  const int minute = cursor.Digits(2);
  cursor.ok = cursor.ok && hour <= 23 && minute <= 59;
  const std::chrono::minutes offset = std::chrono::hours(hour) + std::chrono::minutes(minute);
  return sign == '+' ? offset : -offset;
}

std::optional<int64_t> ParseRfc3339(std::string_view text) {
  Cursor cursor{text};
  const int year = cursor.Digits(4);
  cursor.Expect("-");
  const int month = cursor.Digits(2);
  cursor.Expect("-");
  const int day = cursor.Digits(2);
  cursor.Expect("Tt ");
  const int hour = cursor.Digits(2);
  cursor.Expect(":");
  const int minute = cursor.Digits(2);
  cursor.Expect(":");
  const int second = cursor.Digits(2);
  int64_t second_ms = 1000 * int64_t{second} + FractionMs(cursor);
  const std::chrono::minutes offset = OffsetFromUtc(cursor);
  const std::chrono::year_month_day date{std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!cursor.ok || !cursor.text.empty() || !date.ok() || hour > 23 || minute > 59 || second > 60) {
    return std::nullopt;
  }
  if (second == 60) second_ms = 59'999;
  const auto time = std::chrono::sys_days(date) + std::chrono::hours(hour) +
                    std::chrono::minutes(minute) + std::chrono::milliseconds(second_ms) - offset;
  return InRange(time.time_since_epoch().count());
}

/// False also for a not-a-number.
bool Fits(double time_ms) {
  return time_ms >= static_cast<double>(kTimeMinMs) - 1 &&
         time_ms <= static_cast<double>(kTimeMaxMs) + 1;
}

std::optional<int64_t> ParseMilliseconds(std::string_view text) {
  if (const auto whole = ParseNumber<int64_t>(text)) return InRange(*whole);
  const auto number = ParseNumber<double>(text);
  if (!number || !Fits(*number) || *number != std::floor(*number)) return std::nullopt;
  return InRange(static_cast<int64_t>(*number));
}

std::optional<int64_t> ParseSeconds(std::string_view text) {
  const auto number = ParseNumber<double>(text);
  if (!number || !Fits(*number * 1000)) return std::nullopt;
  return InRange(std::llround(*number * 1000));
}

}  // namespace

std::optional<int64_t> ParseEventTime(std::string_view text, TimeFormat format) {
  switch (format) {
    case TimeFormat::kRfc3339:
      return ParseRfc3339(text);
    case TimeFormat::kMilliseconds:
      return ParseMilliseconds(text);
    case TimeFormat::kSeconds:
      return ParseSeconds(text);
  }
  return std::nullopt;
}

const char* Expectation(TimeFormat format) {
  constexpr const char* kExpected[] = {
      "an RFC 3339 time such as 2026-01-31T12:00:00Z, in the years 1 to 9999",
      "integer milliseconds since 1970, in the years 1 to 9999",
      "seconds since 1970, in the years 1 to 9999"};
  return kExpected[static_cast<size_t>(format)];
}

}  // namespace neardup
