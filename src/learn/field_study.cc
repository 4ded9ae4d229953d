#include "learn/field_study.h"

#include <fmt/format.h>
#include <strings.h>

#include <algorithm>
#include <optional>
#include <regex>
#include <utility>

#include "detect/base/hash.h"
#include "detect/base/quantity.h"
#include "detect/feature/character.h"
#include "detect/record/event_time.h"
#include "neardup/options.h"

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
  if (!std::ranges::all_of(text, IsAsciiDigit)) return false;
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

namespace {

/// What counts as all, allowing for some exceptions.
constexpr double kNearlyAll = 0.9;
constexpr double kMost = 0.5;
/// In fewer records than this, a value is in each record by chance.
constexpr size_t kIdentifierRecords = 10;
/// Records are written in runs, each with many records of one date.
constexpr double kWrittenDistinct = 0.01;
/// Names and labels have fewer tokens than the titles of news, which have seven.
constexpr double kTextTokens = 6;
/// Of the tokens of a text at most the others begin with a digit; of tables, more do.
constexpr double kTextWorded = 0.5;
/// Of a text most records have one of their own, unless it is a message of a program.
constexpr double kTextDistinct = 0.2;
constexpr double kTitleTokens = 2;
constexpr size_t kHashDigits = 32;
constexpr size_t kRatingValues = 10;
constexpr size_t kLongIdDigits = 7;

bool HoldsDigit(std::string_view text) { return std::ranges::any_of(text, IsAsciiDigit); }
/// Whether a token is a number, or begins like one.
bool BeginsWithDigit(std::string_view token) {
  return IsAsciiDigit(token[0]) ||
         (token.size() > 1 && IsAsciiDigit(token[1]) && !IsAsciiLetter(token[0]));
}

bool IsWord(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c > ' ' && c < 0x7f; });
}

/// A UUID, or 32 or more hex digits.
bool IsHash(std::string_view text) {
  const auto digits = static_cast<size_t>(std::ranges::count_if(text, IsAsciiHex));
  const auto hyphens = static_cast<size_t>(std::ranges::count(text, '-'));
  return digits >= kHashDigits && digits + hyphens == text.size() && HoldsDigit(text) &&
         (hyphens == 0 || (hyphens == 4 && text.size() == 36));
}

bool IsWebAddress(std::string_view text) {
  const size_t scheme = text.find("://");
  return scheme != std::string_view::npos && scheme > 0 && scheme + 3 < text.size() &&
         std::all_of(text.begin(), text.begin() + static_cast<ptrdiff_t>(scheme),
                     [](char c) { return IsAsciiLetter(c) || IsAsciiDigit(c); }) &&
         std::ranges::none_of(text, [](char c) { return c == ' ' || c == '\n'; });
}

/// The names that the usual loggers give to levels, and the numbers of bunyan and pino.
bool IsLogLevel(std::string_view text) {
  constexpr std::string_view kLevels[] = {
      "trace", "debug", "verbose", "info", "information", "notice", "warn",  "warning",
      "error", "err",   "severe",  "crit", "critical",    "fatal",  "alert", "emerg",
      "panic", "10",    "20",      "30",   "40",          "50",     "60"};
  return std::any_of(std::begin(kLevels), std::end(kLevels), [text](std::string_view level) {
    return text.size() == level.size() && strncasecmp(text.data(), level.data(), text.size()) == 0;
  });
}

constexpr size_t kDateBytes = 10;

/// 2026-01-31, whatever follows.
bool IsDate(std::string_view text) {
  if (text.size() < kDateBytes) return false;
  for (size_t i = 0; i < kDateBytes; ++i) {
    const bool dash = i == 4 || i == 7;
    if (dash ? text[i] != '-' : !IsAsciiDigit(text[i])) return false;
  }
  return true;
}

