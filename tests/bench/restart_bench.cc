// bench_restart: how long it takes until a service decides again, on a real Kafka: a restarted one
// from its snapshot and from the changelog alone, and a standby that takes over. Checks that it
// still knows all records.
#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "bench/program.h"
#include "kafka/topic_admin.h"
#include "kafka/topic_producer.h"
#include "service/config/settings.h"
#include "service/run/service.h"

namespace neardup {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr int32_t kPartitions = 4;
constexpr uint64_t kWordsPerRecord = 16;
constexpr uint64_t kVocabulary = 1'000'000;
/// Records written before a restart, half of them copies of old ones.
constexpr uint64_t kProbes = 2000;
constexpr auto kPatience = std::chrono::minutes(30);

double SecondsSince(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// Random words that depend on the number only.
std::string TextOf(uint64_t number) {
  std::mt19937_64 random(number);
  std::string text = R"({"text":")";
  for (uint64_t i = 0; i < kWordsPerRecord; ++i) {
    text += "w" + std::to_string(random() % kVocabulary) + " ";
  }
  return text + R"("})";
}

/// Counts what a lane does. Other threads may read the counts.
class Counter final : public SeesLane<Counter> {
 public:
  void Saw(const event::TransactionCommitted& seen) {
    const CommittedBatch& batch = seen.batch;
    unique += batch.unique;
    exact += batch.exact_duplicates;
    other += batch.records() - batch.unique - batch.exact_duplicates;
  }
  void Saw(const event::SnapshotRestored& seen) { from_snapshot = seen.entries; }
  void Saw(const event::CaughtUp&) { caught_up = true; }
  void Saw(const event::Promoted& seen) {
    entries = seen.entries;
    promoted = true;
  }
  void Saw(const auto& /*ignored*/) {}

  uint64_t decided() const { return unique + exact + other; }

  std::atomic<uint64_t> unique = 0;
  std::atomic<uint64_t> exact = 0;
  std::atomic<uint64_t> other = 0;
  std::atomic<uint64_t> from_snapshot = 0;
  std::atomic<uint64_t> entries = 0;
  std::atomic<bool> caught_up = false;
  std::atomic<bool> promoted = false;
};

void Pause() { std::this_thread::sleep_for(std::chrono::milliseconds(5)); }

/// A service in a thread of its own.
class Instance {
 public:
  static Result<std::unique_ptr<Instance>> Start(const Settings& settings, Counter& counter) {
    NEARDUP_ASSIGN(std::unique_ptr<Service> service, Service::New(settings, {&counter}));
    return std::unique_ptr<Instance>(new Instance(std::move(service)));
  }
  ~Instance() { static_cast<void>(Stop()); }

  /// kUnavailable if it does not happen within 30 minutes, or the service ends before.
  template <class Condition>
  Result<void> Await(Condition happened) {
    const auto begin = Clock::now();
    while (!happened()) {
      if (ended_) return Stop();
      if (Clock::now() - begin > kPatience) {
        return Error{ErrorCode::kUnavailable, "the service did not get there within 30 minutes"};
      }
      Pause();
    }
    return {};
  }
  Result<void> Stop() {
    stop_ = true;
    if (thread_.joinable()) thread_.join();
    return ran_;
  }

 private:
  explicit Instance(std::unique_ptr<Service> service)
      : service_(std::move(service)), thread_([this] {
          ran_ = service_->Run(stop_);
          ended_ = true;
        }) {}

  std::unique_ptr<Service> service_;
  std::atomic<bool> stop_ = false;
  std::atomic<bool> ended_ = false;
  Result<void> ran_;
  std::thread thread_;  ///< the last member, because it uses the others
};

class Restart {
 public:
  Restart(const std::string& brokers, const fs::path& folder, uint64_t records)
      : records_(records) {
    settings_.kafka.brokers = brokers;
    settings_.kafka.app = "bench-restart-" + std::to_string(getpid());
    topic_ = settings_.kafka.app + "-input";
    settings_.kafka.topics = {topic_};
    settings_.lane.filter.record.fields = {{"text", 1.0}};
    settings_.lane.filter.window.entries_max = records + 10 * kProbes;
    settings_.http.port = 0;
    settings_.state_dir = folder;
  }

  Result<void> Prepare() {
    NEARDUP_ASSIGN(std::shared_ptr<Client> client,
                   Client::New(settings_.kafka, ClientRole::kWatermark, {}));
    TopicAdmin admin(std::move(client), settings_.kafka);
    NEARDUP_TRY(admin.Create(topic_, kPartitions, {}));
    NEARDUP_TRY(admin.AwaitPartitions(topic_, kPartitions));
    return Write(0, records_);
  }

  /// Seconds from the start of a service.
  struct Times {
    double active = 0;  ///< until it is active
    double first = 0;   ///< until it has committed a record
    double all = 0;     ///< until it has committed all
  };

  /// Runs the service until it has decided `records` more records, then stops it.
  Result<Times> RunUntil(uint64_t records, Counter& counter) {
    Times times;
    const auto begin = Clock::now();
    NEARDUP_ASSIGN(const std::unique_ptr<Instance> instance, Instance::Start(settings_, counter));
    NEARDUP_TRY(instance->Await([&] { return counter.promoted.load(); }));
    times.active = SecondsSince(begin);
    NEARDUP_TRY(instance->Await([&] { return counter.decided() > 0; }));
    times.first = SecondsSince(begin);
    NEARDUP_TRY(instance->Await([&] { return counter.decided() >= records; }));
    times.all = SecondsSince(begin);
    NEARDUP_TRY(instance->Stop());
    return times;
  }

