#include "learn/field_study.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <system_error>
#include <unordered_set>
#include <utility>

#include "base/hash.h"
#include "feature/tokeniser.h"
#include "learn/code_text.h"
#include "learn/time_text.h"

namespace neardup {

namespace {

/// What counts as all, allowing for some exceptions.
constexpr double kNearlyAll = 0.9;
constexpr double kConstantShare = 0.95;
/// In fewer records than this, one value may be the only one by chance.
constexpr size_t kConstantRecords = 10;
constexpr double kRareShare = 0.01;
/// Where most records leave a short field empty, copies of a record often do, too.
constexpr double kFilledShare = 0.5;
/// In fewer records than this, numbers may rise by chance.
constexpr size_t kCounterRecords = 100;
/// Records are written in runs, each with many records of one date.
constexpr double kWrittenDistinct = 0.01;
/// Names, labels and numbers have fewer tokens than texts do.
constexpr double kTextTokens = 8;
/// A text of this many tokens says what a record is about without its labels.
constexpr double kLongTextTokens = 24;
/// A short field with at most this many distinct values is a label.
constexpr size_t kLabelsMax = 100;
/// Prose has at least this many tokens on average: the titles of news have seven.
constexpr double kProseTokens = 6;
/// And this many bytes: a Han character is a token, but says less than a word.
constexpr double kProseBytes = 36;
/// Of the tokens of prose at least these are words. Logs and addresses have a third of numbers.
constexpr double kProseWorded = 0.75;
/// Texts have up to a quarter of phrases that many values hold; templates, names of firms, paths
/// and addresses have more than a third.
constexpr double kProseCommonPhrases = 0.3;
/// A value of fewer tokens than this that comes again is a formula, and no copy.
constexpr size_t kFormulaTokens = 8;
constexpr double kProseFormulas = 0.25;
/// Names that come again and again, such as those of maintainers, are no prose.
constexpr double kProseDistinct = 0.25;
/// A phrase is common if it is in this share of the distinct values, and in some of them.
constexpr double kCommonPhraseShare = 0.003;
constexpr size_t kCommonPhraseValues = 5;
/// Tokens of a value that are looked at for its phrases.
constexpr size_t kPhraseTokens = 64;
constexpr double kMostRecords = 0.5;
/// With prose in fewer records than this, records are compared as what they are: structures.
constexpr double kProsePresent = 0.8;
/// A field that fewer records lack is in all of them.
constexpr double kAllRecords = 0.999;

std::string Percent(double share) { return fmt::format("{:.3g} %", 100 * share); }

bool IsProse(const FieldFacts& facts) {
  return facts.present >= kMostRecords && facts.tokens_mean >= kProseTokens &&
         facts.bytes_mean >= kProseBytes && facts.words < kNearlyAll / 2 &&
         facts.worded >= kProseWorded && facts.common_phrases <= kProseCommonPhrases &&
         facts.formulas <= kProseFormulas && facts.distinct_of_all >= kProseDistinct &&
         facts.tokens_of_item >= kProseTokens;
}

bool IsLabel(const FieldFacts& facts) {
  return facts.values <= kLabelsMax && facts.distinct < kNearlyAll;
}

std::pair<FieldRole, std::string> Judge(const FieldFacts& facts) {
  if (facts.records == 0) return {FieldRole::kConstant, "null or empty in every record"};
  if (facts.flags >= kConstantShare && facts.values <= 2) {
    return {FieldRole::kFlag, fmt::format("a flag: {} of its values are true, false and the like",
                                          Percent(facts.flags))};
  }
  if (HoldsTimes(facts)) {
    return {FieldRole::kTime,
            fmt::format("{} of its values are times of day, in which copies of a record differ",
                        Percent(facts.times))};
  }
  if (facts.latest_dates >= kNearlyAll && facts.distinct < kWrittenDistinct) {
    return {FieldRole::kTime,
            "a date that no other date of a record follows, and that many records share: it says "
            "when the record was written"};
  }
  if (facts.present < kRareShare) {
    return {FieldRole::kRare, fmt::format("in only {} of the records", Percent(facts.present))};
  }
  if (facts.records >= kConstantRecords && facts.most_frequent >= kConstantShare) {
    return {FieldRole::kConstant,
            fmt::format("the same value in {} of the records, so that it tells few apart",
                        Percent(facts.most_frequent))};
  }
  if (facts.distinct >= kNearlyAll && facts.words >= kNearlyAll) {
    return {FieldRole::kIdentifier,
            fmt::format("looks like an identifier: one {}, different in {} of the records",
                        facts.numbers >= kNearlyAll ? "number" : "word", Percent(facts.distinct))};
  }
  if (HoldsCodes(facts)) {
    return {FieldRole::kIdentifier,
            fmt::format("{} of its values are codes: hashes, UUIDs, or addresses of the web",
                        Percent(facts.codes))};
  }
  if (facts.records >= kCounterRecords && facts.rises >= kNearlyAll) {
    return {FieldRole::kIdentifier, "a counter: it rises from record to record"};
  }
  if (facts.numbers >= kNearlyAll && NamesMachineNumber(facts.path)) {
    return {FieldRole::kIdentifier, "a number that a machine gave, by its name"};
  }
  const std::string tokens = fmt::format("{:.3g} tokens on average", facts.tokens_mean);
  // Addresses are one word of many tokens.
  const bool words = facts.words >= kNearlyAll;
  if (IsProse(facts)) return {FieldRole::kProse, "prose of " + tokens};
  if (facts.tokens_mean >= kTextTokens && !words) return {FieldRole::kText, "text of " + tokens};
  if (facts.filled < kFilledShare) {
    return {FieldRole::kRare, fmt::format("short, and empty in {} of the records that name it",
                                          Percent(1 - facts.filled))};
  }
  if (facts.numbers >= kNearlyAll) return {FieldRole::kShortText, "a number"};
  if (IsLabel(facts)) {
    return {FieldRole::kShortText, fmt::format("one of {} values", facts.values)};
  }
  return {FieldRole::kShortText, (words ? "one word of " : "short text of ") + tokens};
}

using Json = nlohmann::ordered_json;

/// Values below this depth belong to the field at this depth.
constexpr size_t kDepthMax = 128;

void AppendLeaf(const Json& leaf, std::string& text) {
  if (leaf.is_null()) return;
  if (!text.empty()) text += '\n';
  text += leaf.is_string() ? leaf.get_ref<const std::string&>() : leaf.dump();
}

/// Appends all leaves of a value, in the order of the document, one on each line.
void AppendLeaves(const Json& value, size_t depth, std::string& text) {
  if (!value.is_structured()) {
    AppendLeaf(value, text);
  } else if (depth > 0) {
    for (const Json& item : value) AppendLeaves(item, depth - 1, text);
  }
}

/// Calls `visit(path, text, items)` for each field of an object, at any depth. An array is one
/// field of several items.
template <class Visit>
void VisitFields(const Json& object, FieldPath& path, const Visit& visit) {
  for (const auto& member : object.items()) {
    path.push_back(member.key());
    if (member.value().is_object() && path.size() < kDepthMax) {
      VisitFields(member.value(), path, visit);
    } else {
      std::string text;
      AppendLeaves(member.value(), kDepthMax, text);
      visit(path, text, std::max<size_t>(member.value().is_array() ? member.value().size() : 1, 1));
    }
    path.pop_back();
  }
}

bool IsFlag(std::string_view text) {
  static constexpr std::string_view kFlags[] = {"true", "false", "True", "False", "yes", "no",
                                                "Yes",  "No",    "Y",    "N",     "1",   "0"};
  return std::find(std::begin(kFlags), std::end(kFlags), text) != std::end(kFlags);
}

constexpr size_t kDateBytes = 10;

/// 2026-01-31, whatever follows.
bool IsDate(std::string_view text) {
  if (text.size() < kDateBytes) return false;
  for (size_t i = 0; i < kDateBytes; ++i) {
    const bool dash = i == 4 || i == 7;
    if (dash ? text[i] != '-' : text[i] < '0' || text[i] > '9') return false;
  }
  return true;
}

bool HoldsDigit(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

bool IsWord(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < 0x7f; });
}

std::optional<int64_t> WholeNumber(std::string_view text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

double Ratio(size_t part, size_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

const char* Name(FieldRole role) {
  switch (role) {
    case FieldRole::kProse:
      return "prose";
    case FieldRole::kText:
      return "text";
    case FieldRole::kShortText:
      return "short text";
    case FieldRole::kIdentifier:
      return "identifier";
    case FieldRole::kTime:
      return "time";
    case FieldRole::kConstant:
      return "constant";
    case FieldRole::kFlag:
      return "flag";
    case FieldRole::kMetadata:
      return "metadata";
    case FieldRole::kRare:
      return "rare";
  }
  return "rare";
}

bool HoldsTimes(const FieldFacts& facts) { return facts.times >= kNearlyAll; }
bool HoldsCodes(const FieldFacts& facts) { return facts.codes >= kNearlyAll; }

StudiedField JudgeField(FieldFacts facts) {
  auto [role, reason] = Judge(facts);
  return {std::move(facts), role, std::move(reason)};
}

namespace {

void LeaveLabels(std::vector<StudiedField>& fields) {
  const auto text = std::find_if(fields.begin(), fields.end(), [](const StudiedField& field) {
    return field.role == FieldRole::kText && field.facts.present >= kMostRecords &&
           field.facts.tokens_mean >= kLongTextTokens;
  });
  if (text == fields.end()) return;
  for (StudiedField& field : fields) {
    if (field.role != FieldRole::kShortText || !IsLabel(field.facts)) continue;
    field.role = FieldRole::kMetadata;
    field.reason =
        fmt::format("metadata: {}, while {} holds the text", field.reason, text->facts.path);
  }
}

}  // namespace

bool ProseSaysAll(std::span<const StudiedField> fields) {
  return std::any_of(fields.begin(), fields.end(), [](const StudiedField& field) {
    return field.role == FieldRole::kProse && field.facts.present >= kProsePresent;
  });
}

void LeaveMetadata(std::vector<StudiedField>& fields) {
  double present = 0;
  std::vector<std::string> prose;
  for (const StudiedField& field : fields) {
    if (field.role != FieldRole::kProse) continue;
    present = std::max(present, field.facts.present);
    prose.push_back(field.facts.path);
  }
  if (!ProseSaysAll(fields)) return LeaveLabels(fields);
  const StudiedField* beside = nullptr;
  for (const StudiedField& field : fields) {
    const bool may = field.role == FieldRole::kText || field.role == FieldRole::kShortText;
    if (present >= kAllRecords || !may || field.facts.present < kAllRecords) continue;
    if (beside == nullptr || field.facts.tokens_mean > beside->facts.tokens_mean) beside = &field;
  }
  for (StudiedField& field : fields) {
    if (&field == beside || field.role == FieldRole::kProse || !IsCompared(field.role)) continue;
    field.role = FieldRole::kMetadata;
    field.reason = fmt::format("metadata: {}, while {} {} what people compare", field.reason,
                               fmt::join(prose, " and "), prose.size() == 1 ? "is" : "are");
  }
}

std::string SelectorOf(const FieldPath& path) {
  const bool is_name = path.size() == 1 && !path[0].empty() && path[0][0] != '/';
  return is_name ? path[0] : ToPointer(path);
}

FieldStudy::FieldStudy(size_t records_of_all) : tokeniser_(true), records_of_all_(records_of_all) {}

void FieldStudy::Add(std::string_view payload) {
  ++records_;
  const Json record = Json::parse(payload, nullptr, false);
  if (!record.is_object()) return;
  FieldPath path;
  std::vector<std::pair<std::string, size_t>> dates;  // with the number of their field
  VisitFields(record, path, [&](const FieldPath& place, const std::string& text, size_t items) {
    const std::string pointer = ToPointer(place);
    if (!numbers_.contains(pointer)) {
      if (fields_.size() == kFieldsMax) {
        ++fields_left_out_;
        return;
      }
      numbers_.emplace(pointer, fields_.size());
      fields_.emplace_back().path = SelectorOf(place);
    }
    const size_t number = numbers_.at(pointer);
    Counts& counts = fields_[number];
    ++counts.named;
    if (!text.empty()) Count(counts, text, items);
    if (IsDate(text)) dates.emplace_back(text.substr(0, kDateBytes), number);
  });
  if (dates.size() < 2) return;
  const std::string latest = std::max_element(dates.begin(), dates.end())->first;
  for (const auto& [date, number] : dates) fields_[number].latest_dates += date == latest ? 1 : 0;
}

void FieldStudy::Count(Counts& counts, std::string_view text, size_t items) {
  tokens_.Clear();
  tokeniser_.Tokenise(text, tokens_);
  std::string number;
  ++counts.present;
  counts.tokens += tokens_.token_count();
  counts.items += items;
  counts.bytes += text.size();
  counts.times += IsTimeText(text) ? 1 : 0;
  counts.numbers += CanonicalNumber(text, number) ? 1 : 0;
  counts.flags += IsFlag(text) ? 1 : 0;
  counts.words += IsWord(text) ? 1 : 0;
  counts.codes += IsCodeText(text) ? 1 : 0;
  if (const std::optional<int64_t> whole = WholeNumber(text)) {
    counts.rises += *whole > counts.number_before ? 1 : 0;
    counts.number_before = *whole;
  }
  Counts::Value& value = counts.values[Hash64(text)];
  value.tokens = tokens_.token_count();
  if (++value.records == 1) CountPhrases(counts);
}

void FieldStudy::CountPhrases(Counts& counts) {
  std::string_view text = tokens_.TextFrom(0);
  std::vector<uint64_t> hashes;
  while (!text.empty() && hashes.size() < kPhraseTokens) {
    const std::string_view token = text.substr(0, text.find(' '));
    text.remove_prefix(token.size() + 1);
    hashes.push_back(Hash64(token));
    ++counts.value_tokens;
    counts.worded += HoldsDigit(token) ? 0 : 1;
  }
  std::unordered_set<uint64_t> phrases;
  for (size_t i = 2; i < hashes.size(); ++i) {
    phrases.insert(Mix64(Mix64(hashes[i - 2]) + hashes[i - 1]) + hashes[i]);
  }
  for (const uint64_t phrase : phrases) ++counts.phrases[phrase];
}

/// Chao's estimate (1984) of the number of distinct values: d + f1 (f1 - 1) / (2 (f2 + 1)), where
/// f1 values were seen once and f2 twice.
double FieldStudy::DistinctOfAll(const FieldFacts& facts, size_t once, size_t twice) const {
  const double share = Ratio(records_of_all_, records_);
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
    size_t formulas = 0;
    size_t once = 0;
    size_t twice = 0;
    for (const auto& [hash, value] : counts.values) {
      most = std::max(most, value.records);
      once += value.records == 1 ? 1 : 0;
      twice += value.records == 2 ? 1 : 0;
      if (value.records > 1 && value.tokens < kFormulaTokens) formulas += value.records;
    }
    const double share = kCommonPhraseShare * static_cast<double>(counts.values.size());
    const size_t common_min = std::max(kCommonPhraseValues, static_cast<size_t>(share));
    size_t phrases = 0;
    size_t common = 0;
    for (const auto& [hash, values] : counts.phrases) {
      phrases += values;
      if (values >= common_min) common += values;
    }
    FieldFacts facts;
    facts.path = counts.path;
    facts.records = counts.present;
    facts.present = Ratio(counts.present, records_);
    facts.filled = Ratio(counts.present, counts.named);
    facts.values = counts.values.size();
    facts.distinct = Ratio(counts.values.size(), counts.present);
    facts.distinct_of_all = DistinctOfAll(facts, once, twice);
    facts.tokens_of_item = Ratio(counts.tokens, counts.items);
    facts.most_frequent = Ratio(most, counts.present);
    facts.tokens_mean = Ratio(counts.tokens, counts.present);
    facts.bytes_mean = Ratio(counts.bytes, counts.present);
    facts.times = Ratio(counts.times, counts.present);
    facts.numbers = Ratio(counts.numbers, counts.present);
    facts.flags = Ratio(counts.flags, counts.present);
    facts.words = Ratio(counts.words, counts.present);
    facts.codes = Ratio(counts.codes, counts.present);
    facts.rises = Ratio(counts.rises, counts.present);
    facts.latest_dates = Ratio(counts.latest_dates, counts.present);
    facts.worded = Ratio(counts.worded, counts.value_tokens);
    facts.common_phrases = Ratio(common, phrases);
    facts.formulas = Ratio(formulas, counts.present);
    studied.push_back(JudgeField(std::move(facts)));
  }
  LeaveMetadata(studied);
  return studied;
}

}  // namespace neardup