std::pair<FieldRole, std::string> Judge(const StudiedField& field) {
  const FieldFacts& facts = field.facts;
  const FieldName& name = field.name;
  if (facts.records == 0) return {FieldRole::kKey, "null or empty in every record"};
  if (facts.times >= kNearlyAll && !name.event_time) {
    return {FieldRole::kTime,
            fmt::format("{} of its values are times of day", RoundedPercent(facts.times))};
  }
  // "date" alone may as well be the date of what the record is about.
  if (facts.dates + facts.times >= kNearlyAll && name.written && facts.path != "date" &&
      !facts.path.ends_with("/date")) {
    return {FieldRole::kTime, "dates, and by its name the time at which a record was written"};
  }
  if (facts.latest_dates >= kNearlyAll && facts.distinct < kWrittenDistinct) {
    return {FieldRole::kTime,
            "a date that no other date of a record follows, and that many records share: it says "
            "when the record was written"};
  }
  const bool own = facts.distinct_of_all >= kMost;
  if (facts.hashes >= kNearlyAll && own) {
    return {FieldRole::kIdentifier, fmt::format("UUIDs or hashes, different in {} of the records",
                                                RoundedPercent(facts.distinct))};
  }
  if (name.identifier && facts.words >= kNearlyAll && own) {
    return {FieldRole::kIdentifier,
            fmt::format("an identifier by its name, different in {} of the records",
                        RoundedPercent(facts.distinct))};
  }
  if (facts.addresses >= kNearlyAll) {
    return {FieldRole::kAddress, fmt::format("{} of its values are addresses of the web",
                                             RoundedPercent(facts.addresses))};
  }
  // Stars from one to five are a rating.
  const bool counter = name.counter && facts.values > kRatingValues;
  if (facts.numbers >= kNearlyAll && (name.machine_number || counter)) {
    return {FieldRole::kCounter, counter ? "counts how often a record was seen, by its name"
                                         : "a number that a machine gave, by its name"};
  }
  return {FieldRole::kKey, "content: nothing says that copies differ in it"};
}

}  // namespace

const char* Name(FieldRole role) {
  constexpr const char* kNames[] = {"text", "must agree", "may differ", "identifier",
                                    "time", "address",    "counter"};
  return kNames[static_cast<size_t>(role)];
}

bool IsTextual(const StudiedField& field) {
  const FieldFacts& facts = field.facts;
  return facts.tokens_mean >= kTextTokens && facts.words < kMost && facts.worded >= kTextWorded &&
         facts.times < kMost && facts.addresses < kMost &&
         (facts.distinct_of_all >= kTextDistinct || field.name.message);
}

bool IsTitle(const StudiedField& field, double distinct) {
  const FieldFacts& facts = field.facts;
  return facts.tokens_mean >= kTitleTokens && facts.words < kMost && facts.worded >= kTextWorded &&
         facts.distinct_of_all >= kMost * distinct && facts.times < kMost;
}

bool IsDistinctWord(const FieldFacts& facts) {
  return facts.words >= kNearlyAll && facts.distinct_of_all >= kNearlyAll &&
         facts.records >= kIdentifierRecords;
}

StudiedField JudgeField(FieldFacts facts) {
  StudiedField field;
  field.name = ReadFieldName(facts.path);
  field.facts = std::move(facts);
  field.name.severity = field.name.severity && field.facts.levels >= kMost;
  auto [role, reason] = Judge(field);
  field.role = role;
  field.by_nature = role;
  field.reason = std::move(reason);
  return field;
}

FieldStudy::FieldStudy(size_t records_of_all) : tokeniser_(true), records_of_all_(records_of_all) {}

void FieldStudy::Add(std::string_view payload) {
  ++records_;
  std::vector<std::pair<std::string_view, size_t>> dates;  // with the number of their field
  for (const RecordField& field : reader_.Read(payload)) {
    ++values_;
    auto found = numbers_.find(field.path);
    if (found == numbers_.end()) {
      if (fields_.size() == kFieldsMax) {
        ++fields_left_out_;
        continue;
      }
      found = numbers_.emplace(field.path, fields_.size()).first;
      fields_.emplace_back().sums.path = field.path;
    }
    if (field.text.empty()) continue;
    Count(fields_[found->second], field);
    if (IsDate(field.text)) {
      dates.emplace_back(std::string_view(field.text).substr(0, kDateBytes), found->second);
    }
  }
  if (dates.size() < 2) return;
  const std::string_view latest = std::ranges::max_element(dates)->first;
  for (const auto& [date, number] : dates)
    fields_[number].sums.latest_dates += date == latest ? 1 : 0;
}

