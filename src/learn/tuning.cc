#include "learn/tuning.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "detect/base/hash.h"
#include "detect/base/quantity.h"
#include "detect/feature/mask.h"
#include "detect/filter/record_features.h"
#include "learn/field_evidence.h"
#include "learn/sample.h"

namespace neardup {
namespace {

/// With fewer tokens than this, a change of a single token exceeds every distance in use.
constexpr uint32_t kShortFeaturesMin = 4;
/// Texts with fewer tokens than this say something else when one of them is another.
constexpr uint32_t kShortProseFeaturesMin = 8;
/// A similarity that finds fewer of the planted copies with small changes is of no use.
constexpr double kRecallMin = 0.65;
/// The step between values of match.similarity that are tried.
constexpr double kSimilarityStep = 0.05;
/// Copies differ now in this field and now in that; the events of a series differ in the same ones.
constexpr double kSameFieldDiffers = 0.6;
/// Programs have few messages: with masks, at most this share of the distinct texts remains.
constexpr double kTemplates = 0.25;
constexpr size_t kTemplateTexts = 100;

/// Whether the fields are in the form in which ChooseRoles gives the fields of texts: all others
/// must agree.
bool AreLikeLearned(const std::vector<FieldSelector>& fields) {
  return std::ranges::find(fields, "", &FieldSelector::path) != fields.end();
}

void StudyFields(std::span<const RecordView> records, Tuning& tuning) {
  FieldStudy study(records.size());
  for (const RecordView& record : RandomPart(records)) {
    if (record.value && study.wants_more()) study.Add(*record.value);
  }
  tuning.fields = study.Finish();
  tuning.fields_left_out = study.fields_left_out();
}

/// The time of learning grows with the number of values, so it reads fewer records if they are
/// wide.
size_t RecordsMost(const std::vector<StudiedField>& fields) {
  constexpr double kValuesMax = 400'000;
  double values = 1;  // of a record, on average
  for (const StudiedField& field : fields) values += field.facts.present;
  return static_cast<size_t>(kValuesMax / values);
}

Result<void> ChooseFields(std::span<const RecordView> records, Tuning& tuning) {
  RecordOptions& chosen = tuning.proposed.record;
  tuning.fields_given = !chosen.fields.empty();
  if (tuning.fields_given) {
    tuning.has_text = AreLikeLearned(chosen.fields);
    return {};
  }
  if (tuning.fields.empty()) {
    return Error{ErrorCode::kConfig,
                 "holds no JSON object; expected JSON Lines with one record on each line"};
  }
  FieldRoles roles = ChooseRoles(records, std::move(tuning.fields), chosen);
  tuning.fields = std::move(roles.fields);
  tuning.has_text = roles.has_text;
  tuning.field_questions = std::move(roles.questions);
  chosen = std::move(roles.record);
  return {};
}

/// Whether the tags of HTML are what tells the texts apart: without them, many different texts are
/// one, such as the widgets of a shop.
bool TagsTellApart(std::span<const RecordView> records, const FilterOptions& options) {
  constexpr size_t kLookedAt = 2000;
  constexpr size_t kTextsMin = 20;
  constexpr size_t kOneText = 4;
  if (!options.feature.markup) return false;
  Tokeniser with_tags(false);
  Tokeniser without_tags(true);
  TokenList tokens;
  const auto hash = [&tokens](Tokeniser& tokeniser, std::string_view text) {
    tokens.Clear();
    tokeniser.Tokenise(text, tokens);
    return Hash64(tokens.TextFrom(0));
  };
  std::unordered_map<uint64_t, std::unordered_set<uint64_t>> texts;
  VisitTexts(records, options.record, kLookedAt, [&](std::string_view text) {
    if (text.find('<') == text.npos) return;
    texts[hash(without_tags, text)].insert(hash(with_tags, text));
  });
  size_t all = 0;
  size_t merged = 0;
  for (const auto& [text, forms] : texts) {
    all += forms.size();
    merged += forms.size() >= kOneText ? forms.size() : 0;
  }
  return all >= kTextsMin && 2 * merged > all;
}

/// If the texts come from a few templates, asks whether their numbers matter.
std::string TemplateQuestion(std::span<const RecordView> records, const FilterOptions& options) {
  constexpr size_t kLookedAt = 2000;
  Tokeniser plain(options.feature.markup, options.feature.masks);
  Tokeniser masking(options.feature.markup, kLogMasks);
  TokenList tokens;
  std::unordered_set<uint64_t> texts;
  std::unordered_set<uint64_t> templates;
  const auto hash = [&tokens](Tokeniser& tokeniser, std::string_view text) {
    tokens.Clear();
    tokeniser.Tokenise(text, tokens);
    return Hash64(tokens.TextFrom(0));
  };
  VisitTexts(records, options.record, kLookedAt, [&](std::string_view text) {
    texts.insert(hash(plain, text));
    templates.insert(hash(masking, text));
  });
  const auto most = static_cast<size_t>(kTemplates * static_cast<double>(texts.size()));
  if (texts.size() < kTemplateTexts || templates.size() > most) return "";
  return fmt::format(
      "with their times, addresses and numbers masked, {} different texts are {}; texts with other "
      "numbers stay unique. To join them: --set 'feature.masks=[{}]'",
      Grouped(texts.size()), Grouped(templates.size()), fmt::join(MaskNames(kLogMasks), ","));
}

/// The short texts that records of different key fields share: Model::standing.
std::vector<uint64_t> StandingTexts(std::span<const RecordView> records,
                                    const FilterOptions& options) {
  constexpr size_t kKeysMin = 4;
  constexpr size_t kTextsMax = 4000;
  const auto& fields = options.record.fields;
  std::vector<uint64_t> standing;
  if (std::ranges::none_of(fields, &FieldSelector::free)) return standing;
  RecordTokenReader reader(options, std::nullopt);
  struct Text {
    size_t records = 0;
    std::unordered_set<uint64_t> keys;
  };
  std::unordered_map<uint64_t, Text> texts;
  for (const RecordView& record : records) {
    const RecordHashes& hashes = reader.Read(record);
    if (!hashes.outcome.comparable() || reader.token_count() >= kShortProseFeaturesMin) continue;
    Text& text = texts[hashes.text];
    ++text.records;
    text.keys.insert(hashes.key);
  }
  for (const auto& [hash, text] : texts) {
    const bool most = 2 * text.keys.size() > text.records;
    if (text.keys.size() >= kKeysMin && most) standing.push_back(hash);
  }
  std::ranges::sort(standing);
  if (standing.size() > kTextsMax) standing.resize(kTextsMax);
  return standing;
}

/// Records without a text of more fields than this are copies only if they are equal.
constexpr size_t kLikeFieldsMax = 40;

/// The fields of records without a text that may tell them apart, to be compared by likeness.
std::vector<FieldSelector> ContentFields(const Tuning& tuning) {
  constexpr double kConstant = 0.95;
  std::vector<FieldSelector> fields;
  for (const StudiedField& field : tuning.fields) {
    const bool tells = field.role == FieldRole::kKey && field.by_nature == FieldRole::kKey &&
                       field.facts.most_frequent < kConstant;
    if (tells && field.facts.records > 0) fields.push_back({field.facts.path});
  }
  return fields;
}

bool JoinsUnlike(const Claim& claim) { return claim.joined.Excess() > 1; }

/// A match.similarity that was tried, and what it found.
struct ProseTrial {
  double similarity = 0;
  Claim claim;
};

/// Holds the sample under the options proposed so far, and its calibration. Each step tries further
/// options and keeps them if the sample supports them.
class Tuner {
 public:
  Tuner(std::span<const RecordView> records, const TuneOptions& options, Tuning& tuning)
      : records_(records), options_(options), tuning_(tuning) {
    options_.calibration.prose = tuning.has_text;
    options_.calibration.similarity = options.filter.match.similarity;
    uint32_t& features_min = tuning.proposed.feature.features_min;
    given_features_min_ = features_min;
    if (options_.calibration.prose) features_min = std::min(features_min, kShortProseFeaturesMin);
  }

