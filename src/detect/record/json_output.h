// Writes JSON text, value by value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace neardup {

/// Appends to a text of at most about `bytes_max` bytes. Punctuation is up to the caller, who also
/// stops when it is full().
class JsonOutput {
 public:
  JsonOutput(std::string& out, size_t bytes_max) : out_(out), bytes_max_(bytes_max) {}

  bool full() const { return out_.size() > bytes_max_; }
  void Raw(std::string_view json) { out_ += json; }
  /// Does not check that the text is UTF-8.
  void String(std::string_view text);
  void Base64(std::string_view bytes);
  void Integer(int64_t value);
  void Unsigned(uint64_t value);
  /// Infinity and NaN are null, because JSON has no such numbers.
  void Real(double value);
  void Real(float value);
  void Bool(bool value) { Raw(value ? "true" : "false"); }

  /// A time since 1970-01-01 UTC in units of 10^-digits seconds, in RFC 3339; a number if it is
  /// outside of the years 1 to 9999. `digits` is 0 to 9.
  void Time(int64_t units, int digits);
  /// A day, counted from 1970-01-01: "2026-01-31".
  void Date(int64_t days);
  /// A time of the day: "12:30:00.000".
  void TimeOfDay(int64_t units, int digits);
  /// A decimal number, from its unscaled value in two's complement, big-endian. Base64 if it has
  /// more than 16 bytes.
  void Decimal(std::string_view unscaled, int scale);

 private:
  template <class Number>
  void Print(Number value);

  std::string& out_;
  size_t bytes_max_;
};

}  // namespace neardup
