#include "demo/demo_report.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cctype>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "base/number_text.h"

namespace neardup {

namespace {

constexpr size_t kNameColumns = 20;
constexpr size_t kNumberColumns = 10;

std::string Right(const std::string& text, size_t columns) {
  return std::string(columns - std::min(columns, text.size()), ' ') + text;
}

std::string Row(const std::string& name, const std::string& number) {
  std::string row = "  " + name;
  row.append(kNameColumns - std::min(kNameColumns, name.size()), ' ');
  return row + Right(number, kNumberColumns);
}

std::string Decimal(double number, int places) {
  std::array<char, 48> text{};
  std::snprintf(text.data(), text.size(), "%.*f", places, number);
  return text.data();
}

/// Cut, not rounded: one copy missed of many is never 100 %.
std::string Percent(size_t part, size_t whole) {
  if (whole == 0) return "-";
  const size_t per_mille = part * 1000 / whole;
  return std::to_string(per_mille / 10) + "." + std::to_string(per_mille % 10) + " %";
}

std::string CountRow(const std::string& name, size_t count, size_t all) {
  return Row(name, Grouped(count)) + Right(Percent(count, all), kNumberColumns);
}

std::string ReasonList(const DemoCounts& counts) {
  std::string list;
  for (size_t i = 0; i < counts.dead_letters.size(); ++i) {
    if (counts.dead_letters[i] == 0) continue;
    list += list.empty() ? "   " : ", ";
    list += Name(static_cast<Reason>(i)) + (" " + Grouped(counts.dead_letters[i]));
  }
  return list;
}

std::string CopiesRow(const std::string& name, const PlantedCopies& copies) {
  return Row(name, Grouped(copies.planted)) + Right(Grouped(copies.found), kNumberColumns) +
         Right(Percent(copies.found, copies.planted), kNumberColumns) + '\n';
}

}  // namespace

PlantedCopies DemoCounts::all_copies() const {
  PlantedCopies all;
  for (const PlantedCopies& kind : copies) {
    all.planted += kind.planted;
    all.found += kind.found;
  }
  return all;
}

size_t DemoCounts::dead() const {
  size_t sum = 0;
  for (const size_t count : dead_letters) sum += count;
  return sum;
}

size_t SampleRoot(std::span<const SyntheticRecord> records, size_t index) {
  return records[index].original.value_or(index);
}

DemoCounts CountVerdicts(std::span<const SyntheticRecord> records,
                         std::span<const SampleVerdict> verdicts) {
  assert(records.size() == verdicts.size());
  DemoCounts counts;
  counts.records = records.size();
  std::vector<bool> found(records.size(), false);
  for (size_t i = 0; i < records.size(); ++i) {
    const SampleVerdict& verdict = verdicts[i];
    if (verdict.decision == Decision::kUnique) {
      ++counts.unique;
    } else if (verdict.decision == Decision::kDeadLetter) {
      ++counts.dead_letters[static_cast<size_t>(verdict.reason)];
    } else {
      ++(verdict.match == MatchKind::kExact ? counts.exact_duplicates : counts.near_duplicates);
      const size_t original = verdict.original.value();
      if (SampleRoot(records, original) != SampleRoot(records, i)) {
        ++counts.false_matches;
      } else {
        found[records[i].original ? i : original] = true;
      }
    }
  }
  for (size_t i = 0; i < records.size(); ++i) {
    if (!records[i].original) continue;
    PlantedCopies& kind = counts.copies[static_cast<size_t>(records[i].kind)];
    ++kind.planted;
    kind.found += found[i] ? 1 : 0;
  }
  return counts;
}

std::string DemoTable(const DemoCounts& counts, const DemoSpeed& speed) {
  std::string text = Grouped(counts.records) + " records in " + Decimal(speed.seconds, 1) + " s, " +
                     Grouped(static_cast<uint64_t>(speed.records_per_s)) + " records/s\n\n";
  text += CountRow("unique", counts.unique, counts.records) + '\n';
  text += CountRow("exact duplicates", counts.exact_duplicates, counts.records) + '\n';
  text += CountRow("near duplicates", counts.near_duplicates, counts.records) + '\n';
  text += CountRow("dead letters", counts.dead(), counts.records) + ReasonList(counts) + '\n';
  text += '\n' + Row("planted copies", "planted") + Right("found", kNumberColumns) + '\n';
  for (size_t i = 0; i < counts.copies.size(); ++i) {
    if (counts.copies[i].planted == 0) continue;
    text += CopiesRow(Name(static_cast<SyntheticKind>(i)), counts.copies[i]);
  }
  text += CopiesRow("all", counts.all_copies());
  text += '\n' + Row("false matches", Grouped(counts.false_matches)) +
          "   called a duplicate of a record it is no copy of\n";
  return text;
}

namespace {

using Json = nlohmann::json;

constexpr size_t kContextBytes = 45;
constexpr size_t kMarkedBytesMax = 90;
constexpr size_t kBeginningBytes = 100;

enum class Shape : uint8_t { kEnglishArticle, kChineseArticle, kProduct };
constexpr size_t kShapeCount = 3;

/// The compared fields in the order of reading; absent when the payload is malformed.
std::optional<std::string> ReadableText(const SyntheticRecord& record) {
  const Json fields = Json::parse(record.payload, nullptr, false);
  if (!fields.is_object()) return std::nullopt;
  std::string text;
  for (const char* name : {"title", "name", "body", "description", "source", "brand", "price"}) {
    const auto field = fields.find(name);
    if (field == fields.end() || !field->is_string()) continue;
    if (!text.empty()) text += " | ";
    text += field->get_ref<const std::string&>();
  }
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

Shape ShapeOf(const SyntheticRecord& record, std::string_view text) {
  if (record.payload.find("\"name\"") != std::string::npos) return Shape::kProduct;
  return !text.empty() && (text[0] & 0x80) != 0 ? Shape::kChineseArticle : Shape::kEnglishArticle;
}

/// Higher is more telling.
int Rank(const SyntheticRecord& record, const SampleVerdict& verdict) {
  if (verdict.match == MatchKind::kExact) return 0;
  if (record.kind == SyntheticKind::kWordInserted) return 3;
  if (record.kind == SyntheticKind::kWordsReplaced) return 2;
  return 1;
}

/// ASCII letters, digits and the tails of UTF-8 characters: no place to cut before one of them
/// unless what stands before it is no such byte.
bool InsideWord(std::string_view text, size_t at) {
  if (at == 0 || at >= text.size()) return false;
  const auto byte = static_cast<unsigned char>(text[at]);
  const auto before = static_cast<unsigned char>(text[at - 1]);
  if ((byte & 0xC0) == 0x80) return true;
  const auto ascii_word = [](unsigned char c) { return c < 0x80 && std::isalnum(c) != 0; };
  return ascii_word(byte) && ascii_word(before);
}

size_t BorderBefore(std::string_view text, size_t at) {
  while (InsideWord(text, at)) --at;
  return at;
}

size_t BorderAfter(std::string_view text, size_t at) {
  while (InsideWord(text, at)) ++at;
  return at;
}

std::string Excerpt(std::string_view text, size_t begin, size_t end) {
  const size_t from = begin > kContextBytes ? BorderBefore(text, begin - kContextBytes) : 0;
  const size_t to = BorderAfter(text, std::min(text.size(), end + kContextBytes));
  std::string middle(text.substr(begin, end - begin));
  if (middle.size() > kMarkedBytesMax) {
    middle.resize(BorderBefore(middle, kMarkedBytesMax));
    middle += "...";
  }
  return (from > 0 ? "..." : "") + std::string(text.substr(from, begin - from)) + "[" + middle +
         "]" + std::string(text.substr(end, to - end)) + (to < text.size() ? "..." : "");
}

std::string Beginning(std::string_view text) {
  const size_t end = BorderAfter(text, std::min(text.size(), kBeginningBytes));
  return std::string(text.substr(0, end)) + (end < text.size() ? "..." : "");
}

}  // namespace

std::vector<size_t> PickDuplicates(std::span<const SyntheticRecord> records,
                                   std::span<const SampleVerdict> verdicts) {
  std::array<std::optional<size_t>, kShapeCount> best;
  for (size_t i = 0; i < records.size(); ++i) {
    if (verdicts[i].decision != Decision::kDuplicate) continue;
    const std::optional<std::string> text = ReadableText(records[i]);
    if (!text) continue;
    auto& shown = best[static_cast<size_t>(ShapeOf(records[i], *text))];
    if (!shown || Rank(records[i], verdicts[i]) > Rank(records[*shown], verdicts[*shown])) {
      shown = i;
    }
  }
  std::vector<size_t> picked;
  for (const std::optional<size_t>& shown : best) {
    if (shown) picked.push_back(*shown);
  }
  return picked;
}

MarkedTexts MarkDifference(std::string_view first, std::string_view second) {
  if (first == second) return {Beginning(first), Beginning(second)};
  const size_t shorter = std::min(first.size(), second.size());
  size_t prefix = 0;
  while (prefix < shorter && first[prefix] == second[prefix]) ++prefix;
  // A border in one text may be none in the other; both lose the same bytes.
  while (InsideWord(first, prefix) || InsideWord(second, prefix)) --prefix;
  size_t suffix = 0;
  while (suffix < shorter - prefix &&
         first[first.size() - 1 - suffix] == second[second.size() - 1 - suffix]) {
    ++suffix;
  }
  while (InsideWord(first, first.size() - suffix) || InsideWord(second, second.size() - suffix)) {
    --suffix;
  }
  return {Excerpt(first, prefix, first.size() - suffix),
          Excerpt(second, prefix, second.size() - suffix)};
}

std::string DuplicateText(std::span<const SyntheticRecord> records,
                          std::span<const SampleVerdict> verdicts, size_t index) {
  const SampleVerdict& verdict = verdicts[index];
  const size_t original = verdict.original.value();
  const MarkedTexts texts = MarkDifference(ReadableText(records[original]).value_or(""),
                                           ReadableText(records[index]).value_or(""));
  return std::string("  ") + Name(verdict.match) + ", distance " +
         std::to_string(verdict.distance) + " (planted: " + Name(records[index].kind) + ")\n" +
         "    original   " + verdicts[original].place + "\n      " + texts.first + '\n' +
         "    duplicate  " + verdict.place + "\n      " + texts.second + '\n';
}

}  // namespace neardup
