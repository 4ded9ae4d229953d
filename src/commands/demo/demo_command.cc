#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "commands/demo/demo_cluster.h"
#include "commands/demo/demo_report.h"
#include "commands/filter/totals.h"
#include "commands/program/command_line.h"
#include "commands/program/commands.h"
#include "commands/program/message.h"
#include "commands/program/stop_signals.h"
#include "detect/base/quantity.h"
#include "kafka/kafka_options.h"
#include "service/config/settings.h"
#include "service/run/log.h"
#include "service/run/service.h"
#include "stream/files/local_ports.h"

namespace neardup {
namespace {

struct DemoArguments {
  size_t records = 20'000;
  uint64_t seed = 1;
  int distance_max = FilterOptions().match.distance_max;
};

constexpr int kDeadlineMs = 120'000;
/// Short, because the embedded broker never answers a request for the settings of a topic.
constexpr int32_t kAnswerTimeoutMs = 500;
constexpr auto kGlance = std::chrono::milliseconds(20);

constexpr const char* kNextSteps =
    "Next, choose what is compared, from a sample of your records or the one that comes with "
    "neardup\n"
    "(in a package: /usr/share/doc/neardup/examples), and filter a file without Kafka:\n"
    "  neardup tune --input config/examples/articles.jsonl.gz --output articles.yaml\n"
    "  neardup filter --config articles.yaml --input config/examples/articles.jsonl.gz "
    "--unique unique.jsonl\n"
    "Then run the service on a Kafka broker:\n"
    "  neardup run --config articles.yaml --brokers localhost:9092 --topics articles\n";

/// Counts the records that the lane commits, and stops it when all are committed.
class DemoWatch final : public SeesLane<DemoWatch> {
 public:
  explicit DemoWatch(size_t records) : live_(isatty(STDERR_FILENO) == 1), records_(records) {}

  /// Starts the clock here: the time of joining the consumer group is not the speed of the lane.
  void Saw(const event::PhaseChanged& seen) {
    if (seen.phase != LanePhase::kActive || totals_) return;
    totals_.emplace(clock_, live_, records_);
  }
  void Saw(const event::TransactionCommitted& seen) {
    if (!totals_) return;
    totals_->Saw(seen);
    if (totals_->sum().records() >= records_) stop_ = true;
  }
  void Saw(const auto& /*ignored*/) {}

  std::atomic<bool>& stop() { return stop_; }

  // Call the following only after the lane has stopped.
  void Finish() {
    if (totals_) totals_->Finish();
  }
  size_t records() const { return records_; }
  uint64_t committed() const { return totals_ ? totals_->sum().records() : 0; }
  DemoSpeed speed() const {
    return totals_ ? DemoSpeed{totals_->seconds(), totals_->records_per_s()} : DemoSpeed{};
  }

 private:
  const bool live_;
  const uint64_t records_;
  SystemClock clock_;
  std::optional<Totals> totals_;
  std::atomic<bool> stop_ = false;
};

Settings DemoSettings(const DemoArguments& arguments, const KafkaOptions& kafka,
                      std::span<const SyntheticRecord> records) {
  Settings settings;
  settings.kafka = kafka;
  settings.kafka.answer_timeout_ms = kAnswerTimeoutMs;
  settings.http.port = 0;
  settings.log_level = LogLevel::kError;
  FilterOptions& filter = settings.lane.filter;
  filter.record.exclude = kSyntheticFieldsExcluded;
  filter.match.distance_max = arguments.distance_max;
  // Every original stays in the window until its last copy.
  filter.window.window_ms =
      std::max(filter.window.window_ms, records.back().timestamp_ms - records.front().timestamp_ms);
  return settings;
}

/// Runs the service until all records are committed or a stop signal comes.
Result<void> RunLane(const Settings& settings, const std::atomic<bool>& stop_signal,
                     DemoWatch& watch) {
  NEARDUP_ASSIGN(const std::unique_ptr<Service> service, Service::New(settings, {&watch}));
  const Deadline deadline(kDeadlineMs);
  std::future<Result<void>> lane =
      std::async(std::launch::async, [&] { return service->Run(watch.stop()); });
  bool late = false;
  while (lane.wait_for(kGlance) != std::future_status::ready) {
    late = late || deadline.passed();
    if (late || stop_signal) watch.stop() = true;
  }
  watch.Finish();
  NEARDUP_TRY(lane.get());
  if (late) {
    return Error{
        ErrorCode::kUnavailable,
        fmt::format("only {} of {} records were committed within {} s. If the machine is busy, "
                    "try fewer records: neardup demo --records 2000",
                    Grouped(watch.committed()), Grouped(watch.records()), kDeadlineMs / 1000)};
  }
  return {};
}

/// `neardup demo`: runs the service on a broker inside this process and a synthetic stream; needs
/// nothing installed or running. Prints the duplicates found beside those planted. A stop signal
/// ends it early with kExitOk.
Result<int> DemoCommand(const DemoArguments& arguments) {
  StartLog(LogLevel::kError, LogFormat::kText);
  const std::atomic<bool>& stop_signal = CatchStopSignals();
  const SyntheticStream stream =
      GenerateSyntheticStream({.count = arguments.records, .seed = arguments.seed});
  const std::vector<SyntheticRecord>& records = stream.records;
  if (records.empty()) return Error{ErrorCode::kConfig, "--records: found 0, expected 1 or more"};
  SayText(
      fmt::format("Writing {} synthetic records to the topics articles and products of a broker "
                  "inside this process ...",
                  Grouped(records.size())));
  NEARDUP_ASSIGN(const std::unique_ptr<DemoCluster> cluster, DemoCluster::New(records, LogKafka));
  NEARDUP_TRY(cluster->Fill());
  const Settings settings = DemoSettings(arguments, cluster->options(), records);
  SayText("Starting the service: it joins its consumer group, which takes some seconds ...");
  DemoWatch watch(records.size());
  NEARDUP_TRY(RunLane(settings, stop_signal, watch));
  if (stop_signal) {
    Say("Stopped after {} records.", Grouped(watch.committed()));
    return kExitOk;
  }
  SayText("Reading the output topics ...");
  NEARDUP_ASSIGN(const std::vector<DemoVerdict> verdicts, cluster->ReadVerdicts());
  fmt::print("\n{}\n", DemoTable(CountVerdicts(stream.labels, verdicts), watch.speed()));
  for (const size_t index : PickDuplicates(stream, verdicts)) {
    fmt::print("{}\n", DuplicateText(stream, verdicts, index));
  }
  fmt::print("{}", kNextSteps);
  return kExitOk;
}

}  // namespace

void AddDemo(CommandLine& line) {
  const auto arguments = std::make_shared<DemoArguments>();
  DemoArguments& demo = *arguments;
  CLI::App* command =
      line.Add("demo", "run the service on an embedded broker and a synthetic stream",
               {"neardup demo --records 5000"});
  AddNumber(command, "--records", demo.records, {100, 40'000}, "records of the stream")
      ->capture_default_str();
  AddNumber(command, "--distance-max", demo.distance_max, MatchOptions::kDistanceMaxRange,
            "largest distance between duplicates, in bits")
      ->capture_default_str();
  AddSeed(command, "--seed", demo.seed, "seed of the stream; another seed makes another stream");
  line.Runs(command, [arguments] { return DemoCommand(*arguments); });
}

}  // namespace neardup
