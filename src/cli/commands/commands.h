// Every command of the program: what its command line sets, and the function that runs it. main.cc
// turns words into these structs; NAME_command.cc implements each function. All of them print for
// people, on standard output or standard error, and return an exit code (exit_code.h).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/config.h"
#include "config/config_arguments.h"
#include "config/documents.h"
#include "files/file_identity.h"
#include "files/file_transaction.h"
#include "kafka/kafka_options.h"
#include "neardup/options.h"
#include "neardup/result.h"
#include "verify/input_range.h"

namespace neardup {

// The configuration, and what several commands share.

/// The files that Load read: the configuration, and the model that it names.
std::vector<NamedFile> FilesRead(const ConfigArguments& arguments, const LoadedConfig& config);

/// Prints the error on standard error and returns its exit code.
int Fail(const Error& error);

/// A log of librdkafka that prints errors on standard error, and nothing else.
KafkaLog PrintKafkaErrors();

/// Becomes true with the first SIGTERM or SIGINT after this call. A second signal ends the process
/// at once. For the service and the demo; commands over files use stop_signals.h.
const std::atomic<bool>& CatchStopSignals();

/// `neardup validate`: checks the configuration, librdkafka properties included, without a broker.
/// `online`: also checks brokers, login, topics and rights, without any change.
int ValidateCommand(const ConfigArguments& arguments, bool online);

/// `neardup config show`: prints every setting with its value, and what takes memory. `in_force`:
/// also reads from the brokers what the lane learned.
int ShowCommand(const ConfigArguments& arguments, ShowOptions options, bool in_force);

// Route records.

/// `neardup run`: the service. Runs until SIGTERM or SIGINT.
int RunCommand(const ConfigArguments& arguments);

struct HealthcheckArguments {
  /// Of the instance: names its metrics.host and metrics.port. Only if `url` is empty.
  ConfigArguments config;
  std::string url;  ///< such as http://127.0.0.1:9404/readyz; empty: from the configuration
};

/// `neardup healthcheck`: asks a running instance whether it is well. kExitOk for status 200,
/// kExitNo for another status, kExitUnavailable if nothing answers.
int HealthcheckCommand(const HealthcheckArguments& arguments);

struct FilterArguments {
  ConfigArguments config;
  std::string input;  ///< JSON Lines, also .gz and .zst; - is standard input
  FileOutputs outputs;
  /// Field that names a record in the verdicts; empty: the line number, from 1.
  std::string id_field;
  /// Print the summary as one JSON object.
  bool json = false;
};

/// `neardup filter`: runs the lane of the service over files, without Kafka.
int FilterCommand(const FilterArguments& arguments);

struct DemoArguments {
  size_t records = 20'000;
  uint64_t seed = 1;
  int distance_max = FilterOptions().match.distance_max;
};

/// `neardup demo`: runs the service on a broker inside this process and a synthetic stream; needs
/// nothing installed or running. Prints the duplicates found beside those planted. A stop signal
/// ends it early with kExitOk.
int DemoCommand(const DemoArguments& arguments);

// Choose a configuration.

struct LearnArguments {
  ConfigArguments config;
  std::string sample;  ///< JSON Lines, also .gz and .zst; - is standard input
  std::string output;
  size_t records = 50'000;
  uint64_t hash_seed = 0;
  /// Overwrite the output.
  bool force = false;
};

/// `neardup learn`: learns a model from a sample of a stream and writes it to a file.
int LearnCommand(const LearnArguments& arguments);

struct TuneArguments {
  /// What is decided already: `tune` keeps its fields and its Kafka properties.
  ConfigArguments config;
  std::string sample;  ///< a file; empty: reads `topic`
  std::string topic;
  std::string output;
  std::string compare;          ///< a configuration to compare with, in place of an output
  std::string report;           ///< empty: beside the output
  std::string labels;           ///< a file of ParseVerdictCases; empty: none
  uint64_t window_entries = 0;  ///< 0: `tune` chooses, 1,000,000 at most
  size_t records = 50'000;
  uint64_t hash_seed = 0;
  /// Read the newest records of the topic instead of the oldest.
  bool latest = false;
  /// Print the findings as one JSON object.
  bool json = false;
  /// Overwrite the outputs.
  bool force = false;
};

/// `neardup tune`: proposes a configuration that fits a sample of a stream, with the reasons. With
/// `compare` it writes nothing, and says whether a configuration still fits: kExitNo if it does
/// not.
int TuneCommand(const TuneArguments& arguments);

struct ExplainArguments {
  ConfigArguments config;
  /// Two names of records, the earlier one first, or one name of a duplicate.
  std::vector<std::string> records;
  /// Print one JSON object.
  bool json = false;
  std::string html;  ///< write a page here; empty: none
};

/// `neardup explain`: prints why a record repeats another one or does not, and what would change
/// that. kExitOk if it does, kExitNo if it does not, another code if they cannot be compared.
int ExplainCommand(const ExplainArguments& arguments);

struct TestArguments {
  ConfigArguments config;
  std::string cases;  ///< a file of ParseVerdictCases
  bool json = false;  ///< print one JSON object
};

/// `neardup test`: decides pairs of records, and compares the verdicts with those that a person
/// expects. kExitOk if all are as expected, kExitNo if not.
int TestCommand(const TestArguments& arguments);

// Repair. All of these need a stopped service, except replay, and only count without `execute`.

struct ReplayArguments {
  ConfigArguments config;
  std::string topic;                 ///< of dead letters
  std::vector<std::string> reasons;  ///< empty: all
  bool execute = false;
};

/// `neardup replay`: sends dead letters back to their input topics, exactly once.
int ReplayCommand(const ReplayArguments& arguments);

struct ResetArguments {
  ConfigArguments config;
  std::vector<std::string> inputs;   ///< TOPIC/PARTITION; with `all` topics, as for `run`
  std::vector<std::string> targets;  ///< for each input: earliest, latest or an offset
  bool all = false;                  ///< forget the lane instead
  bool execute = false;
};

/// `neardup reset`: moves inputs to other offsets, or forgets the whole lane.
int ResetCommand(const ResetArguments& arguments);

struct ReindexArguments {
  ConfigArguments config;
  bool execute = false;
};

/// `neardup reindex`: rebuilds the index under new settings, from the unique topics.
int ReindexCommand(const ReindexArguments& arguments);

struct ImportArguments {
  ConfigArguments config;
  std::string from;   ///< the work_dir of a run of neardup.spark
  std::string start;  ///< earliest, latest; empty: not said
  bool accept_gap = false;
  bool execute = false;
};

/// `neardup import`: gives an app that has never run the entries of a history.
int ImportCommand(const ImportArguments& arguments);

struct LanesArguments {
  ConfigArguments config;
  int32_t to = 0;  ///< how many lanes there will be
  bool execute = false;
};

/// `neardup lanes migrate`: gives a stopped app another number of lanes.
int LanesCommand(const LanesArguments& arguments);

// Measure and check.

struct EvaluateArguments {
  ConfigArguments config;
  /// Folders with records.jsonl.gz (or .jsonl), labels.tsv and optionally set.json.
  std::vector<std::string> data;
  /// One labelled set as two files instead.
  std::string records;
  std::string labels;
  /// Field that names a record in the labels.
  std::string id_field = "id";
  /// "all" means every scheme.
  std::vector<std::string> schemes;
  /// Print the report as one JSON object.
  bool json = false;
  std::string html;  ///< write a page here; empty: none
};

/// `neardup evaluate`: measures schemes over labelled streams and prints the report.
int EvaluateCommand(const EvaluateArguments& arguments);

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

/// `neardup generate`: plants edited copies in records and writes the stream and its labels.
int GenerateCommand(const GenerateArguments& arguments);

struct ReportArguments {
  ConfigArguments config;
  std::string since;    ///< a time, or a duration before now; empty: everything
  size_t examples = 5;  ///< closest calls, and most copied records
  bool json = false;    ///< print one JSON object
  bool quiet = false;   ///< show no progress
};

/// `neardup report`: counts the verdicts in the output topics, and shows examples.
int ReportCommand(const ReportArguments& arguments);

struct VerifyArguments {
  ConfigArguments config;
  /// Which part of the inputs to check; all of them if it is empty.
  InputRangeText range;
  /// A size; empty: kAuditMemoryMax.
  std::string memory_max;
  /// Show no progress.
  bool quiet = false;
  /// Print the outcome as one JSON object.
  bool json = false;
};

/// `neardup verify`: checks the guarantees of a lane on its real topics; prints the checks and the
/// first violations. kExitOk when all hold, kExitNo when one is violated, another exit code when
/// the audit could not be made.
int VerifyCommand(const VerifyArguments& arguments);

struct SnapshotArguments {
  /// The state.dir of the instance.
  std::string state_dir;
  /// Read every byte and every delta.
  bool verify = false;
  /// Print one JSON object.
  bool json = false;
};

/// `neardup snapshot`: prints the snapshots of all lanes, newest first. kExitNo when a check finds
/// a damaged one, kExitNoInput when there is none, kExitIo when a lane's folder cannot be listed.
int SnapshotCommand(const SnapshotArguments& arguments);

struct RestoredArguments {
  /// Of the instance; its state.dir holds the snapshots.
  ConfigArguments config;
  /// File with the JSON payload of one record; only for `find`.
  std::string record;
  /// Print one JSON object.
  bool json = false;
};

/// `neardup snapshot index`: restores the newest usable snapshot and prints how full its index is.
/// kExitNoInput if there is no snapshot, kExitConfig if it was written with other settings.
int SnapshotIndexCommand(const RestoredArguments& arguments);

/// `neardup snapshot find`: restores the newest usable snapshot and prints the remembered records
/// that the record in `record` repeats, the best first. Without record.time_field, the event time
/// is the newest of the snapshot. kExitOk if there are any, kExitNo if there is none, kExitIo if
/// the record cannot be compared.
int SnapshotFindCommand(const RestoredArguments& arguments);

}  // namespace neardup
