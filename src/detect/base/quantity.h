// Whole numbers, times and sizes as people write them: 100, 24h, 8MiB.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace neardup {

inline constexpr int64_t kKiB = 1024;
inline constexpr int64_t kMiB = 1024 * kKiB;

// The parsers return nullopt for any other text, also for a value beyond 64 bits.

/// The number that the whole text is, as std::from_chars reads it.
template <class Number>
std::optional<Number> ParseNumber(std::string_view text) {
  Number number{};
  const char* const end = text.data() + text.size();
  const auto [stop, problem] = std::from_chars(text.data(), end, number);
  if (problem != std::errc() || stop != end) return std::nullopt;
  return number;
}
/// Decimal digits with an optional '-', no leading zeros.
std::optional<int64_t> ParseInteger(std::string_view text);
/// A whole number with ms, s, m, h or d -> milliseconds.
std::optional<int64_t> ParseDuration(std::string_view text);
/// A whole number with B, KB, MB, GB (powers of 1000), KiB, MiB or GiB (powers of 1024) -> bytes.
std::optional<int64_t> ParseBytes(std::string_view text);

// A short text that the parser above reads back as the same value.

std::string DurationText(int64_t milliseconds);
/// Milliseconds since 1970 as a time in UTC, to the second: 2026-11-28T12:00:00Z.
std::string UtcText(int64_t time_ms);
std::string BytesText(int64_t bytes);

/// The texts of the parsers as regular expressions, for the JSON Schema.
inline constexpr char kDurationExpression[] = "^(0|[1-9][0-9]*)(ms|s|m|h|d)$";
inline constexpr char kBytesExpression[] = "^(0|[1-9][0-9]*)(B|KB|MB|GB|KiB|MiB|GiB)$";

// Numbers as people and files write them.

/// 16 lower-case hexadecimal digits. FORMAT: never changes, because stored files contain it.
std::string Hex64(uint64_t value);

/// Decimal digits in groups of three: "1,234,567".
std::string Grouped(uint64_t number);

/// "1 record", "1,234 records".
std::string Counted(uint64_t count, std::string_view noun);

/// What `part` is of `all`: 0 to 1. 0 if there is nothing.
constexpr double ShareAmong(uint64_t part, uint64_t all) {
  return all == 0 ? 0 : static_cast<double>(part) / static_cast<double>(all);
}
/// A share from 0 to 1 as a percentage: 0.025 -> "2.5 %".
std::string RoundedPercent(double share);

}  // namespace neardup