  /// Begins with records that are compared by likeness. This or OnlyEqual(record, ...) comes first.
  void Begin();
  const Sample& sample() const { return *sample_; }
  /// Proposes how records with prose are compared, as trials with planted copies show it.
  void TryProse();
  /// Proposes that only equal records are joined.
  void OnlyEqual(const char* reason);
  /// What is proposed, with the model of the sample and the match options of the calibration.
  FilterOptions Trial() const;
  /// What the proposed options find in the sample.
  Claim Measured() { return Planted().Measure(tuning_.proposed); }
  /// Whether near records are copies: they differ now in this field and now in that.
  bool NearAreEdits() const {
    const Calibration& calibration = tuning_.calibration;
    return calibration.mode == MatchMode::kNear && calibration.widen &&
           LargestDifferingShare(calibration.neighbours) < kSameFieldDiffers;
  }
  /// Proposes that only records are joined that are equal in the fields of `record`. Few
  /// seeds save time, and say less of distances, which marked pairs may ask for.
  void OnlyEqual(RecordOptions record, bool few_seeds);
  void TryShortRecords();
  /// Gives up what makes unlike records near.
  void TryNarrower();
  /// Changes the proposal until no change puts more of the marked pairs right.
  void FitLabels();

 private:
  using SamplePointer = std::unique_ptr<const Sample>;

