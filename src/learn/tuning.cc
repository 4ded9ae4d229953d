#include "learn/tuning.h"

#include <algorithm>
#include <string>
#include <utility>

#include "record/field_path.h"

namespace neardup {
namespace {

std::vector<FieldSelector> Propose(const std::vector<StudiedField>& studied,
                                   const RecordOptions& options) {
  std::vector<FieldSelector> fields;
  for (const StudiedField& field : studied) {
    if (!IsCompared(field.role)) continue;
    RecordOptions excluded;
    for (const std::string& path : options.exclude) excluded.fields.push_back({path, 1.0});
    if (!IsListed(excluded, field.facts.path)) fields.push_back({field.facts.path, 1.0});
  }
  return fields;
}

Result<void> ChooseFields(std::span<const RecordView> records, Tuning& tuning) {
  FieldStudy study;
  for (const RecordView& record : records) {
    if (record.value) study.Add(*record.value);
  }
  tuning.fields = study.Finish();
  tuning.fields_left_out = study.fields_left_out();
  RecordOptions& chosen = tuning.proposed.record;
  tuning.fields_given = !chosen.fields.empty();
  if (!tuning.fields_given) chosen.fields = Propose(tuning.fields, chosen);
  if (!chosen.fields.empty()) return {};
  return Error{ErrorCode::kConfig,
               "found " + std::to_string(tuning.fields.size()) + " fields in " +
                   std::to_string(records.size()) +
                   " records and none that looks like text; name those to compare with --fields"};
}

}  // namespace

MatchOptions MatchOptionsFor(const Calibration& calibration) {
  MatchOptions match;
  match.distance_max = calibration.distance_max;
  switch (calibration.mode) {
    case MatchMode::kNear:
      match.distance_sum_max = 28;
      match.features_per_bit = 0;
      match.widen = calibration.widen;
      break;
    case MatchMode::kExact:
      match.distance_max = 0;
      break;
    case MatchMode::kUnclear:
      match.distance_max = 3;
      break;
  }
  return match;
}

bool IsListed(const RecordOptions& options, const std::string& path) {
  const Result<FieldPath> place = ParseFieldPath(path);
  return std::any_of(options.fields.begin(), options.fields.end(), [&](const FieldSelector& field) {
    const Result<FieldPath> listed = ParseFieldPath(field.path);
    return place.ok() && listed.ok() && IsWithin(*place, *listed);
  });
}

Result<Tuning> Tune(std::span<const RecordView> records, const TuneOptions& options) {
  Tuning tuning;
  tuning.proposed = options.filter;
  NEARDUP_TRY(ChooseFields(records, tuning));
  Sample sample(tuning.proposed, CalibrationSeeds(options.hash_seed));
  for (const RecordView& record : records) sample.Add(record);
  tuning.records = sample.seen();
  tuning.repeats = sample.repeats();
  tuning.dead_letters = sample.dead_letters();
  tuning.distinct = sample.records().size();
  if (sample.records().empty()) {
    return Error{ErrorCode::kConfig,
                 "none of the " + std::to_string(records.size()) +
                     " records of the sample can be compared; `neardup filter` says why"};
  }
  tuning.calibration = Calibrate(sample, options.calibration);
  tuning.pairs =
      FindSamplePairs(sample, SampledCodes(sample), Tuning::kPairDistanceMax, Tuning::kPairsMax);
  tuning.proposed.model = LearnModel(sample);
  tuning.proposed.match = MatchOptionsFor(tuning.calibration);
  tuning.proposed.window.entries_max = options.calibration.window_entries;
  return tuning;
}

}  // namespace neardup
