#include "detect/base/quantity.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <limits>
#include <span>
#include <utility>

namespace neardup {
namespace {

struct Unit {
  std::string_view name;
  int64_t factor;
};

// Smallest first: a later unit gives a shorter text for the same value.
constexpr Unit kDurationUnits[] = {
    {"ms", 1}, {"s", 1000}, {"m", 60'000}, {"h", 3'600'000}, {"d", 86'400'000}};
constexpr Unit kByteUnits[] = {{"B", 1},          {"KB", 1000},     {"KiB", 1024},
                               {"MB", 1'000'000}, {"MiB", 1 << 20}, {"GB", 1'000'000'000},
                               {"GiB", 1 << 30}};

std::optional<int64_t> ParseQuantity(std::string_view text, std::span<const Unit> units) {
  size_t digits = text.find_first_not_of("0123456789");
  if (digits == std::string_view::npos) return std::nullopt;
  std::optional<int64_t> number = ParseInteger(text.substr(0, digits));
  if (!number) return std::nullopt;
  for (const Unit& unit : units) {
    if (unit.name != text.substr(digits)) continue;
    if (*number > std::numeric_limits<int64_t>::max() / unit.factor) return std::nullopt;
    return *number * unit.factor;
  }
  return std::nullopt;
}

std::string QuantityText(int64_t value, std::span<const Unit> units) {
  std::string shortest = fmt::format("{}{}", value, units.front().name);
  for (const Unit& unit : units) {
    if (value % unit.factor != 0) continue;
    std::string text = fmt::format("{}{}", value / unit.factor, unit.name);
    if (text.size() <= shortest.size() && value >= unit.factor) shortest = std::move(text);
  }
  return shortest;
}

}  // namespace

std::optional<int64_t> ParseInteger(std::string_view text) {
  std::string_view digits = text.substr(text.starts_with('-') ? 1 : 0);
  if (digits.empty() || (digits.size() > 1 && digits[0] == '0') || text == "-0") {
    return std::nullopt;
  }
  return ParseNumber<int64_t>(text);
}

std::optional<int64_t> ParseDuration(std::string_view text) {
  return ParseQuantity(text, kDurationUnits);
}

std::optional<int64_t> ParseBytes(std::string_view text) { return ParseQuantity(text, kByteUnits); }

std::string UtcText(int64_t time_ms) {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}",
                     fmt::gmtime(static_cast<std::time_t>(time_ms / 1000)));
}

std::string DurationText(int64_t milliseconds) {
  // Below three days hours read better: 24h and 36h, not 1d.
  constexpr int64_t kDayMs = 86'400'000;
  std::span<const Unit> units = kDurationUnits;
  return QuantityText(milliseconds, milliseconds < 3 * kDayMs ? units.first(4) : units);
}

std::string BytesText(int64_t bytes) { return QuantityText(bytes, kByteUnits); }

std::string Hex64(uint64_t value) { return fmt::format("{:016x}", value); }

std::string Grouped(uint64_t number) {
  std::string digits = std::to_string(number);
  for (size_t place = digits.size(); place > 3; place -= 3) digits.insert(place - 3, ",");
  return digits;
}

std::string Counted(uint64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", Grouped(count), noun, count == 1 ? "" : "s");
}

std::string RoundedPercent(double share) { return fmt::format("{:.3g} %", 100 * share); }

}  // namespace neardup
