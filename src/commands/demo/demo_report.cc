#include "commands/demo/demo_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string_view>
#include <unordered_map>

#include "detect/base/quantity.h"
#include "learn/words.h"

namespace neardup {
namespace {

/// Rounded down: 100 % means all.
std::string Percent(uint64_t part, uint64_t whole) {
  if (whole == 0) return "-";
  const uint64_t per_mille = part * 1000 / whole;
  return fmt::format("{}.{} %", per_mille / 10, per_mille % 10);
}

std::string CountRow(std::string_view name, size_t count, size_t all) {
  return fmt::format("  {:<22}{:>10}{:>10}", name, Grouped(count), Percent(count, all));
}

std::string ReasonList(const DemoCounts& counts) {
  std::string list;
  for (size_t i = 0; i < counts.dead_letters.size(); ++i) {
    if (counts.dead_letters[i] == 0) continue;
    list += fmt::format("{}{} {}", list.empty() ? "   " : ", ", Name(static_cast<Reason>(i)),
                        Grouped(counts.dead_letters[i]));
  }
  return list;
}

std::string CopiesRow(std::string_view name, const Tally& copies) {
  return fmt::format("  {:<22}{:>10}{:>10}{:>10}\n", name, Grouped(copies.true_duplicates),
                     Grouped(copies.right), Percent(copies.right, copies.true_duplicates));
}

/// The verdicts as calls that name the first record of a cluster, as if the lane had decided the
/// records in their order.
std::vector<std::optional<Call>> CallsInOrder(std::span<const Label> labels,
                                              std::span<const DemoVerdict> verdicts) {
  std::unordered_map<std::string_view, size_t> first_of_cluster;
  for (size_t i = 0; i < labels.size(); ++i) first_of_cluster.emplace(labels[i].cluster, i);
  std::vector<std::optional<Call>> calls;
  for (const DemoVerdict& verdict : verdicts) {
    Call call;
    call.duplicate = verdict.decision == Decision::kDuplicate;
    if (call.duplicate) call.original = first_of_cluster.at(labels[*verdict.original].cluster);
    calls.emplace_back(call);
  }
  for (size_t i = 0; i < labels.size(); ++i) {
    // The first record of a cluster names a copy of it: the copy was decided before.
    if (calls[i]->original == i) std::swap(calls[i], calls[*verdicts[i].original]);
  }
  return calls;
}

enum class TextShape : uint8_t { kEnglishArticle, kChineseArticle, kProduct };
constexpr size_t kShapeCount = 3;

/// The compared fields in the order of reading; nullopt if the payload is malformed.
std::optional<std::string> ReadableText(const SyntheticRecord& record) {
  const auto fields = nlohmann::json::parse(record.payload, nullptr, false);
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

TextShape ShapeOf(const SyntheticRecord& record, std::string_view text) {
  if (record.payload.find("\"name\"") != std::string::npos) return TextShape::kProduct;
  const bool ascii = std::all_of(text.begin(), text.end(), [](char c) { return (c & 0x80) == 0; });
  return ascii ? TextShape::kEnglishArticle : TextShape::kChineseArticle;
}

/// Higher is better to show.
int Rank(const Label& label, const DemoVerdict& verdict) {
  if (verdict.match == MatchKind::kExact) return 0;
  if (label.kind.starts_with(Name(EditKind::kReplaced))) return 3;
  if (label.kind.starts_with(Name(EditKind::kInserted))) return 2;
  return 1;
}

/// How a record was made, in words.
std::string KindText(const Label& label) {
  for (const PlantedKind& kind : PlantedKinds()) {
    if (Name(kind.edit) == label.kind) return kind.text;
  }
  return label.kind;
}

std::string Marked(std::span<const TextStretch> stretches) {
  std::string text;
  for (const TextStretch& stretch : stretches) {
    if (!stretch.differs) {
      text += stretch.text;
      continue;
    }
    const size_t end = stretch.text.find_last_not_of(' ') + 1;
    text += fmt::format("[{}]{}", stretch.text.substr(0, end), stretch.text.substr(end));
  }
  return text;
}

}  // namespace

size_t DemoCounts::dead() const {
  return std::accumulate(dead_letters.begin(), dead_letters.end(), size_t{0});
}

DemoCounts CountVerdicts(std::span<const Label> labels, std::span<const DemoVerdict> verdicts) {
  assert(labels.size() == verdicts.size());
  DemoCounts counts;
  counts.records = verdicts.size();
  for (const DemoVerdict& verdict : verdicts) {
    if (verdict.decision == Decision::kUnique) {
      ++counts.unique;
    } else if (verdict.decision == Decision::kDeadLetter) {
      ++counts.dead_letters[static_cast<size_t>(verdict.reason)];
    } else {
      ++(verdict.match == MatchKind::kExact ? counts.exact_duplicates : counts.near_duplicates);
    }
  }
  counts.accuracy = Judge(labels, CallsInOrder(labels, verdicts));
  return counts;
}

std::string DemoTable(const DemoCounts& counts, const DemoSpeed& speed) {
  std::string text =
      fmt::format("{} records in {:.1f} s, {} records/s\n\n", Grouped(counts.records),
                  speed.seconds, Grouped(static_cast<uint64_t>(speed.records_per_s)));
  text += CountRow("unique", counts.unique, counts.records) + '\n';
  text += CountRow("exact duplicates", counts.exact_duplicates, counts.records) + '\n';
  text += CountRow("near duplicates", counts.near_duplicates, counts.records) + '\n';
  text += CountRow("dead letters", counts.dead(), counts.records) + ReasonList(counts) + '\n';
  text += fmt::format("\n  {:<22}{:>10}{:>10}\n", "planted copies", "planted", "found");
  for (const PlantedKind& kind : PlantedKinds()) {
    const auto tally = counts.accuracy.kinds.find(Name(kind.edit));
    if (tally != counts.accuracy.kinds.end()) text += CopiesRow(kind.text, tally->second);
  }
  text += CopiesRow("all", counts.accuracy.all);
  text += fmt::format("\n  {:<22}{:>10}   called a duplicate of a record they are no copy of\n",
                      "false matches", Grouped(counts.false_matches()));
  return text;
}

std::vector<size_t> PickDuplicates(const SyntheticStream& stream,
                                   std::span<const DemoVerdict> verdicts) {
  std::array<std::optional<size_t>, kShapeCount> best;
  for (size_t i = 0; i < stream.records.size(); ++i) {
    if (verdicts[i].decision != Decision::kDuplicate) continue;
    const std::optional<std::string> text = ReadableText(stream.records[i]);
    if (!text) continue;
    auto& shown = best[static_cast<size_t>(ShapeOf(stream.records[i], *text))];
    if (!shown ||
        Rank(stream.labels[i], verdicts[i]) > Rank(stream.labels[*shown], verdicts[*shown])) {
      shown = i;
    }
  }
  std::vector<size_t> picked;
  for (const std::optional<size_t>& shown : best) {
    if (shown) picked.push_back(*shown);
  }
  return picked;
}

std::string DuplicateText(const SyntheticStream& stream, std::span<const DemoVerdict> verdicts,
                          size_t index) {
  const DemoVerdict& verdict = verdicts[index];
  const size_t original = verdict.original.value();
  const WordDifference difference =
      CompareWords(ReadableText(stream.records[original]).value_or(""),
                   ReadableText(stream.records[index]).value_or(""));
  return fmt::format(
      "  {}, distance {} (planted: {})\n"
      "    original   {}\n"
      "      {}\n"
      "    duplicate  {}\n"
      "      {}\n",
      Name(verdict.match), verdict.distance, KindText(stream.labels[index]),
      verdicts[original].place, Marked(difference.earlier), verdict.place,
      Marked(difference.later));
}

}  // namespace neardup
