#include "learn/settings_change.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <set>

#include "detect/feature/mask.h"

namespace neardup {
namespace {

std::string ListText(const auto& names, const char* none) {
  return names.empty() ? none : fmt::format("{}", fmt::join(names, ", "));
}

std::set<std::string> PathsOf(const RecordOptions& record, bool keys_only) {
  std::set<std::string> paths;
  for (const FieldSelector& field : record.fields) {
    if (field.key || !keys_only) paths.insert(field.path);
  }
  return paths;
}

bool IsText(const RecordOptions& record, const std::string& path) {
  const FieldSelector* selector = SelectorFor(record, path);
  return selector != nullptr && selector->is_text();
}

/// Fields that are compared and should not be, and fields that are not and should be.
void AddFields(const FilterOptions& options, const Tuning& now,
               std::vector<SettingsChange>& changes) {
  const auto change = [&](const std::string& path, bool compared, const std::string& text,
                          bool matters, const std::string& reason) {
    changes.push_back({kFieldsPath, fmt::format("{} is {}compared", path, compared ? "" : "not "),
                       text, matters, reason});
  };
  for (const StudiedField& field : now.fields) {
    const std::string& path = field.facts.path;
    const bool compared = IsSelected(options.record, path);
    const bool proposed = IsSelected(now.proposed.record, path);
    // A text that only had to agree is not compared by likeness yet.
    const bool becomes_text = IsText(now.proposed.record, path) && !IsText(options.record, path);
    if (compared && !proposed && !PathsOf(options.record, true).contains(path)) {
      change(path, true, "leave it out", true, field.reason);
    } else if ((!compared && proposed) || becomes_text) {
      const bool text = field.role == FieldRole::kText;
      change(path, false, "compare it", text,
             text ? "it holds text, and copies may differ or agree in it" : "it is short");
    }
  }
  for (const FieldSelector& field : options.record.fields) {
    RecordOptions alone;
    alone.fields = {field};
    const bool found = std::ranges::any_of(
        now.fields, [&](const auto& studied) { return IsSelected(alone, studied.facts.path); });
    if (!found) {
      change(field.path, true, "leave it out", true, "no record of the sample has this field");
    }
  }
}

void AddDistance(const FilterOptions& options, const Tuning& now, bool is_same,
                 std::vector<SettingsChange>& changes) {
  const int was = options.match.distance_max;
  const int is = now.proposed.match.distance_max;
  if (was == is) return;
  SettingsChange change{"match.distance_max", fmt::format("{}", was), fmt::format("{}", is), true,
                        now.calibration.reason};
  if (was > 0 && is > 0 && (is_same || std::abs(was - is) <= kDistanceTolerance)) {
    change.matters = false;
    change.reason = is_same ? "the stream is as it was, so this is the chance of samples"
                            : "samples of one stream differ by as much";
  } else if (now.calibration.too_few) {
    change.matters = false;
    change.reason = "the sample is too small to tell";
  }
  changes.push_back(std::move(change));
}

}  // namespace

FilterOptions UntunedOptions(const FilterOptions& options, bool keep_fields) {
  const FilterOptions defaults;
  FilterOptions untuned = options;
  untuned.feature.masks = defaults.feature.masks;
  untuned.feature.features_min = defaults.feature.features_min;
  untuned.model = defaults.model;
  untuned.match = defaults.match;
  untuned.match.similarity = options.match.similarity;
  if (!keep_fields) {
    untuned.record.fields.clear();
    untuned.record.exclude.clear();
  }
  return untuned;
}

bool ComparesSameFields(const RecordOptions& a, const RecordOptions& b) {
  const auto sorted = [](std::vector<std::string> paths) {
    std::ranges::sort(paths);
    return paths;
  };
  return PathsOf(a, false) == PathsOf(b, false) && sorted(a.exclude) == sorted(b.exclude);
}

std::vector<SettingsChange> ChangesOf(const FilterOptions& options, const Tuning& now,
                                      bool is_same) {
  std::vector<SettingsChange> changes;
  AddFields(options, now, changes);
  const auto keys_were = PathsOf(options.record, true);
  const auto keys_are = PathsOf(now.proposed.record, true);
  if (keys_were != keys_are) {
    changes.push_back({"record.fields: key", ListText(keys_were, "none"),
                       ListText(keys_are, "none"), true, "copies in the sample agree in these"});
  }
  if (!(options.feature.masks == now.proposed.feature.masks)) {
    changes.push_back(
        {"feature.masks", ListText(MaskNames(options.feature.masks), "none"),
         ListText(MaskNames(now.proposed.feature.masks), "none"), true,
         now.masks_reason.empty() ? "nothing in the sample speaks for masks" : now.masks_reason});
  }
  AddDistance(options, now, is_same, changes);
  if (options.feature.features_min != now.proposed.feature.features_min) {
    changes.push_back({"feature.features_min", fmt::format("{}", options.feature.features_min),
                       fmt::format("{}", now.proposed.feature.features_min), false,
                       "it only touches records of few words"});
  }
  return changes;
}

}  // namespace neardup
