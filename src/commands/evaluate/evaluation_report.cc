#include "commands/evaluate/evaluation_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

namespace neardup {
namespace {

using Json = nlohmann::ordered_json;

/// Schemes beside each other in a table of kinds; further schemes get a table of their own.
constexpr size_t kColumnsMost = 6;

std::string FieldNames(const SetReport& set) {
  return set.fields.empty() ? "all" : fmt::format("{}", fmt::join(set.fields, ","));
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

std::string Share(std::optional<double> ratio) {
  return ratio ? fmt::format("{:.4f}", *ratio) : "-";
}

std::string HeadingText(const SetReport& set) {
  std::string text =
      fmt::format("{}: {} records, {} true duplicates; fields {}\n", set.name, set.records,
                  set.runs[0].accuracy.all.true_duplicates, FieldNames(set));
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

}  // namespace neardup
