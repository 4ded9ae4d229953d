// `neardup tune --compare`: says whether settings still fit their stream.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "neardup/result.h"
#include "service/config/config.h"

namespace neardup {

// What the options of `neardup tune` say.

struct TuneArguments {
  /// What is decided already: `tune` keeps its fields and its Kafka properties.
  ConfigArguments config;
  std::string input;  ///< a file; empty: reads `topic`
  std::string topic;
  std::string output;
  std::string compare;          ///< a configuration to compare with, instead of an output
  std::string report;           ///< empty: beside the output
  std::string cases;            ///< a file of ParseVerdictCases; empty: none
  uint64_t window_entries = 0;  ///< 0: `tune` chooses, 1,000,000 at most
  size_t records = 50'000;
  uint64_t hash_seed = 0;
  bool latest = false;
  bool json = false;
  bool force = false;
};

/// Prints what `tune` would choose now against arguments.compare, and what differs from the sample
/// that its settings were chosen from. kExitOk if nothing matters, kExitNo if something does.
Result<int> CompareTuning(const TuneArguments& arguments);

}  // namespace neardup