  /// Stops an instance beside a standby that has read everything, and lets the standby decide
  /// probes. `seconds` is the time from the stop until the standby is active.
  Result<void> TakeOver(Counter& counter, double& seconds) {
    Counter first;
    NEARDUP_ASSIGN(const std::unique_ptr<Instance> active, Instance::Start(settings_, first));
    NEARDUP_TRY(active->Await([&] { return first.promoted.load(); }));
    Settings other = settings_;
    other.state_dir.clear();  // a folder has one owner
    NEARDUP_ASSIGN(const std::unique_ptr<Instance> standby, Instance::Start(other, counter));
    NEARDUP_TRY(standby->Await([&] { return counter.caught_up.load(); }));
    const auto begin = Clock::now();
    NEARDUP_TRY(active->Stop());
    NEARDUP_TRY(standby->Await([&] { return counter.promoted.load(); }));
    seconds = SecondsSince(begin);
    NEARDUP_TRY(WriteProbes());
    NEARDUP_TRY(standby->Await([&] { return counter.decided() >= kProbes; }));
    return standby->Stop();
  }

  /// Writes copies of old records and the same number of new records.
  Result<void> WriteProbes() {
    NEARDUP_TRY(Write(0, kProbes / 2));
    const uint64_t begin = records_ + probes_;
    probes_ += kProbes / 2;
    return Write(begin, begin + kProbes / 2);
  }

 private:
  Result<void> Write(uint64_t begin, uint64_t end) {
    NEARDUP_ASSIGN(const std::unique_ptr<TopicProducer> writer,
                   NewKafkaWriter(settings_.kafka, {}));
    for (uint64_t number = begin; number < end; ++number) {
      const std::string text = TextOf(number);
      Message message;
      message.value = text;
      message.timestamp_ms = -1;
      NEARDUP_TRY(writer->Write(topic_, static_cast<int32_t>(number % kPartitions), message));
    }
    return writer->Flush();
  }

  Settings settings_;
  std::string topic_;
  uint64_t records_;
  uint64_t probes_ = 0;
};

Result<void> CheckProbes(const Counter& counter) {
  if (counter.exact == kProbes / 2 && counter.unique == kProbes / 2) return {};
  return Error{
      ErrorCode::kInternal,
      fmt::format("after the restart: found {} copies and {} unique records, expected {} of "
                  "each",
                  counter.exact.load(), counter.unique.load(), kProbes / 2)};
}

struct Arguments {
  std::string brokers = "localhost:19092";
  uint64_t records = 1'000'000;
  std::string json;
};

Result<void> Run(const Arguments& arguments, const fs::path& folder) {
  std::vector<Measurement> found;
  const auto tell = [&](const std::string& name, double value, const char* unit) {
    found.push_back({name, value, unit});
    std::printf("%-36s %14.3f %s\n", name.c_str(), value, unit);
    std::fflush(stdout);
  };
  std::printf("%s\n%llu records of %llu random words, 4 partitions\n", MachineLine().c_str(),
              static_cast<unsigned long long>(arguments.records),
              static_cast<unsigned long long>(kWordsPerRecord));
  Restart restart(arguments.brokers, folder, arguments.records);
  NEARDUP_TRY(restart.Prepare());
  {
    Counter counter;
    NEARDUP_ASSIGN(const Restart::Times times, restart.RunUntil(arguments.records, counter));
    tell("decided_per_s", static_cast<double>(counter.decided()) / (times.all - times.active),
         "1/s");
    tell("unique", static_cast<double>(counter.unique), "records");
  }
  for (const bool snapshot : {true, false}) {
    if (!snapshot) fs::remove_all(folder);
    NEARDUP_TRY(restart.WriteProbes());
    Counter counter;
    NEARDUP_ASSIGN(const Restart::Times times, restart.RunUntil(kProbes, counter));
    NEARDUP_TRY(CheckProbes(counter));
    if (snapshot != (counter.from_snapshot > 0)) {
      return Error{ErrorCode::kInternal, snapshot
                                             ? "the service did not restore the snapshot"
                                             : "the service restored a snapshot that was deleted"};
    }
    const std::string name = snapshot ? "restart_from_snapshot" : "restart_from_changelog";
    tell(name + "_s", times.active, "s");
    tell(name + "_first_commit_s", times.first, "s");
    tell(name + "_entries", static_cast<double>(counter.entries), "entries");
  }
  Counter counter;
  double seconds = 0;
  NEARDUP_TRY(restart.TakeOver(counter, seconds));
  NEARDUP_TRY(CheckProbes(counter));
  tell("take_over_by_standby_s", seconds, "s");
  return arguments.json.empty() ? Result<void>() : WriteJson(found, arguments.json);
}

Result<void> Main(CLI::App& app, int argc, char** argv) {
  Arguments arguments;
  app.description(
      "Restarts the service on a real Kafka, with and without its snapshot, and beside a standby");
  app.add_option("--brokers", arguments.brokers, "host:port; scripts/kafka start starts a broker")
      ->capture_default_str();
  app.add_option("--records", arguments.records, "number of records decided before the restarts")
      ->check(CLI::Range(10'000, 1'000'000'000))
      ->capture_default_str();
  app.add_option("--json", arguments.json, "also write the figures to this file");
  app.parse(argc, argv);
  spdlog::set_level(spdlog::level::warn);
  const fs::path folder =
      fs::temp_directory_path() / ("neardup-bench-restart-" + std::to_string(getpid()));
  const Result<void> done = Run(arguments, folder);
  fs::remove_all(folder);
  return done;
}

}  // namespace
}  // namespace neardup

int main(int argc, char** argv) {
  return neardup::RunProgram("bench_restart", neardup::Main, argc, argv);
}
