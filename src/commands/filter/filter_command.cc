#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "commands/filter/totals.h"
#include "commands/program/command_line.h"
#include "commands/program/commands.h"
#include "commands/program/message.h"
#include "commands/program/stop_signals.h"
#include "detect/base/message_text.h"
#include "detect/base/quantity.h"
#include "detect/index/match.h"
#include "detect/record/field_extractor.h"
#include "detect/record/field_names.h"
#include "detect/record/field_selection.h"
#include "learn/learned_options.h"
#include "service/topics/record_sample.h"
#include "stream/files/file_sample.h"
#include "stream/files/file_transaction.h"
#include "stream/files/local_ports.h"
#include "stream/lane/encoded_source.h"
#include "stream/lane/lane.h"
#include "stream/lane/probe.h"

namespace neardup {
namespace {

constexpr const char* kWindowPath = "window.entries_max";

struct FilterArguments {
  ConfigArguments config;
  std::string input;  ///< JSON Lines, also .gz and .zst; - is standard input
  /// Files as `input` whose records are remembered before it, and are in no output.
  std::vector<std::string> against;
  FileOutputs outputs;
  /// Field that names a record in the verdicts; empty: the line number, from 1.
  std::string id_field;
  bool json = false;
};

/// Whether there were too many dead letters.
struct ExcessProbe final : SeesLane<ExcessProbe> {
  void Saw(const event::DeadLettersExcessive& seen) { excessive = excessive || seen.excessive; }
  void Saw(const auto& /*ignored*/) {}
  bool excessive = false;
};

/// How many records repeat an earlier record exactly, or nearly. The kind of a duplicate compares
/// it with the unique record that it names; here an earlier duplicate counts, too.
struct Repeats {
  uint64_t exact = 0;
  uint64_t near = 0;
};

Repeats RepeatsOf(const CommittedBatch& sum, const FileTransaction& files) {
  return {sum.exact_duplicates + files.exact_repeats(),
          sum.near_duplicates - files.exact_repeats()};
}

void PrintLanes(const LaneShares& shares) {
  const uint64_t duplicates = std::max<uint64_t>(1, shares.duplicates());
  Say("{} lanes by {} would miss {} of the {} duplicates ({:.1f} %), whose originals are in other "
      "lanes; the largest lane would have {:.0f} % of the records",
      shares.lanes(), shares.field(), Grouped(shares.lost()), Grouped(shares.duplicates()),
      100.0 * static_cast<double>(shares.lost()) / static_cast<double>(duplicates),
      100 * shares.LargestShare());
}

void PrintSummary(const Totals& totals, const FilterOptions& filter, const FileTransaction& files) {
  const CommittedBatch& sum = totals.sum();
  const Repeats repeats = RepeatsOf(sum, files);
  Say("{} in {:.2f} s ({}/s), {}", Counted(sum.records(), "record"), totals.seconds(),
      Grouped(static_cast<uint64_t>(totals.records_per_s())), LimitText(filter.match));
  const auto row = [](const char* name, uint64_t count) {
    Say("  {:<18} {:>12}", name, Grouped(count));
  };
  if (const uint64_t known = files.remembered().records(); known > 0) {
    Say("{} of --against were remembered first, {} of them unique; {} of the duplicates repeat one "
        "of them",
        Counted(known, "record"), Grouped(files.remembered().unique),
        Grouped(files.repeats_of_remembered()));
    if (files.remembered().dead() > 0) {
      Say("{} of --against cannot be compared, so no record repeats them",
          Counted(files.remembered().dead(), "record"));
    }
  }
  row("unique", sum.unique + sum.passed);
  row("exact duplicates", repeats.exact);
  row("near duplicates", repeats.near);
  if (sum.replaced > 0) row("  newer than others", sum.replaced);
  row("dead letters", sum.dead());
  for (size_t reason = 0; reason < sum.dead_letters.size(); ++reason) {
    if (sum.dead_letters[reason] == 0) continue;
    Say("    {:<16} {:>12}", Name(static_cast<Reason>(reason)), Grouped(sum.dead_letters[reason]));
  }
  if (sum.late > 0) {
    Say("{} came late, after the window had passed them, so their originals may be forgotten",
        Counted(sum.late, "record"));
  }
  if (sum.clamped > 0) {
    Say("{} had a time in the future, which was set back", Counted(sum.clamped, "record"));
  }
  const uint64_t unique = sum.unique + files.remembered().unique;
  if (unique > filter.window.entries_max) {
    Say("up to {} unique records were forgotten before the end, since the window holds {}; records "
        "that repeat them are called unique. To remember all: --set window.entries_max={}",
        Grouped(unique - filter.window.entries_max), Grouped(filter.window.entries_max), unique);
  }
  if (files.exact_repeats() > 0) {
    Say("{} of the exact duplicates are equal to an earlier near duplicate; their kind in the "
        "verdicts is near, because it compares them with the original",
        Grouped(files.exact_repeats()));
  }
  if (sum.dead() > 0 && sum.dead() < sum.records()) {  // of all, the error tells
    Say("the first dead letter is {}", files.first_dead_letter());
  }
  if (files.lane_shares()) PrintLanes(*files.lane_shares());
}

void PrintJson(const Totals& totals, const FileTransaction& files,
               const std::optional<LearnedOptions>& learned) {
  const CommittedBatch& sum = totals.sum();
  const Repeats repeats = RepeatsOf(sum, files);
  nlohmann::ordered_json reasons = nlohmann::ordered_json::object();
  for (size_t reason = 1; reason < sum.dead_letters.size(); ++reason) {
    reasons[Name(static_cast<Reason>(reason))] = sum.dead_letters[reason];
  }
  nlohmann::ordered_json json = {{"records", sum.records()},
                                 {"unique", sum.unique + sum.passed},
                                 {"exact_duplicates", repeats.exact},
                                 {"near_duplicates", repeats.near},
                                 {"exact_duplicates_of_kind_near", files.exact_repeats()},
                                 {"replacing", sum.replaced},
                                 {"dead_letters", sum.dead()},
                                 {"dead_letters_by_reason", reasons},
                                 {"late", sum.late},
                                 {"clamped", sum.clamped},
                                 {"seconds", totals.seconds()},
                                 {"records_per_s", totals.records_per_s()}};
  if (const CommittedBatch& known = files.remembered(); known.records() > 0) {
    json["against"] = {{"records", known.records()},
                       {"unique", known.unique + known.passed},
                       {"dead_letters", known.dead()},
                       {"repeated", files.repeats_of_remembered()}};
  }
  if (const std::optional<LaneShares>& shares = files.lane_shares()) {
    json["lanes"] = {{"lanes", shares->lanes()},
                     {"field", shares->field()},
                     {"duplicates_lost", shares->lost()},
                     {"largest_share", shares->LargestShare()}};
  }
  if (learned) {
    json["learned"] = nlohmann::ordered_json::parse(LearnedText(*learned));
    json["learned"].erase("feature.model");
    json["learned"].erase("profile");
  }
  SayText(json.dump());
}

Result<void> CheckPaths(const FilterArguments& arguments, const LoadedConfig& config) {
  std::vector<NamedFile> reads = FilesRead(arguments.config, config);
  reads.push_back({"--input", arguments.input});
  for (const std::string& path : arguments.against) reads.push_back({"--against", path});
  const FileOutputs& outputs = arguments.outputs;
  const NamedFile writes[] = {{"--unique", outputs.unique},
                              {"--duplicate", outputs.duplicate},
                              {"--dead-letter", outputs.dead_letter},
                              {"--verdicts", outputs.verdicts},
                              {"--pairs", outputs.pairs},
                              {"--groups", outputs.groups}};
  return CheckFiles(reads, writes);
}

/// Adds the outputs that hold what they held before.
Error WithUnfinished(Error error, const std::vector<std::string>& files) {
  if (files.empty()) return error;
  error.text += fmt::format("; not written: {}", fmt::join(files, ", "));
  return error;
}

Result<void> Finish(FileTransaction& files) {
  const Result<void> finished = files.Finish();
  return finished.ok() ? finished : WithUnfinished(finished.error(), files.Unfinished());
}

Result<void> WriteKept(FileTransaction& files, const FilterArguments& arguments,
                       const Settings& settings) {
  if (!arguments.outputs.keeps_newest) return {};
  NEARDUP_ASSIGN(
      const std::unique_ptr<Source> again,
      OpenRecordFile(arguments.input, settings.lane.filter.record.record_bytes_max, settings));
  return files.WriteKept(*again);
}

/// What the run that a signal stopped has left.
std::string StoppedText(const std::string& signal, uint64_t records, const FileOutputs& outputs,
                        const std::vector<std::string>& unfinished) {
  std::string text = fmt::format("stopped by {} after {}", signal, Counted(records, "record"));
  // Groups are written at the end only.
  for (const std::string* path : {&outputs.unique, &outputs.duplicate, &outputs.dead_letter,
                                  &outputs.verdicts, &outputs.pairs}) {
    if (*path == "-") text += "; standard output holds the lines of these records";
  }
  if (unfinished.empty()) return text;
  return text + fmt::format(
                    "; not written: {}. For the result of these records, give only the first "
                    "lines: head -n {} INPUT | neardup filter --input - ...",
                    fmt::join(unfinished, ", "), records);
}

size_t BytesOfAll(std::span<const Message> messages) {
  size_t bytes = 0;
  for (const Message& message : messages) bytes += BytesOf(message);
  return bytes;
}

/// Makes the window hold all files whole, unless a person says how much it holds. Returns the
/// number of lines; 0: one of them cannot be read twice.
Result<uint64_t> HoldWholeFiles(const FilterArguments& arguments, Settings& settings) {
  uint64_t known = 0;
  for (const std::string& path : arguments.against) {
    NEARDUP_ASSIGN(const uint64_t lines, CountLines(path));
    known += lines;
  }
  NEARDUP_ASSIGN(const uint64_t lines,
                 arguments.outputs.line_mode ? 0 : CountLines(arguments.input));
  uint64_t& window = settings.lane.filter.window.entries_max;
  if (!settings.learning.kept.contains(kWindowPath)) {
    const uint64_t all = known + (lines == 0 ? window : lines);
    window = std::clamp(all, window, WindowOptions::kEntriesMaxRange.max);
  }
  return lines == 0 ? 0 : known + lines;
}

/// Warns of a field that no sampled record has. If a key is misspelt, all records agree in it,
/// because none has a value.
void WarnOfAbsentFields(const RecordOptions& given, std::span<const RecordView> sample) {
  constexpr size_t kRecordsMax = 10'000;
  sample = sample.first(std::min(sample.size(), kRecordsMax));
  std::vector<std::string> paths = given.exclude;
  for (const FieldSelector& field : given.fields) paths.push_back(field.path);
  for (const std::string& path : paths) {
    RecordOptions one;
    one.fields = {{path}};
    FieldExtractor extractor(one);
    const auto has = [&](const RecordView& record) {
      return !extractor.Extract(record).pieces.empty();
    };
    if (path.empty() || sample.empty() || std::any_of(sample.begin(), sample.end(), has)) continue;
    constexpr size_t kNamesMax = 1000;
    const std::vector<std::string> names = FieldNames(sample[0].value.value_or(""), kNamesMax);
    const std::optional<std::string> near = NearestName(PlainFieldName(path), names);
    Say("neardup: warning: none of {} has a value in the field {}{}",
        Counted(sample.size(), "sampled record"), path,
        near ? fmt::format("; did you mean {}?", *near) : "");
  }
}

/// Reads records from the whole length of all files: as many of each as its part of the bytes.
/// Empty: one of them cannot be read at any place.
Result<std::vector<Message>> ReadSpread(const FilterArguments& arguments, size_t records_max,
                                        size_t bytes_max) {
  std::vector<std::string> paths = arguments.against;
  paths.push_back(arguments.input);
  std::vector<uint64_t> bytes;
  for (const std::string& path : paths) {
    std::error_code error;
    const uintmax_t size = std::filesystem::file_size(path, error);
    if (error) return std::vector<Message>();
    bytes.push_back(size);
  }
  const uint64_t all = std::max<uint64_t>(1, std::reduce(bytes.begin(), bytes.end()));
  std::vector<Message> spread;
  for (size_t i = 0; i < paths.size(); ++i) {
    NEARDUP_ASSIGN(
        std::vector<Message> some,
        ReadSpreadSample(paths[i], records_max * bytes[i] / all, bytes_max * bytes[i] / all));
    if (some.empty() && bytes[i] > 0) return std::vector<Message>();
    std::ranges::move(some, std::back_inserter(spread));
  }
  return spread;
}

/// Learns from records of the whole input what nobody said, and puts it in force. A pipe, and what
/// is compressed, cannot be read at any place: they are known as far as they are read ahead.
/// `lines` is the number of lines of the input, 0 if unknown.
Result<std::optional<LearnedOptions>> Learn(const FilterArguments& arguments, uint64_t lines,
                                            Settings& settings, SampledSource& source) {
  const LearningSettings& learning = settings.learning;
  FilterOptions& filter = settings.lane.filter;
  if (!learning.on) return {std::nullopt};
  if (arguments.outputs.line_mode) {
    if (!filter.record.fields.empty()) return {std::nullopt};
    Say("neardup: warning: --line-mode answers each line before it reads the next, so nothing is "
        "learned from the input. All fields are compared; --fields names the fields to compare");
    return {std::nullopt};
  }
  const auto records_max = static_cast<size_t>(learning.records_max);
  uint64_t& window = filter.window.entries_max;
  NEARDUP_ASSIGN(
      const std::span<const Message> ahead,
      source.ReadAhead(records_max, kSampleBytesMax, static_cast<size_t>(learning.records_min)));
  std::vector<Message> spread;
  if (source.read_all()) {
    lines = ahead.size();
  } else {
    NEARDUP_ASSIGN(spread, ReadSpread(arguments, records_max, BytesOfAll(ahead)));
  }
  // A larger window asks for shorter distances, since more records match by chance in it. It is
  // judged by the records of the file, if the window would hold more.
  std::set<std::string> kept = learning.kept;
  const bool window_given = !kept.insert(kWindowPath).second;
  const uint64_t held = window;
  if (!window_given && lines > 0) {
    window = std::clamp(lines, WindowOptions::kEntriesMaxRange.min, held);
  }
  if (spread.empty()) spread.assign(ahead.begin(), ahead.end());
  if (settings.kafka.encodings) NEARDUP_TRY(settings.kafka.encodings->Find(spread));
  DecodeInPlace(spread);
  const std::vector<RecordView> sample = ViewsOf(spread);
  WarnOfAbsentFields(filter.record, sample);
  LearnedOptions learned =
      LearnOptions(sample, filter, kept, static_cast<size_t>(learning.records_min));
  learned.options.window.entries_max = held;
  filter = learned.options;
  if (!arguments.json) {
    for (const std::string& reason : learned.reasons) SayText(reason);
  }
  return {std::move(learned)};
}

std::string MostFrequentReason(const CommittedBatch& sum, const FileTransaction& files,
                               const RecordOptions& record) {
  const auto most = std::max_element(sum.dead_letters.begin(), sum.dead_letters.end());
  const auto reason = static_cast<Reason>(most - sum.dead_letters.begin());
  return fmt::format("the most frequent reason is {} ({}){}", Name(reason),
                     Counted(*most, "record"), files.causes().Explain(reason, record));
}

/// kBadInput if nothing was compared. A wrong field name, or a file of another format, does that.
Result<void> CheckComparedAny(const std::string& input, const CommittedBatch& sum,
                              const FileTransaction& files, const RecordOptions& record) {
  if (sum.records() == 0 || sum.dead() < sum.records()) return {};
  return Fatal(ErrorCode::kBadInput,
               fmt::format("{}: {}; {}", input == "-" ? "standard input" : input,
                           sum.records() == 1 ? "its only record is a dead letter"
                                              : fmt::format("all {} records are dead letters",
                                                            Grouped(sum.records())),
                           MostFrequentReason(sum, files, record)));
}

/// Decides all records. Returns false if `stop` ended it early. The outputs do not wait for a
/// commit: a reader of a pipe gets the lines of the records that came so far.
Result<bool> Decide(Lane& lane, FileTransaction& files, const std::atomic<bool>& stop) {
  bool more = true;
  while (more && !stop.load(std::memory_order_relaxed)) {
    NEARDUP_ASSIGN(more, lane.Step(stop));
    NEARDUP_TRY(files.Flush());
  }
  NEARDUP_TRY(lane.Drain());
  return !more;
}

/// The lines that are kept are known at the end only, so that the input is read twice.
Result<void> CheckKeepsNewest(const FilterArguments& arguments, const Settings& settings) {
  if (settings.lane.routing.keep != Keep::kNewest) return {};
  if (settings.lane.filter.record.time_field.empty()) {
    return Fatal(ErrorCode::kConfig,
                 "--keep newest: the lines of a file have no time of their own; name the field "
                 "that says which record is newer: --set record.time_field=FIELD");
  }
  std::error_code error;
  const bool once = arguments.input == "-" || arguments.outputs.line_mode ||
                    (std::filesystem::exists(arguments.input, error) &&
                     !std::filesystem::is_regular_file(arguments.input, error));
  if (!once) return {};
  return Fatal(ErrorCode::kConfig, fmt::format("--keep newest reads the input twice, which {} does "
                                               "not allow; write the records to a file first",
                                               arguments.outputs.line_mode ? "--line-mode"
                                               : arguments.input == "-"    ? "standard input"
                                                                           : "a pipe"));
}

Result<void> CheckAgainst(const FilterArguments& arguments, const Settings& settings) {
  if (arguments.against.empty()) return {};
  std::set<std::string> known = {arguments.input};
  for (const std::string& path : arguments.against) {
    if (known.insert(path).second) continue;
    return Fatal(ErrorCode::kConfig,
                 fmt::format("--against {}: found the file twice, expected it once, and another "
                             "one in --input",
                             path));
  }
  if (settings.lane.routing.keep != Keep::kNewest && arguments.outputs.lanes == 0) return {};
  return Fatal(ErrorCode::kConfig,
               fmt::format("--against: does not go with {}, because its records are never written; "
                           "put all records into one file",
                           arguments.outputs.lanes > 0 ? "--lanes" : "--keep newest"));
}

/// Old data of which nothing is remembered would make all new records unique.
Result<void> CheckRememberedAny(const FileTransaction& files) {
  const CommittedBatch& known = files.remembered();
  if (known.records() == 0 || known.dead() < known.records()) return {};
  return Fatal(
      ErrorCode::kBadInput,
      fmt::format("--against: found {}, and only dead letters, so nothing is remembered; give "
                  "records of the same form as the records of --input",
                  Counted(known.records(), "record")));
}

Result<void> CheckName(const char* option, const std::string& name) {
  const Result<FieldPath> path = name.empty() ? FieldPath() : ParseFieldPath(name);
  if (path.ok()) return {};
  return Fatal(ErrorCode::kConfig, fmt::format("{}: {}", option, path.error().text));
}

/// Returns the exit code.
Result<int> RunFilter(FilterArguments arguments, const LoadedConfig& config) {
  EndOnSignals();
  NowDoing("opening its files");
  NEARDUP_TRY(CheckPaths(arguments, config));
  NEARDUP_TRY(CheckKeepsNewest(arguments, config.settings));
  NEARDUP_TRY(CheckAgainst(arguments, config.settings));
  NEARDUP_TRY(CheckName("--id-field", arguments.id_field));
  NEARDUP_TRY(CheckName("--lanes-field", arguments.outputs.lanes_field));
  arguments.outputs.keeps_newest = config.settings.lane.routing.keep == Keep::kNewest;
  std::vector<std::unique_ptr<Source>> sources;
  std::vector<std::string> inputs = arguments.against;
  inputs.push_back(arguments.input);
  for (const std::string& path : inputs) {
    NEARDUP_ASSIGN(
        std::unique_ptr<Source> file,
        OpenRecordFile(path, config.settings.lane.filter.record.record_bytes_max, config.settings));
    sources.push_back(std::move(file));
  }
  NEARDUP_ASSIGN(const std::unique_ptr<FileTransaction> files,
                 FileTransaction::Open(arguments.outputs, arguments.id_field, arguments.input));
  Settings settings = config.settings;
  settings.lane.transaction_records = settings.file_run.commit_records;
  settings.lane.pipeline = {};  // a file is none of the topics of the configuration
  // Nothing takes its name before the end, which tells whether any record was compared.
  settings.lane.dead_letters.on_first_excess = OnExcess::kWarn;
  SampledSource source(std::move(sources));
  SystemClock clock;
  Totals totals(clock, isatty(STDERR_FILENO) != 0 && !arguments.json);  // learning counts as well
  NEARDUP_ASSIGN(const uint64_t lines, HoldWholeFiles(arguments, settings));
  NowDoing("reading records to learn from");
  const Result<std::optional<LearnedOptions>> learning = Learn(arguments, lines, settings, source);
  if (!learning.ok()) return WithUnfinished(learning.error(), files->Unfinished());
  const std::optional<LearnedOptions>& learned = *learning;
  OwnLease lease;
  EmptyChangelog changelog;
  ExcessProbe excess;
  ProbeFan probe({&totals, &excess});
  NEARDUP_ASSIGN(const std::unique_ptr<Lane> lane,
                 Lane::New(settings.lane, {source, changelog, *files, lease, clock, probe}));
  NowDoing("deciding records");
  const StopSignal& stop = StopOnSignals();
  const Result<bool> finished = Decide(*lane, *files, stop.came);
  totals.Finish();
  totals.LeaveOut(files->remembered());
  Result<void> ran = finished.ok() ? Result<void>() : finished.error();
  if (ran.ok() && !*finished) {
    Say("neardup: {}", StoppedText(SignalName(stop.number), totals.sum().records(),
                                   arguments.outputs, files->Unfinished()));
    return kExitSignal + stop.number;
  }
  if (!ran.ok()) return WithUnfinished(ran.error(), files->Unfinished());
  Result<void> compared =
      CheckComparedAny(arguments.input, totals.sum(), *files, settings.lane.filter.record);
  if (compared.ok()) compared = CheckRememberedAny(*files);
  if (compared.ok()) {
    const Result<void> kept = WriteKept(*files, arguments, settings);
    if (!kept.ok()) return WithUnfinished(kept.error(), files->Unfinished());
    NEARDUP_TRY(Finish(*files));
  }
  if (arguments.json) {
    PrintJson(totals, *files, learned);
  } else {
    PrintSummary(totals, settings.lane.filter, *files);
  }
  if (!compared.ok()) return WithUnfinished(compared.error(), files->Unfinished());
  if (excess.excessive) {
    const CommittedBatch& sum = totals.sum();
    Say("neardup: warning: too many dead letters: {} of {} records are dead letters ({:.3g} %), "
        "and dead_letters.share_max is {:.3g} %; {}",
        Grouped(sum.dead()), Grouped(sum.records()),
        100.0 * static_cast<double>(sum.dead()) / static_cast<double>(sum.records()),
        100 * settings.lane.dead_letters.share_max,
        MostFrequentReason(sum, *files, settings.lane.filter.record));
  }
  return kExitOk;
}

/// `neardup filter`: runs the lane of the service over files, without Kafka.
Result<int> FilterCommand(const FilterArguments& given) {
  FilterArguments arguments = given;
  if (arguments.outputs.line_mode && arguments.outputs.verdicts.empty()) {
    arguments.outputs.verdicts = "-";
  }
  NEARDUP_ASSIGN(const LoadedConfig config, LoadAndWarn(arguments.config));
  return RunFilter(arguments, config);
}

}  // namespace

void AddFilter(CommandLine& line) {
  const auto arguments = std::make_shared<FilterArguments>();
  FilterArguments& filter = *arguments;
  CLI::App* command = line.Add(
      "filter", "route the records of a file as `run` does, without Kafka",
      {"neardup filter --input articles.jsonl --fields title,text --unique unique.jsonl",
       "neardup filter --config articles.yaml --input articles.jsonl.gz --pairs pairs.jsonl.gz",
       "neardup filter --input new.jsonl --against old.jsonl --unique unique.jsonl",
       "tail -f app.log.jsonl | neardup filter --input - --fields message --line-mode"});
  AddConfig(command, filter.config);
  AddOption(command, "-i,--input", "FILE", filter.input, kJsonLinesHelp)->required();
  AddOption(command, "--against", "FILE", filter.against,
            "remember the records of this file first, and write none of them; repeatable");
  const auto add_output = [&](const char* option, std::string& path, const char* help) {
    AddOption(command, option, "FILE", path,
              fmt::format("{}; - is standard output, .gz is compressed", help));
  };
  add_output("--unique", filter.outputs.unique, "write unique lines here");
  add_output("--duplicate", filter.outputs.duplicate, "write duplicate lines here");
  add_output("--dead-letter", filter.outputs.dead_letter,
             "write here the lines that cannot be compared");
  add_output("--verdicts", filter.outputs.verdicts,
             "write id, verdict, original id, distance and kind here, separated by tabs");
  add_output("--pairs", filter.outputs.pairs,
             "write each duplicate beside its original here, as a line of JSON; holds the unique "
             "records in memory");
  add_output("--groups", filter.outputs.groups,
             "write each group of duplicates here, original first, as a line of JSON with their "
             "ids; holds the ids in memory");
  AddShortForm(command, filter.config, "--keep");
  CLI::Option* lanes =
      AddNumber(command, "--lanes", filter.outputs.lanes, {2, 64},
                "print the share of the duplicates that N lanes would miss (lanes.count)");
  lanes->needs(AddOption(command, "--lanes-field", "FIELD", filter.outputs.lanes_field,
                         "the field that is, or will be, the key of the records")
                   ->needs(lanes));
  command->add_flag("--line-mode", filter.outputs.line_mode,
                    "write one verdict at once for each line that is read, on standard output "
                    "unless --verdicts names a file, and without a header line");
  AddOption(
      command, "--id-field", "FIELD", filter.id_field,
      "field that identifies a record in verdicts, pairs and groups (default: the line number)");
  command->add_flag("--json", filter.json,
                    "print the summary as one JSON object, on standard error");
  line.Runs(command, [arguments] { return FilterCommand(*arguments); });
}

}  // namespace neardup
