#include "evaluate/report_json.h"

#include <nlohmann/json.hpp>
#include <optional>

namespace neardup {
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

}  // namespace neardup
