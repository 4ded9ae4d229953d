#include "app/demo_report.h"

#include <algorithm>
#include <cassert>
#include <cstdio>
#include <vector>

#include "app/totals.h"

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

size_t SampleRoot(std::span<const SampleRecord> records, size_t index) {
  return records[index].original.value_or(index);
}

DemoCounts CountVerdicts(std::span<const SampleRecord> records,
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
    text += CopiesRow(Name(static_cast<SampleKind>(i)), counts.copies[i]);
  }
  text += CopiesRow("all", counts.all_copies());
  text += '\n' + Row("false matches", Grouped(counts.false_matches)) +
          "   called a duplicate of a record it is no copy of\n";
  return text;
}

}  // namespace neardup
