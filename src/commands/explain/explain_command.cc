#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "commands/program/command_line.h"
#include "commands/program/commands.h"
#include "commands/program/message.h"
#include "commands/program/stop_signals.h"
#include "detect/base/file.h"
#include "explain/explain_text.h"
#include "explain/explanation.h"
#include "explain/pages.h"
#include "service/topics/lane_learning.h"
#include "service/topics/record_finder.h"
#include "service/topics/topic_reading.h"

namespace neardup {
namespace {

struct ExplainArguments {
  ConfigArguments config;
  /// Two names of records, the earlier one first, or one name of a duplicate.
  std::vector<std::string> records;
  /// Print one JSON object.
  bool json = false;
  std::string html;  ///< write a page here; empty: none
};

/// The earlier record, then the later one.
struct RecordPair {
  NamedRecord a;
  NamedRecord b;
};

Result<RecordPair> FindPair(const std::vector<std::string>& names, const Settings& settings) {
  RecordFinder finder(settings, PrintKafkaErrors());
  NEARDUP_ASSIGN(NamedRecord first, finder.Find(names[0]));
  if (names.size() == 1) {
    if (!first.from_topic) {
      return Error{ErrorCode::kConfig,
                   fmt::format("{}: found one record, expected two, the earlier one first; one "
                               "record is enough if it is the position of a duplicate, "
                               "TOPIC/PARTITION/OFFSET",
                               first.name)};
    }
    NEARDUP_ASSIGN(NamedRecord original, finder.FindOriginal(first));
    return RecordPair{std::move(original), std::move(first)};
  }
  NEARDUP_ASSIGN(NamedRecord second, finder.Find(names[1]));
  return RecordPair{std::move(first), std::move(second)};
}

Result<void> CheckComparable(const NamedRecord& named, const ExplainedRecord& record) {
  const ReadOutcome& outcome = record.fingerprinted.outcome;
  if (outcome.comparable()) return {};
  if (outcome.passed) {
    return Error{ErrorCode::kCorrupt,
                 fmt::format("{}: found a null value, which passes to unique and is not compared "
                             "(record.null_value)",
                             named.name)};
  }
  return Error{ErrorCode::kCorrupt, fmt::format("{}: found a dead letter ({}), which cannot be "
                                                "compared: {}",
                                                named.name, Name(outcome.reason), outcome.error)};
}

/// What the service wrote on the later record.
std::vector<std::string> NotesAbout(const NamedRecord& b, const PairExplanation& explained) {
  if (!b.header || !b.header->original) return {};
  const ParsedOriginal& original = *b.header->original;
  std::vector<std::string> notes = {fmt::format(
      "The service called it a {} {}/{} ({}, distance {}).",
      b.header->suspect ? "suspect that seems to repeat" : "duplicate of",
      TextOf(original.partition), original.offset, Name(original.kind), original.distance)};
  const Verdict& verdict = explained.verdict;
  const bool same = verdict.decision == b.header->decision() && verdict.has_match() &&
                    verdict.match.kind == original.kind &&
                    verdict.match.distance == original.distance;
  if (!same) {
    notes.emplace_back(
        "This explanation differs: give the configuration of the service with "
        "--config, and the original that it names.");
  }
  return notes;
}

Result<int> RunExplain(const ExplainArguments& arguments) {
  NEARDUP_ASSIGN(LoadedConfig config, Load(arguments.config));
  NEARDUP_TRY(CheckFiles(FilesRead(arguments.config, config),
                         std::vector<NamedFile>{{"--html", arguments.html}}));
  NEARDUP_ASSIGN(const RecordPair pair, FindPair(arguments.records, config.settings));
  if (pair.b.header) NEARDUP_TRY(TakeLearnedOf(config, PrintKafkaErrors()));
  const FilterOptions& options = config.settings.lane.filter;
  NEARDUP_ASSIGN(PairExplanation explained, ExplainPair(options, pair.a.view(), pair.b.view()));
  NEARDUP_TRY(CheckComparable(pair.a, explained.a));
  NEARDUP_TRY(CheckComparable(pair.b, explained.b));
  std::vector<std::string> notes = NotesAbout(pair.b, explained);
  const ExplainReport report{pair.a.name, pair.b.name, options, std::move(explained),
                             std::move(notes)};
  if (!arguments.html.empty()) {
    NEARDUP_ASSIGN(OutputFile page, OutputFile::Open(arguments.html));
    NEARDUP_TRY(page.Write(ExplainPage(report)));
    NEARDUP_TRY(page.Finish());
  }
  if (arguments.html != "-") {
    PrintText(arguments.json ? ExplainJson(report) : ExplainText(report));
  }
  return report.explained.verdict.decision == Decision::kDuplicate ? kExitOk : kExitNo;
}

/// `neardup explain`: prints why a record repeats another one or does not, and what would change
/// that. kExitOk if it does, kExitNo if it does not, another code if they cannot be compared.
int ExplainCommand(const ExplainArguments& arguments) {
  EndOnSignals();
  NowDoing("reading the records");
  const Result<int> ran = RunExplain(arguments);
  return ran.ok() ? *ran : Fail(ran.error());
}

}  // namespace

void AddExplain(CommandLine& line) {
  const auto arguments = std::make_shared<ExplainArguments>();
  ExplainArguments& explain = *arguments;
  CLI::App* command = line.Add(
      "explain", "say why a record repeats another one or does not, and what would change that",
      {"neardup explain a.json b.json --fields title,text",
       "neardup explain articles.jsonl:1 articles.jsonl:7 --config articles.yaml --html pair.html",
       "neardup explain articles.duplicate/0/17 --config articles.yaml"});
  command
      ->add_option("RECORD", explain.records,
                   "the earlier and the later record, each a file with one record, FILE:LINE of "
                   "JSON Lines, - for a line of standard input, or TOPIC/PARTITION/OFFSET; or one "
                   "position in a duplicate topic, whose header names the original")
      ->type_name("")
      ->expected(1, 2)
      ->required();
  AddConfig(command, explain.config);
  AddShortForm(command, explain.config, "--brokers");
  command->add_flag("--json", explain.json, "print one JSON object");
  command
      ->add_option("--html", explain.html,
                   "also write the explanation as an HTML page; - is standard output, instead of "
                   "the text")
      ->type_name("FILE");
  line.Runs(command, [arguments] { return ExplainCommand(*arguments); });
}

}  // namespace neardup
