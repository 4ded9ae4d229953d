// A YAML document as a tree that remembers lines. Only what a configuration needs: aliases, tags
// and keys that are no text are reported, not resolved.
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
    kQuoted,  ///< "5" is a text
    kGiven,   ///< put in from outside: 5 is what the setting needs
  };

  Form form = Form::kNull;
  int line = 0;
  std::string text;
  Style style = Style::kPlain;
  /// Came out of a secret file: never to be printed.
  bool secret = false;
  /// Of a list; of a map the values, keys[i] belonging to items[i].
  std::vector<YamlValue> items;
  std::vector<YamlKey> keys;
};

struct YamlProblem {
  int line = 0;
  std::string text;
};

struct YamlDocument {
  /// nullopt: nothing but comments, or the text is not YAML (then there is a problem).
  std::optional<YamlValue> root;
  std::vector<YamlProblem> problems;
};

/// Takes exactly one document; a second one is a problem.
YamlDocument ParseYaml(const std::string& text);

}  // namespace neardup
