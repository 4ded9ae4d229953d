#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "commands/commands.h"
#include "commands/kafka_errors.h"
#include "commands/options.h"
#include "commands/sample_check.h"
#include "kafka/client.h"
#include "kafka/online_check.h"
#include "process/exit_code.h"
#include "process/message.h"
#include "run/lane_pipeline.h"

namespace neardup {
namespace {

struct ValidateArguments {
  ConfigArguments config;
  bool online = false;
};

/// Prints one line for each check. Returns the exit code that `run` would end with.
int ValidateOnline(const Settings& settings) {
  std::vector<OnlineCheck> checks = CheckOnline(
      settings.kafka,
      {.lane = settings.lane.lane,
       .purges_changelog = settings.purge_changelog,
       .record_bytes_max = static_cast<int64_t>(settings.lane.filter.record.record_bytes_max)});
  const Result<std::optional<PipelineTopics>> pipeline = FindPipeline(settings, PrintKafkaErrors());
  if (!pipeline.ok() && pipeline.error().code != ErrorCode::kUnavailable) {
    checks.push_back({.level = CheckLevel::kWrong,
                      .subject = "app " + settings.kafka.app,
                      .text = pipeline.error().text,
                      .code = pipeline.error().code});
  } else if (pipeline.ok() && *pipeline) {
    checks.push_back({.level = CheckLevel::kOk,
                      .subject = "app " + settings.kafka.app,
                      .text = TextOf(**pipeline) + ", which this configuration changes"});
  }
  const bool can_read = std::none_of(checks.begin(), checks.end(), [](const OnlineCheck& check) {
    return check.level == CheckLevel::kWrong;
  });
  if (can_read) checks.push_back(CheckSample(settings, PrintKafkaErrors()));
  constexpr std::string_view kLevels[] = {"ok", "warning", "wrong"};
  std::array<size_t, std::size(kLevels)> counts{};
  int code = kExitOk;
  for (const OnlineCheck& check : checks) {
    const auto level = static_cast<size_t>(check.level);
    ++counts[level];
    if (check.level == CheckLevel::kWrong && code == kExitOk) {
      code = ExitCodeOf({check.code, check.text});
    }
    Print("{:<8} {}: {}\n", kLevels[level], check.subject, check.text);
  }
  fmt::print("{} ok, {} warning(s), {} wrong\n", counts[0], counts[1], counts[2]);
  return code;
}

/// Checks the configuration, librdkafka properties included, without a broker. `online`: also
/// checks brokers, login, topics and rights, without any change.
int ValidateCommand(const ValidateArguments& arguments) {
  const Result<LoadedConfig> config = Load(arguments.config);
  if (!config.ok()) return Fail(config.error());
  for (const std::string& warning : config->warnings) {
    Say("neardup: warning: {}", warning);
  }
  if (const Result<void> checked = CheckProperties(config->settings.kafka); !checked.ok()) {
    return Fail(checked.error());
  }
  const Result<void> runnable = CheckRunnable(*config);
  if (arguments.online)
    return runnable.ok() ? ValidateOnline(config->settings) : Fail(runnable.error());
  const std::string limit =
      runnable.ok() ? "" : fmt::format(" for filter, not for run: {}", runnable.error().text);
  std::printf("valid%s\n", limit.c_str());
  return kExitOk;
}

}  // namespace

void AddValidate(CommandLine& line) {
  const auto arguments = std::make_shared<ValidateArguments>();
  CLI::App* command = line.Add("validate", "check a configuration, by default without a broker",
                               {"neardup validate --config neardup.yaml"});
  AddConfig(command, arguments->config);
  AddKafka(line, command, arguments->config);
  command->add_flag("--online", arguments->online,
                    "also check brokers, login, topics and rights; changes nothing there");
  line.Runs(command, [arguments] { return ValidateCommand(*arguments); });
}

}  // namespace neardup
