// Which scheme is to run, with which parameters.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "neardup/result.h"

namespace neardup {

/// The name of the filter itself among the schemes.
inline constexpr const char* kFilterScheme = "neardup";

struct SchemeChoice {
  std::string text;  ///< as a person wrote it
  std::string name;
  std::map<std::string, double, std::less<>> values;

  bool is_filter() const { return name == kFilterScheme; }
};

/// Reads "NAME" or "NAME:parameter=value:...". "all" stands for all schemes, the filter first; so
/// does the filter alone for an empty list. What a scheme takes is checked when it is made.
Result<std::vector<SchemeChoice>> ParseSchemes(const std::vector<std::string>& texts);

}  // namespace neardup
