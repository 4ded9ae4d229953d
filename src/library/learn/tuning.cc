#include "learn/tuning.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "feature/mask.h"
#include "learn/drawn_records.h"
#include "learn/proposals.h"

namespace neardup {
namespace {

/// With fewer tokens than this, a change of a single token exceeds every distance in use.
constexpr uint32_t kShortFeaturesMin = 4;
/// Texts with fewer tokens than this say something else when one of them is another.
constexpr uint32_t kShortProseFeaturesMin = 8;
/// Of the records that are joined by distance, about this share may be unlike.
constexpr double kUnlikeMax = 0.01;
/// Chance exceeds its mean by more than this many standard deviations in one of 40 cases.
constexpr double kDeviations = 2;
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
  const bool prose = ProseSaysAll(studied);
  std::set<std::string> whole;
  bool with_times = false;
  for (const StudiedField& field : studied) {
    const std::string& path = field.facts.path;
    if (IsBelowAny(path, given)) continue;
    const std::string top = TopOf(path);
    const bool own = prose || fields_in[top] <= kOwnFieldsMax;
    with_times |= !own && field.role == FieldRole::kTime;
    if (own) {
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
  FieldStudy study(records.size());
  for (const RecordView& record : RandomPart(records)) {
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

/// Whether prose is among the fields that are compared by likeness.
bool ComparesProse(const Tuning& tuning) {
  RecordOptions record = tuning.proposed.record;
  std::erase_if(record.fields, [](const FieldSelector& field) { return field.key; });
  return std::any_of(tuning.fields.begin(), tuning.fields.end(), [&](const StudiedField& field) {
    return field.role == FieldRole::kProse && IsSelected(record, field.facts.path);
  });
}

/// Whether more records are unlike than may be, beyond what may be chance in one sample.
bool JoinsUnlike(const Claim& claim) {
  const double allowed = kUnlikeMax * static_cast<double>(claim.near);
  return static_cast<double>(claim.unlike) > allowed + kDeviations * std::sqrt(allowed);
}

/// A distance that was tried, and what it found.
struct ProseTrial {
  int distance_max = 0;
  Claim claim;
};

/// Holds the sample under the options proposed so far, and its calibration. Each step tries further
/// options and keeps them if the sample supports them.
class Tuner {
 public:
  Tuner(std::span<const RecordView> records, const TuneOptions& options, Tuning& tuning)
      : records_(records), options_(options), tuning_(tuning) {
    options_.calibration.prose = ComparesProse(tuning);
    uint32_t& features_min = tuning.proposed.feature.features_min;
    given_features_min_ = features_min;
    if (options_.calibration.prose) features_min = std::min(features_min, kShortProseFeaturesMin);
    SamplePointer sample = SampleOf(tuning.proposed);
    Calibration calibration = Calibrate(*sample, options_.calibration);
    Take(tuning.proposed, std::move(sample), std::move(calibration));
  }

  const Sample& sample() const { return *sample_; }
  bool prose() const { return options_.calibration.prose && !tuning_.calibration.too_few; }
  /// Proposes how records with prose are compared, as trials with planted copies show it.
  void TryProse();
  /// What is proposed, with the model of the sample and the match options of the calibration.
  FilterOptions Trial() const;
  /// What the proposed options find in the sample.
  Claim Measured() { return Planted().Measure(tuning_.proposed); }
  void TryMasks();
  void TryKeys();
  void TryShortRecords();
  /// Gives up what makes unlike records near.
  void TryNarrower();
  /// Changes the proposal until no change puts more of the marked pairs right.
  void FitLabels();

 private:
  using SamplePointer = std::unique_ptr<const Sample>;

  SamplePointer SampleOf(const FilterOptions& filter) {
    FilterOptions seeded = filter;
    seeded.model = {};
    seeded.model.hash_seed = options_.hash_seed;
    DrawnRecords& drawn = drawn_;
    drawn = DrawRecords(records_, seeded);
    auto sample = std::make_unique<Sample>(filter, CalibrationSeeds(options_.hash_seed));
    for (const DrawnRecords::Drawn& record : drawn.records) {
      sample->Add(records_[record.record], record.at_random);
    }
    if (drawn.records.empty()) {
      for (const RecordView& record : RandomPart(records_)) sample->Add(record);
    }
    return sample;
  }
  /// The sample with copies planted in the proposed fields.
  PlantedSample& Planted();
  /// The widest distance under which nearly all joined records share their text.
  ProseTrial WidestLike(uint32_t features_min);
  /// Proposes what SampleOf was called with last.
  void Take(FilterOptions proposed, SamplePointer sample, Calibration calibration) {
    model_ = drawn_.model;
    tuning_.repeats = drawn_.repeats;
    tuning_.dead_letters = drawn_.dead_letters;
    tuning_.distinct = drawn_.distinct;
    tuning_.proposed = std::move(proposed);
    sample_ = std::move(sample);
    tuning_.calibration = std::move(calibration);
  }

  std::span<const RecordView> records_;
  TuneOptions options_;
  Tuning& tuning_;
  uint32_t given_features_min_ = 0;
  SamplePointer sample_;
  Model model_;         ///< of sample_
  DrawnRecords drawn_;  ///< of the options that SampleOf was called with last
  std::unique_ptr<PlantedSample> planted_;
  RecordOptions planted_in_;
};

FilterOptions Tuner::Trial() const {
  FilterOptions trial = tuning_.proposed;
  trial.model = model_;
  trial.match = MatchOptionsFor(tuning_.calibration);
  return trial;
}

PlantedSample& Tuner::Planted() {
  const RecordOptions& record = tuning_.proposed.record;
  if (!planted_ || !(planted_in_ == record)) {
    planted_ = std::make_unique<PlantedSample>(records_, record);
    planted_in_ = record;
  }
  return *planted_;
}

ProseTrial Tuner::WidestLike(uint32_t features_min) {
  FilterOptions trial = Trial();
  trial.feature.features_min = features_min;
  const auto at = [&](int distance) {
    trial.match.distance_max = distance;
    return ProseTrial{distance, Planted().Measure(trial)};
  };
  ProseTrial widest = at(tuning_.calibration.distance_max);
  if (!JoinsUnlike(widest.claim)) return widest;
  int low = kDistanceMin;
  int high = widest.distance_max;
  widest = at(low);
  while (low + 1 < high) {
    const int middle = (low + high) / 2;
    ProseTrial tried = at(middle);
    if (JoinsUnlike(tried.claim)) {
      high = middle;
    } else {
      low = middle;
      widest = std::move(tried);
    }
  }
  return widest;
}

void Tuner::TryProse() {
  uint32_t& features_min = tuning_.proposed.feature.features_min;
  ProseTrial best = WidestLike(features_min);
  Calibration& calibration = tuning_.calibration;
  if (features_min < given_features_min_ && best.distance_max < calibration.distance_max) {
    ProseTrial longer = WidestLike(given_features_min_);
    if (longer.claim.recall() >= best.claim.recall()) {
      best = std::move(longer);
      features_min = given_features_min_;
    }
  }
  calibration.distance_max = best.distance_max;
  calibration.false_match_rate =
      calibration.false_match_rates[static_cast<size_t>(best.distance_max)];
  if (features_min < given_features_min_) {
    tuning_.short_reason = "planted copies of short texts are found, and few others are joined";
  }
}

/// If near records are not copies, they may be copies with masks.
void Tuner::TryMasks() {
  if (tuning_.calibration.mode == MatchMode::kNear || tuning_.proposed.feature.masks.any()) return;
  MaskProposal found = ProposeMasks(RandomPart(records_), tuning_.proposed);
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

void Tuner::TryNarrower() {
  Calibration& calibration = tuning_.calibration;
  if (calibration.widen && JoinsUnlike(Planted().Measure(Trial()))) calibration.widen = false;
}

void Tuner::FitLabels() {
  LabelledChoice choice =
      FitToLabels(options_.labels, tuning_.proposed, tuning_.fields, tuning_.fields_given);
  if (!choice.changes.empty()) {
    const MatchOptions match = choice.options.match;
    FilterOptions fitted = choice.options;
    fitted.model = {};
    SamplePointer sample = SampleOf(fitted);
    Calibration calibration = Calibrate(*sample, options_.calibration);
    calibration.mode = match.distance_max == 0 ? MatchMode::kExact : MatchMode::kNear;
    calibration.distance_max = match.distance_max;
    calibration.widen = match.widen;
    calibration.false_match_rate =
        calibration.false_match_rates[static_cast<size_t>(match.distance_max)];
    calibration.reason = "most of the marked pairs come out right so";
    // The search was without the model of the chosen fields.
    FilterOptions proposed = fitted;
    proposed.model = drawn_.model;
    proposed.window.entries_max = calibration.window_entries;
    choice.after = FitOf(options_.labels, proposed);
    if (choice.after.score() > choice.before.score()) {
      Take(std::move(fitted), std::move(sample), std::move(calibration));
      tuning_.proposed = std::move(proposed);
    } else {
      choice.after = choice.before;
      choice.changes.clear();
    }
  }
  choice.options = tuning_.proposed;
  tuning_.labelled = std::move(choice);
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
  if (tuner.prose()) {
    tuner.TryProse();
  } else {
    tuner.TryMasks();
    tuner.TryKeys();
    tuner.TryShortRecords();
    tuner.TryNarrower();
  }
  const Sample& sample = tuner.sample();
  tuning.records = records.size();
  tuning.pairs = FindSamplePairs(sample, SampleFingerprints(sample), Tuning::kPairDistanceMax,
                                 Tuning::kPairsMax);
  tuning.proposed = tuner.Trial();
  tuning.proposed.window.entries_max = tuning.calibration.window_entries;
  if (!options.labels.empty()) tuner.FitLabels();
  tuning.window_smaller = tuning.calibration.window_entries < options.calibration.window_entries;
  tuning.claim = tuner.Measured();
  if (tuning.calibration.mode == MatchMode::kExact) {
    const std::string telling =
        TellingField(tuning.proposed.record.fields, sample, tuning.calibration.neighbours);
    if (!telling.empty()) {
      tuning.question = fmt::format(
          "is {} part of what makes two records the same? If not, name the other fields", telling);
    }
  }
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
