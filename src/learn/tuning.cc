#include "learn/tuning.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace neardup {
namespace {

bool IsBelowAny(const std::string& path, const std::vector<std::string>& selectors) {
  const Result<FieldPath> place = ParseFieldPath(path);
  return std::any_of(selectors.begin(), selectors.end(), [&](const std::string& selector) {
    const Result<FieldPath> above = ParseFieldPath(selector);
    return place.ok() && above.ok() && IsWithin(*place, *above);
  });
}

/// Selector of the top-level field that this one is, or is in.
std::string TopOf(const std::string& path) {
  const Result<FieldPath> place = ParseFieldPath(path);
  return place.ok() ? SelectorOf({place->front()}) : path;
}

/// Adds the fields that look like text to those that are compared.
void Propose(const std::vector<StudiedField>& studied, RecordOptions& options) {
  std::map<std::string, size_t> fields_in;
  for (const StudiedField& field : studied) ++fields_in[TopOf(field.facts.path)];
  const std::vector<std::string> given = options.exclude;
  std::set<std::string> whole;
  for (const StudiedField& field : studied) {
    const std::string& path = field.facts.path;
    if (IsBelowAny(path, given)) continue;
    const std::string top = TopOf(path);
    if (fields_in[top] <= kOwnFieldsMax) {
      if (IsCompared(field.role)) options.fields.push_back({path, 1.0});
    } else if (field.role == FieldRole::kIdentifier || field.role == FieldRole::kTime) {
      options.exclude.push_back(path);
    } else if (whole.insert(top).second) {
      options.fields.push_back({top, 1.0});
    }
  }
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
  if (!tuning.fields_given) Propose(tuning.fields, chosen);
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

bool IsSelected(const RecordOptions& options, const std::string& path) {
  std::vector<std::string> selectors;
  for (const FieldSelector& field : options.fields) selectors.push_back(field.path);
  return IsBelowAny(path, selectors) && !IsBelowAny(path, options.exclude);
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
