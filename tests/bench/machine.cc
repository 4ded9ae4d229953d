#include "bench/machine.h"

#include <fstream>
#include <string_view>
#include <thread>

namespace neardup {
namespace {

std::string Processor() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown processor";
}

}  // namespace

std::string MachineLine() {
#ifdef __clang__
  constexpr std::string_view kCompiler = __VERSION__;
#else
  constexpr std::string_view kCompiler = "g++ " __VERSION__;
#endif
  return Processor() + ", " + std::to_string(std::thread::hardware_concurrency()) + " cores, " +
         std::string(kCompiler) + ", " NEARDUP_BUILD_TYPE;
}

}  // namespace neardup
