// What a lane learns from its stream by itself, before it decides the first record.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "learn/stream_profile.h"
#include "neardup/options.h"
#include "neardup/record.h"
#include "neardup/result.h"

namespace neardup {

/// The settings that can be learned, by their paths in the configuration file.
const std::vector<std::string>& LearnablePaths();

/// Complete options, and why they were chosen.
struct LearnedOptions {
  FilterOptions options;
  std::string mode;      ///< near, exact or unclear, as Name(MatchMode)
  uint64_t records = 0;  ///< that were learned from
  /// There were too few records to learn from. A lane with these settings learns again later.
  bool provisional = false;
  /// For people, one sentence each without a full stop: sample, fields, mode, what was measured,
  /// what else was chosen, and at most three questions.
  std::vector<std::string> reasons;
  /// Of the sample under `options`, for drift to be measured against. Nothing if the sample is
  /// smaller than kDriftRecordsMin, if the text would not fit into a delta with it, or if the
  /// settings were learned before profiles were kept.
  std::optional<StreamProfile> profile;

  bool operator==(const LearnedOptions&) const = default;
};

/// Learns from a sample. `given` is what is known already. The settings in `kept`, a part of
/// LearnablePaths, stay as given. With fewer than `records_min` records the result is provisional,
/// and given fields are compared as `given` says. If the sample shows nothing to compare, the
/// result joins only records that are equal in all fields. The reasons say so. Takes about a second
/// for 40,000 records.
LearnedOptions LearnOptions(std::span<const RecordView> records, const FilterOptions& given,
                            const std::set<std::string>& kept, size_t records_min);

/// A longer LearnedText does not fit into a delta. Common phrases make it long, so LearnOptions
/// then leaves them out of the model.
inline constexpr size_t kLearnedBytesMax = size_t{256} << 10;

/// FORMAT, version 1: a JSON object {"neardup_learned": 1, "record.fields": [{"path", "weight",
/// "key"}], "record.exclude": [texts], "feature.features_min": number, ..., "feature.model": the
/// object of ModelText, "mode", "records", "reasons"}, with a key for each of LearnablePaths.
/// If the settings are provisional, it has "provisional": true. If there is a profile, "profile" is
/// the object of ProfileText.
std::string LearnedText(const LearnedOptions& learned);
/// The options that are not learned come from `given`. kConfig if the text has another form;
/// `name` says in errors where the text is from.
Result<LearnedOptions> ParseLearned(std::string_view text, const FilterOptions& given,
                                    const std::string& name);

/// Replaces the learnable options of `options`, except those in `kept`. Where fields are learned,
/// fields that are left out are added to an exclude list that is kept.
void TakeLearned(const FilterOptions& learned, const std::set<std::string>& kept,
                 FilterOptions& options);

}  // namespace neardup
