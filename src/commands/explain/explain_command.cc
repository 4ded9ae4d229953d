#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
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
  /// Two names of records, the earlier one first, or the name of one that was decided.
  std::vector<std::string> records;
  std::string id;        ///< of a record that was decided; empty: it is named
  std::string id_field;  ///< holds the id
  bool json = false;
  std::string html;  ///< write a page here; empty: none
};

/// The earlier record, then the later record. `a` is empty if the lane found no record that `b`
/// repeats.
struct RecordPair {
  std::optional<NamedRecord> a;
  NamedRecord b;
};

/// Finds the output record that the lane wrote for the record that a person named.
Result<NamedRecord> FindDecided(const ExplainArguments& arguments, RecordFinder& finder) {
  if (!arguments.id.empty()) return finder.FindById(arguments.id_field, arguments.id);
  const std::string& name = arguments.records[0];
  NEARDUP_ASSIGN(NamedRecord found, finder.Find(name));
  if (found.header) return found;
  const std::optional<TopicOffset> at = ParseTopicOffset(name);
  if (found.from_topic && at) return finder.FindOutputOf(at->partition, at->offset);
  return Error{ErrorCode::kConfig,
               fmt::format("{}: found one record, expected two, the earlier record first; one "
                           "record is enough if it is TOPIC/PARTITION/OFFSET",
                           name)};
}

Result<RecordPair> FindPair(const ExplainArguments& arguments, const Settings& settings) {
  RecordFinder finder(settings, PrintKafkaErrors());
  if (arguments.records.size() == 2) {
    NEARDUP_ASSIGN(NamedRecord first, finder.Find(arguments.records[0]));
    NEARDUP_ASSIGN(NamedRecord second, finder.Find(arguments.records[1]));
    return RecordPair{std::move(first), std::move(second)};
  }
  NEARDUP_ASSIGN(NamedRecord decided, FindDecided(arguments, finder));
  if (!decided.header->original) return RecordPair{std::nullopt, std::move(decided)};
  NEARDUP_ASSIGN(NamedRecord original, finder.FindOriginal(decided));
  return RecordPair{std::move(original), std::move(decided)};
}

/// What a lane says of a record that repeats no other one.
std::string TextOfAlone(const NamedRecord& record, bool as_json) {
  const ParsedHeader& header = *record.header;
  const std::string origin = TextOf(header.origin, header.origin_offset);
  const bool dead = header.decision() == Decision::kDeadLetter;
  if (as_json) {
    nlohmann::ordered_json json = {{"verdict", Name(header.decision())},
                                   {"name", record.name},
                                   {"origin", origin},
                                   {"seq", header.seq}};
    if (dead) json.update({{"reason", Name(header.reason)}, {"error", header.error}});
    return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
  }
  return fmt::format(
      "{}: {}. The service decided {} as seq {}{}\n", record.name, Name(header.decision()), origin,
      header.seq,
      dead ? fmt::format(", and cannot compare it ({}): {}", Name(header.reason), header.error)
           : ", and found no earlier record that it repeats.");
}

Result<void> CheckComparable(const NamedRecord& named, const ExplainedRecord& record) {
  const ReadOutcome& outcome = record.fingerprinted.outcome;
  if (outcome.comparable()) return {};
  if (outcome.passed) {
    return Error{ErrorCode::kCorrupt, fmt::format("{}: found a null value, which passes to unique "
                                                  "and is not compared (record.null_value)",
                                                  named.name)};
  }
  return Error{ErrorCode::kCorrupt,
               fmt::format("{}: found a dead letter ({}), which cannot be compared: {}", named.name,
                           Name(outcome.reason), outcome.error)};
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
        "This explanation differs: give the configuration of the service with --config, and the "
        "original that it names.");
  }
  return notes;
}

/// `neardup explain`: prints why a record repeats another one or does not, and what would change
/// that. kExitOk if it does, kExitNo if it does not, an error if they cannot be compared.
Result<int> ExplainCommand(const ExplainArguments& arguments) {
  EndOnSignals();
  NowDoing("reading the records");
  NEARDUP_ASSIGN(LoadedConfig config, Load(arguments.config));
  NEARDUP_TRY(CheckFiles(FilesRead(arguments.config, config),
                         std::vector<NamedFile>{{"--html", arguments.html}}));
  NEARDUP_ASSIGN(const RecordPair pair, FindPair(arguments, config.settings));
  if (!pair.a) {
    PrintText(TextOfAlone(pair.b, arguments.json));
    if (!arguments.html.empty()) Say("--html: no page is written, since a page shows a pair");
    return kExitNo;
  }
  if (pair.b.header) NEARDUP_TRY(TakeLearnedOf(config, PrintKafkaErrors()));
  const FilterOptions& options = config.settings.lane.filter;
  NEARDUP_ASSIGN(PairExplanation explained, ExplainPair(options, pair.a->view(), pair.b.view()));
  NEARDUP_TRY(CheckComparable(*pair.a, explained.a));
  NEARDUP_TRY(CheckComparable(pair.b, explained.b));
  std::vector<std::string> notes = NotesAbout(pair.b, explained);
  const ExplainReport report{pair.a->name, pair.b.name, options, std::move(explained),
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

}  // namespace

void AddExplain(CommandLine& line) {
  const auto arguments = std::make_shared<ExplainArguments>();
  ExplainArguments& explain = *arguments;
  CLI::App* command = line.Add(
      "explain", "say why a record repeats another one or does not, and what would change that",
      {"neardup explain a.json b.json --fields title,text",
       "neardup explain articles.jsonl:1 articles.jsonl:7 --config articles.yaml --html pair.html",
       "neardup explain articles/0/5512 --config articles.yaml",
       "neardup explain --id 4711 --id-field id --config articles.yaml"});
  CLI::Option* records = command->add_option(
      "RECORD", explain.records,
      "the earlier and the later record, each a file with one record, FILE:LINE of JSON Lines, - "
      "for a line of standard input, or TOPIC/PARTITION/OFFSET; or only one record, by its "
      "position in an input or output topic: the header of its output record names the original");
  records->type_name("")->expected(1, 2);
  CLI::Option* id = command->add_option("--id", explain.id,
                                        "id of a record that the service has decided; if several "
                                        "records have it, the newest one is taken");
  id->type_name("ID")->excludes(records);
  id->needs(AddOption(command, "--id-field", "FIELD", explain.id_field,
                      "field that holds the id of --id"));
  command->parse_complete_callback([records, id] {
    if (!*records && !*id) throw CLI::RequiredError("RECORD or --id");
  });
  AddConfig(command, explain.config);
  AddShortForm(command, explain.config, "--brokers");
  command->add_flag("--json", explain.json, "print one JSON object");
  AddOption(
      command, "--html", "FILE", explain.html,
      "also write the explanation as an HTML page; - is standard output, instead of the text");
  line.Runs(command, [arguments] { return ExplainCommand(*arguments); });
}

}  // namespace neardup
