#include "report/evaluation_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdarg>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "report/html.h"
#include "report/svg_chart.h"

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

std::vector<SchemeMean> MeanF1(std::span<const SetReport> sets) {
  std::vector<SchemeMean> means;
  if (sets.size() < 2) return means;
  for (size_t i = 0; i < sets[0].runs.size(); ++i) {
    double sum = 0;
    for (const SetReport& set : sets) sum += set.runs[i].accuracy.all.f1().value_or(0);
    means.push_back({sets[0].runs[i].scheme, sum / static_cast<double>(sets.size())});
  }
  return means;
}

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

namespace {

using Json = nlohmann::ordered_json;

Json Number(std::optional<double> value) { return value ? Json(*value) : Json(nullptr); }

void AddTally(const Tally& tally, Json& json) {
  json["records"] = tally.records;
  json["true_duplicates"] = tally.true_duplicates;
  json["called_duplicate"] = tally.called;
  json["found"] = tally.found;
  json["right_original"] = tally.right;
  json["precision"] = Number(tally.precision());
  json["recall"] = Number(tally.recall());
  json["f1"] = Number(tally.f1());
  json["strict_f1"] = Number(tally.strict_f1());
}

Json ToJson(const SchemeRun& run) {
  Json json = {{"scheme", run.scheme}};
  AddTally(run.accuracy.all, json);
  json["dead_letters"] = run.dead_letters;
  json["seconds"] = run.seconds;
  json["records_per_s"] = run.records_per_s();
  json["entries"] = run.entries;
  json["bytes_per_entry"] = Number(run.bytes_per_entry());
  Json& kinds = json["kinds"] = Json::object();
  for (const auto& [kind, tally] : run.accuracy.kinds) AddTally(tally, kinds[kind]);
  return json;
}

Json ToJson(const SetReport& set) {
  Json json = {{"set", set.name},
               {"fields", set.fields},
               {"records", set.records},
               {"records_without_label", set.unlabelled},
               {"labels_without_record", set.runs[0].accuracy.missing}};
  Json& schemes = json["schemes"] = Json::array();
  for (const SchemeRun& run : set.runs) schemes.push_back(ToJson(run));
  if (set.curve.empty()) return json;
  Json& curve = json["recall_by_distance"] = Json::array();
  for (const CurvePoint& point : set.curve) {
    curve.push_back({{"distance_max", point.distance_max},
                     {"recall", Number(point.tally.recall())},
                     {"precision", Number(point.tally.precision())}});
  }
  return json;
}

}  // namespace

