// From a sample of a stream to the filter options that fit it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "learn/calibration.h"
#include "learn/claim.h"
#include "learn/field_roles.h"
#include "learn/field_study.h"
#include "learn/labelled_pairs.h"
#include "learn/neighbours.h"
#include "neardup/options.h"
#include "neardup/record.h"
#include "neardup/result.h"

namespace neardup {

struct TuneOptions {
  /// What is known already: record and feature options. Fields that are listed here are kept. If
  /// none are listed, fields are proposed.
  FilterOptions filter{};
  CalibrationOptions calibration{};
  uint64_t hash_seed = 0;
  /// Fill Tuning::pairs, which reports show.
  bool find_pairs = true;
  /// Pairs that a person has marked. If there are any, the proposal is changed until no change puts
  /// more of them right.
  std::span<const LabelledPair> labels{};
};

/// What the sample shows, and the options that follow from it.
struct Tuning {
  static constexpr int kPairDistanceMax = 16;
  static constexpr size_t kPairsMax = 5;  ///< at each distance

  std::vector<StudiedField> fields;
  uint64_t fields_left_out = 0;  ///< FieldStudy::fields_left_out
  bool fields_given = false;     ///< TuneOptions listed the fields

  uint64_t records = 0;  ///< all that were given; the following three are parts of them
  uint64_t repeats = 0;
  uint64_t dead_letters = 0;
  uint64_t distinct = 0;
  /// Why masks are proposed, and why short records are compared by distance. Empty if they are not.
  std::string masks_reason;
  std::string short_reason;
  /// The proposed window holds fewer records than CalibrationOptions::window_entries.
  bool window_smaller = false;
  Calibration calibration;
  /// What the proposed options find in the sample.
  Claim claim;
  bool has_text = false;  ///< FieldRoles::has_text
  std::vector<FieldQuestion> field_questions;
  /// What a person should decide, each with the option that does so.
  std::vector<std::string> questions;
  /// What the marked pairs have changed, and how they come out; it has the options of
  /// `proposed`. nullopt: none were given.
  std::optional<LabelledChoice> labelled;
  /// By whole bits of distance, 0 to kPairDistanceMax.
  std::vector<std::vector<SamplePair>> pairs;

  /// Complete, with the learned model.
  FilterOptions proposed;
};

/// The options must be valid. kConfig: the records give no reason to propose anything; the text is
/// to be put after the name of their file or topic. Takes about a second for 40,000 records.
Result<Tuning> Tune(std::span<const RecordView> records, const TuneOptions& options);

/// The match options that follow from a calibration.
MatchOptions MatchOptionsFor(const Calibration& calibration);

}  // namespace neardup
