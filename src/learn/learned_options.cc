#include "learn/learned_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "detect/base/message_text.h"
#include "detect/base/quantity.h"
#include "detect/feature/mask.h"
#include "detect/index/match.h"
#include "detect/record/json_syntax.h"
#include "detect/settings/filter_settings_table.h"
#include "detect/settings/setting_value.h"
#include "learn/drift.h"
#include "learn/field_study.h"
#include "learn/model_file.h"
#include "learn/tuning.h"
#include "neardup/filter.h"

namespace neardup {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kVersionKey = "neardup_learned";
constexpr int kSettingsVersion = 1;
constexpr const char* kFieldsPath = "record.fields";
constexpr const char* kExcludePath = "record.exclude";
constexpr const char* kModelPath = "feature.model";
constexpr const char* kSimilarityPath = "match.similarity";
constexpr const char* kDistancePath = "match.distance_max";
constexpr size_t kNamedMax = 12;

Error NotWhole(const std::string& path) {
  return {ErrorCode::kConfig, fmt::format("{}: expected a whole number of at most 64 bits", path)};
}

/// FORMAT: the changelog holds all members of a field.
Json FieldsJson(const std::vector<FieldSelector>& fields) {
  Json list = Json::array();
  for (const FieldSelector& field : fields) {
    list.push_back({{"path", field.path}, {"weight", field.weight}, {"key", field.key}});
    if (field.free) list.back()["free"] = true;
  }
  return list;
}

/// Throws a Json exception if the value has another type.
std::vector<FieldSelector> FieldsOf(const Json& json) {
  std::vector<FieldSelector> fields;
  for (const Json& field : json) {
    fields.push_back({field.at("path").get<std::string>(), field.at("weight").get<double>(),
                      field.at("key").get<bool>(), field.value("free", false)});
  }
  return fields;
}

/// Reads a setting that learning chooses. Fields have the names that records have, whatever a
/// person may write.
Result<void> ReadLearned(const Json& json, const std::string& path, FilterOptions& options) {
  if (path == kModelPath) {
    NEARDUP_ASSIGN(options.model, ParseModel(json.dump(), path));
  } else if (path == kFieldsPath) {
    options.record.fields = FieldsOf(json);
  } else if (path == kExcludePath) {
    json.get_to(options.record.exclude);
  } else {
    const FilterSetting& row = *FindFilterSetting(path);
    std::vector<SettingProblem> problems;
    const std::optional<SettingValue> value = ReadValue(row, WrittenAs(json), problems);
    if (!value) {
      return Error{ErrorCode::kConfig, fmt::format("{}: {}", path, problems.front().text)};
    }
    row.set(options, *value);
  }
  return {};
}

/// Says how each field is used: compared fields: text; must agree: rooms, floor; ...
std::string FieldsReason(const FilterOptions& options, std::span<const StudiedField> studied) {
  std::map<std::string, std::vector<std::string>> used;
  for (const StudiedField& field : studied) {
    const std::string use = UseOf(options.record, field.facts.path);
    const bool left_out = !IsSelected(options.record, field.facts.path);
    used[use].push_back(left_out ? fmt::format("{} ({})", field.facts.path, Name(field.role))
                                 : field.facts.path);
  }
  std::vector<std::string> parts;
  for (const char* use : {"compared", "must agree", "may differ", "left out"}) {
    if (!used[use].empty())
      parts.push_back(fmt::format("{}: {}", use, ListText(used[use], kNamedMax)));
  }
  return fmt::format("fields {}", fmt::join(parts, "; "));
}

/// The message about a distance that was configured.
std::string GivenDistance(int distance_max) {
  return fmt::format("match.distance_max is given as {}, so {}", distance_max,
                     distance_max == 0 ? "only equal records are duplicates"
                                       : "near records are duplicates as well");
}

std::string ModeReason(const Tuning& tuning, const MatchOptions& match, bool given) {
  const Calibration& calibration = tuning.calibration;
  if (!given) {
    return fmt::format("mode {}, {}: {}", Name(calibration.mode), LimitText(match),
                       calibration.reason);
  }
  return fmt::format("{}; the records alone suggest mode {} with distance_max {}",
                     GivenDistance(match.distance_max), Name(calibration.mode),
                     calibration.mode == MatchMode::kExact ? 0 : calibration.distance_max);
}

/// `kept`: settings that were configured, so that learning did not choose them.
std::string FurtherReason(const Tuning& tuning, const std::set<std::string>& kept) {
  std::vector<std::string> further;
  if (!tuning.masks_reason.empty() && !kept.contains("feature.masks")) {
    further.push_back(fmt::format("masks {} ({})",
                                  fmt::join(MaskNames(tuning.proposed.feature.masks), ", "),
                                  tuning.masks_reason));
  }
  if (!tuning.proposed.feature.markup && !kept.contains("feature.markup")) {
    further.push_back("tags of HTML are compared (they tell the texts apart)");
  }
  if (!tuning.short_reason.empty() && !kept.contains("feature.features_min")) {
    further.push_back("short records are compared as well (" + tuning.short_reason + ")");
  }
  const MatchOptions& match = tuning.proposed.match;
  if (match.distance_chance_max < LikenessMax(match)) {
    further.push_back(fmt::format(
        "records that share no rare phrase are joined {} (in a window of {} records, others would "
        "match by chance)",
        match.distance_chance_max == 0
            ? "only if they are equal"
            : fmt::format("up to distance {} only", match.distance_chance_max),
        Grouped(tuning.proposed.window.entries_max)));
  }
  if (tuning.window_smaller && !kept.contains("window.entries_max")) {
    further.push_back(
        fmt::format("a window of {} unique records (a larger one has more chance "
                    "matches)",
                    Grouped(tuning.proposed.window.entries_max)));
  }
  return further.empty() ? "" : fmt::format("also chosen: {}", fmt::join(further, "; "));
}

}  // namespace

