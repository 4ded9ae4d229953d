#include "evaluate/report_table.h"

#include <algorithm>
#include <array>
#include <cstdarg>
#include <cstdio>
#include <optional>
#include <string_view>

namespace neardup {
namespace {

/// Schemes side by side in the table of kinds; more begin another.
constexpr size_t kColumnsMost = 6;

[[gnu::format(printf, 2, 3)]] void Add(std::string& text, const char* format, ...) {
  std::array<char, 512> line{};
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(line.data(), line.size(), format, arguments);
  va_end(arguments);
  text += line.data();
}

std::string Share(std::optional<double> ratio) {
  std::string text;
  if (ratio) Add(text, "%.4f", *ratio);
  return ratio ? text : "-";
}

size_t NameWidth(const SetReport& set) {
  size_t width = 8;
  for (const SchemeRun& run : set.runs) width = std::max(width, run.scheme.size());
  return width;
}

void AddHeading(const SetReport& set, std::string& text) {
  const Accuracy& accuracy = set.runs[0].accuracy;
  Add(text, "%s: %llu records, %llu true duplicates; fields ", set.name.c_str(),
      static_cast<unsigned long long>(set.records),
      static_cast<unsigned long long>(accuracy.all.true_duplicates));
  if (set.fields.empty()) text += "all";
  for (size_t i = 0; i < set.fields.size(); ++i) text += (i == 0 ? "" : ",") + set.fields[i];
  text += '\n';
  if (accuracy.missing > 0) {
    Add(text, "WARNING: %llu labels without a record (counted as unique)\n",
        static_cast<unsigned long long>(accuracy.missing));
  }
  if (set.unlabelled > 0) {
    Add(text, "WARNING: %llu records without a label (not counted)\n",
        static_cast<unsigned long long>(set.unlabelled));
  }
  if (set.runs[0].dead_letters > 0) {
    Add(text, "WARNING: %llu dead letters (counted as unique)\n",
        static_cast<unsigned long long>(set.runs[0].dead_letters));
  }
}

void AddSchemes(const SetReport& set, std::string& text) {
  const int width = static_cast<int>(NameWidth(set));
  Add(text, "%-*s %9s %7s %7s %9s %11s %12s\n", width, "scheme", "precision", "recall", "F1",
      "strict F1", "records/s", "bytes/entry");
  for (const SchemeRun& run : set.runs) {
    const Tally& all = run.accuracy.all;
    Add(text, "%-*s %9s %7s %7s %9s %11.0f", width, run.scheme.c_str(),
        Share(all.precision()).c_str(), Share(all.recall()).c_str(), Share(all.f1()).c_str(),
        Share(all.strict_f1()).c_str(), run.records_per_s());
    if (const std::optional<double> bytes = run.bytes_per_entry()) {
      Add(text, " %12.0f\n", *bytes);
    } else {
      Add(text, " %12s\n", "-");
    }
  }
}

void AddKinds(const SetReport& set, std::string& text) {
  size_t name_width = 8;
  for (const auto& [kind, tally] : set.runs[0].accuracy.kinds) {
    name_width = std::max(name_width, kind.size());
  }
  const int width = static_cast<int>(name_width);
  for (size_t begin = 0; begin < set.runs.size(); begin += kColumnsMost) {
    const size_t end = std::min(begin + kColumnsMost, set.runs.size());
    Add(text, "\n%-*s %8s", width, "kind", "true");
    for (size_t i = begin; i < end; ++i) Add(text, "  %12s", set.runs[i].scheme.c_str());
    text += '\n';
    for (const auto& [kind, tally] : set.runs[begin].accuracy.kinds) {
      if (tally.true_duplicates == 0) continue;
      Add(text, "%-*s %8llu", width, kind.c_str(),
          static_cast<unsigned long long>(tally.true_duplicates));
      for (size_t i = begin; i < end; ++i) {
        Add(text, "  %12s", Share(set.runs[i].accuracy.kinds.at(kind).recall()).c_str());
      }
      text += '\n';
    }
  }
}

void AddCurve(const SetReport& set, std::string& text) {
  if (set.curve.empty()) return;
  text += "\ndistance_max";
  for (const CurvePoint& point : set.curve) Add(text, " %6d", point.distance_max);
  text += "\nrecall      ";
  for (const CurvePoint& point : set.curve) {
    Add(text, " %6s", Share(point.tally.recall()).c_str());
  }
  text += "\nprecision   ";
  for (const CurvePoint& point : set.curve) {
    Add(text, " %6s", Share(point.tally.precision()).c_str());
  }
  text += '\n';
}

}  // namespace

std::string ReportTable(std::span<const SetReport> sets) {
  std::string text;
  for (const SetReport& set : sets) {
    if (!text.empty()) text += '\n';
    AddHeading(set, text);
    AddSchemes(set, text);
    AddKinds(set, text);
    AddCurve(set, text);
  }
  const std::vector<SchemeMean> means = MeanF1(sets);
  if (!means.empty()) Add(text, "\nmean F1 over %zu sets\n", sets.size());
  for (const SchemeMean& mean : means) Add(text, "%-20s %7.4f\n", mean.scheme.c_str(), mean.f1);
  return text;
}

}  // namespace neardup
