// Writes and reads the topics of a real Kafka, for the end-to-end tests.
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "commands/demo/synthetic_stream.h"
#include "detect/base/hash.h"
#include "e2e/committed_records.h"
#include "e2e/history_folder.h"
#include "e2e/record_line.h"
#include "kafka/consumer_group.h"
#include "kafka/kafka_options.h"
#include "kafka/kafka_ports.h"
#include "kafka/topic_orders.h"
#include "kafka/topic_producer.h"
#include "kafka/topics.h"
#include "service/config/config.h"

namespace neardup {
namespace {

struct Arguments {
  KafkaOptions kafka;
  std::string topic;
  std::string to_topic;
  int32_t partitions = 1;
  int32_t partition = 0;
  int64_t offset = 0;
  size_t records = 1;
  std::vector<std::string> settings;
  SyntheticOptions synthetic;
  uint32_t per_second = 0;     ///< 0: as fast as the brokers take them
  uint32_t abort_every = 0;    ///< 0: without transactions
  bool until_stopped = false;  ///< other records follow, until SIGTERM or the end of the parent
  std::string group;
  std::string file;
  std::string folder;
  std::vector<std::string> command;
};

/// Set by SIGTERM: the loader writes no further record, and ends as if it had written all.
std::atomic<bool> stopped = false;

Result<void> Create(const Arguments& arguments) {
  // The records have old timestamps; a broker would delete them by age during a test.
  std::map<std::string, std::string> settings = {{"retention.ms", "-1"}};
  for (const std::string& setting : arguments.settings) {
    const size_t equals = setting.find('=');
    if (equals == setting.npos) {
      return Error{ErrorCode::kConfig, "--config " + setting + ": expected name=value"};
    }
    settings[setting.substr(0, equals)] = setting.substr(equals + 1);
  }
  return OrderTopic(arguments.kafka, arguments.topic, arguments.partitions, settings);
}

/// Spreads records evenly over time.
class Pace {
 public:
  explicit Pace(uint32_t per_second) : per_second_(per_second) {}
  void Wait() {
    if (per_second_ == 0) return;
    std::this_thread::sleep_until(begun_ +
                                  std::chrono::microseconds(1'000'000) * records_++ / per_second_);
  }