void FieldStudy::Count(Counts& counts, const RecordField& field) {
  const std::string_view text = field.text;
  FieldFacts& sums = counts.sums;
  ++sums.records;
  sums.bytes_mean += static_cast<double>(text.size());
  sums.words += IsWord(text) ? 1 : 0;
  sums.addresses += IsWebAddress(text) ? 1 : 0;
  sums.hashes += IsHash(text) ? 1 : 0;
  sums.levels += IsLogLevel(text) ? 1 : 0;
  const bool time = IsTimeText(text);
  sums.times += time ? 1 : 0;
  sums.dates += !time && text.size() == kDateBytes && IsDate(text) ? 1 : 0;
  std::string number;
  sums.numbers += CanonicalNumber(text, number) ? 1 : 0;
  if (const std::optional<int64_t> whole = ParseNumber<int64_t>(text)) {
    sums.long_ids += text.size() >= kLongIdDigits ? 1 : 0;
    sums.steps += *whole == counts.number_before + 1 ? 1 : 0;
    counts.number_before = *whole;
  }
  ++counts.values[Hash64(text)];
  tokens_.Clear();
  tokeniser_.Tokenise(text, tokens_);
  sums.tokens_mean += static_cast<double>(tokens_.token_count());
  for (const std::string_view token : TokensOf(tokens_.TextFrom(0))) {
    sums.worded += BeginsWithDigit(token) ? 0 : 1;
  }
}

/// Chao's estimate (1984) of the number of distinct values: d + f1 (f1 - 1) / (2 (f2 + 1)), where
/// f1 values were seen once and f2 twice.
double FieldStudy::DistinctOfAll(const FieldFacts& facts, size_t once, size_t twice) const {
  const double share = ShareAmong(records_of_all_, records_);
  if (share <= 1) return facts.distinct;
  const auto singles = static_cast<double>(once);
  const double values =
      static_cast<double>(facts.values) +
      singles * std::max(singles - 1, 0.0) / (2 * (static_cast<double>(twice) + 1));
  return std::min(1.0, values / (share * static_cast<double>(facts.records)));
}

std::vector<StudiedField> FieldStudy::Finish() const {
  std::vector<StudiedField> studied;
  for (const Counts& counts : fields_) {
    size_t most = 0;
    size_t once = 0;
    size_t twice = 0;
    double pairs = 0;
    for (const auto& [hash, records] : counts.values) {
      most = std::max(most, records);
      once += records == 1 ? 1 : 0;
      twice += records == 2 ? 1 : 0;
      pairs += static_cast<double>(records) * static_cast<double>(records - 1);
    }
    FieldFacts facts = counts.sums;
    facts.present = ShareAmong(facts.records, records_);
    facts.values = counts.values.size();
    facts.distinct = ShareAmong(facts.values, facts.records);
    facts.distinct_of_all = DistinctOfAll(facts, once, twice);
    facts.most_frequent = ShareAmong(most, facts.records);
    const auto records = static_cast<double>(std::max<size_t>(facts.records, 1));
    facts.match = facts.records < 2 ? 0 : pairs / (records * (records - 1));
    facts.worded /= std::max(facts.tokens_mean, 1.0);
    for (double FieldFacts::*const sum :
         {&FieldFacts::tokens_mean, &FieldFacts::bytes_mean, &FieldFacts::times, &FieldFacts::dates,
          &FieldFacts::numbers, &FieldFacts::long_ids, &FieldFacts::words, &FieldFacts::hashes,
          &FieldFacts::levels, &FieldFacts::addresses, &FieldFacts::steps,
          &FieldFacts::latest_dates}) {
      facts.*sum /= records;
    }
    studied.push_back(JudgeField(std::move(facts)));
  }
  std::ranges::sort(studied, [](const StudiedField& a, const StudiedField& b) {
    return a.facts.path < b.facts.path;
  });
  return studied;
}

}  // namespace neardup
