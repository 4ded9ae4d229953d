#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <vector>

#include "base/output_file.h"
#include "commands/commands.h"
#include "commands/options.h"
#include "files/whole_file.h"
#include "learn/drawn_records.h"
#include "learn/model_file.h"
#include "learn/sample.h"
#include "process/exit_code.h"
#include "process/message.h"
#include "process/stop_signals.h"
#include "reading/record_sample.h"

namespace neardup {
namespace {

struct LearnArguments {
  ConfigArguments config;
  std::string input;  ///< JSON Lines, also .gz and .zst; - is standard input
  std::string output;
  size_t records = 50'000;
  uint64_t hash_seed = 0;
  /// Overwrite the output.
  bool force = false;
};

Result<void> Learn(const LearnArguments& arguments) {
  NEARDUP_ASSIGN(const LoadedConfig config, Load(arguments.config));
  const std::vector<NamedFile> reads = {{"--input", arguments.input},
                                        {"--config", arguments.config.file}};
  NEARDUP_TRY(CheckFiles(reads, std::vector<NamedFile>{{"--output", arguments.output}}));
  if (!arguments.force) NEARDUP_TRY(CheckNew({arguments.output}));
  NEARDUP_ASSIGN(OutputFile output, OutputFile::Open(arguments.output));
  NEARDUP_ASSIGN(const std::vector<Message> messages,
                 ReadFileSample(arguments.input, arguments.records));
  NowDoing(fmt::format("learning from {} records", messages.size()));
  Sample sample(config.settings.lane.filter, {arguments.hash_seed});
  for (const RecordView& record : RandomPart(ViewsOf(messages))) sample.Add(record);
  if (sample.records().empty()) {
    return Error{ErrorCode::kConfig,
                 fmt::format("{}: {}", arguments.input, NothingComparableText(sample))};
  }
  const Model model = LearnModel(sample);
  NEARDUP_TRY(output.Write(ModelText(model)));
  NEARDUP_TRY(output.Finish());
  Say("{}: learned from {} distinct records of {}; {} common phrases", arguments.output,
      sample.records().size(), sample.seen(), model.common.size());
  if (model.centre == Model().centre) {
    Say("neardup: warning: {}: fewer than 100 records have enough words to be compared by "
        "distance, so the model holds only the hash seed; give a larger sample",
        arguments.input);
  }
  return {};
}

/// `neardup learn`: learns a model from a sample of a stream and writes it to a file.
int LearnCommand(const LearnArguments& arguments) {
  EndOnSignals();
  NowDoing("reading the sample");
  const Result<void> learned = Learn(arguments);
  return learned.ok() ? kExitOk : Fail(learned.error());
}

}  // namespace

void AddLearn(CommandLine& line) {
  const auto arguments = std::make_shared<LearnArguments>();
  LearnArguments& learn = *arguments;
  CLI::App* command = line.Add(
      "learn", "learn a model from a sample of a stream, for the setting feature.model",
      {"neardup learn --input articles.jsonl --fields title,text --output articles.model.json"});
  AddConfig(command, learn.config);
  command->add_option("-i,--input", learn.input, kJsonLinesHelp)->type_name("FILE")->required();
  AddSampleFlags(command, learn);
  command->add_option("-o,--output", learn.output, "write the model here")
      ->type_name("FILE")
      ->required();
  line.Renamed(command, "--sample", "--input");
  line.Runs(command, [arguments] { return LearnCommand(*arguments); });
}

}  // namespace neardup