 private:
  uint32_t per_second_;
  uint64_t records_ = 0;
  std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
};

Message AsMessage(const SyntheticRecord& record) {
  Message message;
  message.timestamp_ms = record.timestamp_ms;
  message.key = record.key;
  message.value = record.payload;
  return message;
}

/// About half of the copies get another partition than their original.
const InputPartition& Place(const SyntheticRecord& record,
                            const std::vector<InputPartition>& partitions) {
  return partitions[Hash64(record.key) % partitions.size()];
}

/// Two loaders on one broker must not fence each other.
std::string OwnTransactionalId(const std::string& topic) {
  return "e2e-load-" + topic + "-" + std::to_string(getpid());
}

/// Writes transactions of kTransactionRecords. Each `abort_every`-th is written twice: the first
/// time it is left open, and the next writer with the same transactional id aborts it.
Result<void> FillInTransactions(const Arguments& arguments,
                                const std::vector<InputPartition>& partitions) {
  constexpr size_t kTransactionRecords = 50;
  const std::string id = OwnTransactionalId(arguments.kafka.topics.front());
  const SyntheticStream stream = GenerateSyntheticStream(arguments.synthetic);
  Pace pace(arguments.per_second);
  NEARDUP_ASSIGN(std::unique_ptr<TopicTransaction> writer,
                 TopicTransaction::New(arguments.kafka, id, {}));
  size_t transactions = 0;
  bool to_be_aborted = false;
  for (size_t begin = 0; begin < stream.records.size() && !stopped;) {
    const size_t end = std::min(begin + kTransactionRecords, stream.records.size());
    NEARDUP_TRY(writer->Begin());
    for (size_t i = begin; i < end; ++i) {
      pace.Wait();
      const InputPartition& where = Place(stream.records[i], partitions);
      NEARDUP_TRY(writer->Write(where, AsMessage(stream.records[i]), 0, 0));
    }
    to_be_aborted = !to_be_aborted && ++transactions % arguments.abort_every == 0;
    if (to_be_aborted) {
      writer.reset();
      NEARDUP_ASSIGN(writer, TopicTransaction::New(arguments.kafka, id, {}));
      continue;
    }
    NEARDUP_TRY(writer->Commit(id, {}));
    begin = end;
  }
  return {};
}

Result<void> Fill(const Arguments& arguments) {
  NEARDUP_ASSIGN(const std::vector<InputPartition> partitions, ListPartitions(arguments.kafka, {}));
  if (arguments.abort_every > 0) return FillInTransactions(arguments, partitions);
  NEARDUP_ASSIGN(const std::unique_ptr<TopicProducer> writer, NewKafkaWriter(arguments.kafka, {}));
  SyntheticOptions synthetic = arguments.synthetic;
  Pace pace(arguments.per_second);
  const pid_t parent = getppid();
  do {
    const SyntheticStream stream = GenerateSyntheticStream(synthetic);
    for (const SyntheticRecord& record : stream.records) {
      pace.Wait();
      if (stopped) break;
      const InputPartition& where = Place(record, partitions);
      NEARDUP_TRY(writer->Write(where.topic, where.partition, AsMessage(record)));
    }
    ++synthetic.seed;
  } while (arguments.until_stopped && !stopped && getppid() == parent);
  return writer->Flush();
}

/// The first committed records at or after the offset, which may belong to a marker.
Result<void> Copy(const Arguments& arguments) {
  NEARDUP_ASSIGN(const std::unique_ptr<TopicProducer> writer, NewKafkaWriter(arguments.kafka, {}));
  Result<void> written;
  size_t copied = 0;
  const InputPartition from{arguments.topic, arguments.partition};
  NEARDUP_TRY(ReadCommitted(arguments.kafka, from, arguments.offset, [&](const Message& message) {
    written = writer->Write(arguments.to_topic, arguments.partition, message);
    return written.ok() && ++copied < arguments.records;
  }));
  NEARDUP_TRY(written);
  if (copied < arguments.records) {
    return Error{
        ErrorCode::kNotFound,
        fmt::format("{}/{}: found {} records from offset {} on, expected {}", arguments.topic,
                    arguments.partition, copied, arguments.offset, arguments.records)};
  }
  return writer->Flush();
}

/// Prints partition, first offset and end of each partition.
Result<void> Bounds(const Arguments& arguments) {
  NEARDUP_ASSIGN(const std::vector<InputPartition> partitions, ListPartitions(arguments.kafka, {}));
  NEARDUP_ASSIGN(const std::vector<OffsetBounds> bounds,
                 ListOffsetBounds(arguments.kafka, partitions, {}));
  for (size_t i = 0; i < partitions.size(); ++i) {
    std::printf("%s/%d %lld %lld\n", partitions[i].topic.c_str(), partitions[i].partition,
                static_cast<long long>(bounds[i].begin), static_cast<long long>(bounds[i].end));
  }
  return {};
}

/// Markers of transactions may lie between an offset and the end of the partition.
Result<bool> HoldsRecordsFrom(const KafkaOptions& kafka, const InputPartition& partition,
                              int64_t offset) {
  bool found = false;
  NEARDUP_TRY(ReadCommitted(kafka, partition, offset, [&](const Message&) {
    found = true;
    return false;
  }));
  return found;
}

/// Whether a group has committed offsets after every record of the topics. `known`: the offsets
/// that the last call found. Where they have not moved since, it looks for records after them.
Result<bool> GroupIsAtEnd(const Arguments& arguments, std::vector<GroupOffset>& known) {
  NEARDUP_ASSIGN(const std::vector<InputPartition> partitions, ListPartitions(arguments.kafka, {}));
  NEARDUP_ASSIGN(const std::vector<OffsetBounds> bounds,
                 ListOffsetBounds(arguments.kafka, partitions, {}));
  const std::vector<GroupOffset> before = std::exchange(known, {});
  NEARDUP_ASSIGN(known, GroupOffsets(arguments.kafka, arguments.group, partitions, {}));
  for (size_t i = 0; i < partitions.size(); ++i) {
    const int64_t next = std::max(known[i].offset, bounds[i].begin);
    if (next >= bounds[i].end) continue;
    const bool moved = before.size() != known.size() || before[i].offset != known[i].offset;
    if (moved) return false;
    NEARDUP_ASSIGN(const bool more, HoldsRecordsFrom(arguments.kafka, partitions[i], next));
    if (more) return false;
  }
  return true;
}

/// Waits until a group has committed all that the topics hold. A broker that does not answer in
/// time is asked again.
Result<void> AwaitGroup(const Arguments& arguments) {
  constexpr int kTimeoutMs = 600'000;
  constexpr std::chrono::milliseconds kPauseMax{400};
  std::chrono::milliseconds pause{25};
  const Deadline deadline(kTimeoutMs);
  std::vector<GroupOffset> known;
  while (!deadline.passed()) {
    const Result<bool> at_end = GroupIsAtEnd(arguments, known);
    if (!at_end.ok() && !at_end.error().retriable) return at_end.error();
    if (at_end.ok() && *at_end) return {};
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, kPauseMax);  // each look makes new connections
  }
  return Error{ErrorCode::kUnavailable,
               fmt::format("group {} has not read its topics to the end within {} ms",
                           arguments.group, kTimeoutMs)};
}

/// Runs a command, and kills it a moment after the end of a partition has passed an offset. Prints
/// `killed`, or `ended` if it came to its end before.
Result<void> KillAtEnd(const Arguments& arguments) {
  KafkaOptions kafka = arguments.kafka;
  kafka.topics = {arguments.topic};
  NEARDUP_ASSIGN(const std::unique_ptr<Source> source, NewKafkaSource(kafka, {}));
  const InputPartition partition{arguments.topic, arguments.partition};
  NEARDUP_TRY(source->StartOffset(partition, StartAt::kLatest));
  std::vector<std::string> words = arguments.command;
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  pid_t child = 0;
  if (posix_spawn(&child, pointers[0], nullptr, nullptr, pointers.data(), environ) != 0) {
    return Error{ErrorCode::kIo, words[0] + " cannot be run"};
  }
  // Between two questions the program runs for a moment only. So it cannot write much more before
  // it is killed, however slow the answers are.
  int status = 0;
  while (waitpid(child, &status, WNOHANG) == 0) {
    kill(child, SIGCONT);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    kill(child, SIGSTOP);
    const Result<int64_t> end = source->StartOffset(partition, StartAt::kLatest);
    if (end.ok() && *end > arguments.offset) kill(child, SIGKILL);
  }
  std::puts(WIFSIGNALED(status) ? "killed" : "ended");
  return {};
}

Result<void> Delete(const Arguments& arguments) {
  return DeleteRecordsBefore(arguments.kafka, arguments.topic, arguments.partition,
                             arguments.offset);
}

Result<void> Drop(const Arguments& arguments) {
  return DropTopic(arguments.kafka, arguments.topic);
}

Result<void> Grow(const Arguments& arguments) {
  return AddPartitions(arguments.kafka, arguments.topic, arguments.partitions);
}

/// Commits an offset of a group, as an operator's tool does.
Result<void> MoveGroup(const Arguments& arguments) {
  NEARDUP_ASSIGN(const std::unique_ptr<TopicTransaction> writer,
                 TopicTransaction::New(arguments.kafka, OwnTransactionalId(arguments.topic), {}));
  NEARDUP_TRY(writer->Begin());
  return writer->Commit(arguments.group, {{.partition = {arguments.topic, arguments.partition},
                                           .next = {.offset = arguments.offset, .note = ""}}});
}

Result<void> Leader(const Arguments& arguments) {
  NEARDUP_ASSIGN(const int32_t leader,
                 LeaderOf(arguments.kafka, arguments.topic, arguments.partition));
  std::printf("%d\n", leader);
  return {};
}

Result<void> Put(const Arguments& arguments) {
  std::ifstream lines(arguments.file, std::ios::binary);
  if (!lines) return Error{ErrorCode::kIo, arguments.file + " cannot be read"};
  NEARDUP_ASSIGN(const std::unique_ptr<TopicProducer> writer, NewKafkaWriter(arguments.kafka, {}));
  std::string line;
  while (std::getline(lines, line)) {
    NEARDUP_ASSIGN(const LineRecord record, ParseLine(line));
    NEARDUP_TRY(writer->Write(arguments.topic, record.partition, record.AsMessage()));
  }
  return writer->Flush();
}

Result<void> Dump(const Arguments& arguments) {
  NEARDUP_ASSIGN(const std::vector<InputPartition> partitions, ListPartitions(arguments.kafka, {}));
  for (const InputPartition& from : partitions) {
    NEARDUP_TRY(ReadCommitted(arguments.kafka, from, -1, [&](const Message& message) {
      const std::string line = AsLine(from.partition, message) + '\n';
      return std::fwrite(line.data(), 1, line.size(), stdout) == line.size();
    }));
  }
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    return Error{ErrorCode::kIo, "the output cannot be written"};
  }
  return {};
}

