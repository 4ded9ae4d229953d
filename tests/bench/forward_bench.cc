// bench_forward: the least that a program must do that routes records in Kafka transactions, as the
// reference of `scripts/bench end-to-end`. It uses librdkafka directly, and nothing of neardup's
// Kafka code.
#include <fmt/format.h>
#include <librdkafka/rdkafka.h>
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/program.h"
#include "detect/base/random.h"

namespace neardup {
namespace {

constexpr size_t kBatch = 2000;
constexpr int kBatchWaitMs = 100;
constexpr int kFlushMs = 60'000;

struct Arguments {
  std::string brokers;
  std::vector<std::string> from;
  std::string to;
  int64_t records = 0;
  size_t bytes = 1000;
  bool chinese = false;
  int per_second = 0;
  int headers = 0;
  int transaction_ms = 100;
};

using Properties = std::map<std::string, std::string>;

struct DestroyClient {
  void operator()(rd_kafka_t* client) const { rd_kafka_destroy(client); }
};
using ClientHandle = std::unique_ptr<rd_kafka_t, DestroyClient>;

[[noreturn]] void Fail(const std::string& text) {
  std::fprintf(stderr, "bench_forward: %s\n", text.c_str());
  std::exit(1);
}

void Check(rd_kafka_resp_err_t code, const char* what) {
  if (code != RD_KAFKA_RESP_ERR_NO_ERROR) {
    Fail(fmt::format("{}: {}", what, rd_kafka_err2str(code)));
  }
}

void Check(rd_kafka_error_t* error, const char* what) {
  if (error != nullptr) Fail(fmt::format("{}: {}", what, rd_kafka_error_string(error)));
}

ClientHandle NewClient(rd_kafka_type_t type, const Properties& properties) {
  rd_kafka_conf_t* conf = rd_kafka_conf_new();
  char complaint[512];
  for (const auto& [name, value] : properties) {
    if (rd_kafka_conf_set(conf, name.c_str(), value.c_str(), complaint, sizeof(complaint)) !=
        RD_KAFKA_CONF_OK) {
      Fail(complaint);
    }
  }
  rd_kafka_t* client = rd_kafka_new(type, conf, complaint, sizeof(complaint));
  if (client == nullptr) Fail(complaint);
  return ClientHandle(client);
}

ClientHandle NewProducer(const Arguments& arguments, const Properties& more) {
  Properties properties = {{"bootstrap.servers", arguments.brokers},
                           {"linger.ms", "50"},
                           {"batch.size", "1000000"},
                           {"enable.idempotence", "true"},
                           {"queue.buffering.max.messages", "100000"},
                           {"queue.buffering.max.kbytes", "262144"}};
  for (const auto& [name, value] : more) properties[name] = value;
  return NewClient(RD_KAFKA_PRODUCER, properties);
}

/// librdkafka pauses fetching for a second whenever its default queue is full.
ClientHandle NewConsumer(const Arguments& arguments) {
  return NewClient(RD_KAFKA_CONSUMER, {{"bootstrap.servers", arguments.brokers},
                                       {"group.id", "bench-" + arguments.from.front()},
                                       {"fetch.wait.max.ms", "10"},
                                       {"enable.auto.commit", "false"},
                                       {"isolation.level", "read_committed"},
                                       {"queued.min.messages", "1000000"},
                                       {"queued.max.messages.kbytes", "524288"},
                                       {"fetch.message.max.bytes", "1048576"}});
}

int32_t PartitionsOf(rd_kafka_t* client, const std::string& topic) {
  rd_kafka_topic_t* handle = rd_kafka_topic_new(client, topic.c_str(), nullptr);
  const rd_kafka_metadata_t* metadata = nullptr;
  Check(rd_kafka_metadata(client, 0, handle, &metadata, kFlushMs), "asking for partitions");
  const int32_t count = metadata->topics[0].partition_cnt;
  rd_kafka_metadata_destroy(metadata);
  rd_kafka_topic_destroy(handle);
  return count;
}

double CpuSeconds() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

class Watch {
 public:
  void Print(int64_t records) const {
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
    std::printf("{\"records\": %lld, \"seconds\": %.3f, \"cpu_seconds\": %.3f}\n",
                static_cast<long long>(records), seconds, CpuSeconds());
  }

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

// ---- fill

/// JSON records of about the same size; every fifth is an exact copy of a recent one.
class Records {
 public:
  explicit Records(const Arguments& arguments) : arguments_(arguments), random_(7) {
    for (int i = 0; i < 20'000; ++i) {
      std::string word;
      for (uint64_t n = 2 + random_.Below(9); n > 0; --n)
        word += static_cast<char>('a' + random_.Below(26));
      words_.push_back(std::move(word));
    }
  }