const std::vector<std::string>& LearnablePaths() {
  static const std::vector<std::string> paths = [] {
    std::vector<std::string> all;
    for (const FilterSetting& row : FilterSettingsTable()) {
      if (row.learned) all.push_back(row.path);
    }
    all.emplace_back(kModelPath);
    return all;
  }();
  return paths;
}

void TakeLearned(const FilterOptions& learned, const std::set<std::string>& kept,
                 FilterOptions& options) {
  for (const FilterSetting& row : FilterSettingsTable()) {
    if (row.learned && !kept.contains(row.path)) row.set(options, row.get(learned));
  }
  if (!kept.contains(kModelPath)) options.model = learned.model;
  if (kept.contains(kFieldsPath) || !kept.contains(kExcludePath)) return;
  // What a person excludes is left out beside what was learned.
  std::vector<std::string>& exclude = options.record.exclude;
  for (const std::string& path : learned.record.exclude) {
    if (std::ranges::find(exclude, path) == exclude.end()) exclude.push_back(path);
  }
}

namespace {

const char* ModeOf(const MatchOptions& match) {
  return Name(match.distance_max == 0 ? MatchMode::kExact : MatchMode::kNear);
}

/// Joins what the named fields and the other given settings say. Without named fields: only what is
/// equal in everything that may be content.
LearnedOptions NothingLearned(size_t records, const FilterOptions& given,
                              const std::set<std::string>& kept, const std::string& why) {
  LearnedOptions learned;
  learned.options = given;
  learned.records = records;
  if (!given.record.fields.empty()) {
    learned.reasons = {why + "; the named fields are compared with the default settings"};
  } else if (kept.contains(kDistancePath)) {
    learned.reasons = {why, "compared fields: all", GivenDistance(given.match.distance_max)};
  } else {
    learned.options.match.distance_max = 0;
    learned.reasons = {why, "compared fields: all",
                       "mode exact: only records whose fields are equal are duplicates"};
  }
  learned.mode = ModeOf(learned.options.match);
  return learned;
}

LearnedOptions LearnSettings(std::span<const RecordView> records, const FilterOptions& given,
                             const std::set<std::string>& kept, size_t records_min) {
  TuneOptions options;
  options.filter = given;
  options.calibration.window_entries = given.window.entries_max;
  options.find_pairs = false;
  if (!kept.contains("window.entries_max")) {
    options.calibration.window_entries_min =
        std::min(kTunedWindowMin, options.calibration.window_entries);
  }
  const bool few = records.size() < records_min;
  const std::string few_text = fmt::format(
      "{} {} too few to learn from; expected at least {}", Counted(records.size(), "record"),
      records.size() == 1 ? "is" : "are", Grouped(records_min));
  const auto nothing_learned = [&](const std::string& why) {
    LearnedOptions learned = NothingLearned(records.size(), given, kept, few ? few_text : why);
    learned.provisional = few;
    return learned;
  };
  if (few && !given.record.fields.empty()) return nothing_learned(few_text);
  const Result<Tuning> tuned = Tune(records, options);
  if (!tuned.ok()) {
    return nothing_learned(fmt::format("nothing was learned from {}: the sample {}",
                                       Counted(records.size(), "record"), tuned.error().text));
  }
  Tuning tuning = *tuned;
  if (tuning.calibration.too_few && !tuning.has_text) {
    // What the fields are for still holds.
    tuning.calibration.mode = MatchMode::kExact;
    tuning.calibration.reason =
        "too few records of the sample have enough words to be compared by distance, so only equal "
        "records are joined";
    tuning.proposed.match = MatchOptionsFor(tuning.calibration);
  }
  if (kept.contains(kSimilarityPath) && tuning.has_text &&
      tuning.calibration.mode == MatchMode::kExact) {
    tuning.calibration.mode = MatchMode::kNear;
    tuning.calibration.distance_max = kDistanceMax;
    tuning.calibration.widen = true;
    tuning.calibration.reason = "match.similarity is given, so near records are duplicates as well";
    tuning.proposed.match = MatchOptionsFor(tuning.calibration);
  }
  LearnedOptions learned;
  learned.options = given;
  TakeLearned(tuning.proposed, kept, learned.options);
  const Claim claim = learned.options == tuning.proposed
                          ? tuning.claim
                          : PlantedSample(records, learned.options.record).Measure(learned.options);
  const bool distance_given = kept.contains(kDistancePath);
  learned.mode = distance_given ? ModeOf(learned.options.match) : Name(tuning.calibration.mode);
  learned.records = tuning.records;
  learned.provisional = few;
  learned.reasons = {fmt::format("learned from {} ({} distinct)", Counted(tuning.records, "record"),
                                 Grouped(tuning.distinct)),
                     FieldsReason(learned.options, tuning.fields),
                     ModeReason(tuning, learned.options.match, distance_given)};
  const std::string doubt = ClaimDoubt(claim);
  learned.reasons.push_back(
      fmt::format("measured: {}{}{}", ClaimText(claim), doubt.empty() ? "" : "; ", doubt));
  const std::string further = FurtherReason(tuning, kept);
  if (!further.empty()) learned.reasons.push_back(further);
  for (const std::string& question : tuning.questions) {
    learned.reasons.push_back("question: " + question);
  }
  if (few) learned.reasons.insert(learned.reasons.begin(), few_text);
  if (LearnedText(learned).size() > kLearnedBytesMax) learned.options.model.common.clear();
  return learned;
}

}  // namespace

