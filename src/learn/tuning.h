// From a sample of a stream to the options that fit it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "learn/calibration.h"
#include "learn/field_study.h"
#include "learn/near_structure.h"
#include "learn/remedy_study.h"
#include "neardup/options.h"
#include "neardup/record.h"
#include "neardup/result.h"

namespace neardup {

struct TuneOptions {
  /// What is known already: record and feature options. Fields that are listed here are not
  /// questioned; where none are, they are proposed.
  FilterOptions filter{};
  CalibrationOptions calibration{};
  uint64_t hash_seed = 0;
};

/// What was found, and what follows from it.
struct Tuning {
  static constexpr int kPairDistanceMax = 16;
  static constexpr size_t kPairsMax = 5;

  std::vector<StudiedField> fields;
  uint64_t fields_left_out = 0;  ///< FieldStudy::fields_left_out
  bool fields_given = false;

  uint64_t records = 0;
  uint64_t repeats = 0;
  uint64_t dead_letters = 0;
  uint64_t distinct = 0;
  /// Why masks or key fields are proposed, or short records compared; empty where they are not.
  std::string masks_reason;
  std::string keys_reason;
  std::string short_reason;
  /// The window proposed holds fewer records than CalibrationOptions::window_entries.
  bool window_smaller = false;
  Calibration calibration;
  /// By whole bits of distance, 0 to kPairDistanceMax; positions are those of the records given.
  std::vector<std::vector<SamplePair>> pairs;

  /// Ready to be used, with the model that was learned.
  FilterOptions proposed;
};

/// Below a top-level field with more fields than this the records are of many kinds: it is proposed
/// as a whole, without the identifiers and times in it. Else two records could seem equal because
/// the sample showed too little of the fields that tell them apart.
inline constexpr size_t kOwnFieldsMax = 20;

/// The options must be valid. kConfig when nothing can be proposed. Takes time with the square of
/// the records, one to some seconds for 3,000.
Result<Tuning> Tune(std::span<const RecordView> records, const TuneOptions& options);

/// The match options for what the calibration found.
MatchOptions MatchOptionsFor(const Calibration& calibration);

/// Whether the field of this path is compared: it, or one above it, is selected, and none excluded.
bool IsSelected(const RecordOptions& options, const std::string& path);

}  // namespace neardup