  std::string Next() {
    if (recent_.size() == kRecent && random_.Below(5) == 0) return recent_[random_.Below(kRecent)];
    std::string text = Text();
    std::string record = fmt::format(R"({{"id":{},"title":"{}","body":"{}"}})", ++number_,
                                     text.substr(0, arguments_.chinese ? 60 : 50), text);
    if (recent_.size() < kRecent) {
      recent_.push_back(record);
    } else {
      recent_[random_.Below(kRecent)] = record;
    }
    return record;
  }

 private:
  static constexpr size_t kRecent = 10'000;

  std::string Text() {
    std::string text;
    const size_t size = arguments_.bytes - std::min<size_t>(arguments_.bytes / 2, 90);
    while (text.size() < size) {
      if (arguments_.chinese) {
        const auto code = static_cast<uint32_t>(0x4e00 + random_.Below(3000));
        text += static_cast<char>(0xe0 | (code >> 12));
        text += static_cast<char>(0x80 | ((code >> 6) & 0x3f));
        text += static_cast<char>(0x80 | (code & 0x3f));
      } else {
        text += words_[random_.Below(words_.size())] + ' ';
      }
    }
    return text;
  }

  Arguments arguments_;
  SeededRandom random_;
  std::vector<std::string> words_;
  std::vector<std::string> recent_;
  int64_t number_ = 0;
};

void Produce(rd_kafka_t* producer, rd_kafka_topic_t* topic, std::string_view value,
             rd_kafka_headers_t* headers, int32_t partition) {
  while (true) {
    const rd_kafka_resp_err_t code = rd_kafka_producev(
        producer, RD_KAFKA_V_RKT(topic), RD_KAFKA_V_PARTITION(partition),
        RD_KAFKA_V_VALUE(const_cast<char*>(value.data()), value.size()),
        RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY), RD_KAFKA_V_HEADERS(headers), RD_KAFKA_V_END);
    if (code != RD_KAFKA_RESP_ERR__QUEUE_FULL) return Check(code, "producing");
    rd_kafka_poll(producer, 5);
  }
}

void Fill(const Arguments& arguments) {
  // Records at an even pace must not wait for others: latency counts from their timestamps on.
  const ClientHandle producer =
      NewProducer(arguments, {{"linger.ms", arguments.per_second > 0 ? "1" : "50"}});
  const int32_t partitions = PartitionsOf(producer.get(), arguments.to);
  rd_kafka_topic_t* topic = rd_kafka_topic_new(producer.get(), arguments.to.c_str(), nullptr);
  Records records(arguments);
  const Watch watch;
  const auto begin = std::chrono::steady_clock::now();
  for (int64_t i = 0; i < arguments.records; ++i) {
    if (arguments.per_second > 0 && i % 10 == 0) {
      const auto due = begin + std::chrono::microseconds(i * 1'000'000 / arguments.per_second);
      while (std::chrono::steady_clock::now() < due) rd_kafka_poll(producer.get(), 1);
    }
    Produce(producer.get(), topic, records.Next(), nullptr, static_cast<int32_t>(i % partitions));
    if (i % 1000 == 0) rd_kafka_poll(producer.get(), 0);
  }
  Check(rd_kafka_flush(producer.get(), kFlushMs), "flushing");
  watch.Print(arguments.records);
  rd_kafka_topic_destroy(topic);
}

// ---- consume and forward

void AssignAll(rd_kafka_t* consumer, const std::vector<std::string>& topics, int64_t offset) {
  rd_kafka_topic_partition_list_t* list = rd_kafka_topic_partition_list_new(8);
  for (const std::string& topic : topics) {
    for (int32_t i = 0; i < PartitionsOf(consumer, topic); ++i) {
      rd_kafka_topic_partition_list_add(list, topic.c_str(), i)->offset = offset;
    }
  }
  Check(rd_kafka_assign(consumer, list), "assigning");
  rd_kafka_topic_partition_list_destroy(list);
}

/// Calls `visit` for each record, and `between` after each batch. A batch waits up to `wait_ms`
/// until it is full.
template <class Visit, class Between>
void ReadAll(rd_kafka_t* consumer, int64_t records, int wait_ms, Visit visit, Between between) {
  rd_kafka_queue_t* queue = rd_kafka_queue_get_consumer(consumer);
  std::vector<rd_kafka_message_t*> batch(kBatch);
  for (int64_t seen = 0; seen < records;) {
    const ssize_t count = rd_kafka_consume_batch_queue(queue, wait_ms, batch.data(), batch.size());
    for (ssize_t i = 0; i < count; ++i) {
      if (batch[i]->err == RD_KAFKA_RESP_ERR_NO_ERROR) {
        visit(*batch[i]);
        ++seen;
      }
      rd_kafka_message_destroy(batch[i]);
    }
    between();
  }
  rd_kafka_queue_destroy(queue);
}

void Consume(const Arguments& arguments) {
  const Watch watch;
  const ClientHandle consumer = NewConsumer(arguments);
  AssignAll(consumer.get(), arguments.from, 0);
  ReadAll(
      consumer.get(), arguments.records, kBatchWaitMs, [](const rd_kafka_message_t&) {}, [] {});
  watch.Print(arguments.records);
  rd_kafka_consumer_close(consumer.get());
}

/// How old committed records are when they are read. Ages count from the timestamps, which
/// neardup passes on as the producer has set them.
void Latency(const Arguments& arguments) {
  const ClientHandle consumer = NewConsumer(arguments);
  AssignAll(consumer.get(), arguments.from, RD_KAFKA_OFFSET_END);
  std::vector<int64_t> ages_ms;
  ReadAll(
      consumer.get(), arguments.records, /*wait_ms=*/1,
      [&](const rd_kafka_message_t& message) {
        const auto now = std::chrono::system_clock::now().time_since_epoch();
        ages_ms.push_back(std::chrono::duration_cast<std::chrono::milliseconds>(now).count() -
                          rd_kafka_message_timestamp(&message, nullptr));
      },
      [] {});
  std::sort(ages_ms.begin(), ages_ms.end());
  const auto percentile = [&](double share) {
    return static_cast<long long>(
        ages_ms[static_cast<size_t>(share * static_cast<double>(ages_ms.size() - 1))]);
  };
  std::printf(
      "{\"records\": %zu, \"p50_ms\": %lld, \"p95_ms\": %lld, \"p99_ms\": %lld, \"max_ms\": "
      "%lld}\n",
      ages_ms.size(), percentile(0.5), percentile(0.95), percentile(0.99), percentile(1));
  rd_kafka_consumer_close(consumer.get());
}

/// Four of five records go to `to`, and the fifth to `to`-second, each to its own partition.
void Forward(const Arguments& arguments) {
  const Watch watch;
  const ClientHandle consumer = NewConsumer(arguments);
  const ClientHandle producer =
      NewProducer(arguments, {{"transactional.id", "bench-" + arguments.to}});
  Check(rd_kafka_init_transactions(producer.get(), kFlushMs), "initialising transactions");
  rd_kafka_topic_t* topics[] = {
      rd_kafka_topic_new(producer.get(), arguments.to.c_str(), nullptr),
      rd_kafka_topic_new(producer.get(), (arguments.to + "-second").c_str(), nullptr)};
  for (const char* suffix : {"", "-second"}) PartitionsOf(producer.get(), arguments.to + suffix);
  AssignAll(consumer.get(), arguments.from, 0);
  std::map<int32_t, int64_t> next;
  rd_kafka_consumer_group_metadata_t* group = rd_kafka_consumer_group_metadata(consumer.get());
  int64_t number = 0;
  auto begun = std::chrono::steady_clock::now();
  Check(rd_kafka_begin_transaction(producer.get()), "beginning");
  const auto commit = [&] {
    rd_kafka_topic_partition_list_t* offsets = rd_kafka_topic_partition_list_new(8);
    for (const auto& [partition, offset] : next) {
      rd_kafka_topic_partition_list_add(offsets, arguments.from.front().c_str(), partition)
          ->offset = offset;
    }
    if (offsets->cnt > 0) {
      Check(rd_kafka_send_offsets_to_transaction(producer.get(), offsets, group, kFlushMs),
            "sending offsets");
    }
    rd_kafka_topic_partition_list_destroy(offsets);
    Check(rd_kafka_commit_transaction(producer.get(), kFlushMs), "committing");
  };
  ReadAll(
      consumer.get(), arguments.records, kBatchWaitMs,
      [&](const rd_kafka_message_t& message) {
        rd_kafka_headers_t* headers = nullptr;
        if (arguments.headers > 0) {
          headers = rd_kafka_headers_new(static_cast<size_t>(arguments.headers));
          for (int i = 0; i < arguments.headers; ++i) {
            rd_kafka_header_add(headers, "bench-header0", -1, "0123456789abcdef", 16);
          }
        }
        Produce(producer.get(), topics[++number % 5 == 0 ? 1 : 0],
                {static_cast<const char*>(message.payload), message.len}, headers,
                message.partition);
        next[message.partition] = message.offset + 1;
      },
      [&] {
        rd_kafka_poll(producer.get(), 0);
        const auto now = std::chrono::steady_clock::now();
        if (now - begun < std::chrono::milliseconds(arguments.transaction_ms)) return;
        commit();
        Check(rd_kafka_begin_transaction(producer.get()), "beginning");
        begun = now;
      });
  commit();
  watch.Print(arguments.records);
  rd_kafka_consumer_group_metadata_destroy(group);
  for (rd_kafka_topic_t* topic : topics) rd_kafka_topic_destroy(topic);
  rd_kafka_consumer_close(consumer.get());
}

int Main(int count, char** words) {
  CLI::App app("Writes, reads or forwards records with librdkafka alone; prints one line of JSON");
  Arguments arguments;
  app.add_option("--brokers", arguments.brokers)->required();
  app.add_option("--records", arguments.records)->required();
  app.require_subcommand(1);
  CLI::App* fill = app.add_subcommand("fill", "write records");
  fill->add_option("--to", arguments.to, "topic")->required();
  fill->add_option("--bytes", arguments.bytes, "size of a record");
  fill->add_flag("--chinese", arguments.chinese);
  fill->add_option("--per-second", arguments.per_second, "0: as fast as possible");
  CLI::App* consume = app.add_subcommand("consume", "read records");
  consume->add_option("--from", arguments.from, "topic")->required();
  CLI::App* latency =
      app.add_subcommand("latency", "read what is written from now on, and print its age");
  latency->add_option("--from", arguments.from, "topics")->required()->delimiter(',');
  CLI::App* forward = app.add_subcommand("forward", "read and write records in transactions");
  forward->add_option("--from", arguments.from, "topic")->required();
  forward->add_option("--to", arguments.to, "topic; a fifth of the records go to TOPIC-second")
      ->required();
  forward->add_option("--headers", arguments.headers, "headers added to each record");
  forward->add_option("--transaction-ms", arguments.transaction_ms);
  CLI11_PARSE(app, count, words);
  (fill->parsed()      ? Fill
   : consume->parsed() ? Consume
   : latency->parsed() ? Latency
                       : Forward)(arguments);
  return 0;
}

}  // namespace
}  // namespace neardup

int main(int count, char** words) { return neardup::Main(count, words); }
