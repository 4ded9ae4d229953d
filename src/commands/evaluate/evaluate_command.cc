#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "commands/evaluate/evaluation_report.h"
#include "commands/evaluate/labelled_set.h"
#include "commands/evaluate/scheme_run.h"
#include "commands/evaluate/schemes.h"
#include "commands/program/command_line.h"
#include "commands/program/commands.h"
#include "commands/program/message.h"
#include "commands/program/stop_signals.h"
#include "detect/base/file.h"
#include "neardup/filter.h"
#include "stream/files/whole_file.h"

namespace neardup {
namespace {

struct EvaluateArguments {
  ConfigArguments config;
  std::vector<std::string> data;
  /// One labelled set as two files instead.
  std::string input;
  std::string labels;
  std::string id_field = "id";
  /// "all" means every scheme.
  std::vector<std::string> schemes;
  bool json = false;
  /// Write the verdicts of one scheme on `input` here; no labels are needed.
  std::string verdicts;
};

namespace fs = std::filesystem;

/// The files of one labelled set.
struct SetFiles {
  std::string name;
  std::string records;
  std::string labels;
  std::string description;  ///< empty: none
};

SetFiles FilesOf(const std::string& folder) {
  const fs::path path(folder);
  const fs::path plain = path / "records.jsonl";
  const fs::path set = path / "set.json";
  SetFiles files;
  files.name = (path.has_filename() ? path : path.parent_path()).filename().string();
  files.records = (fs::exists(plain) ? plain : path / "records.jsonl.gz").string();
  files.labels = (path / "labels.tsv").string();
  if (fs::exists(set)) files.description = set.string();
  return files;
}

Result<std::vector<SetFiles>> ListSets(const EvaluateArguments& arguments) {
  std::vector<SetFiles> sets;
  for (const std::string& folder : arguments.data) sets.push_back(FilesOf(folder));
  if (arguments.input.empty() != arguments.labels.empty()) {
    return Error{ErrorCode::kConfig,
                 "found only one of --input and --labels; expected both, or --data FOLDER"};
  }
  if (!arguments.input.empty()) {
    sets.push_back({arguments.input, arguments.input, arguments.labels, ""});
  }
  if (sets.empty()) {
    return Error{ErrorCode::kConfig,
                 "found no labelled set; expected --data FOLDER, a folder with records.jsonl.gz "
                 "and labels.tsv, or --input and --labels. `neardup generate` makes a labelled set "
                 "from your records"};
  }
  return sets;
}

/// Compares the configured fields; if there are none, those that the set names; else all.
Result<FilterOptions> OptionsFor(const SetFiles& files, FilterOptions options) {
  if (!options.record.fields.empty() || files.description.empty()) return options;
  NEARDUP_ASSIGN(const std::string text, ReadText(files.description));
  NEARDUP_ASSIGN(const std::vector<std::string> names, ParseSetFields(text, files.description));
  for (const std::string& name : names) options.record.fields.push_back({name, 1.0});
  return options;
}

Result<LabelledSet> ReadSet(const SetFiles& files, const std::string& id_field) {
  NEARDUP_ASSIGN(const std::string labels_text, ReadText(files.labels));
  NEARDUP_ASSIGN(std::vector<Label> labels, ParseLabels(labels_text, files.labels));
  NEARDUP_ASSIGN(std::vector<std::string> payloads, ReadRecords(files.records));
  return JoinLabels(files.name, std::move(payloads), std::move(labels), id_field);
}

/// Refuses key fields together with other schemes: only the filter knows keys.
Result<void> CheckKeys(const FilterOptions& options, std::span<const SchemeChoice> schemes) {
  for (const FieldSelector& field : options.record.fields) {
    if (!field.key) continue;
    for (const SchemeChoice& scheme : schemes) {
      if (scheme.is_filter()) continue;
      return Error{ErrorCode::kConfig,
                   fmt::format("--scheme {}: found the key field {}, but only neardup supports key "
                               "fields; evaluate neardup alone, or remove the key field",
                               scheme.text, field.path)};
    }
  }
  return {};
}

/// Refuses records of which none can be compared.
Result<void> CheckRecords(const LabelledSet& set, const FilterOptions& options) {
  NEARDUP_TRY(CheckOptions(options));
  Fingerprinter fingerprinter(options);
  std::string first;
  for (size_t i = 0; i < set.payloads.size(); ++i) {
    const FingerprintedRecord record = fingerprinter.Compute(set.View(i));
    if (record.outcome.comparable()) return {};
    if (i == 0) first = record.outcome.error;
  }
  return Error{ErrorCode::kBadInput, fmt::format("{}: none of its {} records can be compared: {}",
                                                 set.name, set.payloads.size(), first)};
}

/// Says which scheme is running: on a terminal now, otherwise if a signal stops the run.
void ShowProgress(const SetFiles& files, const std::string& scheme) {
  NowDoing(fmt::format("measuring {} on {}", scheme, files.name));
  if (isatty(STDERR_FILENO) == 0) return;
  fmt::print(stderr, "{}{}: {} ", kClearLine, files.name, scheme);
}

Result<SchemeRun> Run(const LabelledSet& set, const FilterOptions& options,
                      const SchemeChoice& scheme) {
  return scheme.is_filter() ? RunFilter(set, options) : RunSketches(set, options, scheme);
}

Result<SetReport> Report(const SetFiles& files, const EvaluateArguments& arguments,
                         std::span<const SchemeChoice> schemes, const FilterOptions& configured) {
  NEARDUP_ASSIGN(const FilterOptions options, OptionsFor(files, configured));
  NEARDUP_TRY(CheckKeys(options, schemes));
  NowDoing(fmt::format("reading {}", files.name));
  NEARDUP_ASSIGN(const LabelledSet set, ReadSet(files, arguments.id_field));
  NEARDUP_TRY(CheckRecords(set, options));
  SetReport report;
  report.name = set.name;
  for (const FieldSelector& field : options.record.fields) report.fields.push_back(field.path);
  report.records = set.payloads.size();
  report.unlabelled = set.unlabelled();
  for (const SchemeChoice& scheme : schemes) {
    ShowProgress(files, scheme.text);
    NEARDUP_ASSIGN(SchemeRun run, Run(set, options, scheme));
    run.scheme = scheme.text;
    report.runs.push_back(std::move(run));
    if (!scheme.is_filter() || !report.curve.empty()) continue;
    NEARDUP_ASSIGN(report.curve, RunDistances(set, options));
  }
  return report;
}

Result<void> Evaluate(const EvaluateArguments& arguments, const LoadedConfig& config) {
  NEARDUP_ASSIGN(const std::vector<SetFiles> sets, ListSets(arguments));
  NEARDUP_ASSIGN(const std::vector<SchemeChoice> schemes, ParseSchemes(arguments.schemes));
  std::vector<SetReport> reports;
  for (const SetFiles& files : sets) {
    NEARDUP_ASSIGN(SetReport report,
                   Report(files, arguments, schemes, config.settings.lane.filter));
    reports.push_back(std::move(report));
  }
  if (isatty(STDERR_FILENO) != 0) fmt::print(stderr, "{}", kClearLine);
  NEARDUP_ASSIGN(OutputFile out, OutputFile::Open("-"));
  NEARDUP_TRY(out.Write(arguments.json ? ReportJson(reports) : ReportTable(reports)));
  return out.Finish();
}

/// Writes the verdicts of one scheme on a file without labels.
Result<void> WriteVerdicts(const EvaluateArguments& arguments, const LoadedConfig& config) {
  const FilterOptions& options = config.settings.lane.filter;
  NEARDUP_ASSIGN(const std::vector<SchemeChoice> schemes, ParseSchemes(arguments.schemes));
  if (arguments.input.empty() || !arguments.labels.empty() || !arguments.data.empty() ||
      arguments.json || schemes.size() != 1) {
    return Error{ErrorCode::kConfig,
                 "--verdicts: expected --input and one --scheme, without --labels, --data and "
                 "--json, which belong to the report on labelled records"};
  }
  std::vector<NamedFile> reads = FilesRead(arguments.config, config);
  reads.push_back({"--input", arguments.input});
  NEARDUP_TRY(CheckFiles(reads, std::array{NamedFile{"--verdicts", arguments.verdicts}}));
  NEARDUP_TRY(CheckKeys(options, schemes));
  LabelledSet set{.name = arguments.input, .payloads = {}, .labels = {}, .label_of = {}};
  NEARDUP_ASSIGN(set.payloads, ReadRecords(arguments.input));
  set.label_of.resize(set.payloads.size());
  NEARDUP_TRY(CheckRecords(set, options));
  NEARDUP_ASSIGN(const SchemeRun run, Run(set, options, schemes[0]));
  NEARDUP_ASSIGN(OutputFile out, OutputFile::Open(arguments.verdicts));
  NEARDUP_TRY(out.Write(VerdictTable(run)));
  return out.Finish();
}

Result<int> EvaluateCommand(const EvaluateArguments& arguments) {
  EndOnSignals();
  NEARDUP_ASSIGN(const LoadedConfig config, LoadAndWarn(arguments.config));
  NEARDUP_TRY(arguments.verdicts.empty() ? Evaluate(arguments, config)
                                         : WriteVerdicts(arguments, config));
  return kExitOk;
}

}  // namespace

void AddEvaluate(CommandLine& line) {
  const auto arguments = std::make_shared<EvaluateArguments>();
  EvaluateArguments& evaluate = *arguments;
  CLI::App* command =
      line.Add("evaluate", "measure precision, recall and speed of schemes on labelled records",
               {"neardup evaluate --data labelled/ --fields title,text",
                "neardup evaluate --data labelled/ --scheme neardup,minhash:similarity_min=0.8"});
  command->footer(fmt::format("Schemes: neardup, {}", fmt::join(SchemeNames(), ", ")));
  AddConfig(command, evaluate.config);
  AddOption(command, "--data", "FOLDER", evaluate.data,
            "read a folder with records.jsonl.gz (or records.jsonl), labels.tsv and, optionally, "
            "set.json; repeatable");
  AddOption(
      command, "-i,--input", "FILE", evaluate.input,
      "read records from this file, with or without --data: JSON Lines in stream order, also .gz");
  AddOption(command, "--labels", "FILE", evaluate.labels,
            "labels of --input: tab-separated columns id, cluster and kind");
  AddOption(command, "--id-field", "FIELD", evaluate.id_field,
            "field that identifies a record in the labels")
      ->capture_default_str();
  AddOption(command, "--scheme", "SCHEME", evaluate.schemes,
            "schemes to measure: neardup (the filter), others with or without parameters (minhash, "
            "minhash:similarity_min=0.8), or all")
      ->delimiter(',')
      ->default_str("neardup");
  command->add_flag("--json", evaluate.json, "print the report as one JSON object");
  AddOption(command, "--verdicts", "FILE", evaluate.verdicts,
            "write the verdicts of one scheme on --input to this file, without labels and report");
  line.Renamed(command, "--records", "--input");
  line.Runs(command, [arguments] { return EvaluateCommand(*arguments); });
}

}  // namespace neardup