  /// With few seeds it takes less time, and says less of distances.
  SamplePointer SampleOf(const FilterOptions& filter, bool few_seeds) {
    FilterOptions seeded = filter;
    seeded.model = {};
    seeded.model.hash_seed = options_.hash_seed;
    DrawnRecords& drawn = drawn_;
    drawn = DrawRecords(records_, seeded);
    auto sample = std::make_unique<Sample>(
        filter, CalibrationSeeds(options_.hash_seed, few_seeds || tuning_.has_text));
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
  /// The smallest similarity under which nearly all joined records share their text; nullopt: there
  /// is none.
  std::optional<ProseTrial> WidestLike(uint32_t features_min);
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

void Tuner::Begin() {
  SamplePointer sample = SampleOf(tuning_.proposed, false);
  Calibration calibration = Calibrate(*sample, options_.calibration);
  Take(tuning_.proposed, std::move(sample), std::move(calibration));
}

FilterOptions Tuner::Trial() const {
  FilterOptions trial = tuning_.proposed;
  trial.model = model_;
  trial.model.standing = tuning_.proposed.model.standing;
  trial.match = MatchOptionsFor(tuning_.calibration);
  // Copies of records without a text are near by edits in any field, typing errors in numbers too.
  const bool structures = !tuning_.has_text && !tuning_.fields_given;
  if (structures && trial.match.distance_max > 0) trial.match.numbers = false;
  // Without a model, short texts that say different things are close.
  const MatchOptions& given = options_.filter.match;
  if (tuning_.calibration.too_few) trial.match.features_per_bit = given.features_per_bit;
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

std::optional<ProseTrial> Tuner::WidestLike(uint32_t features_min) {
  FilterOptions trial = Trial();
  trial.feature.features_min = features_min;
  double& similarity = trial.match.similarity;
  for (similarity = options_.calibration.similarity;
       similarity <= MatchOptions::kSimilarityRange.max; similarity += kSimilarityStep) {
    Claim claim = Planted().Measure(trial);
    if (claim.measured() && claim.recall() < kRecallMin) break;
    if (claim.joined.AreForms()) break;  // a larger similarity would split the series
    if (!JoinsUnlike(claim)) return ProseTrial{similarity, std::move(claim)};
  }
  return std::nullopt;
}

void Tuner::TryProse() {
  uint32_t& features_min = tuning_.proposed.feature.features_min;
  Calibration& calibration = tuning_.calibration;
  std::optional<ProseTrial> best = WidestLike(features_min);
  const bool narrower = !best || best->similarity > calibration.similarity;
  if (narrower && features_min < given_features_min_) {
    std::optional<ProseTrial> longer = WidestLike(given_features_min_);
    if (longer && (!best || longer->claim.recall() >= best->claim.recall())) {
      best = std::move(longer);
      features_min = given_features_min_;
    }
  }
  if (best) {
    calibration.similarity = std::round(100 * best->similarity) / 100;
  } else {
    OnlyEqual(
        "texts of the sample that are near each other are different texts, so only equal "
        "records are joined");
  }
  if (features_min < given_features_min_) {
    tuning_.short_reason = "planted copies of short texts are found, and few others are joined";
  }
}

void Tuner::OnlyEqual(const char* reason) {
  Calibration& calibration = tuning_.calibration;
  calibration.mode = MatchMode::kExact;
  calibration.too_few = false;
  calibration.widen = false;
  calibration.distance_max = 0;
  calibration.false_match_rate = 0;
  calibration.reason = reason;
}

void Tuner::OnlyEqual(RecordOptions record, bool few_seeds) {
  FilterOptions equal = tuning_.proposed;
  equal.record = std::move(record);
  SamplePointer sample = SampleOf(equal, few_seeds);
  Calibration calibration = Calibrate(*sample, options_.calibration);
  tuning_.short_reason.clear();
  Take(std::move(equal), std::move(sample), std::move(calibration));
  OnlyEqual(
      "records without a text are copies if they are equal, since one value makes another record");
}

/// Short records are compared by distance if their copies stand apart like copies of other records.
void Tuner::TryShortRecords() {
  const uint32_t given = tuning_.proposed.feature.features_min;
  if (given <= kShortFeaturesMin || !tuning_.calibration.widen) return;
  FilterOptions lowered = tuning_.proposed;
  lowered.feature.features_min = kShortFeaturesMin;
  SamplePointer sample = SampleOf(lowered, false);
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
    SamplePointer sample = SampleOf(fitted, false);
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
    proposed.model.standing = StandingTexts(records_, fitted);
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

Result<Tuning> Tune(std::span<const RecordView> all, const TuneOptions& options) {
  Tuning tuning;
  tuning.proposed = options.filter;
  StudyFields(all, tuning);
  const std::vector<RecordView> records = RandomPart(all, RecordsMost(tuning.fields));
  NEARDUP_TRY(ChooseFields(records, tuning));
  const bool structures = !tuning.has_text && !tuning.fields_given;
  const RecordOptions whole = tuning.proposed.record;
  if (structures) tuning.proposed.record.fields = ContentFields(tuning);
  const bool wide = structures && tuning.proposed.record.fields.size() > kLikeFieldsMax;
  if (tuning.has_text && HoldCircumstances(records, whole)) {
    Masks& masks = tuning.proposed.feature.masks;
    if (!masks.any()) {
      masks = kCircumstanceMasks;
      tuning.masks_reason = "they say when and where a text was written, and not what it says";
    }
  }
  if (TagsTellApart(records, tuning.proposed)) tuning.proposed.feature.markup = false;
  tuning.proposed.model.standing = StandingTexts(records, tuning.proposed);
  Tuner tuner(records, options, tuning);
  if (wide) {
    tuner.OnlyEqual(whole, true);
  } else {
    tuner.Begin();
  }
  if (tuner.sample().records().empty()) {
    return Error{ErrorCode::kConfig, NothingComparableText(tuner.sample())};
  }
  const std::string templates =
      tuning.has_text ? TemplateQuestion(records, tuning.proposed) : std::string();
  if (!templates.empty()) {
    tuner.OnlyEqual(
        "texts come from a few templates, and their values tell them apart, so only "
        "equal records are joined");
  } else if (tuning.has_text) {
    if (tuning.calibration.mode == MatchMode::kNear) tuner.TryProse();
  } else if (!wide) {
    tuner.TryShortRecords();
    tuner.TryNarrower();
    if (structures && !tuner.NearAreEdits()) tuner.OnlyEqual(whole, false);
  }
  tuning.records = records.size();
  if (options.find_pairs) {
    tuning.pairs = FindSamplePairs(tuner.sample(), SampleFingerprints(tuner.sample()),
                                   Tuning::kPairDistanceMax, Tuning::kPairsMax);
  }
  tuning.proposed = tuner.Trial();
  tuning.proposed.window.entries_max = tuning.calibration.window_entries;
  if (!options.labels.empty()) tuner.FitLabels();
  tuning.window_smaller = tuning.calibration.window_entries < options.calibration.window_entries;
  tuning.claim = tuner.Measured();
  for (const FieldQuestion& question : tuning.field_questions) {
    tuning.questions.push_back(fmt::format("{}. To join them: {}", question.text, question.answer));
  }
  if (!templates.empty()) tuning.questions.push_back(templates);
  return tuning;
}

MatchOptions MatchOptionsFor(const Calibration& calibration) {
  MatchOptions match;
  match.similarity = calibration.similarity;
  match.distance_max = calibration.distance_max;
  match.distance_chance_max = calibration.window_distance_max;
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

}  // namespace neardup
