#include "learn/tuning.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "feature/mask.h"
#include "learn/proposals.h"

namespace neardup {
namespace {

/// With fewer tokens than this, a change of a single token exceeds every distance in use.
constexpr uint32_t kShortFeaturesMin = 4;
/// Keys are proposed if at least this many records of the sample have a neighbour with equal keys.
constexpr size_t kKeyedNeighboursMin = 4;

bool IsBelowAny(const std::string& path, const std::vector<std::string>& selectors) {
  const Result<FieldPath> place = ParseFieldPath(path);
  return std::any_of(selectors.begin(), selectors.end(), [&](const std::string& selector) {
    const Result<FieldPath> above = ParseFieldPath(selector);
    return place.ok() && above.ok() && IsWithin(*place, *above);
  });
}

/// Selector of the top-level field that this path starts with.
std::string TopOf(const std::string& path) {
  const Result<FieldPath> place = ParseFieldPath(path);
  return place.ok() ? SelectorOf({place->front()}) : path;
}

/// Adds the fields that look like text to the compared fields. Returns whether a field is compared
/// as a whole that holds times.
bool ProposeFields(const std::vector<StudiedField>& studied, RecordOptions& options) {
  std::map<std::string, size_t> fields_in;
  for (const StudiedField& field : studied) ++fields_in[TopOf(field.facts.path)];
  const std::vector<std::string> given = options.exclude;
  std::set<std::string> whole;
  bool with_times = false;
  for (const StudiedField& field : studied) {
    const std::string& path = field.facts.path;
    if (IsBelowAny(path, given)) continue;
    const std::string top = TopOf(path);
    with_times |= fields_in[top] > kOwnFieldsMax && field.role == FieldRole::kTime;
    if (fields_in[top] <= kOwnFieldsMax) {
      if (IsCompared(field.role)) options.fields.push_back({path, 1.0});
    } else if (field.role == FieldRole::kIdentifier || field.role == FieldRole::kTime) {
      options.exclude.push_back(path);
    } else if (whole.insert(top).second) {
      options.fields.push_back({top, 1.0});
    }
  }
  return with_times;
}

/// Says why no fields are proposed.
std::string NoTextText(const std::vector<StudiedField>& studied) {
  constexpr size_t kNamed = 10;
  if (studied.empty()) {
    return "holds no JSON object; expected JSON Lines with one record on each line";
  }
  std::vector<std::string> names;
  for (const StudiedField& field : studied) {
    if (names.size() < kNamed) names.push_back(field.facts.path);
  }
  if (studied.size() > kNamed) names.emplace_back("...");
  return fmt::format(
      "has no field that looks like text (it has {}); name the fields to compare with --fields, or "
      "in record.fields",
      fmt::join(names, ", "));
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
  if (!tuning.fields_given && ProposeFields(tuning.fields, chosen)) {
    Masks& masks = tuning.proposed.feature.masks;
    if (!masks.any()) tuning.masks_reason = "fields of records of many kinds hold times of day";
    masks.time = true;
  }
  if (!chosen.fields.empty()) return {};
  return Error{ErrorCode::kConfig, NoTextText(tuning.fields)};
}

/// Holds the sample under the options proposed so far, and its calibration. Each step tries further
/// options and keeps them if the sample supports them.
class Tuner {
 public:
  Tuner(std::span<const RecordView> records, const TuneOptions& options, Tuning& tuning)
      : records_(records), options_(options), tuning_(tuning) {
    sample_ = SampleOf(tuning.proposed);
    tuning.calibration = Calibrate(*sample_, options.calibration);
  }

  const Sample& sample() const { return *sample_; }
  void TryMasks();
  void TryKeys();
  void TryShortRecords();

 private:
  using SamplePointer = std::unique_ptr<const Sample>;

  SamplePointer SampleOf(const FilterOptions& filter) const {
    auto sample = std::make_unique<Sample>(filter, CalibrationSeeds(options_.hash_seed));
    for (const RecordView& record : records_) sample->Add(record);
    return sample;
  }
  void Take(FilterOptions proposed, SamplePointer sample, Calibration calibration) {
    tuning_.proposed = std::move(proposed);
    sample_ = std::move(sample);
    tuning_.calibration = std::move(calibration);
  }

