// Complaints about a configuration. Each names the place of the value it is about.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

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

}  // namespace neardup
