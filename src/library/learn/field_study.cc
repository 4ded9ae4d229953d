#include "learn/field_study.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <system_error>
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
/// Names, labels and numbers have fewer tokens than texts do.
constexpr double kTextTokens = 8;
/// A short field with at most this many distinct values is a label.
constexpr size_t kLabelsMax = 100;
/// A text of this many tokens says what a record is about without its labels.
constexpr double kLongTextTokens = 24;
constexpr double kMostRecords = 0.5;

std::string Percent(double share) { return fmt::format("{:.3g} %", 100 * share); }

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

/// Calls `visit(path, text)` for each field of an object, at any depth. Arrays are one field.
template <class Visit>
void VisitFields(const Json& object, FieldPath& path, const Visit& visit) {
  for (const auto& member : object.items()) {
    path.push_back(member.key());
    if (member.value().is_object() && path.size() < kDepthMax) {
      VisitFields(member.value(), path, visit);
    } else {
      std::string text;
      AppendLeaves(member.value(), kDepthMax, text);
      visit(path, text);
    }
    path.pop_back();
  }
}

bool IsFlag(std::string_view text) {
  static constexpr std::string_view kFlags[] = {"true", "false", "True", "False", "yes", "no",
                                                "Yes",  "No",    "Y",    "N",     "1",   "0"};
  return std::find(std::begin(kFlags), std::end(kFlags), text) != std::end(kFlags);
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
    case FieldRole::kLabel:
      return "label";
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

void LeaveLabelsToText(std::vector<StudiedField>& fields) {
  const StudiedField* text = nullptr;
  for (const StudiedField& field : fields) {
    if (field.role != FieldRole::kText || field.facts.present < kMostRecords) continue;
    if (field.facts.tokens_mean < kLongTextTokens) continue;
    if (text == nullptr || field.facts.tokens_mean > text->facts.tokens_mean) text = &field;
  }
  if (text == nullptr) return;
  for (StudiedField& field : fields) {
    if (field.role != FieldRole::kShortText || !IsLabel(field.facts)) continue;
    field.role = FieldRole::kLabel;
    field.reason =
        fmt::format("a label: {}, while {} holds the text", field.reason, text->facts.path);
  }
}

std::string SelectorOf(const FieldPath& path) {
  const bool is_name = path.size() == 1 && !path[0].empty() && path[0][0] != '/';
  return is_name ? path[0] : ToPointer(path);
}

FieldStudy::FieldStudy() : tokeniser_(true) {}

void FieldStudy::Add(std::string_view payload) {
  ++records_;
  const Json record = Json::parse(payload, nullptr, false);
  if (!record.is_object()) return;
  FieldPath path;
  VisitFields(record, path, [&](const FieldPath& place, const std::string& text) {
    const std::string pointer = ToPointer(place);
    if (!numbers_.contains(pointer)) {
      if (fields_.size() == kFieldsMax) {
        ++fields_left_out_;
        return;
      }
      numbers_.emplace(pointer, fields_.size());
      fields_.emplace_back().path = SelectorOf(place);
    }
    Counts& counts = fields_[numbers_.at(pointer)];
    ++counts.named;
    if (!text.empty()) Count(counts, text);
  });
}

void FieldStudy::Count(Counts& counts, std::string_view text) {
  tokens_.Clear();
  tokeniser_.Tokenise(text, tokens_);
  std::string number;
  ++counts.present;
  counts.tokens += tokens_.token_count();
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
  ++counts.values[Hash64(text)];
}

std::vector<StudiedField> FieldStudy::Finish() const {
  std::vector<StudiedField> studied;
  for (const Counts& counts : fields_) {
    size_t most = 0;
    for (const auto& [value, records] : counts.values) most = std::max(most, records);
    FieldFacts facts;
    facts.path = counts.path;
    facts.records = counts.present;
    facts.present = Ratio(counts.present, records_);
    facts.filled = Ratio(counts.present, counts.named);
    facts.values = counts.values.size();
    facts.distinct = Ratio(counts.values.size(), counts.present);
    facts.most_frequent = Ratio(most, counts.present);
    facts.tokens_mean = Ratio(counts.tokens, counts.present);
    facts.bytes_mean = Ratio(counts.bytes, counts.present);
    facts.times = Ratio(counts.times, counts.present);
    facts.numbers = Ratio(counts.numbers, counts.present);
    facts.flags = Ratio(counts.flags, counts.present);
    facts.words = Ratio(counts.words, counts.present);
    facts.codes = Ratio(counts.codes, counts.present);
    facts.rises = Ratio(counts.rises, counts.present);
    studied.push_back(JudgeField(std::move(facts)));
  }
  LeaveLabelsToText(studied);
  return studied;
}

}  // namespace neardup
