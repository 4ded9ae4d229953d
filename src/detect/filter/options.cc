#include "neardup/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "detect/base/hash.h"
#include "detect/base/quantity.h"
#include "detect/feature/character.h"
#include "detect/feature/mask.h"
#include "detect/record/field_selection.h"
#include "neardup/filter.h"

namespace neardup {
namespace {

/// FORMAT: increased whenever anything documented as FORMAT in record, feature or fingerprint
/// changes.
constexpr int kAlgorithmVersion = 5;

/// Of a list of selectors. Each is compared with every other, here and by those who read the list.
constexpr size_t kSelectorsMax = 1000;

Error Invalid(const std::string& option, const std::string& what) {
  return {ErrorCode::kConfig, option + " " + what};
}

template <class T>
Result<void> CheckRange(const std::string& option, T value, Range<T> range) {
  if (range.Contains(value)) return {};
  return Invalid(option, fmt::format("is {}, expected {} to {}", value, range.min, range.max));
}

Result<void> CheckCount(const char* list, size_t count) {
  if (count <= kSelectorsMax) return {};
  return Invalid(list, fmt::format("lists {} fields, expected at most {}; to compare most fields "
                                   "of a record, leave record.fields empty and list the others in "
                                   "record.exclude",
                                   count, kSelectorsMax));
}

std::string Element(const char* list, size_t index, const std::string& selector) {
  return fmt::format("{}[{}] (\"{}\")", list, index, selector);
}

Result<FieldPath> ReadPath(const std::string& option, const std::string& selector) {
  auto path = ParseFieldPath(selector);
  if (!path.ok()) return Invalid(option, path.error().text);
  return path;
}

Result<void> CheckFields(const RecordOptions& options, std::vector<FieldPath>& paths) {
  for (size_t i = 0; i < options.fields.size(); ++i) {
    const FieldSelector& field = options.fields[i];
    const std::string option = Element("record.fields", i, field.path);
    NEARDUP_ASSIGN(const FieldPath path, ReadPath(option, field.path));
    if (path.empty() && !field.key) {
      return Invalid(option,
                     "is the whole record, which can only be a key field; leave "
                     "record.fields empty to compare all fields by likeness");
    }
    if (std::ranges::find(paths, path) != paths.end()) {
      return Invalid(option, "is listed twice; list each field once");
    }
    NEARDUP_TRY(CheckRange(option + ": weight", field.weight, FieldSelector::kWeightRange));
    if (field.key && field.free) {
      return Invalid(option, "is both a key field and a free field, expected one of them");
    }
    if (!field.is_text() && field.weight != FieldSelector().weight) {
      return Invalid(option, fmt::format("is a {} field with weight {}, expected no weight: it is "
                                         "compared for equality only; remove the weight",
                                         field.key ? "key" : "free", field.weight));
    }
    paths.push_back(path);
  }
  return {};
}

/// Other fields only decide which records may be compared, so at least one text is needed.
Result<void> CheckKeys(const std::vector<FieldSelector>& fields) {
  const auto is_text = [](const FieldSelector& field) { return field.is_text(); };
  if (fields.empty() || std::ranges::any_of(fields, is_text)) return {};
  return Invalid("record.fields",
                 "holds key fields only, expected at least one other field to compare; to find "
                 "records with equal fields, list them without key and set match.distance_max to "
                 "0");
}

Result<void> CheckExclude(const RecordOptions& options, const std::vector<FieldPath>& fields) {
  for (size_t i = 0; i < options.exclude.size(); ++i) {
    const std::string option = Element("record.exclude", i, options.exclude[i]);
    NEARDUP_ASSIGN(const FieldPath excluded, ReadPath(option, options.exclude[i]));
    if (excluded.empty()) return Invalid(option, "is the whole record; name a field");
    for (const FieldPath& field : fields) {
      if (IsWithin(field, excluded)) {
        return Invalid(option, fmt::format("excludes {}, which record.fields selects; remove one "
                                           "of them",
                                           ToPointer(field)));
      }
    }
  }
  return {};
}

Result<void> CheckRecord(const RecordOptions& options) {
  NEARDUP_TRY(CheckCount("record.fields", options.fields.size()));
  NEARDUP_TRY(CheckCount("record.exclude", options.exclude.size()));
  std::vector<FieldPath> fields;
  NEARDUP_TRY(CheckFields(options, fields));
  NEARDUP_TRY(CheckKeys(options.fields));
  NEARDUP_TRY(CheckExclude(options, fields));
  if (!options.time_field.empty()) {
    NEARDUP_TRY(ReadPath(fmt::format("record.time_field (\"{}\")", options.time_field),
                         options.time_field));
  }
  NEARDUP_TRY(CheckRange("record.record_bytes_max", options.record_bytes_max,
                         RecordOptions::kRecordBytesMaxRange));
  return CheckRange("record.depth_max", options.depth_max, RecordOptions::kDepthMaxRange);
}

Result<void> CheckMatch(const MatchOptions& options) {
  if (options.similarity != 0) {
    NEARDUP_TRY(CheckRange("match.similarity", options.similarity, MatchOptions::kSimilarityRange));
  }
  NEARDUP_TRY(
      CheckRange("match.distance_max", options.distance_max, MatchOptions::kDistanceMaxRange));
  NEARDUP_TRY(CheckRange("match.suspect_distance_max", options.suspect_distance_max,
                         MatchOptions::kSuspectDistanceMaxRange));
  NEARDUP_TRY(CheckRange("match.distance_sum_max", options.distance_sum_max,
                         MatchOptions::kDistanceSumMaxRange));
  NEARDUP_TRY(CheckRange("match.distance_chance_max", options.distance_chance_max,
                         MatchOptions::kDistanceChanceMaxRange));
  NEARDUP_TRY(CheckRange("match.features_per_bit", options.features_per_bit,
                         MatchOptions::kFeaturesPerBitRange));
  if (options.widen && !options.text_keys) {
    return Invalid("match.widen", "requires match.text_keys, which is off; turn on both or none");
  }
  return {};
}

Result<void> CheckModel(const Model& model) {
  for (const int32_t centre : model.centre) {
    NEARDUP_TRY(CheckRange("feature.model: centre", centre,
                           Range<int32_t>{-Model::kCentreMax, Model::kCentreMax}));
  }
  if (!std::ranges::is_sorted(model.common)) {
    return Invalid("feature.model: common", "is not in ascending order; learn the model again");
  }
  if (!std::ranges::is_sorted(model.standing)) {
    return Invalid("feature.model: standing", "is not in ascending order; learn the model again");
  }
  return {};
}

/// FORMAT: models with equal contents have equal hashes.
std::string ModelHash(const Model& model) {
  if (model == Model()) return "none";
  std::string bytes;
  const auto put = [&bytes](uint64_t value) {
    for (int i = 0; i < 8; ++i) bytes.push_back(static_cast<char>(value >> (8 * i)));
  };
  put(model.hash_seed);
  for (const int32_t centre : model.centre) put(static_cast<uint64_t>(int64_t{centre}));
  for (const uint64_t triple : model.common) put(triple);
  if (!model.standing.empty()) put(model.standing.size());
  for (const uint64_t text : model.standing) put(text);
  return Hex64(Hash64(bytes));
}

Result<void> CheckWindow(const WindowOptions& options) {
  NEARDUP_TRY(CheckRange("window.window_ms", options.window_ms, WindowOptions::kWindowRange));
  NEARDUP_TRY(CheckRange("window.lateness_ms", options.lateness_ms, WindowOptions::kLatenessRange));
  NEARDUP_TRY(
      CheckRange("window.ahead_max_ms", options.ahead_max_ms, WindowOptions::kAheadMaxRange));
  return CheckRange("window.entries_max", options.entries_max, WindowOptions::kEntriesMaxRange);
}

/// FORMAT: sorted by name.
std::vector<std::string> SortedMaskNames(const Masks& masks) {
  std::vector<std::string> names = MaskNames(masks);
  std::ranges::sort(names);
  return names;
}

/// Two selectors of the same place give the same text, whichever way each is written.
std::string Canonical(const std::string& selector) {
  const auto path = ParseFieldPath(selector);
  return path.ok() ? ToPointer(path.value()) : selector;
}

}  // namespace

Result<void> CheckOptions(const FilterOptions& options) {
  NEARDUP_TRY(CheckRecord(options.record));
  NEARDUP_TRY(CheckRange("feature.features_min", options.feature.features_min,
                         FeatureOptions::kFeaturesMinRange));
  NEARDUP_TRY(CheckMatch(options.match));
  NEARDUP_TRY(CheckModel(options.model));
  return CheckWindow(options.window);
}

FilterOptions WithNearFeatures(FilterOptions options) {
  options.match.distance_max = std::max(options.match.distance_max, 1);
  return options;
}

std::string FingerprintSpec(const FilterOptions& options) {
  std::vector<FieldSelector> fields = options.record.fields;
  for (FieldSelector& field : fields) field.path = Canonical(field.path);
  std::ranges::sort(fields, {}, &FieldSelector::path);
  std::vector<std::string> exclude;
  for (const std::string& selector : options.record.exclude) {
    exclude.push_back(Canonical(selector));
  }
  std::ranges::sort(exclude);
  exclude.erase(std::unique(exclude.begin(), exclude.end()), exclude.end());

  auto field_list = nlohmann::json::array();
  for (const FieldSelector& field : fields) {
    field_list.push_back({{"path", field.path}, {"weight16", WeightSixteenths(field.weight)}});
    if (field.key) field_list.back()["key"] = true;
    if (field.free) field_list.back()["free"] = true;
  }
  nlohmann::json spec = {{"algorithm", kAlgorithmVersion},
                         {"exclude", exclude},
                         {"features_min", options.feature.features_min},
                         {"fields", field_list},
                         {"markup", options.feature.markup},
                         {"model", ModelHash(options.model)},
                         {"unicode", UnicodeVersion()}};
  // The other formats never read the same bytes as other fields.
  if (options.record.format == RecordFormat::kText) spec["format"] = "text";
  // Without masks the key is absent, so that specs from before masks existed stay equal.
  if (options.feature.masks.any()) spec["masks"] = SortedMaskNames(options.feature.masks);
  if (ExactOnly(options.match)) {
    spec["exact_only"] = true;
    spec.erase("features_min");
    spec.erase("model");
    Model standing;
    standing.standing = options.model.standing;
    if (!standing.standing.empty()) spec["model"] = ModelHash(standing);
  }
  return spec.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace neardup