/// Decides what the input topics of a configuration hold now, as a history.
Result<void> Decide(const Arguments& arguments) {
  ConfigArguments config;
  config.file = arguments.file;
  config.sets = arguments.settings;
  NEARDUP_ASSIGN(const LoadedConfig loaded, Load(config));
  const Settings& settings = loaded.settings;
  KafkaOptions whole = settings.kafka;
  whole.lanes = 1;
  NEARDUP_ASSIGN(const std::vector<InputPartition> partitions, ListPartitions(whole, {}));
  std::vector<HistoryRecord> records;
  for (const InputPartition& from : partitions) {
    NEARDUP_TRY(ReadCommitted(whole, from, -1, [&](const Message& message) {
      records.push_back({from, message.position.offset, message.timestamp_ms,
                         std::string(message.value.value_or(""))});
      return true;
    }));
  }
  return WriteHistory(settings.lane.filter, settings.kafka.lanes, arguments.records,
                      std::move(records), arguments.folder);
}

/// Writes a record to the changelog of a lane in a transaction that stays open until this process
/// is killed.
Result<void> HoldOpen(const Arguments& arguments) {
  ConfigArguments config;
  config.file = arguments.file;
  NEARDUP_ASSIGN(const LoadedConfig loaded, Load(config));
  const Settings settings = OfLane(loaded.settings, arguments.partition);
  NEARDUP_ASSIGN(const std::vector<InputPartition> inputs, ListPartitions(settings.kafka, {}));
  NEARDUP_TRY(EnsureTopics(settings.kafka, inputs, {}));
  const auto transaction = NewKafkaTransaction(settings.kafka, settings.lane.lane, {}, {});
  NEARDUP_TRY(transaction->Fence());
  NEARDUP_TRY(transaction->Begin());
  NEARDUP_TRY(transaction->PublishDelta("never committed"));
  pause();
  return {};
}

