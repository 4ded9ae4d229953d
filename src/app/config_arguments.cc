#include "app/config_arguments.h"

#include <cstdio>

#include "app/exit_code.h"

namespace neardup {

Result<LoadedConfig> Load(const ConfigArguments& arguments) {
  ConfigSource source;
  if (!arguments.file.empty()) source.file = arguments.file;
  source.sets = arguments.sets;
  source.environment = ProcessEnvironment();
  return LoadConfig(source);
}

int Fail(const Error& error) {
  std::fprintf(stderr, "neardup: %s\n", error.text.c_str());
  return ExitCodeOf(error);
}

}  // namespace neardup
