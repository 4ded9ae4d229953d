#include "detect/feature/masked_time.h"

#include <algorithm>
#include <array>
#include <span>

#include "detect/feature/character.h"
#include "detect/feature/mask.h"

namespace neardup {
namespace {

constexpr std::array<std::string_view, 12> kMonths = {"jan", "feb", "mar", "apr", "may", "jun",
                                                      "jul", "aug", "sep", "oct", "nov", "dec"};
constexpr std::array<std::string_view, 7> kDays = {"mon", "tue", "wed", "thu", "fri", "sat", "sun"};
constexpr std::array<std::string_view, 2> kHalves = {"am", "pm"};
constexpr std::array<std::string_view, 19> kZones = {
    "cest", "eest", "west", "akdt", "akst", "utc", "gmt", "cet", "eet", "wet",
    "bst",  "edt",  "est",  "cdt",  "cst",  "mdt", "mst", "pdt", "pst"};

/// Reads the parts of a time one after the other. Take... and Number move on only if they succeed;
/// a failed Read... may stop anywhere, and its caller goes back.
class TimeReader {
 public:
  TimeReader(std::string_view text, size_t at) : text_(text), at_(at) {}

  std::optional<size_t> EndWithDate() {
    if (!MayBeginDate()) return std::nullopt;
    const size_t begin = at_;
    if (ReadBasic()) return at_;
    at_ = begin;
    if (ReadDated()) return at_;
    at_ = begin;
    return std::nullopt;
  }

  std::optional<size_t> End() {
    const size_t begin = at_;
    if (const auto end = EndWithDate()) return end;
    if (ReadAlone(begin)) return at_;
    return std::nullopt;
  }

 private:
  enum class Date { kNone, kWhole, kWithoutYear };
  /// What precedes a clock.
  enum class Before { kNothing, kDate };

  /// A date begins with a digit, or with a word of three letters. Most words are neither.
  bool MayBeginDate() const {
    if (at_ == text_.size() || IsAsciiDigit(text_[at_])) return at_ < text_.size();
    const std::string_view letters = text_.substr(at_, 3);
    return letters.size() == 3 && std::all_of(letters.begin(), letters.end(), IsAsciiLetter) &&
           EndsWord(text_, at_ + 3);
  }

  /// Such as 20260131T120000Z.
  bool ReadBasic() {
    const bool read = Number(4, 4, 9999) && Number(2, 2, 12) && Number(2, 2, 31) &&
                      (Take('T') || Take('t')) && Number(2, 2, 24) && Number(2, 2, 59) &&
                      Number(2, 2, 60);
    if (!read) return false;
    ReadFraction();
    ReadZone();
    return Ends();
  }

  /// A date and a clock.
  bool ReadDated() {
    const Date date = ReadDate();
    if (date == Date::kNone) return false;
    const bool dashed = Take('-');
    if (!dashed) {
      Take(',');
      if (!TakeOne(" Tt_:")) return false;
    }
    if (!ReadClock(Before::kDate, dashed ? ":." : ":")) return false;
    ReadZone();
    if (date == Date::kWithoutYear) {
      const size_t before = at_;
      if (!Take(' ') || !ReadYear() || !Ends()) at_ = before;
    }
    return Ends();
  }

  /// A clock without a date.
  bool ReadAlone(size_t begin) {
    if (begin > 0 && (text_[begin - 1] == '.' || text_[begin - 1] == ':')) return false;
    if (!ReadClock(Before::kNothing, ":")) return false;
    ReadZone();
    return !NumberFollows() && Ends();
  }

  Date ReadDate() {
    const size_t begin = at_;
    if (ReadNumericDate()) return Date::kWhole;
    at_ = begin;
    if (TakeWord(kDays)) {
      Take(',');
      if (!Take(' ')) return Date::kNone;
    }
    if (ReadDayMonthYear()) return Date::kWhole;
    return ReadMonthDay();
  }

  bool ReadNumericDate() {
    const size_t begin = at_;
    for (const bool year_first : {true, false}) {
      at_ = begin;
      if (!(year_first ? ReadYear() : Number(1, 2, 31))) continue;
      const char x = TakeOne("-/.");
      if (x == '\0' || !Number(1, 2, 31) || !Take(x)) continue;
      if (year_first ? Number(1, 2, 31) : (ReadYear() || Number(2, 2, 99))) return true;
    }
    return false;
  }

  /// Such as 10/Oct/2000 or 06 Nov 1994.
  bool ReadDayMonthYear() {
    const size_t begin = at_;
    if (Number(1, 2, 31)) {
      const char x = TakeOne("-/. ");
      if (x != '\0' && TakeWord(kMonths) && Take(x) && ReadYear()) return true;
    }
    at_ = begin;
    return false;
  }

