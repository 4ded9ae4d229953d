// Assignments: values that somebody wrote for settings, in the file, in the environment or on the
// command line, before they are checked.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "service/config/settings_table.h"
#include "service/config/yaml_value.h"

namespace neardup {

/// Where a value comes from.
struct ValueSource {
  enum class Kind : uint8_t { kDefault, kFile, kEnvironment, kCommandLine, kLearned };
  Kind kind = Kind::kDefault;
  /// The file, the variable, the path given to --set, or the changelog with the learned settings.
  std::string name;
  int line = 0;  ///< files only

  bool operator==(const ValueSource&) const = default;
};

/// default, neardup.yaml:12, NEARDUP_APP, --set app, learned.
std::string Text(const ValueSource& source);

/// The same source; of a file, this line of it.
ValueSource AtLine(ValueSource source, int line);

/// Collects all complaints, so that one run reports every mistake.
class ConfigErrors {
 public:
  /// `path` is the setting or the part of it that `text` is about; empty if there is none.
  void Add(const ValueSource& source, std::string_view path, std::string_view text);

  const std::vector<std::string>& lines() const { return lines_; }
  bool empty() const { return lines_.empty(); }

 private:
  std::vector<std::string> lines_;
};

struct Assignment {
  const Setting* setting = nullptr;
  /// One entry of a map setting; empty: the setting as a whole.
  std::string entry;
  ValueSource source;
  WrittenValue value;
  /// A reference in the value could not be replaced, which is reported already: do not read it.
  bool unresolved = false;
};

// Each of these reports mistakes to `errors` and returns the assignments that are sound.

std::vector<Assignment> FileAssignments(const std::filesystem::path& file,
                                        const Environment& environment, ConfigErrors& errors);
/// The variable NEARDUP_WINDOW__WINDOW_MS sets window.window_ms. Values are taken literally,
/// without references; a list or a map is written as in YAML.
std::vector<Assignment> EnvironmentAssignments(const Environment& environment,
                                               ConfigErrors& errors);
/// `sets` holds texts such as window.window_ms=1h. Values are written as in YAML, except that the
/// value of a text setting or of a map entry is taken literally unless it is quoted as in YAML.
std::vector<Assignment> CommandLineAssignments(const std::vector<std::string>& sets,
                                               const Environment& environment,
                                               ConfigErrors& errors);

/// The value of the assignment's setting; of a single map entry, a map with that entry alone.
/// nullopt: the value is wrong, which is reported to `errors`.
std::optional<SettingValue> ReadValue(const Assignment& assignment, ConfigErrors& errors);

/// "unknown setting, did you mean window.window_ms?", for a path that names no setting.
std::string UnknownSettingText(std::string_view path);

}  // namespace neardup
