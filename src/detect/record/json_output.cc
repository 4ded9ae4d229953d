#include "detect/record/json_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <iterator>

namespace neardup {
namespace {

constexpr int64_t kPowersOfTen[] = {1,       10,        100,        1'000,       10'000,
                                    100'000, 1'000'000, 10'000'000, 100'000'000, 1'000'000'000};
constexpr int64_t kDaySeconds = 86400;
// Days from 1970 to the years 1 and 9999.
constexpr int64_t kFirstDay = -719162;
constexpr int64_t kLastDay = 2932896;

constexpr auto kEscaped = [] {
  std::array<bool, 256> escaped{};
  for (size_t c = 0; c < 0x20; ++c) escaped[c] = true;
  escaped['"'] = escaped['\\'] = true;
  return escaped;
}();

/// A division that rounds down.
struct Divided {
  int64_t whole;
  int64_t rest;
};
Divided Divide(int64_t value, int64_t by) {
  Divided result{value / by, value % by};
  if (result.rest < 0) {
    result.rest += by;
    --result.whole;
  }
  return result;
}

std::string DateText(int64_t days) {
  const std::chrono::year_month_day date{std::chrono::sys_days{std::chrono::days{days}}};
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
}

/// 12:30:00 with `digits` digits of the second.
std::string ClockText(int64_t seconds, int64_t fraction, int digits) {
  std::string text =
      fmt::format("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
  if (digits > 0) text += fmt::format(".{:0{}}", fraction, digits);
  return text;
}

}  // namespace

void JsonOutput::String(std::string_view text) {
  out_ += '"';
  while (!full()) {
    const auto special =
        std::ranges::find_if(text, [](char c) { return kEscaped[static_cast<uint8_t>(c)]; });
    out_.append(text.begin(), special);
    if (special == text.end()) break;
    if (*special == '"' || *special == '\\') {
      out_ += '\\';
      out_ += *special;
    } else {
      fmt::format_to(std::back_inserter(out_), "\\u{:04x}", static_cast<uint8_t>(*special));
    }
    text = {special + 1, text.end()};
  }
  out_ += '"';
}

void JsonOutput::Base64(std::string_view bytes) {
  constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  out_ += '"';
  for (size_t i = 0; i < bytes.size() && !full(); i += 3) {
    uint32_t group = 0;
    for (size_t j = i; j < i + 3; ++j) {
      group = group << 8 | (j < bytes.size() ? static_cast<uint8_t>(bytes[j]) : 0U);
    }
    for (size_t j = 0; j < 4; ++j) {
      out_ += i + j > bytes.size() ? '=' : kDigits[group >> (18 - 6 * j) & 63];
    }
  }
  out_ += '"';
}

template <class Number>
void JsonOutput::Print(Number value) {
  std::array<char, 40> digits;
  out_.append(digits.begin(), std::to_chars(digits.begin(), digits.end(), value).ptr);
}

void JsonOutput::Integer(int64_t value) { Print(value); }
void JsonOutput::Unsigned(uint64_t value) { Print(value); }
void JsonOutput::Real(double value) { std::isfinite(value) ? Print(value) : Raw("null"); }
void JsonOutput::Real(float value) { std::isfinite(value) ? Print(value) : Raw("null"); }

void JsonOutput::Time(int64_t units, int digits) {
  const auto [seconds, fraction] = Divide(units, kPowersOfTen[digits]);
  const auto [days, of_day] = Divide(seconds, kDaySeconds);
  if (days < kFirstDay || days > kLastDay) return Integer(units);
  out_ += fmt::format("\"{}T{}Z\"", DateText(days), ClockText(of_day, fraction, digits));
}

void JsonOutput::Date(int64_t days) {
  if (days < kFirstDay || days > kLastDay) return Integer(days);
  out_ += fmt::format("\"{}\"", DateText(days));
}

void JsonOutput::TimeOfDay(int64_t units, int digits) {
  const auto [seconds, fraction] = Divide(units, kPowersOfTen[digits]);
  if (seconds < 0 || seconds >= kDaySeconds) return Integer(units);
  out_ += fmt::format("\"{}\"", ClockText(seconds, fraction, digits));
}

void JsonOutput::Decimal(std::string_view unscaled, int scale) {
  __extension__ using Wide = unsigned __int128;
  if (unscaled.empty() || unscaled.size() > sizeof(Wide)) return Base64(unscaled);
  const bool negative = static_cast<int8_t>(unscaled[0]) < 0;
  Wide value = negative ? ~Wide{0} : 0;
  for (const char c : unscaled) value = value << 8 | static_cast<uint8_t>(c);
  if (negative) value = -value;
  std::string digits;  // from the last one
  for (int i = 0; value != 0 || i <= scale; ++i, value /= 10) {
    if (i == scale && scale > 0) digits += '.';
    digits += static_cast<char>('0' + static_cast<int>(value % 10));
  }
  if (negative) digits += '-';
  out_.append(digits.rbegin(), digits.rend());
}

}  // namespace neardup
