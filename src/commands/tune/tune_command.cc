#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "commands/program/command_line.h"
#include "commands/program/commands.h"
#include "commands/program/message.h"
#include "commands/program/stop_signals.h"
#include "commands/tune/tune_comparison.h"
#include "commands/tune/tune_config.h"
#include "detect/base/file.h"
#include "explain/pages.h"
#include "explain/tune_summary.h"
#include "explain/verdict_cases.h"
#include "learn/model_file.h"
#include "learn/stream_profile.h"
#include "learn/tuning.h"
#include "service/topics/record_sample.h"
#include "stream/files/whole_file.h"

namespace neardup {
namespace {

/// What is wrong with the options that name files and topics; empty: nothing.
std::string ArgumentProblem(const TuneArguments& arguments) {
  const bool sample = !arguments.input.empty();
  const bool topic = !arguments.topic.empty();
  if (sample && topic) return "found both --input and --topic, expected one of them";
  const bool compares = !arguments.compare.empty();
  if (!sample && !topic && !compares) {
    return "found neither --input nor --topic, expected one of them";
  }
  if (compares && !arguments.config.file.empty()) {
    return "found both --config and --compare, expected one of them";
  }
  if (arguments.output.empty() != compares) {
    return compares ? "found both --output and --compare, expected one of them"
                    : "found neither --output nor --compare, expected one of them";
  }
  if (arguments.output == "-") {
    return "--output: found -, expected the name of a file: the model and the report are written "
           "beside it";
  }
  if (compares && !arguments.cases.empty()) {
    return "found both --cases and --compare, expected one of them; `neardup test` decides marked "
           "pairs by a configuration";
  }
  if (sample && arguments.latest) return "--latest: found with --input, expected with --topic";
  return "";
}

TuneFiles FilesOf(const TuneArguments& arguments) {
  TuneFiles files;
  files.sample = arguments.topic.empty() ? arguments.input : "topic " + arguments.topic;
  files.given = arguments.config.file;
  files.config = arguments.output;
  files.model = std::filesystem::path(arguments.output).replace_extension(".model.json");
  files.page = arguments.report.empty()
                   ? std::filesystem::path(arguments.output).replace_extension(".html")
                   : std::filesystem::path(arguments.report);
  return files;
}

Result<std::vector<Message>> ReadSample(const TuneArguments& arguments, const Settings& settings) {
  if (arguments.topic.empty()) {
    return ReadFileSample(arguments.input, arguments.records, settings);
  }
  KafkaOptions kafka = settings.kafka;
  kafka.topics = {arguments.topic};
  return ReadTopicSample(kafka, arguments.records,
                         arguments.latest ? LearnedRecords::kLatest : LearnedRecords::kSpread,
                         PrintKafkaErrors());
}

/// The outputs, open.
struct TuneOutputs {
  OutputFile config;
  OutputFile model;
  OutputFile page;
};

/// The configuration and its model may take the place of those that --config names.
Result<TuneOutputs> OpenOutputs(const TuneArguments& arguments, const TuneFiles& files) {
  const NamedFile config = {"--output", files.config.string()};
  const NamedFile model = {"the model of --output", files.model.string()};
  const NamedFile page = {arguments.report.empty() ? "the report of --output" : "--report",
                          files.page.string()};
  NEARDUP_TRY(
      CheckFiles(std::vector<NamedFile>{{"--input", arguments.input}, {"--cases", arguments.cases}},
                 std::vector<NamedFile>{config, model, page}));
  NEARDUP_TRY(CheckFiles(std::vector<NamedFile>{{"--config", arguments.config.file}},
                         std::vector<NamedFile>{model, page}));
  if (!arguments.force) NEARDUP_TRY(CheckNew({files.config, files.model, files.page}));
  NEARDUP_ASSIGN(OutputFile config_file, OutputFile::Open(config.path));
  NEARDUP_ASSIGN(OutputFile model_file, OutputFile::Open(model.path));
  NEARDUP_ASSIGN(OutputFile page_file, OutputFile::Open(page.path));
  return TuneOutputs{std::move(config_file), std::move(model_file), std::move(page_file)};
}

Result<void> WriteAll(const TuneArguments& arguments, const TuneFiles& files, const Settings& given,
                      const Tuning& tuning, const std::vector<Message>& messages,
                      TuneOutputs& outputs) {
  Settings settings;
  settings.lane.filter = tuning.proposed;
  settings.model_file = files.model.filename().string();
  if (!arguments.topic.empty()) {
    settings.kafka.brokers = given.kafka.brokers;
    settings.kafka.topics = {arguments.topic};
  }
  const StreamProfile profile = ProfileOf(ViewsOf(messages), tuning.proposed);
  NEARDUP_TRY(outputs.model.Write(ModelText(tuning.proposed.model, profile)));
  NEARDUP_TRY(outputs.config.Write(TuneConfig(settings, tuning, files)));
  NEARDUP_TRY(outputs.page.Write(TunePage(tuning, files, ViewsOf(messages))));
  return OutputFile::Finish(
      std::vector<OutputFile*>{&outputs.model, &outputs.config, &outputs.page});
}

Result<std::vector<VerdictCase>> ReadLabels(const TuneArguments& arguments) {
  std::vector<VerdictCase> none;
  if (arguments.cases.empty()) return none;
  const Result<std::string> text = ReadFile(arguments.cases);
  if (!text.ok()) {
    return Error{text.error().code, fmt::format("{}: {}", arguments.cases, text.error().text)};
  }
  NEARDUP_ASSIGN(std::vector<VerdictCase> cases, ParseVerdictCases(*text, arguments.cases));
  for (const VerdictCase& each : cases) {
    if (each.expected != ExpectedVerdict::kDeadLetter) continue;
    return Error{
        ErrorCode::kBadInput,
        fmt::format("{}:{}: expect: found dead-letter, expected unique, duplicate, exact or near: "
                    "no setting that `tune` chooses makes a dead letter; take this pair out",
                    arguments.cases, each.line)};
  }
  return cases;
}

/// The labels borrow from the cases.
std::vector<LabelledPair> PairsOf(const std::vector<VerdictCase>& cases) {
  std::vector<LabelledPair> pairs;
  for (const VerdictCase& each : cases) {
    pairs.push_back({each.a, each.b, each.expected != ExpectedVerdict::kUnique});
  }
  return pairs;
}

/// Says why pairs do not come out as they are marked. With many of them, the first ones.
Result<void> PrintWrongLabels(const TuneArguments& arguments, const std::vector<VerdictCase>& cases,
                              const Tuning& tuning) {
  if (!tuning.labelled || tuning.labelled->after.wrong.empty()) return {};
  constexpr size_t kShown = 10;
  const std::vector<size_t>& wrong = tuning.labelled->after.wrong;
  PrintText("\nmarked pairs that do not come out right\n");
  for (size_t i = 0; i < std::min(wrong.size(), kShown); ++i) {
    const VerdictCase& each = cases[wrong[i]];
    NEARDUP_ASSIGN(const CaseOutcome outcome, RunCase(each, tuning.proposed));
    Print("  {}:{}: expected {}, found {}. {}\n", arguments.cases, each.line, Name(each.expected),
          outcome.found, outcome.reason);
  }
  if (wrong.size() > kShown) {
    Print("  and {} more; `neardup test {} --config {}` shows all\n", wrong.size() - kShown,
          arguments.cases, arguments.output);
  }
  return {};
}

Result<int> RunTune(const TuneArguments& arguments) {
  const TuneFiles files = FilesOf(arguments);
  NEARDUP_ASSIGN(const LoadedConfig config, Load(arguments.config));
  NEARDUP_ASSIGN(TuneOutputs outputs, OpenOutputs(arguments, files));
  NEARDUP_ASSIGN(const std::vector<Message> messages, ReadSample(arguments, config.settings));
  NowDoing(fmt::format("studying {} records", messages.size()));
  TuneOptions options;
  options.filter = config.settings.lane.filter;
  if (arguments.window_entries > 0) {
    options.calibration.window_entries = arguments.window_entries;
  } else {
    options.calibration.window_entries_min = kTunedWindowMin;
  }
  options.hash_seed = arguments.hash_seed;
  NEARDUP_ASSIGN(const std::vector<VerdictCase> cases, ReadLabels(arguments));
  const std::vector<LabelledPair> labels = PairsOf(cases);
  options.labels = labels;
  const Result<Tuning> tuned = Tune(ViewsOf(messages), options);
  if (!tuned.ok()) {
    return Error{tuned.error().code, fmt::format("{}: {}", files.sample, tuned.error().text)};
  }
  const Tuning& tuning = *tuned;
  NEARDUP_TRY(WriteAll(arguments, files, config.settings, tuning, messages, outputs));
  const std::string text = arguments.json ? TuneJson(tuning, files) : TuneText(tuning, files);
  PrintText(text);
  if (!arguments.json) NEARDUP_TRY(PrintWrongLabels(arguments, cases, tuning));
  return kExitOk;
}

/// `neardup tune`: proposes a configuration that fits a sample of a stream, with the reasons. With
/// `compare` it writes nothing, and says whether a configuration still fits: kExitNo if it does
/// not.
Result<int> TuneCommand(const TuneArguments& arguments) {
  const std::string problem = ArgumentProblem(arguments);
  if (!problem.empty()) {
    Say("neardup: {}; see `neardup tune --help`", problem);
    return kExitUsage;
  }
  EndOnSignals();
  NowDoing("reading the sample");
  return arguments.compare.empty() ? RunTune(arguments) : CompareTuning(arguments);
}

}  // namespace

void AddTune(CommandLine& line) {
  const auto arguments = std::make_shared<TuneArguments>();
  TuneArguments& tune = *arguments;
  CLI::App* command = line.Add(
      "tune", "propose a configuration from a sample of a stream, with a report that explains it",
      {"neardup tune --input articles.jsonl --output articles.yaml",
       "neardup tune --brokers localhost:9092 --topic articles --output articles.yaml",
       "neardup tune --input articles.jsonl --cases marked.jsonl --output articles.yaml",
       "neardup tune --compare articles.yaml --input newer.jsonl"});
  AddConfig(command, tune.config);
  AddShortForm(command, tune.config, "--brokers");
  AddOption(command, "-i,--input", "FILE", tune.input, kJsonLinesHelp);
  AddOption(command, "--topic", "TOPIC", tune.topic,
            "read the sample from this Kafka topic instead");
  command->add_flag("--latest", tune.latest,
                    "read the newest records of the topic, not a sample spread over all of it");
  AddNumber(
      command, "--window-entries", tune.window_entries, WindowOptions::kEntriesMaxRange,
      "unique records that the window will hold",
      " (default: 1000000, or fewer if chance matches in a larger window would hide the copies)");
  AddNumber(command, "--records", tune.records, {1, 100'000}, "read at most N records")
      ->capture_default_str();
  AddSeed(command, "--hash-seed", tune.hash_seed,
          "seed of the fingerprints; another seed gives other, equally good ones");
  command->add_flag("--force", tune.force, "overwrite existing output files");
  AddOption(command, "--report", "FILE", tune.report,
            "write the HTML report here (default: beside --output)");
  AddOption(command, "--cases", "FILE", tune.cases,
            "read marked pairs from this file, in the format of `neardup test`: fields, keys and "
            "distance are chosen so that most of them come out right");
  command->add_flag("--json", tune.json, "print the findings as one JSON object");
  AddOption(command, "-o,--output", "FILE", tune.output, "write the configuration here");
  AddOption(command, "--compare", "FILE", tune.compare,
            "write nothing; say whether this configuration still fits, by default the newest "
            "records of its input topics");
  line.Renamed(command, "--sample", "--input");
  line.Renamed(command, "--labels", "--cases");
  line.Renamed(command, "--window", "--window-entries");
  line.Runs(command, [arguments] { return TuneCommand(*arguments); });
}

}  // namespace neardup
