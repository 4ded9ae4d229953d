// The versions that a process reports of itself.
#pragma once

#include <string>

namespace neardup {

struct BuildInfo {
  std::string version;
  std::string revision;
  std::string compiler;
  std::string librdkafka_version;
};

}  // namespace neardup
