#include "neardup/options.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/hash.h"
#include "base/number_text.h"
#include "feature/character.h"
#include "feature/mask.h"
#include "filter/match_scheme.h"
#include "neardup/filter.h"
#include "record/field_selection.h"

namespace neardup {
namespace {

/// Grows when anything documented as FORMAT in record, feature or fingerprint changes.
constexpr int kAlgorithmVersion = 2;

constexpr int32_t kCentreMax = 65536;
constexpr int64_t kTenYearsMs = int64_t{3653} * 24 * 3600 * 1000;

Error Invalid(const std::string& option, const std::string& what) {
  return {ErrorCode::kConfig, option + " " + what};
}

template <class T>
Result<void> CheckRange(const char* option, T value, T low, T high) {
  if (value >= low && value <= high) return {};
  return Invalid(option, "is " + std::to_string(value) + ", expected " + std::to_string(low) +
                             " to " + std::to_string(high));
}

std::string Element(const char* list, size_t index, const std::string& selector) {
  return std::string(list) + "[" + std::to_string(index) + "] (\"" + selector + "\")";
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
    if (std::find(paths.begin(), paths.end(), path) != paths.end()) {
      return Invalid(option, "is listed twice; list each field once");
    }
    if (!(field.weight >= 0.1 && field.weight <= 100)) {
      return Invalid(option,
                     "has weight " + std::to_string(field.weight) + ", expected 0.1 to 100");
    }
    if (field.key && field.weight != FieldSelector().weight) {
      return Invalid(option, "is a key field and has weight " + std::to_string(field.weight) +
                                 "; a key is equal or not, take the weight out");
    }
    paths.push_back(path);
  }
  return {};
}

/// Keys say which records may be compared; there has to be something that is.
Result<void> CheckKeys(const std::vector<FieldSelector>& fields) {
  const auto is_key = [](const FieldSelector& field) { return field.key; };
  if (fields.empty() || !std::all_of(fields.begin(), fields.end(), is_key)) return {};
  return Invalid("record.fields",
                 "holds key fields only, expected a field to compare besides; to find records with "
                 "equal fields list them without key and set match.distance_max to 0");
}

Result<void> CheckExclude(const RecordOptions& options, const std::vector<FieldPath>& fields) {
  for (size_t i = 0; i < options.exclude.size(); ++i) {
    const std::string option = Element("record.exclude", i, options.exclude[i]);
    NEARDUP_ASSIGN(const FieldPath excluded, ReadPath(option, options.exclude[i]));
    for (const FieldPath& field : fields) {
      if (IsWithin(field, excluded)) {
        return Invalid(option, "excludes " + ToPointer(field) +
                                   ", which record.fields selects; take one of them out");
      }
    }
  }
  return {};
}

Result<void> CheckRecord(const RecordOptions& options) {
  std::vector<FieldPath> fields;
  NEARDUP_TRY(CheckFields(options, fields));
  NEARDUP_TRY(CheckKeys(options.fields));
  NEARDUP_TRY(CheckExclude(options, fields));
  if (!options.time_field.empty()) {
    NEARDUP_TRY(ReadPath("record.time_field (\"" + options.time_field + "\")", options.time_field));
  }
  NEARDUP_TRY(CheckRange("record.record_bytes_max", options.record_bytes_max, size_t{1} << 10,
                         size_t{1} << 30));
  return CheckRange<size_t>("record.depth_max", options.depth_max, 1, 1024);
}

Result<void> CheckMatch(const MatchOptions& options) {
  NEARDUP_TRY(CheckRange("match.distance_max", options.distance_max, 0, 12));
  NEARDUP_TRY(CheckRange("match.distance_sum_max", options.distance_sum_max, 0, 128));
  NEARDUP_TRY(CheckRange<uint32_t>("match.features_per_bit", options.features_per_bit, 0, 100));
  if (options.widen && !options.text_keys) {
    return Invalid("match.widen", "wants match.text_keys, which is off; turn it on too");
  }
  return {};
}

Result<void> CheckModel(const Model& model) {
  for (const int32_t centre : model.centre) {
    NEARDUP_TRY(CheckRange("feature.model: centre", centre, -kCentreMax, kCentreMax));
  }
  if (!std::is_sorted(model.common.begin(), model.common.end())) {
    return Invalid("feature.model: common", "is not in ascending order; learn the model again");
  }
  return {};
}

/// Of what a model holds; two models of one hash are the same.
std::string ModelHash(const Model& model) {
  if (model == Model()) return "none";
  std::string bytes;
  const auto put = [&bytes](uint64_t value) {
    for (int i = 0; i < 8; ++i) bytes.push_back(static_cast<char>(value >> (8 * i)));
  };
  put(model.hash_seed);
  for (const int32_t centre : model.centre) put(static_cast<uint64_t>(int64_t{centre}));
  for (const uint64_t triple : model.common) put(triple);
  return Hex64(Hash64(bytes));
}

/// Only the filter's own scheme keeps records of different keys apart.
Result<void> CheckScheme(const FilterOptions& options) {
  NEARDUP_TRY(ChooseScheme(options.scheme));
  const auto is_key = [](const FieldSelector& field) { return field.key; };
  const auto& fields = options.record.fields;
  if (options.scheme.is_own() || std::none_of(fields.begin(), fields.end(), is_key)) return {};
  return Invalid("match.scheme", "is " + options.scheme.name +
                                     ", which takes no key fields; take key out of record.fields");
}

Result<void> CheckWindow(const WindowOptions& options) {
  NEARDUP_TRY(CheckRange<int64_t>("window.window_ms", options.window_ms, 1000, kTenYearsMs));
  NEARDUP_TRY(CheckRange<int64_t>("window.lateness_ms", options.lateness_ms, 0, kTenYearsMs));
  NEARDUP_TRY(CheckRange<int64_t>("window.ahead_max_ms", options.ahead_max_ms, 0, kTenYearsMs));
  return CheckRange<uint64_t>("window.entries_max", options.entries_max, 1000, 1'000'000'000);
}

/// FORMAT: sorted by name.
std::vector<std::string> SortedMaskNames(const Masks& masks) {
  std::vector<std::string> names = MaskNames(masks);
  std::sort(names.begin(), names.end());
  return names;
}

/// The same place is the same text, however the selector was written.
std::string Canonical(const std::string& selector) {
  const auto path = ParseFieldPath(selector);
  return path.ok() ? ToPointer(path.value()) : selector;
}

}  // namespace

Result<void> CheckOptions(const FilterOptions& options) {
  NEARDUP_TRY(CheckRecord(options.record));
  NEARDUP_TRY(CheckRange<uint32_t>("feature.features_min", options.feature.features_min, 0, 1000));
  NEARDUP_TRY(CheckMatch(options.match));
  NEARDUP_TRY(CheckScheme(options));
  NEARDUP_TRY(CheckModel(options.model));
  return CheckWindow(options.window);
}

std::string FingerprintSpec(const FilterOptions& options) {
  std::vector<FieldSelector> fields = options.record.fields;
  for (FieldSelector& field : fields) field.path = Canonical(field.path);
  // To another scheme their order may be their priority.
  if (options.scheme.is_own()) {
    std::sort(fields.begin(), fields.end(),
              [](const FieldSelector& a, const FieldSelector& b) { return a.path < b.path; });
  }
  std::vector<std::string> exclude;
  for (const std::string& selector : options.record.exclude) {
    exclude.push_back(Canonical(selector));
  }
  std::sort(exclude.begin(), exclude.end());
  exclude.erase(std::unique(exclude.begin(), exclude.end()), exclude.end());

  auto field_list = nlohmann::json::array();
  for (const FieldSelector& field : fields) {
    field_list.push_back({{"path", field.path}, {"weight16", WeightSixteenths(field.weight)}});
    if (field.key) field_list.back()["key"] = true;
  }
  nlohmann::json spec = {{"algorithm", kAlgorithmVersion},
                         {"exclude", exclude},
                         {"features_min", options.feature.features_min},
                         {"fields", field_list},
                         {"markup", options.feature.markup},
                         {"model", ModelHash(options.model)},
                         {"unicode", UnicodeVersion()}};
  // Absent where there are none, as before there were masks.
  if (options.feature.masks.any()) spec["masks"] = SortedMaskNames(options.feature.masks);
  if (!options.scheme.is_own()) {
    spec["scheme"] = SpecOf(options.scheme);
    spec.erase("features_min");
  }
  return spec.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace neardup
