#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <iterator>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "commands/commands.h"
#include "commands/sample_check.h"
#include "config/documents.h"
#include "kafka/client.h"
#include "kafka/online_check.h"
#include "learned/lane_learning.h"
#include "process/exit_code.h"
#include "run/lane_pipeline.h"

namespace neardup {
std::vector<NamedFile> FilesRead(const ConfigArguments& arguments, const LoadedConfig& config) {
  return {{"--config", arguments.file}, {"feature.model", config.model_file.string()}};
}

int Fail(const Error& error) {
  std::fprintf(stderr, "neardup: %s\n", error.text.c_str());
  return ExitCodeOf(error);
}

KafkaLog PrintKafkaErrors() {
  return [](int level, std::string_view text) {
    if (level > kSyslogError) return;
    std::fprintf(stderr, "%.*s\n", static_cast<int>(text.size()), text.data());
  };
}

namespace {

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
    fmt::print("{:<8} {}: {}\n", kLevels[level], check.subject, check.text);
  }
  fmt::print("{} ok, {} warning(s), {} wrong\n", counts[0], counts[1], counts[2]);
  return code;
}

/// Beside the settings, so that these stay a configuration file.
void PrintReasons(const LearnedOptions& learned, const Settings& settings) {
  for (const std::string& reason : learned.reasons) {
    std::fprintf(stderr, "learned settings: %s\n", reason.c_str());
  }
  if (learned.provisional) std::fprintf(stderr, "%s\n", WhatFollows(settings).c_str());
}

}  // namespace

int ValidateCommand(const ConfigArguments& arguments, bool online) {
  const Result<LoadedConfig> config = Load(arguments);
  if (!config.ok()) return Fail(config.error());
  for (const std::string& warning : config->warnings) {
    std::fprintf(stderr, "neardup: warning: %s\n", warning.c_str());
  }
  if (const Result<void> checked = CheckProperties(config->settings.kafka); !checked.ok()) {
    return Fail(checked.error());
  }
  const Result<void> runnable = CheckRunnable(*config);
  if (online) return runnable.ok() ? ValidateOnline(config->settings) : Fail(runnable.error());
  const std::string limit =
      runnable.ok() ? "" : fmt::format(" for filter, not for run: {}", runnable.error().text);
  std::printf("valid%s\n", limit.c_str());
  return kExitOk;
}

int ShowCommand(const ConfigArguments& arguments, ShowOptions options, bool in_force) {
  Result<LoadedConfig> config = Load(arguments);
  if (!config.ok()) return Fail(config.error());
  if (in_force) {
    const auto taken = TakeLearnedOf(*config, PrintKafkaErrors());
    if (!taken.ok()) return Fail(taken.error());
    if (*taken) PrintReasons(**taken, config->settings);
  }
  options.cores = std::max(1U, std::thread::hardware_concurrency());
  std::fputs(ShowConfig(*config, options).c_str(), stdout);
  return kExitOk;
}

}  // namespace neardup
