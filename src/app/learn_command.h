// `neardup learn`: a sample of a stream -> a model file.
#pragma once

#include <cstdint>
#include <string>

#include "app/config_command.h"

namespace neardup {

struct LearnArguments {
  ConfigArguments config;
  std::string sample;
  std::string output;
  size_t records = 3000;
  uint64_t hash_seed = 0;
  bool force = false;
};

int LearnCommand(const LearnArguments& arguments);

}  // namespace neardup
