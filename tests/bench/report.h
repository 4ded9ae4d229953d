// What a benchmark found, for programs.
#pragma once

#include <string>
#include <vector>

#include "neardup/result.h"

namespace neardup {

struct Measurement {
  std::string name;  ///< words joined by dots, from the general to the particular
  double value = 0;
  std::string unit;
};

/// Replaces the file by a JSON array of {"name", "value", "unit"}.
Result<void> WriteJson(const std::vector<Measurement>& measurements, const std::string& path);

}  // namespace neardup
