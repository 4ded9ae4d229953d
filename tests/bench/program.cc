#include "bench/program.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string_view>
#include <thread>

#include "commands/program/message.h"

namespace neardup {
namespace {

/// Throws what the benchmark throws, except CLI::Success and CLI::ParseError.
int Run(const char* name, Benchmark benchmark, int argc, char** argv) {
  CLI::App app;
  try {
    const Result<void> done = benchmark(app, argc, argv);
    if (done.ok()) return kExitOk;
    fmt::print(stderr, "{}: {}\n", name, done.error().text);
    return ExitCodeOf(done.error());
  } catch (const CLI::Success& success) {
    return app.exit(success);
  } catch (const CLI::ParseError& error) {
    fmt::print(stderr, "{}: {}; see `{} --help`\n", name, error.what(), name);
    return kExitUsage;
  }
}

std::string Processor() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown processor";
}

}  // namespace

int RunProgram(const char* name, Benchmark benchmark, int argc, char** argv) {
  try {
    return Run(name, benchmark, argc, argv);
  } catch (const std::exception& failure) {
    fmt::print(stderr, "{}: internal error: {}\n", name, failure.what());
    return kExitInternal;
  }
}

std::string MachineLine() {
#ifdef __clang__
  constexpr std::string_view kCompiler = __VERSION__;
#else
  constexpr std::string_view kCompiler = "g++ " __VERSION__;
#endif
  return fmt::format("{}, {} cores, {}, {}", Processor(), std::thread::hardware_concurrency(),
                     kCompiler, NEARDUP_BUILD_TYPE);
}

Result<void> WriteJson(const std::vector<Measurement>& measurements, const std::string& path) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const auto& [name, value, unit] : measurements) {
    list.push_back({{"name", name}, {"value", value}, {"unit", unit}});
  }
  errno = 0;
  std::ofstream file(path, std::ios::trunc);
  file << list.dump(1) << '\n';
  file.close();
  if (!file) {
    return Error{ErrorCode::kIo,
                 fmt::format("{}: cannot be written: {}", path, std::strerror(errno))};
  }
  return {};
}

}  // namespace neardup
