// The command line: one function for each command declares its options and fills its arguments
// (commands.h).
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <exception>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/nearest_name.h"
#include "commands/commands.h"
#include "config/documents.h"
#include "config/json_schema.h"
#include "kafka/client.h"
#include "process/exit_code.h"
#include "program/command_help.h"
#include "program/command_tree.h"
#include "program/completion.h"
#include "program/manual_page.h"
#include "run/version.h"
#include "verify/audit.h"
#include "verify/topic_audit.h"

namespace neardup {
namespace {

using Command = std::function<int()>;

/// Accepts only the texts of numbers of type T from min to max. Without it, CLI11 would take -1 for
/// the largest unsigned number.
template <class T>
CLI::Validator NumberCheck(T min, T max, const std::string& expected) {
  return {[min, max, expected](std::string& text) -> std::string {
            T number{};
            const char* end = text.data() + text.size();
            const auto [stop, problem] = std::from_chars(text.data(), end, number);
            const bool read = problem == std::errc() && stop == end;
            if (read && number >= min && number <= max) return "";
            return fmt::format("found {}, expected {}", text, expected);
          },
          ""};
}

/// An option that takes a whole number from a range, which its help shows before the note.
template <class T>
CLI::Option* AddNumber(CLI::App* command, const char* name, T& value, Range<T> range,
                       const char* help, const char* note = "") {
  return command
      ->add_option(name, value, fmt::format("{}, {} to {}{}", help, range.min, range.max, note))
      ->type_name("N")
      ->check(NumberCheck(range.min, range.max,
                          fmt::format("a whole number from {} to {}", range.min, range.max)));
}

/// An option that takes any seed.
CLI::Option* AddSeed(CLI::App* command, const char* name, uint64_t& seed, const char* help) {
  constexpr uint64_t kMax = std::numeric_limits<uint64_t>::max();
  return command->add_option(name, seed, fmt::format("{}, 0 or more", help))
      ->type_name("N")
      ->capture_default_str()
      ->check(NumberCheck<uint64_t>(0, kMax, fmt::format("a whole number from 0 to {}", kMax)));
}

constexpr char kJsonLinesHelp[] =
    "read JSON Lines from this file, also .gz and .zst; - is standard input";

/// An option that is short for one --set. `list`: the value is the items of a list.
void AddShortForm(CLI::App* command, ConfigArguments& config, const std::string& option,
                  const std::string& path, bool list) {
  command
      ->add_option_function<std::string>(
          option,
          [&config, path, list](const std::string& value) {
            config.sets.push_back(path + "=" + (list ? "[" + value + "]" : value));
          },
          "short for --set " + path + (list ? "=[LIST]" : "=VALUE"))
      ->type_name(list ? "LIST" : "VALUE");
}

void AddConfigFile(CLI::App* command, ConfigArguments& config) {
  command
      ->add_option("-c,--config", config.file,
                   "read settings from this YAML file; `neardup config example` prints one")
      ->type_name("FILE");
  command
      ->add_option("--set", config.sets,
                   "override one setting, such as --set window.window_ms=1h; repeatable")
      ->type_name("PATH=VALUE")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->allow_extra_args(false);
}

void AddConfig(CLI::App* command, ConfigArguments& config) {
  AddConfigFile(command, config);
  CLI::Option* fields =
      command->add_option("--fields", config.fields, "short for --set record.fields=[LIST]")
          ->type_name("LIST");
  command
      ->add_option("--keys", config.keys,
                   "add key fields to --fields: duplicates must be equal in all of them")
      ->type_name("FIELD")
      ->delimiter(',')
      ->needs(fields);
}

void AddKafka(CLI::App* command, ConfigArguments& config) {
  AddShortForm(command, config, "--brokers", "kafka.brokers", false);
  AddShortForm(command, config, "--input", "input.topics", true);
  AddShortForm(command, config, "--app", "app", false);
}

void AddRun(CLI::App& app, ConfigArguments& config, Command& chosen) {
  CLI::App* command = app.add_subcommand(
      "run", "run the service: route the records of Kafka topics until SIGTERM or SIGINT");
  AddConfig(command, config);
  AddKafka(command, config);
  AddShortForm(command, config, "--state-dir", "state.dir", false);
  AddShortForm(command, config, "--metrics-port", "metrics.port", false);
  command->callback([&] { chosen = [&] { return RunCommand(config); }; });
}

void AddFilter(CLI::App& app, FilterArguments& filter, Command& chosen) {
  CLI::App* command =
      app.add_subcommand("filter", "route the records of a file as `run` does, without Kafka");
  AddConfig(command, filter.config);
  command->add_option("-i,--input", filter.input, kJsonLinesHelp)->type_name("FILE")->required();
  const auto add_output = [&](const char* option, std::string& path, const char* help) {
    command
        ->add_option(option, path, fmt::format("{}; - is standard output, .gz is compressed", help))
        ->type_name("FILE");
  };
  add_output("--unique", filter.outputs.unique, "write unique lines here");
  add_output("--duplicate", filter.outputs.duplicate, "write duplicate lines here");
  add_output("--dead-letter", filter.outputs.dead_letter,
             "write lines that cannot be compared here");
  add_output("--verdicts", filter.outputs.verdicts,
             "write id, verdict, original id, distance and kind here, separated by tabs");
  add_output("--pairs", filter.outputs.pairs,
             "write each duplicate beside its original here, as a line of JSON; holds the unique "
             "records in memory");
  add_output("--groups", filter.outputs.groups,
             "write each group of duplicates here, original first, as a line of JSON with their "
             "ids; holds the ids in memory");
  AddShortForm(command, filter.config, "--keep", "routing.keep", false);
  CLI::Option* lanes =
      AddNumber(command, "--lanes", filter.outputs.lanes, {2, 64},
                "say which share of the duplicates so many lanes would miss (lanes.count)");
  lanes->needs(command
                   ->add_option("--lanes-field", filter.outputs.lanes_field,
                                "the field that is, or will be, the key of the records")
                   ->type_name("FIELD")
                   ->needs(lanes));
  command->add_flag("--line-mode", filter.outputs.line_mode,
                    "write one verdict at once for each line that is read, on standard output "
                    "unless --verdicts names a file, and without a header line");
  command
      ->add_option(
          "--id-field", filter.id_field,
          "field that identifies a record in verdicts, pairs and groups (default: the line "
          "number)")
      ->type_name("FIELD");
  command->add_flag("--json", filter.json,
                    "print the summary as one JSON object, on standard error");
  command->callback([&] { chosen = [&] { return FilterCommand(filter); }; });
}

/// Size of a sample, hash seed, permission to overwrite.
template <class Arguments>
void AddSampleFlags(CLI::App* command, Arguments& arguments) {
  AddNumber(command, "--records", arguments.records, {1, 100'000}, "read at most N records")
      ->capture_default_str();
  AddSeed(command, "--hash-seed", arguments.hash_seed,
          "seed of the fingerprints; another seed gives other, equally good ones");
  command->add_flag("--force", arguments.force, "overwrite existing output files");
}

void AddLearn(CLI::App& app, LearnArguments& learn, Command& chosen) {
  CLI::App* command = app.add_subcommand(
      "learn", "learn a model from a sample of a stream, for the setting feature.model");
  AddConfig(command, learn.config);
  command->add_option("--sample", learn.sample, kJsonLinesHelp)->type_name("FILE")->required();
  AddSampleFlags(command, learn);
  command->add_option("-o,--output", learn.output, "write the model here")
      ->type_name("FILE")
      ->required();
  command->callback([&] { chosen = [&] { return LearnCommand(learn); }; });
}

void AddTune(CLI::App& app, TuneArguments& tune, Command& chosen) {
  CLI::App* command = app.add_subcommand(
      "tune", "propose a configuration from a sample of a stream, with a report that explains it");
  AddConfig(command, tune.config);
  AddShortForm(command, tune.config, "--brokers", "kafka.brokers", false);
  command->add_option("--sample", tune.sample, kJsonLinesHelp)->type_name("FILE");
  command->add_option("--topic", tune.topic, "read the sample from this Kafka topic instead")
      ->type_name("TOPIC");
  command->add_flag("--latest", tune.latest,
                    "read the newest records of the topic, and not some of its whole length");
  AddNumber(
      command, "--window", tune.window_entries, WindowOptions::kEntriesMaxRange,
      "unique records that the window will hold",
      " (default: 1000000, or fewer if chance matches in a larger window would hide the copies)");
  AddSampleFlags(command, tune);
  command
      ->add_option("--report", tune.report, "write the HTML report here (default: beside --output)")
      ->type_name("FILE");
  command
      ->add_option("--labels", tune.labels,
                   "pairs that you have marked, as for `neardup test`: fields, keys and distance "
                   "are chosen so that most of them come out right")
      ->type_name("FILE");
  command->add_flag("--json", tune.json, "print the findings as one JSON object");
  command->add_option("-o,--output", tune.output, "write the configuration here")
      ->type_name("FILE");
  command
      ->add_option(
          "--compare", tune.compare,
          "write nothing; say whether this configuration still fits, by default the newest "
          "records of its input topics")
      ->type_name("FILE");
  command->callback([&] { chosen = [&] { return TuneCommand(tune); }; });
}

void AddEvaluate(CLI::App& app, EvaluateArguments& evaluate, Command& chosen) {
  CLI::App* command = app.add_subcommand(
      "evaluate", "measure precision, recall and speed of schemes on labelled records");
  AddConfig(command, evaluate.config);
  command
      ->add_option("--data", evaluate.data,
                   "read a folder with records.jsonl.gz (or records.jsonl), labels.tsv and, "
                   "optionally, set.json; repeatable")
      ->type_name("FOLDER");
  command
      ->add_option("--records", evaluate.records,
                   "read records from this file, with or without --data: JSON Lines in stream "
                   "order, also .gz")
      ->type_name("FILE");
  command
      ->add_option("--labels", evaluate.labels,
                   "labels of --records: tab-separated columns id, cluster and kind")
      ->type_name("FILE");
  command
      ->add_option("--id-field", evaluate.id_field, "field that identifies a record in the labels")
      ->type_name("FIELD")
      ->capture_default_str();
  command
      ->add_option("--scheme", evaluate.schemes,
                   "schemes to measure: neardup (the filter), others with or without parameters "
                   "(minhash, minhash:similarity_min=0.8), or all")
      ->type_name("SCHEME")
      ->delimiter(',')
      ->default_str("neardup");
  command->add_flag("--json", evaluate.json, "print the report as one JSON object");
  command->add_option("--html", evaluate.html, "also write the report as an HTML page with charts")
      ->type_name("FILE");
  command->callback([&] { chosen = [&] { return EvaluateCommand(evaluate); }; });
}

void AddExplain(CLI::App& app, ExplainArguments& explain, Command& chosen) {
  CLI::App* command = app.add_subcommand(
      "explain", "say why a record repeats another one or does not, and what would change that");
  command
      ->add_option("RECORD", explain.records,
                   "the earlier and the later record, each a file with one record, FILE:LINE of "
                   "JSON Lines, - for a line of standard input, or TOPIC/PARTITION/OFFSET; or one "
                   "position in a duplicate topic, whose header names the original")
      ->type_name("")
      ->expected(1, 2)
      ->required();
  AddConfig(command, explain.config);
  AddShortForm(command, explain.config, "--brokers", "kafka.brokers", false);
  command->add_flag("--json", explain.json, "print one JSON object");
  command
      ->add_option("--html", explain.html,
                   "also write the explanation as an HTML page; - is standard output, in place of "
                   "the text")
      ->type_name("FILE");
  command->callback([&] { chosen = [&] { return ExplainCommand(explain); }; });
}

void AddTest(CLI::App& app, TestArguments& test, Command& chosen) {
  CLI::App* command = app.add_subcommand(
      "test", "decide pairs of records, and compare the verdicts with the expected ones");
  command
      ->add_option("CASES", test.cases,
                   "JSON Lines: {\"a\": record, \"b\": later record, \"expect\": unique, "
                   "duplicate, exact, near or dead-letter, \"name\": text}")
      ->type_name("")
      ->required();
  AddConfig(command, test.config);
  command->add_flag("--json", test.json, "print one JSON object");
  command->callback([&] { chosen = [&] { return TestCommand(test); }; });
}

void AddGenerate(CLI::App& app, GenerateArguments& generate, Command& chosen) {
  CLI::App* command = app.add_subcommand(
      "generate", "plant edited copies in your records, and write the labels for `evaluate`");
  command->add_option("-i,--input", generate.input, kJsonLinesHelp)->type_name("FILE")->required();
  command->add_option("--fields", generate.fields, "fields that are compared, and so edited")
      ->type_name("FIELD")
      ->delimiter(',')
      ->required();
  command
      ->add_option("-o,--output", generate.output,
                   "write records and copies here; .gz is compressed")
      ->type_name("FILE")
      ->required();
  command->add_option("--labels", generate.labels, "write the labels here")
      ->type_name("FILE")
      ->required();
  command
      ->add_option("--id-field", generate.id_field,
                   "field that identifies a record; added to records without it")
      ->type_name("FIELD")
      ->capture_default_str();
  command
      ->add_option("--copies", generate.copies,
                   "number of copies, or their share of the records: 500, 0.2 or 20%")
      ->type_name("N")
      ->capture_default_str();
  command
      ->add_option("--kinds", generate.kinds,
                   "kinds of copies: exact, reordered, inserted, deleted, replaced, field-change, "
                   "sentence-drop, format (default: all except format)")
      ->type_name("KIND")
      ->delimiter(',');
  command
      ->add_option("--strength", generate.strengths,
                   "shares of the words that are inserted, deleted or replaced, 0.01 to 1")
      ->type_name("SHARE")
      ->delimiter(',')
      ->capture_default_str()
      ->check(NumberCheck(std::numeric_limits<double>::lowest(), std::numeric_limits<double>::max(),
                          "a number from 0.01 to 1"));
  AddSeed(command, "--seed", generate.seed, "seed of the copies; another seed makes other copies");
  command->callback([&] { chosen = [&] { return GenerateCommand(generate); }; });
}

void AddDemo(CLI::App& app, DemoArguments& demo, Command& chosen) {
  CLI::App* command =
      app.add_subcommand("demo", "run the service on an embedded broker and a synthetic stream");
  AddNumber(command, "--records", demo.records, {100, 40'000}, "records of the stream")
      ->capture_default_str();
  AddNumber(command, "--distance-max", demo.distance_max, MatchOptions::kDistanceMaxRange,
            "largest distance between duplicates, in bits")
      ->capture_default_str();
  AddSeed(command, "--seed", demo.seed, "seed of the stream; another seed makes another stream");
  command->callback([&] { chosen = [&] { return DemoCommand(demo); }; });
}

void AddReport(CLI::App& app, ReportArguments& report, Command& chosen) {
  CLI::App* command = app.add_subcommand(
      "report",
      "count the verdicts in the output topics, and show pairs that were just near enough");
  AddConfig(command, report.config);
  AddKafka(command, report.config);
  command
      ->add_option("--since", report.since,
                   "read only outputs from this time on: a time, or how long ago, such as 2h or 7d")
      ->type_name("DURATION|TIME");
  command
      ->add_option("--examples", report.examples, "closest calls, and most copied records, to show")
      ->type_name("N")
      ->check(CLI::Range(0, 1000))
      ->capture_default_str();
  command->add_flag("--quiet", report.quiet, "show no progress");
  command->add_flag("--json", report.json, "print one JSON object, and show no progress");
  command->callback([&] { chosen = [&] { return ReportCommand(report); }; });
}

void AddVerify(CLI::App& app, VerifyArguments& verify, Command& chosen) {
  CLI::App* command =
      app.add_subcommand("verify", "check the guarantees of a pipeline on its topics");
  command->footer(fmt::format(
      "The service may be running: records that it has not decided yet are pending.\nNeeds up to "
      "{} bytes of memory for each input record, and 130 MiB.\nTIME is 2026-01-31 or "
      "2026-01-31T12:00:00Z.",
      kAuditBytesPerRecord));
  AddConfig(command, verify.config);
  AddKafka(command, verify.config);
  const auto add_end = [&](const char* option, std::vector<std::string>& ends, const char* help) {
    command->add_option(option, ends, help)
        ->type_name("TIME|TOPIC/PARTITION/OFFSET")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
        ->allow_extra_args(false);
  };
  add_end("--from", verify.range.from,
          "check only input records from this time on, or from this offset on; with offsets, only "
          "the partitions that are named; repeatable");
  add_end("--to", verify.range.to,
          "check only input records before this time or offset; repeatable");
  command
      ->add_option("--since", verify.range.since,
                   "short for --from: a time, or how long ago, such as 2h or 7d")
      ->type_name("DURATION|TIME");
  command
      ->add_option("--memory-max", verify.memory_max,
                   fmt::format("refuse to start if more memory than this may be needed (default: "
                               "{} GiB)",
                               kAuditMemoryMax >> 30))
      ->type_name("SIZE");
  command->add_flag("--quiet", verify.quiet, "show no progress");
  command->add_flag("--json", verify.json,
                    "print the outcome as one JSON object, and show no progress");
  command->callback([&] { chosen = [&] { return VerifyCommand(verify); }; });
}

CLI::Option* AddExecute(CLI::App* command, bool& execute) {
  return command->add_flag("--execute", execute,
                           "make the change; without this flag, only print what would change");
}

void AddRepair(CLI::App& app, ReplayArguments& replay, ResetArguments& reset,
               ReindexArguments& reindex, Command& chosen) {
  CLI::App* command =
      app.add_subcommand("replay", "send dead letters back to their input topics, exactly once");
  AddConfig(command, replay.config);
  AddKafka(command, replay.config);
  command->add_option("--dead-letter", replay.topic, "read dead letters from this topic")
      ->type_name("TOPIC")
      ->required();
  command
      ->add_option("--reason", replay.reasons,
                   "only those with this reason; the others stay for a later replay")
      ->type_name("REASON")
      ->delimiter(',');
  AddExecute(command, replay.execute);
  command->callback([&] { chosen = [&] { return ReplayCommand(replay); }; });

  command = app.add_subcommand(
      "reset", "move the inputs of a stopped service to other offsets, or forget all it knows");
  AddConfig(command, reset.config);
  AddShortForm(command, reset.config, "--brokers", "kafka.brokers", false);
  AddShortForm(command, reset.config, "--app", "app", false);
  AddShortForm(command, reset.config, "--state-dir", "state.dir", false);
  AddShortForm(command, reset.config, "--metrics-port", "metrics.port", false);
  CLI::Option* inputs =
      command
          ->add_option("--input", reset.inputs,
                       "move this input partition; repeatable. With --all: the input topics, as "
                       "for `run`")
          ->type_name("TOPIC/PARTITION");
  CLI::Option* targets =
      command
          ->add_option("--to", reset.targets,
                       "to this offset: earliest, latest or a number; once for each --input")
          ->type_name("OFFSET");
  targets->needs(inputs);
  command
      ->add_flag("--all", reset.all,
                 "delete the changelog, the lease topic, the group offsets and the snapshots, so "
                 "that the next start is a first start")
      ->excludes(targets);
  AddExecute(command, reset.execute);
  command->callback([&, inputs, targets] {
    if (!reset.all && *inputs && !*targets) throw CLI::RequiresError("--input", "--to");
    chosen = [&] { return ResetCommand(reset); };
  });

  command = app.add_subcommand("reindex",
                               "rebuild the index of a stopped service, for other fields, "
                               "features or another model, from its unique topics");
  AddConfig(command, reindex.config);
  AddKafka(command, reindex.config);
  AddExecute(command, reindex.execute);
  command->callback([&] { chosen = [&] { return ReindexCommand(reindex); }; });
}

void AddImport(CLI::App& app, ImportArguments& import, Command& chosen) {
  CLI::App* command = app.add_subcommand(
      "import", "give a service that has never run what neardup.spark found in its history");
  AddConfig(command, import.config);
  AddKafka(command, import.config);
  command->add_option("--from", import.from, "the work_dir of neardup.spark.deduplicate")
      ->type_name("FOLDER")
      ->required();
  command
      ->add_option("--start", import.start,
                   "where partitions begin of which the history holds no record")
      ->type_name("earliest|latest")
      ->check(CLI::IsMember({"earliest", "latest"}));
  command->add_flag("--accept-gap", import.accept_gap,
                    "go on although a topic no longer holds the records after the history");
  AddExecute(command, import.execute);
  command->callback([&] { chosen = [&] { return ImportCommand(import); }; });
}

void AddLanes(CLI::App& app, LanesArguments& lanes, Command& chosen) {
  CLI::App* group = app.add_subcommand("lanes", "change the number of lanes");
  group->require_subcommand(1);
  CLI::App* command = group->add_subcommand(
      "migrate",
      "give the entries of all lanes, which must be stopped, to another number of lanes");
  AddConfig(command, lanes.config);
  AddKafka(command, lanes.config);
  AddNumber(command, "--to", lanes.to, {1, 64}, "how many lanes there will be")->required();
  AddExecute(command, lanes.execute);
  command->callback([&] { chosen = [&] { return LanesCommand(lanes); }; });
}

void AddConfigCommands(CLI::App& app, ConfigArguments& config, bool& online, bool& in_force,
                       ShowOptions& shown, Command& chosen) {
  CLI::App* validate =
      app.add_subcommand("validate", "check a configuration, by default without a broker");
  AddConfig(validate, config);
  AddKafka(validate, config);
  validate->add_flag("--online", online,
                     "also check brokers, login, topics and rights; changes nothing there");
  validate->callback([&] { chosen = [&] { return ValidateCommand(config, online); }; });

  CLI::App* group = app.add_subcommand("config", "print configuration");
  group->require_subcommand(1);
  CLI::App* show =
      group->add_subcommand("show", "print every setting in force, and what takes memory");
  AddConfig(show, config);
  AddKafka(show, config);
  show->add_flag("--origin", shown.with_sources, "show where each value comes from");
  show->add_flag("--json", shown.json, "print one JSON object");
  show->add_flag("--in-force", in_force,
                 "also ask the brokers for what the lane learned (match.mode: auto)");
  AddNumber(show, "--partitions", shown.partitions, {1, 1'000'000},
            "input partitions that the memory is computed for")
      ->capture_default_str();
  show->callback([&] { chosen = [&] { return ShowCommand(config, shown, in_force); }; });
  const auto add_text = [&](const char* name, const char* help, std::string (*text)()) {
    group->add_subcommand(name, help)->callback([&chosen, text] {
      chosen = [text] {
        std::fputs(text().c_str(), stdout);
        return static_cast<int>(kExitOk);
      };
    });
  };
  add_text("schema", "print the JSON Schema of the configuration file", &ConfigSchema);
  add_text("example", "print a complete file with comments and the defaults", &ConfigExample);
  add_text("reference", "print all settings as Markdown tables", &ConfigReference);
}

void AddSnapshot(CLI::App& app, SnapshotArguments& snapshot, RestoredArguments& restored,
                 Command& chosen) {
  CLI::App* group = app.add_subcommand("snapshot", "inspect the snapshots of an instance");
  group->require_subcommand(1);
  const auto add = [&](const char* name, const char* help, bool verify) {
    CLI::App* command = group->add_subcommand(name, help);
    command->add_option("--state-dir", snapshot.state_dir, "the state.dir of the instance")
        ->type_name("FOLDER")
        ->required();
    command->add_flag("--json", snapshot.json, "print one JSON object");
    command->callback([&, verify] {
      snapshot.verify = verify;
      chosen = [&] { return SnapshotCommand(snapshot); };
    });
  };
  add("inspect", "print manifests and segments", false);
  add("verify", "print the same, and check every byte and every delta", true);

  const auto add_restored = [&](const char* name, const char* help,
                                int (*run)(const RestoredArguments&)) {
    CLI::App* command = group->add_subcommand(name, help);
    AddConfig(command, restored.config);
    AddShortForm(command, restored.config, "--state-dir", "state.dir", false);
    command->add_flag("--json", restored.json, "print one JSON object");
    command->callback([&, run] { chosen = [&restored, run] { return run(restored); }; });
    return command;
  };
  add_restored("index", "restore the newest snapshot, and print how full its index is",
               &SnapshotIndexCommand);
  add_restored("find", "list the remembered records that a record repeats, the best match first",
               &SnapshotFindCommand)
      ->add_option("--record", restored.record,
                   "read the JSON payload of one record from this file")
      ->type_name("FILE")
      ->required();
}

void AddHealthcheck(CLI::App& app, HealthcheckArguments& healthcheck, Command& chosen) {
  CLI::App* command =
      app.add_subcommand("healthcheck", "ask a running instance whether it is ready");
  AddConfigFile(command, healthcheck.config);
  AddShortForm(command, healthcheck.config, "--metrics-port", "metrics.port", false);
  command
      ->add_option("--url", healthcheck.url,
                   "ask this address (default: metrics.host and metrics.port of the "
                   "configuration, http://127.0.0.1:9404/readyz without one)")
      ->type_name("URL")
      ->excludes("--config");
  command->callback([&] { chosen = [&] { return HealthcheckCommand(healthcheck); }; });
}

std::string VersionText() {
  return fmt::format("neardup {} ({}, {}), {}", kVersion, kRevision, kCompiler,
                     ClientLibraryName());
}

void AddVersion(CLI::App& app, Command& chosen) {
  const std::string help = "print the versions of neardup and of the Kafka library";
  app.set_version_flag("--version", VersionText, help);
  app.add_subcommand("version", help)->callback([&] {
    chosen = [] {
      fmt::print("{}\n", VersionText());
      return static_cast<int>(kExitOk);
    };
  });
}

/// The command that the words named, as deep as they named one, and how to call it.
struct NamedCommand {
  const CLI::App* command;
  std::string name;  ///< such as "neardup config show"
};

NamedCommand CommandIn(const CLI::App& app) {
  NamedCommand named{&app, "neardup"};
  while (!named.command->get_subcommands().empty()) {
    named.command = named.command->get_subcommands().front();
    named.name += " " + named.command->get_name();
  }
  return named;
}

/// The names of a command's options, such as --input.
std::vector<std::string> OptionNames(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

std::vector<std::string> CommandNames(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::App* each : command.get_subcommands({})) names.push_back(each->get_name());
  return names;
}

/// About a word that is neither an option nor a command.
std::string UnknownWordText(const NamedCommand& named, const std::string& word) {
  const bool takes_commands = named.command->get_require_subcommand_min() > 0;
  if (!word.starts_with('-')) {
    if (!takes_commands) {
      return fmt::format("{}: found an extra word; see `{} --help`", word, named.name);
    }
    if (const auto meant = NearestName(word, CommandNames(*named.command))) {
      return fmt::format("{}: unknown command; did you mean `{} {}`?", word, named.name, *meant);
    }
    return fmt::format("{}: unknown command; `{} --help` lists all commands", word, named.name);
  }
  const std::string name = word.substr(0, word.find('='));
  if (const auto meant = NearestName(name, OptionNames(*named.command))) {
    return fmt::format("{}: unknown option; did you mean {}?", name, *meant);
  }
  return fmt::format("{}: unknown option; see `{} --help`", name, named.name);
}

OptionNode NodeOf(const CLI::Option& option) {
  OptionNode node;
  for (const std::string& name : option.get_snames()) node.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) node.names.push_back("--" + name);
  if (option.get_items_expected_max() > 0) node.value = option.get_type_name();
  node.help = option.get_description();
  node.required = option.get_required();
  return node;
}

/// The command as data. Its options are in the order of its help.
CommandNode TreeOf(const CLI::App& command, const std::string& name) {
  CommandNode node{name, command.get_description(), "", {}, {}};
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_positional()) {
      node.words = option->get_name(true);
    } else {
      node.options.push_back(NodeOf(*option));
    }
  }
  for (const CLI::App* each : command.get_subcommands({})) {
    node.commands.push_back(TreeOf(*each, name + " " + each->get_name()));
  }
  return node;
}

void AddFooters(CLI::App& command, const std::string& name) {
  const std::string footer = HelpFooter(name);
  if (!footer.empty()) {
    const std::string before = command.get_footer();
    command.footer(before.empty() ? footer : before + "\n\n" + footer);
  }
  for (CLI::App* each : command.get_subcommands({})) {
    AddFooters(*each, name + " " + each->get_name());
  }
}

/// Commands that print what is made of all commands.
void AddDocuments(CLI::App& app, std::string& shell, Command& chosen) {
  CLI::App* completion =
      app.add_subcommand("completion", "print a script that completes command lines in a shell");
  const std::vector<std::string> shells = CompletedShells();
  completion->add_option("SHELL", shell, fmt::format("the shell: {}", fmt::join(shells, ", ")))
      ->type_name("")
      ->required()
      ->check(CLI::Validator(
          [shells](const std::string& text) {
            const bool known = std::find(shells.begin(), shells.end(), text) != shells.end();
            return known ? "" : fmt::format("found {}, expected {}", text, fmt::join(shells, ", "));
          },
          ""));
  completion->callback([&] {
    chosen = [&] {
      fmt::print("{}", Completion(shell, TreeOf(app, "neardup")));
      return static_cast<int>(kExitOk);
    };
  });
  app.add_subcommand("manual", "print the manual page, for man")->callback([&] {
    chosen = [&] {
      fmt::print("{}", ManualPage(TreeOf(app, "neardup")));
      return static_cast<int>(kExitOk);
    };
  });
}

void AddHelp(CLI::App& app, std::vector<std::string>& words, Command& chosen) {
  CLI::App* command = app.add_subcommand("help", "print the help of a command");
  command->add_option("COMMAND", words, "the command, such as: config show");
  command->callback([&] {
    chosen = [&app, words] {
      NamedCommand named{&app, "neardup"};
      for (const std::string& word : words) {
        const auto of_name = [&](const CLI::App* each) { return each->get_name() == word; };
        const std::vector<const CLI::App*> found = named.command->get_subcommands(of_name);
        if (found.empty()) {
          fmt::print(stderr, "neardup: {}\n", UnknownWordText(named, word));
          return static_cast<int>(kExitUsage);
        }
        named = {found.front(), named.name + " " + word};
      }
      std::vector<std::string> reversed(words.rbegin(), words.rend());
      reversed.insert(reversed.begin(), "--help");
      app.parse(reversed);  // throws the help, as for the option --help
      return static_cast<int>(kExitInternal);
    };
  });
}

/// Says what is wrong with the command line. CLI11 complains about missing words before it
/// complains about unknown ones, although these are usually the reason.
std::string UsageText(const CLI::App& app, const CLI::ParseError& error) {
  const NamedCommand named = CommandIn(app);
  std::vector<std::string> unknown = named.command->remaining();
  if (unknown.empty()) unknown = app.remaining(true);
  if (!unknown.empty()) return UnknownWordText(named, unknown.front());
  std::string text = error.what();
  const std::string option = text.substr(0, text.find(':'));
  if (named.command->get_require_subcommand_min() > 0) {
    return fmt::format("found no command; `{} --help` lists all commands", named.name);
  }
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) {
    if (text.ends_with(" missing")) {
      text = fmt::format("{}: found no value, expected one", option);
    } else if (text.find(": At Most 1 ") != std::string::npos) {
      text = fmt::format("{}: found more than one value, expected one", option);
    } else if (text.find(": At Most 2 ") != std::string::npos) {
      text = fmt::format("{}: found more than two values, expected one or two", option);
    }
  }
  return fmt::format("{}; see `{} --help`", text, named.name);
}

int Main(int count, char** words) {
  CLI::App app(
      "neardup: separates near-duplicate records from unique ones in Kafka streams, exactly once");
  app.require_subcommand(1);
  app.failure_message(CLI::FailureMessage::help);
  ConfigArguments config;
  FilterArguments filter;
  LearnArguments learn;
  TuneArguments tune;
  EvaluateArguments evaluate;
  ExplainArguments explain;
  TestArguments test;
  GenerateArguments generate;
  DemoArguments demo;
  ReportArguments report;
  VerifyArguments verify;
  ReplayArguments replay;
  ResetArguments reset;
  ReindexArguments reindex;
  ImportArguments import;
  LanesArguments lanes;
  SnapshotArguments snapshot;
  RestoredArguments restored;
  bool online = false;
  bool in_force = false;
  ShowOptions shown;
  std::vector<std::string> help_words;
  HealthcheckArguments healthcheck;
  std::string shell;
  Command chosen;
  AddRun(app, config, chosen);
  AddFilter(app, filter, chosen);
  AddLearn(app, learn, chosen);
  AddTune(app, tune, chosen);
  AddEvaluate(app, evaluate, chosen);
  AddExplain(app, explain, chosen);
  AddTest(app, test, chosen);
  AddGenerate(app, generate, chosen);
  AddDemo(app, demo, chosen);
  AddReport(app, report, chosen);
  AddVerify(app, verify, chosen);
  AddRepair(app, replay, reset, reindex, chosen);
  AddImport(app, import, chosen);
  AddLanes(app, lanes, chosen);
  AddSnapshot(app, snapshot, restored, chosen);
  AddConfigCommands(app, config, online, in_force, shown, chosen);
  AddHealthcheck(app, healthcheck, chosen);
  AddVersion(app, chosen);
  AddDocuments(app, shell, chosen);
  AddHelp(app, help_words, chosen);
  AddFooters(app, "neardup");
  try {
    app.parse(count, words);
    return chosen();
  } catch (const CLI::Success& success) {
    return app.exit(success);
  } catch (const CLI::ParseError& error) {
    fmt::print(stderr, "neardup: {}\n", UsageText(app, error));
    return kExitUsage;
  }
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
