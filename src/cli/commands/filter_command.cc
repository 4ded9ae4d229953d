#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/number_text.h"
#include "commands/commands.h"
#include "commands/totals.h"
#include "files/file_source.h"
#include "files/local_ports.h"
#include "files/sampled_source.h"
#include "files/spread_sample.h"
#include "lane/lane.h"
#include "lane/probe_fan.h"
#include "learn/learned_options.h"
#include "process/exit_code.h"
#include "process/stop_signals.h"
#include "reading/record_sample.h"
#include "record/field_extractor.h"

namespace neardup {
namespace {

FileTransaction::IdOf IdOf(const std::string& id_field) {
  auto reader = std::make_shared<RecordIdReader>(id_field);
  return [reader](const Message& message) {
    return reader->Read(message.value.value_or(""), message.position.offset + 1);
  };
}

/// Keeps the warning about dead letters for the summary.
struct ExcessProbe : PartialProbe {
  void DeadLettersExcessive(bool excessive, std::string_view text) override {
    if (excessive && why.empty()) why = text;
  }
  std::string why;
};

void PrintSummary(const Totals& totals, const FilterOptions& filter,
                  const std::string& first_dead_letter) {
  const CommittedBatch& sum = totals.sum();
  const std::string rule = filter.scheme.is_own()
                               ? fmt::format("distance_max {}", filter.match.distance_max)
                               : fmt::format("scheme {}", filter.scheme.name);
  std::fprintf(stderr, "%s records in %.2f s (%s/s), %s\n", Grouped(sum.records()).c_str(),
               totals.seconds(), Grouped(static_cast<uint64_t>(totals.records_per_s())).c_str(),
               rule.c_str());
  const auto row = [](const char* name, uint64_t count) {
    std::fprintf(stderr, "  %-18s %12s\n", name, Grouped(count).c_str());
  };
  row("unique", sum.unique + sum.passed);
  row("exact duplicates", sum.exact_duplicates);
  row("near duplicates", sum.near_duplicates);
  row("dead letters", sum.dead());
  for (size_t reason = 0; reason < sum.dead_letters.size(); ++reason) {
    if (sum.dead_letters[reason] == 0) continue;
    std::fprintf(stderr, "    %-16s %12s\n", Name(static_cast<Reason>(reason)),
                 Grouped(sum.dead_letters[reason]).c_str());
  }
  if (!first_dead_letter.empty()) {
    std::fprintf(stderr, "the first dead letter is %s\n", first_dead_letter.c_str());
  }
}

void PrintJson(const Totals& totals, const std::optional<LearnedOptions>& learned) {
  const CommittedBatch& sum = totals.sum();
  nlohmann::ordered_json reasons = nlohmann::ordered_json::object();
  for (size_t reason = 1; reason < sum.dead_letters.size(); ++reason) {
    reasons[Name(static_cast<Reason>(reason))] = sum.dead_letters[reason];
  }
  nlohmann::ordered_json json = {{"records", sum.records()},
                                 {"unique", sum.unique + sum.passed},
                                 {"exact_duplicates", sum.exact_duplicates},
                                 {"near_duplicates", sum.near_duplicates},
                                 {"dead_letters", sum.dead()},
                                 {"dead_letters_by_reason", reasons},
                                 {"seconds", totals.seconds()},
                                 {"records_per_s", totals.records_per_s()}};
  if (learned) {
    json["learned"] = nlohmann::ordered_json::parse(LearnedText(*learned));
    json["learned"].erase("feature.model");
    json["learned"].erase("profile");
  }
  std::fprintf(stderr, "%s\n", json.dump().c_str());
}

Result<void> CheckPaths(const FilterArguments& arguments, const LoadedConfig& config) {
  std::vector<NamedFile> reads = FilesRead(arguments.config, config);
  reads.push_back({"--input", arguments.input});
  const FileOutputs& outputs = arguments.outputs;
  const NamedFile writes[] = {{"--unique", outputs.unique},
                              {"--duplicate", outputs.duplicate},
                              {"--dead-letter", outputs.dead_letter},
                              {"--verdicts", outputs.verdicts},
                              {"--pairs", outputs.pairs}};
  return CheckFiles(reads, writes);
}

/// Adds the outputs that hold what they held before.
Error WithUnfinished(Error error, const std::vector<std::string>& files) {
  if (files.empty()) return error;
  error.text += fmt::format("; not written: {}", fmt::join(files, ", "));
  return error;
}

/// What the run that a signal stopped has left.
std::string StoppedText(const char* signal, uint64_t records, const FileOutputs& outputs,
                        const std::vector<std::string>& unfinished) {
  std::string text = fmt::format("stopped by {} after {} records", signal, Grouped(records));
  for (const std::string* path : {&outputs.unique, &outputs.duplicate, &outputs.dead_letter,
                                  &outputs.verdicts, &outputs.pairs}) {
    if (*path == "-") text += "; standard output holds the lines of these records";
  }
  if (unfinished.empty()) return text;
  return text + fmt::format(
                    "; not written: {}. For the result of these records, give only the "
                    "first lines: head -n {} INPUT | neardup filter --input - ...",
                    fmt::join(unfinished, ", "), records);
}

size_t BytesOfAll(std::span<const Message> messages) {
  size_t bytes = 0;
  for (const Message& message : messages) bytes += BytesOf(message);
  return bytes;
}

/// Learns from records of the whole input what nobody said, and puts it in force. A pipe, and what
/// is compressed, cannot be read twice: they are known as far as they are read ahead.
Result<std::optional<LearnedOptions>> Learn(const FilterArguments& arguments, Settings& settings,
                                            SampledSource& source) {
  const LearningSettings& learning = settings.learning;
  FilterOptions& filter = settings.lane.filter;
  if (!learning.on) return {std::nullopt};
  if (arguments.outputs.line_mode) {
    if (!filter.record.fields.empty()) return {std::nullopt};
    fmt::print(
        stderr,
        "neardup: warning: --line-mode answers each line before it reads the next, so nothing is "
        "learned from the input. All fields are compared; --fields names the fields to compare\n");
    return {std::nullopt};
  }
  const auto records_max = static_cast<size_t>(learning.records_max);
  NEARDUP_ASSIGN(
      const std::span<const Message> ahead,
      source.ReadAhead(records_max, kSampleBytesMax, static_cast<size_t>(learning.records_min)));
  std::vector<Message> spread;
  uint64_t lines = ahead.size();
  if (!source.read_all()) {
    lines = EstimateLines(arguments.input, ahead.size(), BytesOfAll(ahead));
    NEARDUP_ASSIGN(spread, ReadSpreadSample(arguments.input, records_max, BytesOfAll(ahead)));
  }
  // The window holds the whole file, unless a person says otherwise. The distance is learned for
  // as many records as there are.
  std::set<std::string> kept = learning.kept;
  const bool window_given = !kept.insert("window.entries_max").second;
  uint64_t window = filter.window.entries_max;
  if (!window_given) {
    window = std::clamp(lines, window, WindowOptions::kEntriesMaxRange.max);
    if (lines > 0) {
      filter.window.entries_max = std::clamp(lines, WindowOptions::kEntriesMaxRange.min, window);
    }
  }
  LearnedOptions learned = LearnOptions(ViewsOf(spread.empty() ? ahead : spread), filter, kept,
                                        static_cast<size_t>(learning.records_min));
  learned.options.window.entries_max = window;
  filter = learned.options;
  if (!arguments.json) {
    for (const std::string& reason : learned.reasons) fmt::print(stderr, "{}\n", reason);
  }
  return {std::move(learned)};
}

/// Returns the exit code.
Result<int> RunFilter(const FilterArguments& arguments, const LoadedConfig& config) {
  const StopSignal& stop = StopOnSignals();
  NowDoing("deciding records");
  NEARDUP_TRY(CheckPaths(arguments, config));
  NEARDUP_ASSIGN(
      std::unique_ptr<FileSource> file,
      FileSource::Open(arguments.input, config.settings.lane.filter.record.record_bytes_max));
  NEARDUP_ASSIGN(const std::unique_ptr<FileTransaction> files,
                 FileTransaction::Open(arguments.outputs, IdOf(arguments.id_field)));
  Settings settings = config.settings;
  SampledSource source(std::move(file));
  const Result<std::optional<LearnedOptions>> learning = Learn(arguments, settings, source);
  if (!learning.ok()) return WithUnfinished(learning.error(), files->Unfinished());
  const std::optional<LearnedOptions>& learned = *learning;
  SystemClock clock;
  OwnLease lease;
  EmptyChangelog changelog;
  Totals totals(clock, isatty(STDERR_FILENO) != 0 && !arguments.json);
  ExcessProbe excess;
  ProbeFan probe({&totals, &excess});
  NEARDUP_ASSIGN(const std::unique_ptr<Lane> lane,
                 Lane::New(settings.lane, {source, changelog, *files, lease, clock, probe}));
  const Result<bool> finished = lane->Run(stop.came);
  totals.Finish();
  Result<void> ran = finished.ok() ? Result<void>() : finished.error();
  if (ran.ok() && !*finished) {
    fmt::print(stderr, "neardup: {}\n",
               StoppedText(SignalName(stop.number), totals.sum().records(), arguments.outputs,
                           files->Unfinished()));
    return kExitSignal + stop.number;
  }
  if (ran.ok()) ran = files->Finish();
  if (!ran.ok()) return WithUnfinished(ran.error(), files->Unfinished());
  if (arguments.json) {
    PrintJson(totals, learned);
  } else {
    PrintSummary(totals, settings.lane.filter, files->first_dead_letter());
  }
  if (!excess.why.empty()) {
    std::fprintf(stderr, "neardup: warning: too many dead letters: %s\n", excess.why.c_str());
  }
  return static_cast<int>(kExitOk);
}

}  // namespace

int FilterCommand(const FilterArguments& given) {
  FilterArguments arguments = given;
  if (arguments.outputs.line_mode && arguments.outputs.verdicts.empty()) {
    arguments.outputs.verdicts = "-";
  }
  const Result<LoadedConfig> config = Load(arguments.config);
  if (!config.ok()) return Fail(config.error());
  for (const std::string& warning : config->warnings) {
    std::fprintf(stderr, "neardup: warning: %s\n", warning.c_str());
  }
  const Result<int> ran = RunFilter(arguments, *config);
  return ran.ok() ? *ran : Fail(ran.error());
}

}  // namespace neardup