  /// Such as Dec 10, Dec  1 or Dec 10, 2005.
  Date ReadMonthDay() {
    if (!TakeWord(kMonths) || !Take(' ')) return Date::kNone;
    Take(' ');
    if (!Number(1, 2, 31)) return Date::kNone;
    const size_t before = at_;
    Take(',');
    if (Take(' ') && ReadYear()) return Date::kWhole;
    at_ = before;
    return Date::kWithoutYear;
  }

  bool ReadYear() { return Number(4, 4, 9999); }

  bool ReadClock(Before before_clock, std::string_view separators) {
    const size_t begin = at_;
    if (!Number(1, 2, 24)) return false;
    const bool is_clear = before_clock == Before::kDate || at_ - begin == 2;
    const char separator = TakeOne(separators);
    if (separator == '\0' || !Number(2, 2, 59)) return false;
    const size_t before = at_;
    const bool seconds = Take(separator) && Number(2, 2, 60);
    if (seconds) {
      ReadFraction();
    } else {
      at_ = before;
    }
    const bool half = TakeSpacedWord(kHalves);
    return separator == ':' ? seconds || is_clear || half : seconds;
  }

  void ReadFraction() {
    const bool fraction = at_ + 1 < text_.size() && (text_[at_] == '.' || text_[at_] == ',') &&
                          IsAsciiDigit(text_[at_ + 1]);
    if (!fraction) return;
    ++at_;
    while (at_ < text_.size() && IsAsciiDigit(text_[at_])) ++at_;
  }

  void ReadZone() {
    const size_t begin = at_;
    if ((Take('Z') || Take('z')) && Ends()) return;
    at_ = begin;
    if (TakeSpacedWord(kZones)) return;
    Take(' ');
    if (TakeOne("+-") != '\0' && PairBelow(14)) {
      Take(':');
      if (PairBelow(59) && Ends() && !NumberFollows()) return;
    }
    at_ = begin;
  }

  bool Ends() const { return EndsWord(text_, at_); }
  /// Whether ".digit" or ":digit" follows.
  bool NumberFollows() const {
    return at_ + 1 < text_.size() && (text_[at_] == '.' || text_[at_] == ':') &&
           IsAsciiDigit(text_[at_ + 1]);
  }

  bool Take(char c) {
    const bool there = at_ < text_.size() && text_[at_] == c;
    if (there) ++at_;
    return there;
  }

  /// Takes one of `choices`; returns it, or '\0' if none stands here.
  char TakeOne(std::string_view choices) {
    if (at_ == text_.size() || choices.find(text_[at_]) == std::string_view::npos) return '\0';
    return text_[at_++];
  }

  /// Takes two digits; more may follow.
  bool PairBelow(int value_max) {
    if (text_.size() - at_ < 2 || !IsAsciiDigit(text_[at_]) || !IsAsciiDigit(text_[at_ + 1])) {
      return false;
    }
    if (10 * (text_[at_] - '0') + (text_[at_ + 1] - '0') > value_max) return false;
    at_ += 2;
    return true;
  }

  /// Takes as many digits as there are, at most `digits_max`; in ReadBasic the digits of the next
  /// number may follow.
  bool Number(size_t digits_min, size_t digits_max, int value_max) {
    size_t end = at_;
    int value = 0;
    for (; end < text_.size() && end - at_ < digits_max && IsAsciiDigit(text_[end]); ++end) {
      value = 10 * value + (text_[end] - '0');
    }
    if (end - at_ < digits_min || value > value_max) return false;
    at_ = end;
    return true;
  }

  bool TakeWord(std::span<const std::string_view> words) {
    for (const std::string_view word : words) {
      if (text_.size() - at_ < word.size()) continue;
      const std::string_view there = text_.substr(at_, word.size());
      const auto same = [](char a, char b) { return (a | 0x20) == b && IsAsciiLetter(a); };
      if (!std::equal(there.begin(), there.end(), word.begin(), same)) continue;
      if (!EndsWord(text_, at_ + word.size())) continue;
      at_ += word.size();
      return true;
    }
    return false;
  }

  bool TakeSpacedWord(std::span<const std::string_view> words) {
    const size_t begin = at_;
    Take(' ');
    if (TakeWord(words)) return true;
    at_ = begin;
    return false;
  }

  std::string_view text_;
  size_t at_;
};

}  // namespace

std::optional<size_t> MaskedTimeEnd(std::string_view text, size_t at) {
  return TimeReader(text, at).End();
}

std::optional<size_t> TimestampEnd(std::string_view text, size_t at) {
  return TimeReader(text, at).EndWithDate();
}

}  // namespace neardup
