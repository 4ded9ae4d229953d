// The settings of a filter: the sections record, feature, match and window of a configuration.
// YAML, JSON (Python, Spark, C) and the changelog read them by these rows.
#pragma once

#include <string_view>
#include <vector>

#include "detect/settings/setting.h"
#include "detect/settings/setting_value.h"
#include "neardup/options.h"

namespace neardup {

using FilterSetting = SettingOf<FilterOptions>;

/// In the order of the example file. Two settings of these sections are missing, because they are
/// no member of FilterOptions: match.mode says whether to learn, and feature.model names a file.
const std::vector<FilterSetting>& FilterSettingsTable();

/// nullptr if no row has this path.
const FilterSetting* FindFilterSetting(std::string_view path);

/// Whether this names the default method of earlier versions, which had several methods.
bool IsFormerDefault(std::string_view path, const WrittenValue& value);

/// The sections of a configuration that only the service reads.
inline constexpr std::string_view kServiceSections[] = {
    "input", "output",      "registry", "lanes", "routing", "dead_letters",
    "auto",  "transaction", "filter",   "lease", "retry",   "threads",
    "kafka", "metrics",     "http",     "log",   "state"};

}  // namespace neardup
