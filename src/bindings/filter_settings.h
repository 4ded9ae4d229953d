// The settings of a filter as JSON, under the names that they have in the configuration file.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "neardup/options.h"
#include "neardup/result.h"

namespace neardup {

/// What a person said about a filter.
struct FilterSettings {
  FilterOptions options;
  /// match.mode: auto. What is not given is to be learned from records.
  bool learn = false;
  /// The learnable settings that were given, by their paths (LearnablePaths).
  std::set<std::string> given{};
};

/// Reads a JSON object with the sections record, feature, match and window of the configuration
/// file, such as {"record": {"fields": ["title"]}, "match": {"distance_max": 6}}. A path with a dot
/// may stand for a section and a key: {"match.distance_max": 6}. Times and sizes are whole numbers,
/// or texts with a unit ("24h", "8MiB"). feature.model is a model object as in a model file. Other
/// sections of the configuration file are passed over. Settings that are left out have their
/// defaults, and match.mode is auto. kConfig names the setting, what was expected and what was
/// found.
Result<FilterSettings> ParseFilterSettings(std::string_view json);

/// Every setting of the options, so that ParseFilterSettings reads back equal options with
/// match.mode near. A JSON object with sections.
std::string FilterSettingsText(const FilterOptions& options);

}  // namespace neardup