std::string ReportJson(std::span<const SetReport> sets) {
  Json json = {{"sets", Json::array()}};
  for (const SetReport& set : sets) json["sets"].push_back(ToJson(set));
  if (sets.size() > 1) {
    Json& means = json["mean_f1"] = Json::object();
    for (const SchemeMean& mean : MeanF1(sets)) means[mean.scheme] = mean.f1;
  }
  // Names of files and fields may be any bytes.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

namespace {

constexpr const char* kUndefined = "\u2013";

HtmlCell RatioCell(std::optional<double> ratio) {
  return ratio ? fmt::format("{:.4f}", *ratio) : std::string(kUndefined);
}

HtmlCell HeatCell(std::optional<double> ratio) {
  return ratio ? HtmlCell(fmt::format("{:.3f}", *ratio), ratio) : HtmlCell(kUndefined);
}

std::string SchemesTable(const SetReport& set) {
  HtmlTable table({{"scheme"},
                   {"precision", true},
                   {"recall", true},
                   {"F1", true},
                   {"strict F1", true},
                   {"records/s", true},
                   {"bytes/entry", true}});
  for (const SchemeRun& run : set.runs) {
    const Tally& all = run.accuracy.all;
    const std::optional<double> bytes = run.bytes_per_entry();
    table.AddRow({run.scheme, RatioCell(all.precision()), RatioCell(all.recall()),
                  RatioCell(all.f1()), RatioCell(all.strict_f1()),
                  fmt::format("{:.0f}", run.records_per_s()),
                  bytes ? fmt::format("{:.0f}", *bytes) : std::string(kUndefined)});
  }
  return table.Html();
}

std::string Bars(const SetReport& set) {
  const std::array<std::string, 3> series = {"precision", "recall", "F1"};
  std::vector<BarGroup> groups;
  for (const SchemeRun& run : set.runs) {
    const Tally& all = run.accuracy.all;
    groups.push_back({run.scheme, {all.precision(), all.recall(), all.f1()}});
  }
  return BarChart(series, groups);
}

std::string KindsTable(const SetReport& set) {
  std::vector<HtmlColumn> columns = {{"kind"}, {"true", true}};
  for (const SchemeRun& run : set.runs) columns.push_back({run.scheme, true});
  HtmlTable table(std::move(columns));
  for (const auto& [kind, tally] : set.runs[0].accuracy.kinds) {
    if (tally.true_duplicates == 0) continue;
    std::vector<HtmlCell> cells = {kind, std::to_string(tally.true_duplicates)};
    for (const SchemeRun& run : set.runs) {
      cells.push_back(HeatCell(run.accuracy.kinds.at(kind).recall()));
    }
    table.AddRow(cells);
  }
  return "<h3>Recall by kind</h3>\n" + table.Html();
}

std::string Curve(const SetReport& set) {
  if (set.curve.empty()) return "";
  std::vector<std::string> marks;
  std::array<Line, 2> lines = {Line{"precision", {}}, Line{"recall", {}}};
  for (const CurvePoint& point : set.curve) {
    marks.push_back(std::to_string(point.distance_max));
    lines[0].values.push_back(point.tally.precision());
    lines[1].values.push_back(point.tally.recall());
  }
  return "<h3>By distance</h3>\n" +
         HtmlParagraph("Precision and recall of the filter when only distance_max changes.",
                       "muted") +
         LineChart("distance_max", marks, lines);
}

std::string Means(std::span<const SetReport> sets) {
  const std::vector<SchemeMean> means = MeanF1(sets);
  if (means.empty()) return "";
  const std::array<std::string, 1> series = {"mean F1"};
  std::vector<BarGroup> groups;
  for (const SchemeMean& mean : means) groups.push_back({mean.scheme, {mean.f1}});
  return "<h2>Mean F1 over " + std::to_string(sets.size()) + " sets</h2>\n" +
         BarChart(series, groups);
}

std::string About(const SetReport& set) {
  std::string fields = set.fields.empty() ? "all" : "";
  for (const std::string& field : set.fields) fields += (fields.empty() ? "" : ", ") + field;
  std::string text = std::to_string(set.records) + " records, " +
                     std::to_string(set.runs[0].accuracy.all.true_duplicates) +
                     " true duplicates; fields: " + fields + ".";
  const auto warn = [&text](uint64_t count, const char* what) {
    if (count > 0) text += " " + std::to_string(count) + what;
  };
  warn(set.runs[0].accuracy.missing, " labels without a record (counted as unique).");
  warn(set.unlabelled, " records without a label (not counted).");
  warn(set.runs[0].dead_letters, " dead letters (counted as unique).");
  return HtmlParagraph(text, "muted");
}

}  // namespace

std::string ReportHtml(std::span<const SetReport> sets) {
  std::string body =
      HtmlParagraph(
          "A record is a true duplicate when an earlier record belongs to the same cluster. "
          "Precision is the share of true duplicates among the records that were called "
          "duplicates. Recall is the share of the true duplicates that were found. Strict F1 "
          "counts "
          "a duplicate as found only if the call names a correct original. Only unique records are "
          "remembered and matched.",
          "muted") +
      Means(sets);
  for (const SetReport& set : sets) {
    body += "<h2>" + EscapeHtml(set.name) + "</h2>\n" + About(set) + SchemesTable(set) + Bars(set) +
            KindsTable(set) + Curve(set);
  }
  return HtmlPage("neardup evaluate", body);
}

}  // namespace neardup