  std::span<const RecordView> records_;
  const TuneOptions& options_;
  Tuning& tuning_;
  SamplePointer sample_;
};

/// If near records are not copies, they may be copies with masks.
void Tuner::TryMasks() {
  if (tuning_.calibration.mode == MatchMode::kNear || tuning_.proposed.feature.masks.any()) return;
  MaskProposal found = ProposeMasks(records_, tuning_.proposed, *sample_);
  if (!found.masks.any()) return;
  FilterOptions masked = tuning_.proposed;
  masked.feature.masks = found.masks;
  SamplePointer sample = SampleOf(masked);
  Calibration calibration = Calibrate(*sample, options_.calibration);
  if (found.masks == kAllMasks) {
    // With all masks these are messages of programs. Those that still differ in a word are
    // different.
    calibration.widen = false;
    calibration.too_few = false;
    calibration.votes = 0;
    calibration.votes_for = 0;
    calibration.mode = MatchMode::kExact;
    calibration.distance_max = 0;
    calibration.false_match_rate = calibration.false_match_rates.front();
    calibration.reason =
        "with the masks, messages that say the same are equal; near matching would join different "
        "messages, so only equal records are joined";
  }
  tuning_.masks_reason = std::move(found.reason);
  Take(std::move(masked), std::move(sample), std::move(calibration));
}

/// In a series, records that agree in key fields may still be copies. Short records can then be
/// compared, too, since the keys hold what tells them apart.
void Tuner::TryKeys() {
  if (tuning_.calibration.mode != MatchMode::kExact) return;
  KeyProposal found = ProposeKeys(tuning_.proposed.record.fields, tuning_.fields, *sample_,
                                  tuning_.calibration.neighbours);
  if (found.fields.empty()) return;
  FilterOptions keyed = tuning_.proposed;
  keyed.record.fields = std::move(found.fields);
  uint32_t& features_min = keyed.feature.features_min;
  features_min = std::min(features_min, kShortFeaturesMin);
  SamplePointer sample = SampleOf(keyed);
  Calibration calibration = Calibrate(*sample, options_.calibration);
  if (calibration.mode != MatchMode::kNear ||
      calibration.neighbours.with_neighbour < kKeyedNeighboursMin) {
    return;
  }
  tuning_.keys_reason = std::move(found.reason);
  Take(std::move(keyed), std::move(sample), std::move(calibration));
}

/// Short records are compared by distance if their copies stand apart as those of other records do.
void Tuner::TryShortRecords() {
  const uint32_t given = tuning_.proposed.feature.features_min;
  if (given <= kShortFeaturesMin || !tuning_.calibration.widen) return;
  FilterOptions lowered = tuning_.proposed;
  lowered.feature.features_min = kShortFeaturesMin;
  SamplePointer sample = SampleOf(lowered);
  if (!ShortRecordsHaveCopies(*sample, given)) return;
  Calibration calibration = Calibrate(*sample, options_.calibration);
  if (!calibration.widen || calibration.distance_max < tuning_.calibration.distance_max) return;
  tuning_.short_reason = fmt::format(
      "copies also stand apart among records with fewer than {} distinct tokens", given);
  Take(std::move(lowered), std::move(sample), std::move(calibration));
}

}  // namespace

Result<Tuning> Tune(std::span<const RecordView> records, const TuneOptions& options) {
  Tuning tuning;
  tuning.proposed = options.filter;
  NEARDUP_TRY(ChooseFields(records, tuning));
  Tuner tuner(records, options, tuning);
  if (tuner.sample().records().empty()) {
    return Error{ErrorCode::kConfig, NothingComparableText(tuner.sample())};
  }
  tuner.TryMasks();
  tuner.TryKeys();
  tuner.TryShortRecords();
  const Sample& sample = tuner.sample();
  tuning.records = sample.seen();
  tuning.repeats = sample.repeats();
  tuning.dead_letters = sample.dead_letters();
  tuning.distinct = sample.records().size();
  tuning.pairs = FindSamplePairs(sample, SampleFingerprints(sample), Tuning::kPairDistanceMax,
                                 Tuning::kPairsMax);
  tuning.proposed.model = LearnModel(sample);
  tuning.proposed.match = MatchOptionsFor(tuning.calibration);
  tuning.proposed.window.entries_max = tuning.calibration.window_entries;
  tuning.window_smaller = tuning.calibration.window_entries < options.calibration.window_entries;
  return tuning;
}

MatchOptions MatchOptionsFor(const Calibration& calibration) {
  MatchOptions match;
  match.distance_max = calibration.distance_max;
  switch (calibration.mode) {
    case MatchMode::kNear:
      match.distance_sum_max = kTunedDistanceSumMax;
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

}  // namespace neardup
