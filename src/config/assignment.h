// Where a value comes from, and the complaints about values, each naming that place.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/interpolation.h"
#include "config/settings_table.h"
#include "config/yaml_value.h"

namespace neardup {

struct Origin {
  enum class Kind : uint8_t { kDefault, kFile, kEnvironment, kCommandLine };
  Kind kind = Kind::kDefault;
  /// The file, the variable, or the path given to --set.
  std::string name;
  int line = 0;  ///< files only

  bool operator==(const Origin&) const = default;
};

/// default, neardup.yaml:12, NEARDUP_APP, --set app.
std::string Text(const Origin& origin);

/// Collects every complaint, so that one run tells all of them.
class ConfigErrors {
 public:
  /// `path` is the setting or the part of it; empty where there is none.
  void Add(const Origin& origin, std::string_view path, std::string_view text);

  const std::vector<std::string>& lines() const { return lines_; }
  bool empty() const { return lines_.empty(); }

 private:
  std::vector<std::string> lines_;
};

// What somebody may have meant by a name that does not exist.

/// Insertions, deletions, replacements and swaps of neighbours that turn one text into the other.
size_t EditDistance(std::string_view a, std::string_view b);

/// The candidate with the smallest distance, if it is near enough to be a slip.
std::optional<std::string> NearestName(std::string_view name,
                                       const std::vector<std::string>& candidates);

/// For a path that is no setting: "unknown setting, did you mean window.window_ms?".
std::string UnknownSettingText(std::string_view path);

// One value somebody wrote for a setting, and the three places it can be written in.

struct Assignment {
  const Setting* setting = nullptr;
  /// One property of a map setting; empty: the setting as a whole.
  std::string entry;
  Origin origin;
  YamlValue value;
  /// A reference in the value could not be replaced, which is reported: there is no value to read.
  bool unresolved = false;
};

/// All of them append what is wrong to `errors` and return the rest.
std::vector<Assignment> FileAssignments(const std::filesystem::path& file,
                                        const Environment& environment, ConfigErrors& errors);
/// NEARDUP_WINDOW__WINDOW_MS is window.window_ms. Values are taken as they stand; a list or a map
/// is written as in YAML.
std::vector<Assignment> EnvironmentAssignments(const Environment& environment,
                                               ConfigErrors& errors);
/// `sets`: texts such as window.window_ms=1h. Values are written as in YAML; but what a text
/// setting or a property is set to is taken as it stands, unless it is quoted as in YAML.
std::vector<Assignment> CommandLineAssignments(const std::vector<std::string>& sets,
                                               const Environment& environment,
                                               ConfigErrors& errors);

/// Finds the setting, or the map and its entry, that a path names; complains if there is none.
bool FindTarget(std::string_view path, const Origin& origin, ConfigErrors& errors,
                Assignment& assignment);
/// Complains about keys that stand twice and merge keys (<<), here and below.
void CheckKeys(const YamlValue& value, const std::string& path, const Origin& origin,
               ConfigErrors& errors);
/// Replaces references in every scalar, here and below. False, and complaints, if one has no value.
bool InterpolateAll(YamlValue& value, const std::string& path, const Origin& origin,
                    const Environment& environment, ConfigErrors& errors);

}  // namespace neardup
