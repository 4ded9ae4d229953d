// A YAML document as a tree with line numbers. It reads the part of YAML that a configuration
// needs: aliases, tags and keys that are not text are reported as problems.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace neardup {

struct YamlKey {
  std::string text;
  int line = 0;
};

struct YamlValue {
  enum class Form : uint8_t { kNull, kScalar, kList, kMap };
  enum class Style : uint8_t {
    kPlain,   ///< 5 is a number
    kQuoted,  ///< "5" is text
    kGiven,   ///< from a variable or an argument: 5 is whatever the setting needs
  };

  Form form = Form::kNull;
  int line = 0;
  std::string text;
  Style style = Style::kPlain;
  /// Holds the text of a secret file, which must never be printed.
  bool secret = false;
  /// The items of a list, or the values of a map: keys[i] belongs to items[i].
  std::vector<YamlValue> items;
  std::vector<YamlKey> keys;
};

struct YamlProblem {
  int line = 0;
  std::string text;
};

struct YamlDocument {
  /// nullopt: the text holds only comments, or it is not YAML, which is a problem.
  std::optional<YamlValue> root;
  std::vector<YamlProblem> problems;
};

/// Reads one document; a second one is a problem.
YamlDocument ParseYaml(const std::string& text);

}  // namespace neardup
