#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "commands/program/command_line.h"
#include "commands/program/commands.h"
#include "commands/program/message.h"
#include "detect/base/quantity.h"
#include "kafka/client.h"
#include "kafka/kafka_ports.h"
#include "kafka/online_check.h"
#include "neardup/filter.h"
#include "service/config/settings.h"
#include "service/registry/schema_registry.h"
#include "service/run/lane_pipeline.h"
#include "service/topics/record_sample.h"
#include "stream/lane/dead_letters.h"

namespace neardup {
namespace {

constexpr size_t kRecordsMax = 1000;
const char* const kSubject = "records";

/// In the order of their numbers in a sample.
Result<std::vector<InputPartition>> Partitions(const KafkaOptions& options, const KafkaLog& log) {
  NEARDUP_ASSIGN(const std::unique_ptr<Source> source, NewKafkaSource(options, log));
  return source->Partitions();
}

OnlineCheck Judge(const LaneOptions& lane, const std::vector<Message>& messages,
                  const std::vector<InputPartition>& partitions) {
  Fingerprinter fingerprinter(lane.filter);
  DeadLetterWatch watch(lane.dead_letters, lane.filter.record);
  CommittedBatch counts;
  RecordBuffer buffer;
  std::string schema_error;
  for (const Message& message : messages) {
    Verdict verdict;
    verdict.outcome = fingerprinter.Compute(RecordOf(message, buffer)).outcome;
    if (verdict.outcome.reason == Reason::kNone) {
      ++counts.unique;
      continue;
    }
    ++counts.dead_letters[static_cast<size_t>(verdict.outcome.reason)];
    if (verdict.outcome.reason == Reason::kSchema) schema_error = verdict.outcome.error;
    watch.Saw(message, partitions.at(message.position.input), verdict);
  }
  if (const std::optional<std::string> why = watch.Judge(counts, true)) {
    return {CheckLevel::kWrong, kSubject, *why, ErrorCode::kConfig};
  }
  if (!schema_error.empty()) {
    return {CheckLevel::kWarning, kSubject,
            fmt::format("{} of {} sampled records have no schema: {}",
                        Grouped(counts.dead_letters[static_cast<size_t>(Reason::kSchema)]),
                        Grouped(counts.records()), schema_error)};
  }
  return {CheckLevel::kOk, kSubject,
          fmt::format("{} of {} sampled records can be compared", Grouped(counts.unique),
                      Grouped(counts.records()))};
}

/// Reads up to 1,000 records where the service would begin: the oldest of the input topics, or the
/// newest with input.start latest. It commits nothing. kWrong: too many of these records are dead
/// letters, so a service would stop before its first commit.
OnlineCheck CheckSample(const Settings& settings, const KafkaLog& log) {
  const LearnedRecords part = settings.lane.start_at == StartAt::kLatest
                                  ? LearnedRecords::kLatest
                                  : LearnedRecords::kEarliest;
  const Result<std::vector<Message>> messages =
      ReadTopicSample(settings.kafka, kRecordsMax, part, log);
  if (!messages.ok() && messages.error().code == ErrorCode::kNotFound) {
    return {CheckLevel::kOk, kSubject, "the input topics hold none yet, so none is checked"};
  }
  const auto partitions = Partitions(settings.kafka, log);
  if (!messages.ok() || !partitions.ok()) {
    const Error& error = messages.ok() ? partitions.error() : messages.error();
    return {CheckLevel::kWarning, kSubject, "are not checked: " + error.text};
  }
  return Judge(settings.lane, *messages, *partitions);
}

OnlineCheck CheckRegistry(const RegistryOptions& options) {
  const Result<void> found = SchemaRegistry(options).Check();
  if (found.ok()) {
    return {CheckLevel::kOk, "registry", options.url + " answers, and lets this user in"};
  }
  return {CheckLevel::kWrong, "registry", found.error().text, found.error().code};
}

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
  if (!settings.registry.url.empty()) checks.push_back(CheckRegistry(settings.registry));
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
Result<int> ValidateCommand(const ValidateArguments& arguments) {
  NEARDUP_ASSIGN(const LoadedConfig config, LoadAndWarn(arguments.config));
  NEARDUP_TRY(CheckProperties(config.settings.kafka));
  const Result<void> runnable = CheckRunnable(config);
  if (arguments.online) {
    NEARDUP_TRY(runnable);
    return ValidateOnline(config.settings);
  }
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
