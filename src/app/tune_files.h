// What `tune` was given and what it writes.
#pragma once

#include <filesystem>
#include <string>

namespace neardup {

struct TuneFiles {
  std::string sample;  ///< the file or topic the records are from
  std::string given;   ///< the configuration that was given; empty: none
  std::filesystem::path config;
  std::filesystem::path model;
  std::filesystem::path page;
};

}  // namespace neardup