LearnedOptions LearnOptions(std::span<const RecordView> records, const FilterOptions& given,
                            const std::set<std::string>& kept, size_t records_min) {
  LearnedOptions learned = LearnSettings(records, given, kept, records_min);
  const FilterOptions& options = learned.options;
  if (records.size() < kDriftRecordsMin) return learned;
  learned.profile = ProfileOf(records, options);
  // No verdict depends on a profile.
  if (LearnedText(learned).size() > kLearnedBytesMax) learned.profile.reset();
  return learned;
}

std::string LearnedText(const LearnedOptions& learned) {
  Json json = {{kVersionKey, kSettingsVersion}};
  for (const FilterSetting& row : FilterSettingsTable()) {
    if (row.learned) json[row.path] = JsonValue(row.get(learned.options));
  }
  json[kFieldsPath] = FieldsJson(learned.options.record.fields);
  json[kModelPath] = Json::parse(ModelText(learned.options.model));
  json["mode"] = learned.mode;
  json["records"] = learned.records;
  json["reasons"] = learned.reasons;
  if (learned.provisional) json["provisional"] = true;
  if (learned.profile) json["profile"] = Json::parse(ProfileText(*learned.profile));
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<LearnedOptions> ParseLearned(std::string_view text, const FilterOptions& given,
                                    const std::string& name) {
  const auto wrong = [&name](std::string_view found) {
    return Error{ErrorCode::kConfig,
                 fmt::format("{}: {}, expected the learned settings of version {}", name, found,
                             kSettingsVersion)};
  };
  if (NestsDeeperThan(text)) return wrong("found deeply nested text");
  try {
    const Json json = Json::parse(text);
    for (const char* whole : {kVersionKey, "records"}) {
      if (HasFraction(json.at(whole))) return NotWhole(fmt::format("{}: {}", name, whole));
    }
    if (const int version = json.at(kVersionKey).get<int>(); version != kSettingsVersion) {
      return wrong(fmt::format("found version {}", version));
    }
    LearnedOptions learned;
    learned.options = given;
    for (const std::string& path : LearnablePaths()) {
      const Result<void> read = ReadLearned(json.at(path), path, learned.options);
      if (!read.ok()) return Named(name, read.error());
    }
    json.at("mode").get_to(learned.mode);
    json.at("records").get_to(learned.records);
    json.at("reasons").get_to(learned.reasons);
    learned.provisional = json.value("provisional", false);
    if (json.contains("profile")) learned.profile = ParseProfile(json["profile"].dump());
    NEARDUP_TRY(CheckOptions(learned.options));
    return learned;
  } catch (const Json::exception& problem) {
    return wrong(fmt::format("found {}", problem.what()));
  }
}

}  // namespace neardup
