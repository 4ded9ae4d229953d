// The command line: words to arguments, one function per command.
#include <CLI/CLI.hpp>
#include <exception>
#include <functional>
#include <string>
#include <vector>

#include "app/commands.h"
#include "app/exit_code.h"
#include "app/version.h"
#include "kafka/client.h"

namespace neardup {
namespace {

using Command = std::function<int()>;

template <class T>
CLI::Range RangeCheck(Range<T> range) {
  return CLI::Range(range.min, range.max);
}

/// A flag that is one entry of `sets`; a list when `list`.
void AddShortForm(CLI::App* command, ConfigArguments& config, const std::string& flag,
                  const std::string& path, bool list) {
  command->add_option_function<std::string>(
      flag,
      [&config, path, list](const std::string& value) {
        config.sets.push_back(path + "=" + (list ? "[" + value + "]" : value));
      },
      "--set " + path + (list ? "=[...]" : "=..."));
}

void AddConfig(CLI::App* command, ConfigArguments& config) {
  command->add_option("-c,--config", config.file, "YAML file; `neardup config example` prints one");
  command->add_option("--set", config.sets, "one setting, as --set window.window_ms=1h; repeatable")
      ->allow_extra_args(false);
  CLI::Option* fields = command->add_option("--fields", config.fields, "--set record.fields=[...]");
  command
      ->add_option("--keys", config.keys,
                   "key fields besides --fields: duplicates are equal in all of these")
      ->delimiter(',')
      ->needs(fields);
}

void AddKafka(CLI::App* command, ConfigArguments& config) {
  AddShortForm(command, config, "--brokers", "kafka.brokers", false);
  AddShortForm(command, config, "--input", "input.topics", true);
  AddShortForm(command, config, "--app", "app", false);
}

void AddRun(CLI::App& app, ConfigArguments& config, Command& chosen) {
  CLI::App* command = app.add_subcommand("run", "the service: route the records of Kafka topics");
  AddConfig(command, config);
  AddKafka(command, config);
  AddShortForm(command, config, "--state-dir", "state.dir", false);
  AddShortForm(command, config, "--metrics-port", "metrics.port", false);
  command->callback([&] { chosen = [&] { return RunCommand(config); }; });
}

void AddFilter(CLI::App& app, FilterArguments& filter, Command& chosen) {
  CLI::App* command =
      app.add_subcommand("filter", "the same over a file: JSON Lines in, verdicts out; no Kafka");
  AddConfig(command, filter.config);
  command->add_option("-i,--input", filter.input, "JSON Lines, also .gz; - is standard input")
      ->required();
  command->add_option("--unique", filter.outputs.unique, "write unique lines here; - is stdout");
  command->add_option("--duplicate", filter.outputs.duplicate, "write duplicate lines here");
  command->add_option("--dead-letter", filter.outputs.dead_letter, "write bad lines here");
  command->add_option("--verdicts", filter.outputs.verdicts,
                      "write id, verdict, original id, distance, kind as tab-separated lines");
  command->add_option("--id-field", filter.id_field,
                      "field that names a record in the verdicts (default: the line number)");
  command->add_flag("--json", filter.json, "the summary as one JSON object");
  command->callback([&] { chosen = [&] { return FilterCommand(filter); }; });
}

/// The size of a sample, its hash seed and the leave to overwrite.
template <class Arguments>
void AddSampleFlags(CLI::App* command, Arguments& arguments) {
  command->add_option("--records", arguments.records, "records of the sample: the first so many")
      ->check(CLI::Range(1, 20'000))
      ->capture_default_str();
  command->add_option("--hash-seed", arguments.hash_seed, "another seed, other fingerprints")
      ->capture_default_str();
  command->add_flag("--force", arguments.force, "overwrite what is there already");
}

void AddLearn(CLI::App& app, LearnArguments& learn, Command& chosen) {
  CLI::App* command =
      app.add_subcommand("learn", "a model of a stream from a sample of it, for feature.model");
  AddConfig(command, learn.config);
  command->add_option("--sample", learn.sample, "JSON Lines, also .gz; - is standard input")
      ->required();
  AddSampleFlags(command, learn);
  command->add_option("-o,--output", learn.output, "write the model here")->required();
  command->callback([&] { chosen = [&] { return LearnCommand(learn); }; });
}

void AddTune(CLI::App& app, TuneArguments& tune, Command& chosen) {
  CLI::App* command = app.add_subcommand(
      "tune", "from a sample without labels to a configuration, with a report to judge it by");
  AddConfig(command, tune.config);
  AddShortForm(command, tune.config, "--brokers", "kafka.brokers", false);
  command->add_option("--sample", tune.sample, "JSON Lines, also .gz; - is standard input");
  command->add_option("--topic", tune.topic, "read the sample from this Kafka topic instead");
  command->add_flag("--latest", tune.latest, "the newest records of the topic, not the oldest");
  command
      ->add_option("--window", tune.window_entries,
                   "unique records the window will hold (default: 1000000, or fewer where chance "
                   "matches in so many would hide the copies)")
      ->check(RangeCheck(WindowOptions::kEntriesMaxRange));
  AddSampleFlags(command, tune);
  command->add_option("--report", tune.report, "HTML page (default: beside the output)");
  command->add_flag("--json", tune.json, "print the findings as one JSON object");
  command->add_option("-o,--output", tune.output, "write the configuration here")->required();
  command->callback([&] { chosen = [&] { return TuneCommand(tune); }; });
}

void AddEvaluate(CLI::App& app, EvaluateArguments& evaluate, Command& chosen) {
  CLI::App* command = app.add_subcommand(
      "evaluate", "measure: precision, recall and speed of schemes over labelled records");
  AddConfig(command, evaluate.config);
  command->add_option("--data", evaluate.data,
                      "folder with records.jsonl.gz, labels.tsv and perhaps set.json; repeatable");
  command->add_option("--records", evaluate.records, "JSON Lines, also .gz, in stream order");
  command->add_option("--labels", evaluate.labels,
                      "their labels: tab-separated, with the columns id, cluster and kind");
  command->add_option("--id-field", evaluate.id_field, "field that names a record in the labels")
      ->capture_default_str();
  command
      ->add_option("--scheme", evaluate.schemes,
                   "neardup (the filter), others by name, as minhash or "
                   "minhash:similarity_min=0.8, or all")
      ->delimiter(',')
      ->default_str("neardup");
  command->add_flag("--json", evaluate.json, "the report as one JSON object");
  command->add_option("--html", evaluate.html, "write the report with charts here too");
  command->callback([&] { chosen = [&] { return EvaluateCommand(evaluate); }; });
}

void AddGenerate(CLI::App& app, GenerateArguments& generate, Command& chosen) {
  CLI::App* command = app.add_subcommand(
      "generate", "plant edited copies in your records, with the labels `evaluate` reads");
  command->add_option("-i,--input", generate.input, "JSON Lines, also .gz; - is standard input")
      ->required();
  command->add_option("--fields", generate.fields, "fields that are compared, and so edited")
      ->delimiter(',')
      ->required();
  command->add_option("-o,--output", generate.output, "write records and copies here")->required();
  command->add_option("--labels", generate.labels, "write their labels here")->required();
  command
      ->add_option("--id-field", generate.id_field,
                   "field that names a record; those without it get it")
      ->capture_default_str();
  command->add_option("--copies", generate.copies, "how many, or a share of the records")
      ->capture_default_str();
  command
      ->add_option("--kinds", generate.kinds,
                   "of exact, reordered, inserted, deleted, replaced, field-change, sentence-drop, "
                   "format (default: all except format)")
      ->delimiter(',');
  command
      ->add_option("--strength", generate.strengths,
                   "share of the words that are inserted, deleted or replaced")
      ->delimiter(',')
      ->capture_default_str();
  command->add_option("--seed", generate.seed, "another seed, other copies")->capture_default_str();
  command->callback([&] { chosen = [&] { return GenerateCommand(generate); }; });
}

void AddDemo(CLI::App& app, DemoArguments& demo, Command& chosen) {
  CLI::App* command =
      app.add_subcommand("demo", "embedded broker, made-up stream, the whole lane; needs nothing");
  command->add_option("--records", demo.records, "records of the stream")
      ->check(CLI::Range(100, 40'000))
      ->capture_default_str();
  command->add_option("--distance-max", demo.distance_max, "largest distance of a duplicate")
      ->check(RangeCheck(MatchOptions::kDistanceMaxRange))
      ->capture_default_str();
  command->add_option("--seed", demo.seed, "another seed, another stream")->capture_default_str();
  command->callback([&] { chosen = [&] { return DemoCommand(demo); }; });
}

void AddVerify(CLI::App& app, VerifyArguments& verify, Command& chosen) {
  CLI::App* command =
      app.add_subcommand("verify", "prove the promises on the real topics of a lane");
  AddConfig(command, verify.config);
  AddKafka(command, verify.config);
  command->add_flag("--json", verify.json, "the outcome as one JSON object");
  command->callback([&] { chosen = [&] { return VerifyCommand(verify); }; });
}

void AddConfigCommands(CLI::App& app, ConfigArguments& config, bool& origin, bool& json,
                       Command& chosen) {
  CLI::App* validate = app.add_subcommand("validate", "check a configuration, without a broker");
  AddConfig(validate, config);
  AddKafka(validate, config);
  validate->callback([&] { chosen = [&] { return ValidateCommand(config); }; });

  CLI::App* group = app.add_subcommand("config", "print configuration");
  group->require_subcommand(1);
  CLI::App* show = group->add_subcommand("show", "every setting in force, and the index memory");
  AddConfig(show, config);
  AddKafka(show, config);
  show->add_flag("--origin", origin, "where each value comes from");
  show->add_flag("--json", json, "as one JSON object");
  show->callback([&] { chosen = [&] { return ShowCommand(config, origin, json); }; });
  const auto add_text = [&](const char* name, const char* help, std::string (*text)()) {
    group->add_subcommand(name, help)->callback([&chosen, text] {
      chosen = [text] {
        std::fputs(text().c_str(), stdout);
        return static_cast<int>(kExitOk);
      };
    });
  };
  add_text("schema", "JSON Schema of the file", &ConfigSchema);
  add_text("example", "a complete commented file with the defaults", &ConfigExample);
  add_text("reference", "all settings as Markdown tables", &ConfigReference);
}

void AddSnapshot(CLI::App& app, SnapshotArguments& snapshot, Command& chosen) {
  CLI::App* group = app.add_subcommand("snapshot", "look into the snapshots of an instance");
  group->require_subcommand(1);
  const auto add = [&](const char* name, const char* help, bool verify) {
    CLI::App* command = group->add_subcommand(name, help);
    command->add_option("--state-dir", snapshot.state_dir, "state.dir of the instance")->required();
    command->add_flag("--json", snapshot.json, "as one JSON object");
    command->callback([&, verify] {
      snapshot.verify = verify;
      chosen = [&] { return SnapshotCommand(snapshot); };
    });
  };
  add("inspect", "what they hold", false);
  add("verify", "the same, and whether every byte of them holds", true);
}

void AddHealthcheck(CLI::App& app, std::string& url, Command& chosen) {
  CLI::App* command = app.add_subcommand("healthcheck", "ask a running instance if it is ready");
  command->add_option("--url", url, "what to ask")->capture_default_str();
  command->callback([&] { chosen = [&] { return HealthcheckCommand(url); }; });
}

void AddVersion(CLI::App& app, Command& chosen) {
  app.add_subcommand("version", "version of neardup and of the Kafka library")->callback([&] {
    chosen = [] {
      std::printf("neardup %s (%s, %s), %s\n", kVersion, kRevision, kCompiler,
                  ClientLibraryName().c_str());
      return static_cast<int>(kExitOk);
    };
  });
}

int Main(int count, char** words) {
  CLI::App app("neardup: near-duplicate records out of a Kafka stream, exactly once");
  app.require_subcommand(1);
  app.failure_message(CLI::FailureMessage::help);
  ConfigArguments config;
  FilterArguments filter;
  LearnArguments learn;
  TuneArguments tune;
  EvaluateArguments evaluate;
  GenerateArguments generate;
  DemoArguments demo;
  VerifyArguments verify;
  SnapshotArguments snapshot;
  bool origin = false;
  bool json = false;
  std::string url = "http://127.0.0.1:9404/readyz";
  Command chosen;
  AddRun(app, config, chosen);
  AddFilter(app, filter, chosen);
  AddLearn(app, learn, chosen);
  AddTune(app, tune, chosen);
  AddEvaluate(app, evaluate, chosen);
  AddGenerate(app, generate, chosen);
  AddDemo(app, demo, chosen);
  AddVerify(app, verify, chosen);
  AddSnapshot(app, snapshot, chosen);
  AddConfigCommands(app, config, origin, json, chosen);
  AddHealthcheck(app, url, chosen);
  AddVersion(app, chosen);
  try {
    app.parse(count, words);
  } catch (const CLI::Success& success) {
    return app.exit(success);
  } catch (const CLI::ParseError& error) {
    std::fprintf(stderr, "neardup: %s; `neardup --help` and `neardup COMMAND --help` tell more\n",
                 error.what());
    return kExitUsage;
  }
  return chosen();
}

}  // namespace
}  // namespace neardup

int main(int count, char** words) {
  try {
    return neardup::Main(count, words);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "neardup: internal error: %s\n", error.what());
    return neardup::kExitInternal;
  }
}