using Order = Result<void> (*)(const Arguments&);

/// Defines the command line; returns the function of each subcommand.
std::map<const CLI::App*, Order> Describe(CLI::App& app, Arguments& arguments) {
  app.add_option("--brokers", arguments.kafka.brokers)->required();
  app.require_subcommand(1);
  CLI::App* create = app.add_subcommand("create");
  create->add_option("--topic", arguments.topic)->required();
  create->add_option("--partitions", arguments.partitions)->required();
  create->add_option("--config", arguments.settings, "name=value");
  CLI::App* fill = app.add_subcommand("fill");
  fill->add_option("--topics", arguments.kafka.topics)->required()->delimiter(',');
  fill->add_option("--records", arguments.synthetic.count)->required();
  fill->add_option("--seed", arguments.synthetic.seed)->required();
  fill->add_option("--per-second", arguments.per_second);
  fill->add_option("--abort-every", arguments.abort_every, "write transactions, abort each Nth");
  fill->add_flag("--until-stopped", arguments.until_stopped, "other records follow until SIGTERM");
  CLI::App* grow = app.add_subcommand("grow");
  grow->add_option("--topic", arguments.topic)->required();
  grow->add_option("--partitions", arguments.partitions, "in all")->required();
  CLI::App* move_group = app.add_subcommand("move-group");
  move_group->add_option("--group", arguments.group)->required();
  move_group->add_option("--topic", arguments.topic)->required();
  move_group->add_option("--partition", arguments.partition)->required();
  move_group->add_option("--offset", arguments.offset)->required();
  CLI::App* leader = app.add_subcommand("leader");
  leader->add_option("--topic", arguments.topic)->required();
  leader->add_option("--partition", arguments.partition)->required();
  CLI::App* copy = app.add_subcommand("copy");
  copy->add_option("--from", arguments.topic)->required();
  copy->add_option("--partition", arguments.partition)->required();
  copy->add_option("--offset", arguments.offset)->required();
  copy->add_option("--to", arguments.to_topic)->required();
  copy->add_option("--records", arguments.records);
  CLI::App* remove = app.add_subcommand("delete");
  remove->add_option("--topic", arguments.topic)->required();
  remove->add_option("--partition", arguments.partition)->required();
  remove->add_option("--before", arguments.offset)->required();
  CLI::App* drop = app.add_subcommand("drop");
  drop->add_option("--topic", arguments.topic)->required();
  CLI::App* put = app.add_subcommand("put");
  put->add_option("--topic", arguments.topic)->required();
  put->add_option("--file", arguments.file)->required();
  CLI::App* dump = app.add_subcommand("dump");
  dump->add_option("--topic", arguments.kafka.topics)->required()->expected(1);
  CLI::App* bounds = app.add_subcommand("bounds");
  bounds->add_option("--topics", arguments.kafka.topics)->required()->delimiter(',');
  CLI::App* await_group = app.add_subcommand("await-group");
  await_group->add_option("--group", arguments.group)->required();
  await_group->add_option("--topics", arguments.kafka.topics)->required()->delimiter(',');
  CLI::App* kill_at_end = app.add_subcommand("kill-at-end");
  kill_at_end->add_option("--topic", arguments.topic)->required();
  kill_at_end->add_option("--partition", arguments.partition)->required();
  kill_at_end->add_option("--offset", arguments.offset)->required();
  kill_at_end->add_option("command", arguments.command)->required();
  CLI::App* hold_open = app.add_subcommand("hold-open");
  hold_open->add_option("--config", arguments.file)->required();
  hold_open->add_option("--partition", arguments.partition)->required();
  CLI::App* decide = app.add_subcommand("decide");
  decide->add_option("--config", arguments.file)->required();
  decide->add_option("--part-records", arguments.records)->required();
  decide->add_option("--folder", arguments.folder)->required();
  return {{create, Create},
          {fill, Fill},
          {grow, Grow},
          {move_group, MoveGroup},
          {leader, Leader},
          {copy, Copy},
          {remove, Delete},
          {drop, Drop},
          {put, Put},
          {dump, Dump},
          {bounds, Bounds},
          {await_group, AwaitGroup},
          {kill_at_end, KillAtEnd},
          {hold_open, HoldOpen},
          {decide, Decide}};
}

int Main(int count, char** words) {
  CLI::App app("Writes and reads the topics of the end-to-end tests");
  Arguments arguments;
  arguments.kafka.app = "e2e-load";
  arguments.kafka.answer_timeout_ms = 120'000;  // other tests may keep the brokers busy
  const auto orders = Describe(app, arguments);
  CLI11_PARSE(app, count, words);
  if (app.get_subcommands().front()->get_name() == "fill") {
    std::signal(SIGTERM, [](int) { stopped = true; });
  }
  const Result<void> done = orders.at(app.get_subcommands().front())(arguments);
  if (done.ok()) return 0;
  std::fprintf(stderr, "e2e_load: %s\n", done.error().text.c_str());
  return 1;
}

}  // namespace
}  // namespace neardup

int main(int count, char** words) { return neardup::Main(count, words); }
