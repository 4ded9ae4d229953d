#include "config/nearest_name.h"

#include <algorithm>

#include "config/settings_table.h"

namespace neardup {
namespace {

// Right key, wrong section: topics, or kafka.topics, for input.topics.
std::optional<std::string> SameKeyElsewhere(std::string_view path) {
  std::optional<std::string> found;
  for (const Setting& setting : SettingsTable()) {
    if (KeyOf(setting.path) != KeyOf(path)) continue;
    if (found) return std::nullopt;
    found = setting.path;
  }
  return found;
}

}  // namespace

size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<std::vector<size_t>> cost(a.size() + 1, std::vector<size_t>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i) cost[i][0] = i;
  for (size_t j = 0; j <= b.size(); ++j) cost[0][j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    for (size_t j = 1; j <= b.size(); ++j) {
      size_t replaced = cost[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, replaced});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
      }
    }
  }
  return cost[a.size()][b.size()];
}

std::optional<std::string> NearestName(std::string_view name,
                                       const std::vector<std::string>& candidates) {
  // A name this long is no slip; the bound also keeps the table of distances small.
  if (name.size() > 200) return std::nullopt;
  std::optional<std::string> nearest;
  size_t least = 1 + std::max<size_t>(2, name.size() / 4);
  for (const std::string& candidate : candidates) {
    size_t distance = EditDistance(name, candidate);
    if (distance < least && distance < candidate.size()) {
      least = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

std::string UnknownSettingText(std::string_view path) {
  std::vector<std::string> names;
  for (const SettingSection& section : SettingSections()) names.push_back(section.name);
  for (const Setting& setting : SettingsTable()) names.push_back(setting.path);
  std::optional<std::string> meant = SameKeyElsewhere(path);
  if (!meant) meant = NearestName(path, names);
  if (meant) return "unknown setting, did you mean " + *meant + "?";
  return "unknown setting; `neardup config example` prints all of them";
}

}  // namespace neardup
