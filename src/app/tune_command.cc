#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "app/commands.h"
#include "app/exit_code.h"
#include "app/record_sample.h"
#include "files/whole_file.h"
#include "learn/model_file.h"
#include "learn/tuning.h"
#include "report/tune_config.h"
#include "report/tune_page.h"
#include "report/tune_summary.h"

namespace neardup {
namespace {

/// Without --window a smaller window may be proposed, but none below this.
constexpr uint64_t kWindowEntriesMin = 10'000;

/// What is wrong with the options that name the source of the records; empty: nothing.
std::string SourceProblem(const TuneArguments& arguments) {
  const bool sample = !arguments.sample.empty();
  const bool topic = !arguments.topic.empty();
  if (sample && topic) return "found both --sample and --topic, expected one of them";
  if (!sample && !topic) return "found neither --sample nor --topic, expected one of them";
  if (sample && arguments.latest) return "--latest: found with --sample, expected with --topic";
  return "";
}

TuneFiles FilesOf(const TuneArguments& arguments) {
  TuneFiles files;
  files.sample = arguments.topic.empty() ? arguments.sample : "topic " + arguments.topic;
  files.given = arguments.config.file;
  files.config = arguments.output;
  files.model = std::filesystem::path(arguments.output).replace_extension(".model.json");
  files.page = arguments.report.empty()
                   ? std::filesystem::path(arguments.output).replace_extension(".html")
                   : std::filesystem::path(arguments.report);
  return files;
}

Result<std::vector<Message>> ReadSample(const TuneArguments& arguments, KafkaOptions kafka) {
  if (arguments.topic.empty()) return ReadFileSample(arguments.sample, arguments.records);
  kafka.topics = {arguments.topic};
  return ReadTopicSample(kafka, arguments.records,
                         arguments.latest ? SampleEnd::kNewest : SampleEnd::kOldest);
}

Result<void> WriteAll(const TuneArguments& arguments, const TuneFiles& files, const Settings& given,
                      const Tuning& tuning, const std::vector<Message>& messages) {
  Settings settings;
  settings.lane.filter = tuning.proposed;
  settings.model_file = files.model.filename().string();
  if (!arguments.topic.empty()) {
    settings.kafka.brokers = given.kafka.brokers;
    settings.kafka.topics = {arguments.topic};
  }
  NEARDUP_TRY(WriteModel(tuning.proposed.model, files.model));
  NEARDUP_TRY(WriteText(files.config.string(), TuneConfig(settings, tuning, files)));
  return WriteText(files.page.string(), TunePage(tuning, files, ViewsOf(messages)));
}

/// Finds a missing folder before the work, not after it.
Result<void> CheckFolderOf(const char* option, const std::filesystem::path& file) {
  const std::filesystem::path folder = file.parent_path();
  std::error_code ignored;
  if (folder.empty() || std::filesystem::is_directory(folder, ignored)) return {};
  return Error{ErrorCode::kIo,
               fmt::format("{} {}: {}: no such folder", option, file.string(), folder.string())};
}

Result<void> RunTune(const TuneArguments& arguments) {
  const TuneFiles files = FilesOf(arguments);
  NEARDUP_ASSIGN(const LoadedConfig config, Load(arguments.config));
  NEARDUP_TRY(CheckFolderOf("--output", files.config));
  NEARDUP_TRY(CheckFolderOf("--report", files.page));
  if (!arguments.force) NEARDUP_TRY(CheckNew({files.config, files.model, files.page}));
  NEARDUP_ASSIGN(const std::vector<Message> messages, ReadSample(arguments, config.settings.kafka));
  TuneOptions options;
  options.filter = config.settings.lane.filter;
  if (arguments.window_entries > 0) {
    options.calibration.window_entries = arguments.window_entries;
  } else {
    options.calibration.window_entries_min = kWindowEntriesMin;
  }
  options.hash_seed = arguments.hash_seed;
  const Result<Tuning> tuned = Tune(ViewsOf(messages), options);
  if (!tuned.ok()) {
    return Error{tuned.error().code, fmt::format("{}: {}", files.sample, tuned.error().text)};
  }
  const Tuning& tuning = *tuned;
  NEARDUP_TRY(WriteAll(arguments, files, config.settings, tuning, messages));
  const std::string text = arguments.json ? TuneJson(tuning, files) : TuneText(tuning, files);
  std::fputs(text.c_str(), stdout);
  return {};
}

}  // namespace

int TuneCommand(const TuneArguments& arguments) {
  const std::string problem = SourceProblem(arguments);
  if (!problem.empty()) {
    fmt::print(stderr, "neardup: {}; see `neardup tune --help`\n", problem);
    return kExitUsage;
  }
  const Result<void> ran = RunTune(arguments);
  return ran.ok() ? kExitOk : Fail(ran.error());
}

}  // namespace neardup
