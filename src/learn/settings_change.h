// What `tune` would choose now, against the settings in force.
#pragma once

#include <string>
#include <vector>

#include "learn/tuning.h"
#include "neardup/options.h"

namespace neardup {

inline constexpr const char* kFieldsPath = "record.fields";

/// A setting for which the sample now speaks for another value.
struct SettingsChange {
  std::string setting;  ///< path in the configuration
  std::string was;      ///< for people
  std::string now;
  bool matters = false;
  std::string reason;  ///< why it matters or does not; one sentence without a full stop
};

/// Samples of one stream give distances that differ by as much (docs/detection.md).
inline constexpr int kDistanceTolerance = 2;

/// The options for Tune that let it choose anew everything that it can choose, but with the
/// similarity of `options`. With `keep_fields`, it also keeps the fields and their roles.
FilterOptions UntunedOptions(const FilterOptions& options, bool keep_fields);

/// `now` must be the result of Tune with UntunedOptions of `options`. With `is_same`, the stream is
/// known not to have drifted, so that another distance is only the chance of samples.
std::vector<SettingsChange> ChangesOf(const FilterOptions& options, const Tuning& now,
                                      bool is_same = false);

/// Whether both compare the same fields, keys or not.
bool ComparesSameFields(const RecordOptions& a, const RecordOptions& b);

}  // namespace neardup
