#include "app/config_command.h"

#include <cstdio>
#include <string>

#include "app/exit_code.h"
#include "kafka/kafka_options.h"

namespace neardup {

int ValidateCommand(const ConfigArguments& arguments) {
  const Result<LoadedConfig> config = Load(arguments);
  if (!config.ok()) return Fail(config.error());
  for (const std::string& warning : config->warnings) {
    std::fprintf(stderr, "neardup: warning: %s\n", warning.c_str());
  }
  if (const Result<void> checked = CheckProperties(config->settings.kafka); !checked.ok()) {
    return Fail(checked.error());
  }
  const Result<void> runnable = CheckRunnable(*config);
  std::printf("valid%s\n", runnable.ok() ? "" : ", for filter only: run needs input.topics");
  return kExitOk;
}

int ShowCommand(const ConfigArguments& arguments, bool with_origin, bool json) {
  const Result<LoadedConfig> config = Load(arguments);
  if (!config.ok()) return Fail(config.error());
  std::fputs(ShowConfig(*config, {with_origin, json}).c_str(), stdout);
  return kExitOk;
}

}  // namespace neardup
