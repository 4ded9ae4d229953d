// Where a value comes from, and the complaints about values, each naming that place.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

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

}  // namespace neardup
