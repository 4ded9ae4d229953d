// A YAML document as a tree with line numbers. It reads the part of YAML that a configuration
// needs: aliases, tags and keys that are not text are reported as problems.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "detect/settings/setting_value.h"
#include "neardup/result.h"

namespace neardup {

struct YamlProblem {
  int line = 0;
  std::string text;
};

struct YamlDocument {
  /// nullopt: the text holds only comments, or it is not YAML, which is a problem.
  std::optional<WrittenValue> root;
  std::vector<YamlProblem> problems;
};

/// Reads one document; a second one is a problem.
YamlDocument ParseYaml(const std::string& text);

// References in values: ${VAR}, ${VAR:-default}, ${VAR:?message}, ${file:/path}; $$ is one $. They
// are replaced in values that are parsed already, so their texts cannot change the structure of the
// document.

/// Largest configuration file or secret, in bytes; a larger file is named by mistake.
inline constexpr size_t kConfigFileBytesMax = size_t{1} << 20;

using Environment = std::map<std::string, std::string>;

struct Interpolated {
  std::string text;
  /// The text held a reference.
  bool replaced = false;
  /// The text held a ${file:...}.
  bool secret = false;
};

/// kConfig: a reference that is malformed, has no value or whose file cannot be read. The error's
/// text names the reference, never its value.
Result<Interpolated> Interpolate(std::string_view text, const Environment& environment);

}  // namespace neardup
