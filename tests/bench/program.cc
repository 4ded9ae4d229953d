#include "bench/program.h"

#include <cstdio>
#include <exception>

#include "app/exit_code.h"

namespace neardup {
namespace {

/// Throws what `benchmark` throws, but for wrong arguments and --help.
int Run(const char* name, Benchmark benchmark, int argc, char** argv) {
  CLI::App app;
  try {
    const Result<void> done = benchmark(app, argc, argv);
    if (done.ok()) return kExitOk;
    std::fprintf(stderr, "%s: %s\n", name, done.error().text.c_str());
    return ExitCodeOf(done.error());
  } catch (const CLI::Success& success) {
    return app.exit(success);
  } catch (const CLI::ParseError& error) {
    std::fprintf(stderr, "%s: %s; `%s --help` tells more\n", name, error.what(), name);
    return kExitUsage;
  }
}

}  // namespace

int RunProgram(const char* name, Benchmark benchmark, int argc, char** argv) {
  try {
    return Run(name, benchmark, argc, argv);
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "%s: internal error: %s\n", name, failure.what());
    return kExitInternal;
  }
}

}  // namespace neardup
