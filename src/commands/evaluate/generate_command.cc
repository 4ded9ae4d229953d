#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "commands/evaluate/labelled_set.h"
#include "commands/evaluate/planting.h"
#include "commands/program/command_line.h"
#include "commands/program/commands.h"
#include "commands/program/message.h"
#include "commands/program/stop_signals.h"
#include "detect/base/message_text.h"
#include "detect/base/quantity.h"
#include "stream/files/packed_file.h"
#include "stream/files/whole_file.h"

namespace neardup {
namespace {

struct GenerateArguments {
  std::string input;  ///< JSON Lines, also .gz and .zst; - is standard input
  std::vector<std::string> fields;
  std::string output;
  std::string labels;
  std::string id_field = "id";
  /// A number, or a share of the records: 500, 0.2, 20%.
  std::string copies = "0.2";
  /// Names of EditKind; empty: all except format.
  std::vector<std::string> kinds;
  /// Shares of the words, for the kinds that have a strength.
  std::vector<double> strengths = {0.05, 0.1, 0.2};
  uint64_t seed = 1;
};

/// What a record must have for an edit, given the name of the edit.
std::string_view NeedOf(std::string_view edit) {
  if (edit == Name(EditKind::kReordered)) return "two different sentences in the longest text";
  if (edit == Name(EditKind::kSentenceDrop)) return "two sentences in the longest text";
  if (edit == Name(EditKind::kFieldChange)) return "two of the --fields";
  if (edit == Name(EditKind::kExact) || edit == Name(EditKind::kFormat)) return "a text";
  return "two words in the --fields";
}

void PrintSummary(const PlantedStream& stream) {
  uint64_t copies = 0;
  for (const auto& [name, count] : stream.planted) copies += count;
  Say("{} records and {} copies of them", Grouped(stream.payloads.size() - copies),
      Grouped(copies));
  for (const auto& [name, count] : stream.planted) {
    Say("  {:<18} {:>10}", name, Grouped(count));
  }
  for (const auto& [name, count] : stream.not_planted) {
    Say("neardup: warning: {}: {} copies were not made, because too few records have {}, which "
        "this edit needs",
        name, Grouped(count), NeedOf(name));
  }
  if (stream.left_out > 0) {
    Say("neardup: warning: dead letters left out: {}; the first is {}", Grouped(stream.left_out),
        stream.first_left_out);
  }
}

/// The number of copies that --copies asks for, given the number of records.
Result<size_t> ParseCopies(const std::string& text, size_t records) {
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [read_to, code] = std::from_chars(text.data(), end, number);
  const std::string_view rest(read_to, static_cast<size_t>(end - read_to));
  if (code != std::errc() || (!rest.empty() && rest != "%") || !(number >= 0 && number <= 1e9)) {
    return Error{ErrorCode::kConfig, fmt::format("--copies {}: expected a number of copies (500) "
                                                 "or their share of the records (0.2 or 20%)",
                                                 text)};
  }
  const auto whole = static_cast<double>(records);
  if (rest == "%") return static_cast<size_t>(std::llround(number / 100 * whole));
  const bool share = text.find('.') != std::string::npos;
  return static_cast<size_t>(std::llround(share ? number * whole : number));
}

/// Returns the edits that --kinds and --strength ask for: one edit for each kind without strengths,
/// and one for each strength of every other kind.
Result<std::vector<Edit>> ListEdits(const std::vector<std::string>& kinds,
                                    const std::vector<double>& strengths) {
  std::vector<std::string> names = kinds;
  if (names.empty()) {
    for (const EditKind kind : kEditKinds) {
      if (kind != EditKind::kFormat) names.emplace_back(Name(kind));
    }
  }
  std::vector<Edit> edits;
  for (const std::string& name : names) {
    const std::optional<EditKind> kind = EditKindOf(name);
    if (!kind) {
      std::vector<std::string_view> known;
      for (const EditKind one : kEditKinds) known.push_back(Name(one));
      return Error{ErrorCode::kConfig,
                   fmt::format("--kinds {}: unknown; expected one or more of {}", name,
                               fmt::join(known, ", "))};
    }
    if (!HasStrength(*kind)) edits.push_back({*kind, 0});
    for (size_t i = 0; HasStrength(*kind) && i < strengths.size(); ++i) {
      const auto percent = static_cast<int>(std::lround(strengths[i] * 100));
      if (percent < 1 || percent > 100) {
        return Error{ErrorCode::kConfig,
                     fmt::format("--strength {}: expected a share of the words from 0.01 to 1",
                                 strengths[i])};
      }
      edits.push_back({*kind, percent});
    }
  }
  return edits;
}

Result<int> GenerateCommand(const GenerateArguments& arguments) {
  EndOnSignals();
  NEARDUP_TRY(CheckFiles(
      std::vector<NamedFile>{{"--input", arguments.input}},
      std::vector<NamedFile>{{"--output", arguments.output}, {"--labels", arguments.labels}}));
  NEARDUP_ASSIGN(PackedFile records, PackedFile::Open(arguments.output));
  NEARDUP_ASSIGN(PackedFile labels, PackedFile::Open(arguments.labels));
  PlantingOptions options;
  options.fields = arguments.fields;
  options.id_field = arguments.id_field;
  options.seed = arguments.seed;
  NEARDUP_ASSIGN(options.edits, ListEdits(arguments.kinds, arguments.strengths));
  NowDoing("reading records");
  NEARDUP_ASSIGN(const std::vector<std::string> payloads, ReadRecords(arguments.input));
  NEARDUP_ASSIGN(options.copies, ParseCopies(arguments.copies, payloads.size()));
  NowDoing(fmt::format("planting copies in {} records", Grouped(payloads.size())));
  const Result<PlantedStream> planted = PlantCopies(payloads, options);
  if (!planted.ok() && planted.error().code == ErrorCode::kBadInput) {
    return Named(arguments.input, planted.error());
  }
  if (!planted.ok()) return planted.error();
  const PlantedStream& stream = *planted;
  for (const std::string& payload : stream.payloads) NEARDUP_TRY(records.Write(payload + '\n'));
  NEARDUP_TRY(labels.Write(LabelsText(stream.labels)));
  NEARDUP_TRY(PackedFile::Finish(std::vector<PackedFile*>{&records, &labels}));
  PrintSummary(stream);
  return kExitOk;
}

}  // namespace

void AddGenerate(CommandLine& line) {
  const auto arguments = std::make_shared<GenerateArguments>();
  GenerateArguments& generate = *arguments;
  CLI::App* command = line.Add(
      "generate", "plant edited copies in your records, and write the labels for `evaluate`",
      {"neardup generate --input articles.jsonl --fields title,text --output planted.jsonl "
       "--labels labels.tsv"});
  AddOption(command, "-i,--input", "FILE", generate.input, kJsonLinesHelp)->required();
  AddOption(command, "--fields", "FIELD", generate.fields,
            "fields that are compared, and so edited")
      ->delimiter(',')
      ->required();
  AddOption(command, "-o,--output", "FILE", generate.output,
            "write records and copies here; .gz is compressed")
      ->required();
  AddOption(command, "--labels", "FILE", generate.labels, "write the labels here")->required();
  AddOption(command, "--id-field", "FIELD", generate.id_field,
            "field that identifies a record; added to records without it")
      ->capture_default_str();
  AddOption(command, "--copies", "N", generate.copies,
            "number of copies, or their share of the records: 500, 0.2 or 20%")
      ->capture_default_str();
  AddOption(command, "--kinds", "KIND", generate.kinds,
            "kinds of copies: exact, reordered, inserted, deleted, replaced, field-change, "
            "sentence-drop, format, cut, added, typo (default: all except format)")
      ->delimiter(',');
  AddOption(
      command, "--strength", "SHARE", generate.strengths,
      "shares of the words that are inserted, deleted, replaced, cut, added or misspelt, 0.01 to 1")
      ->delimiter(',')
      ->capture_default_str()
      ->check(NumberCheck(std::numeric_limits<double>::lowest(), std::numeric_limits<double>::max(),
                          "a number from 0.01 to 1"));
  AddSeed(command, "--seed", generate.seed, "seed of the copies; another seed makes other copies");
  line.Runs(command, [arguments] { return GenerateCommand(*arguments); });
}

}  // namespace neardup
