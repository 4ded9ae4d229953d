// What `neardup tune --compare` found, in words: for the terminal and for programs.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "learn/drift.h"
#include "learn/settings_change.h"

namespace neardup {

struct TuneComparison {
  std::string config;   ///< the file that was compared
  std::string sample;   ///< the file or topic that the records come from
  size_t records = 0;   ///< of the sample
  std::string no_tune;  ///< why nothing can be tuned from the sample; empty: it can
  std::vector<SettingsChange> changes;
  /// Against the sample that the settings were chosen from; nothing if they come with no profile of
  /// it, or if settings were changed since.
  std::optional<std::vector<AspectDrift>> drift;
};

/// Whether the settings no longer fit the stream.
bool Matters(const TuneComparison& comparison);

/// Returns the whole result as text for the terminal.
std::string ComparisonText(const TuneComparison& comparison);
/// Returns the whole result as a JSON object. Its keys are stable; the texts in it are not.
std::string ComparisonJson(const TuneComparison& comparison);

}  // namespace neardup
