// `neardup tune`: from a sample of a stream to a configuration that fits it, with the reasons.
#pragma once

#include <cstdint>
#include <string>

#include "app/config_command.h"

namespace neardup {

struct TuneArguments {
  /// What is known already; the fields of it are not questioned, nor are Kafka's properties.
  ConfigArguments config;
  std::string sample;  ///< a file; empty: `topic` is read
  std::string topic;
  std::string output;
  std::string report;           ///< empty: beside the output
  uint64_t window_entries = 0;  ///< 0: chosen, 1,000,000 at most
  size_t records = 3000;
  uint64_t hash_seed = 0;
  bool latest = false;
  bool json = false;
  bool force = false;
};

int TuneCommand(const TuneArguments& arguments);

}  // namespace neardup
