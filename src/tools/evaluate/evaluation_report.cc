#include "evaluate/evaluation_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "html/html.h"
#include "html/svg_chart.h"

namespace neardup {

namespace {

using Json = nlohmann::ordered_json;

/// Schemes beside each other in a table of kinds; further schemes get a table of their own.
constexpr size_t kColumnsMost = 6;
/// Stands for a ratio that is not defined.
constexpr const char* kUndefined = "\u2013";

// What text and HTML have in common.

std::string FieldNames(const SetReport& set, const char* separator) {
  return set.fields.empty() ? "all" : fmt::format("{}", fmt::join(set.fields, separator));
}

/// Facts about the set that make the figures less certain.
std::vector<std::string> Warnings(const SetReport& set) {
  std::vector<std::string> warnings;
  const auto warn = [&](uint64_t count, const char* what) {
    if (count > 0) warnings.push_back(fmt::format("{}: {}", what, count));
  };
  warn(set.runs[0].accuracy.missing, "labels without a record, which count as called unique");
  warn(set.unlabelled, "records without a label, which are not counted");
  warn(set.runs[0].dead_letters, "dead letters, which count as called unique");
  return warnings;
}

// Text for a terminal.

std::string Share(std::optional<double> ratio) {
  return ratio ? fmt::format("{:.4f}", *ratio) : "-";
}

std::string HeadingText(const SetReport& set) {
  std::string text =
      fmt::format("{}: {} records, {} true duplicates; fields {}\n", set.name, set.records,
                  set.runs[0].accuracy.all.true_duplicates, FieldNames(set, ","));
  for (const std::string& warning : Warnings(set)) text += fmt::format("warning: {}\n", warning);
  return text;
}

std::string SchemesText(const SetReport& set) {
  size_t width = 8;
  for (const SchemeRun& run : set.runs) width = std::max(width, run.scheme.size());
  constexpr const char* kRow = "{:<{}} {:>9} {:>7} {:>7} {:>9} {:>11} {:>12}\n";
  std::string text = fmt::format(kRow, "scheme", width, "precision", "recall", "F1", "strict F1",
                                 "records/s", "bytes/entry");
  for (const SchemeRun& run : set.runs) {
    const Tally& all = run.accuracy.all;
    const std::optional<double> bytes = run.bytes_per_entry();
    text += fmt::format(kRow, run.scheme, width, Share(all.precision()), Share(all.recall()),
                        Share(all.f1()), Share(all.strict_f1()),
                        fmt::format("{:.0f}", run.records_per_s()),
                        bytes ? fmt::format("{:.0f}", *bytes) : "-");
  }
  return text;
}

std::string KindsText(const SetReport& set) {
  constexpr std::string_view kHeading = "recall by kind";
  size_t width = kHeading.size();
  for (const auto& [kind, tally] : set.runs[0].accuracy.kinds) {
    width = std::max(width, kind.size());
  }
  std::string text;
  for (size_t begin = 0; begin < set.runs.size(); begin += kColumnsMost) {
    const size_t end = std::min(begin + kColumnsMost, set.runs.size());
    text += fmt::format("\n{:<{}} {:>15}", kHeading, width, "true duplicates");
    for (size_t i = begin; i < end; ++i) text += fmt::format("  {:>12}", set.runs[i].scheme);
    text += '\n';
    for (const auto& [kind, tally] : set.runs[begin].accuracy.kinds) {
      if (tally.true_duplicates == 0) continue;
      text += fmt::format("{:<{}} {:>15}", kind, width, tally.true_duplicates);
      for (size_t i = begin; i < end; ++i) {
        text += fmt::format("  {:>12}", Share(set.runs[i].accuracy.kinds.at(kind).recall()));
      }
      text += '\n';
    }
  }
  return text;
}

std::string CurveText(const SetReport& set) {
  if (set.curve.empty()) return "";
  std::string distances = "\ndistance_max";
  std::string recalls = "\nrecall      ";
  std::string precisions = "\nprecision   ";
  for (const CurvePoint& point : set.curve) {
    distances += fmt::format(" {:>6}", point.distance_max);
    recalls += fmt::format(" {:>6}", Share(point.tally.recall()));
    precisions += fmt::format(" {:>6}", Share(point.tally.precision()));
  }
  return distances + recalls + precisions + '\n';
}

// JSON for programs.

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

// HTML for a browser.

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
  std::vector<HtmlColumn> columns = {{"kind"}, {"true duplicates", true}};
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
  return fmt::format("<h2>Mean F1 over {} sets</h2>\n{}", sets.size(), BarChart(series, groups));
}

std::string About(const SetReport& set) {
  std::string text = fmt::format("{} records, {} true duplicates; fields: {}.", set.records,
                                 set.runs[0].accuracy.all.true_duplicates, FieldNames(set, ", "));
  for (const std::string& warning : Warnings(set)) text += fmt::format(" Warning: {}.", warning);
  return HtmlParagraph(text, "muted");
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
    text += HeadingText(set) + SchemesText(set) + KindsText(set) + CurveText(set);
  }
  const std::vector<SchemeMean> means = MeanF1(sets);
  if (!means.empty()) text += fmt::format("\nmean F1 over {} sets\n", sets.size());
  for (const SchemeMean& mean : means)
    text += fmt::format("{:<20} {:7.4f}\n", mean.scheme, mean.f1);
  return text;
}

std::string ReportJson(std::span<const SetReport> sets) {
  Json json = {{"sets", Json::array()}};
  for (const SetReport& set : sets) json["sets"].push_back(ToJson(set));
  if (sets.size() > 1) {
    Json& means = json["mean_f1"] = Json::object();
    for (const SchemeMean& mean : MeanF1(sets)) means[mean.scheme] = mean.f1;
  }
  // Names of files and fields may be invalid UTF-8.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

std::string ReportHtml(std::span<const SetReport> sets) {
  std::string body = HtmlParagraph(
                         "A record is a true duplicate if an earlier record belongs to the same "
                         "cluster. Precision "
                         "is the share of true duplicates among the records that were called "
                         "duplicates. Recall is "
                         "the share of the true duplicates that were called duplicates. F1 is the "
                         "harmonic mean of "
                         "both. Strict F1 counts a call only if it names an earlier record of the "
                         "same cluster. Only "
                         "unique records are remembered and matched.",
                         "muted") +
                     Means(sets);
  for (const SetReport& set : sets) {
    body += fmt::format("<h2>{}</h2>\n", EscapeHtml(set.name)) + About(set) + SchemesTable(set) +
            Bars(set) + KindsTable(set) + Curve(set);
  }
  return HtmlPage("neardup evaluate", body);
}

}  // namespace neardup
