#include "kafka/kafka_cluster.h"

#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <stdexcept>

#include "kafka/topic_admin.h"

namespace neardup {
namespace {

using PlainClient = std::unique_ptr<rd_kafka_t, HandleDeleter<rd_kafka_destroy>>;

PlainClient NewPlainClient(rd_kafka_type_t type, const std::map<std::string, std::string>& all) {
  rd_kafka_conf_t* conf = rd_kafka_conf_new();
  rd_kafka_conf_set_log_cb(conf, [](const rd_kafka_t*, int, const char*, const char*) {});
  std::array<char, 512> complaint{};
  for (const auto& [name, value] : all) {
    if (rd_kafka_conf_set(conf, name.c_str(), value.c_str(), complaint.data(), complaint.size()) !=
        RD_KAFKA_CONF_OK) {
      throw std::runtime_error(complaint.data());
    }
  }
  PlainClient client(rd_kafka_new(type, conf, complaint.data(), complaint.size()));
  if (!client) throw std::runtime_error(complaint.data());
  return client;
}

void Require(rd_kafka_resp_err_t code, const std::string& what) {
  if (code != RD_KAFKA_RESP_ERR_NO_ERROR) {
    throw std::runtime_error(what + ": " + rd_kafka_err2str(code));
  }
}

void Require(rd_kafka_error_t* error, const std::string& what) {
  const ErrorHandle owned(error);
  if (owned) throw std::runtime_error(what + ": " + rd_kafka_error_string(error));
}

void Produce(rd_kafka_t* producer, const std::string& topic, int32_t partition,
             const TestRecord& record) {
  rd_kafka_headers_t* headers = rd_kafka_headers_new(record.headers.size());
  for (const auto& [name, value] : record.headers) {
    rd_kafka_header_add(headers, name.data(), static_cast<ssize_t>(name.size()),
                        value ? value->data() : nullptr,
                        value ? static_cast<ssize_t>(value->size()) : 0);
  }
  std::array<rd_kafka_vu_t, 7> parts{};
  parts[0].vtype = RD_KAFKA_VTYPE_TOPIC;
  parts[0].u.cstr = topic.c_str();
  parts[1].vtype = RD_KAFKA_VTYPE_PARTITION;
  parts[1].u.i32 = partition;
  parts[2].vtype = RD_KAFKA_VTYPE_MSGFLAGS;
  parts[2].u.i = RD_KAFKA_MSG_F_COPY | RD_KAFKA_MSG_F_BLOCK;
  parts[3].vtype = RD_KAFKA_VTYPE_KEY;
  if (record.key) parts[3].u.mem = {const_cast<char*>(record.key->data()), record.key->size()};
  parts[4].vtype = RD_KAFKA_VTYPE_VALUE;
  if (record.value) {
    parts[4].u.mem = {const_cast<char*>(record.value->data()), record.value->size()};
  }
  parts[5].vtype = RD_KAFKA_VTYPE_TIMESTAMP;
  parts[5].u.i64 = record.timestamp_ms;
  parts[6].vtype = RD_KAFKA_VTYPE_HEADERS;
  parts[6].u.headers = headers;
  Require(rd_kafka_produceva(producer, parts.data(), parts.size()), "produce to " + topic);
}

TestRecord AsRecord(const rd_kafka_message_t& message) {
  TestRecord record;
  record.offset = message.offset;
  if (message.key != nullptr) record.key.emplace(static_cast<char*>(message.key), message.key_len);
  if (message.payload != nullptr) {
    record.value.emplace(static_cast<char*>(message.payload), message.len);
  }
  rd_kafka_timestamp_type_t type;
  record.timestamp_ms = rd_kafka_message_timestamp(&message, &type);
  rd_kafka_headers_t* headers = nullptr;
  if (rd_kafka_message_headers(&message, &headers) != RD_KAFKA_RESP_ERR_NO_ERROR) return record;
  const char* name = nullptr;
  const void* value = nullptr;
  size_t size = 0;
  for (size_t i = 0;
       rd_kafka_header_get_all(headers, i, &name, &value, &size) == RD_KAFKA_RESP_ERR_NO_ERROR;
       ++i) {
    std::optional<std::string> copy;
    if (value != nullptr) copy.emplace(static_cast<const char*>(value), size);
    record.headers.emplace_back(name, copy);
  }
  return record;
}

}  // namespace

std::string FreshName(const std::string& stem) {
  static std::atomic<int> count{0};
  static const auto run = std::chrono::system_clock::now().time_since_epoch().count() / 1'000'000;
  return stem + "-" + std::to_string(run % 10'000'000) + "-" + std::to_string(getpid()) + "-" +
         std::to_string(count++);
}

void CreateTopic(const std::string& brokers, const std::string& topic, int32_t partitions,
                 const std::map<std::string, std::string>& settings) {
  KafkaOptions options;
  options.brokers = brokers;
  const std::shared_ptr<Client> client = Client::New(options, ClientRole::kWatermark, {}).value();
  TopicAdmin admin(client, options);
  const Result<bool> created = admin.Create(topic, partitions, settings);
  if (!created.ok()) throw std::runtime_error(created.error().text);
  const Result<void> shown = admin.AwaitPartitions(topic, partitions);
  if (!shown.ok()) throw std::runtime_error(shown.error().text);
  // Brokers name a leader before it leads: until then it answers "Not leader for partition".
  for (int32_t partition = 0; partition < partitions; ++partition) {
    const Result<OffsetBounds> led =
        AskOffsetBounds(*client, {topic, partition}, options.answer_timeout_ms);
    if (!led.ok()) throw std::runtime_error(led.error().text);
  }
}

void Write(const std::string& brokers, const std::string& topic, int32_t partition,
           const std::vector<TestRecord>& records) {
  const PlainClient producer = NewPlainClient(
      RD_KAFKA_PRODUCER, {{"bootstrap.servers", brokers}, {"message.max.bytes", "100000000"}});
  for (const TestRecord& record : records) Produce(producer.get(), topic, partition, record);
  Require(rd_kafka_flush(producer.get(), 30'000), "flush");
}

void WriteInTransaction(const std::string& brokers, const std::string& topic, int32_t partition,
                        const std::vector<TestRecord>& records, bool commit) {
  const PlainClient producer = NewPlainClient(
      RD_KAFKA_PRODUCER,
      {{"bootstrap.servers", brokers}, {"transactional.id", FreshName("test-writer")}});
  Require(rd_kafka_init_transactions(producer.get(), 30'000), "init");
  Require(rd_kafka_begin_transaction(producer.get()), "begin");
  for (const TestRecord& record : records) Produce(producer.get(), topic, partition, record);
  Require(rd_kafka_flush(producer.get(), 30'000), "flush");
  if (commit) {
    Require(rd_kafka_commit_transaction(producer.get(), 30'000), "commit");
  } else {
    Require(rd_kafka_abort_transaction(producer.get(), 30'000), "abort");
  }
  AwaitNothingOpen(brokers, topic, partition);
}

OpenRecords::OpenRecords(const std::string& brokers, const std::string& topic, int32_t partition,
                         const std::vector<TestRecord>& records)
    : producer_(NewPlainClient(RD_KAFKA_PRODUCER, {{"bootstrap.servers", brokers},
                                                   {"transactional.id", FreshName("open")}})
                    .release()) {
  Require(rd_kafka_init_transactions(producer_, 30'000), "init");
  Require(rd_kafka_begin_transaction(producer_), "begin");
  for (const TestRecord& record : records) Produce(producer_, topic, partition, record);
  Require(rd_kafka_flush(producer_, 30'000), "flush");
}

OpenRecords::~OpenRecords() {
  rd_kafka_error_destroy(rd_kafka_abort_transaction(producer_, 30'000));
  rd_kafka_destroy(producer_);
}

int64_t OffsetOfGroup(const std::string& brokers, const std::string& group,
                      const std::string& topic, int32_t partition) {
  const PlainClient consumer =
      NewPlainClient(RD_KAFKA_CONSUMER, {{"bootstrap.servers", brokers}, {"group.id", group}});
  const PartitionListHandle list(rd_kafka_topic_partition_list_new(1));
  rd_kafka_topic_partition_list_add(list.get(), topic.c_str(), partition);
  Require(rd_kafka_committed(consumer.get(), list.get(), 30'000), "offset of " + group);
  const int64_t offset = list->elems[0].offset;
  return offset < 0 ? -1 : offset;
}

OpenOffsets::OpenOffsets(const std::string& brokers, const std::string& group,
                         const std::string& topic, int32_t partition, int64_t offset)
    : producer_(NewPlainClient(RD_KAFKA_PRODUCER, {{"bootstrap.servers", brokers},
                                                   {"transactional.id", FreshName("foreign")}})
                    .release()) {
  Require(rd_kafka_init_transactions(producer_, 30'000), "init");
  Require(rd_kafka_begin_transaction(producer_), "begin");
  const PartitionListHandle list(rd_kafka_topic_partition_list_new(1));
  rd_kafka_topic_partition_list_add(list.get(), topic.c_str(), partition)->offset = offset;
  const GroupMetadataHandle of_group(rd_kafka_consumer_group_metadata_new(group.c_str()));
  Require(rd_kafka_send_offsets_to_transaction(producer_, list.get(), of_group.get(), 30'000),
          "send offsets");
}

OpenOffsets::~OpenOffsets() {
  rd_kafka_error_destroy(rd_kafka_abort_transaction(producer_, 30'000));
  rd_kafka_destroy(producer_);
}

int GroupMembers(const std::string& brokers, const std::string& group) {
  const PlainClient client = NewPlainClient(RD_KAFKA_PRODUCER, {{"bootstrap.servers", brokers}});
  const rd_kafka_group_list* found = nullptr;
  Require(rd_kafka_list_groups(client.get(), group.c_str(), &found, 10'000), "asking for a group");
  const std::unique_ptr<const rd_kafka_group_list, HandleDeleter<rd_kafka_group_list_destroy>>
      groups(found);
  if (groups->group_cnt != 1) return -1;
  const rd_kafka_group_info& info = groups->groups[0];
  const std::string_view state = info.state;
  return state == "Stable" || state == "Empty" ? info.member_cnt : -1;
}

void AwaitNothingOpen(const std::string& brokers, const std::string& topic, int32_t partition) {
  const auto end = [&](const PlainClient& client) {
    int64_t low = 0;
    int64_t high = 0;
    Require(rd_kafka_query_watermark_offsets(client.get(), topic.c_str(), partition, &low, &high,
                                             30'000),
            "watermarks of " + topic);
    return high;
  };
  const PlainClient all = NewPlainClient(
      RD_KAFKA_CONSUMER, {{"bootstrap.servers", brokers}, {"isolation.level", "read_uncommitted"}});
  const PlainClient stable = NewPlainClient(
      RD_KAFKA_CONSUMER, {{"bootstrap.servers", brokers}, {"isolation.level", "read_committed"}});
  for (int looks = 0; looks < 10'000; ++looks) {
    if (end(stable) == end(all)) return;
  }
  throw std::runtime_error("a transaction stays open in " + topic);
}

std::vector<TestRecord> Read(const std::string& brokers, const std::string& topic,
                             int32_t partition, const std::string& isolation) {
  const PlainClient consumer = NewPlainClient(RD_KAFKA_CONSUMER, {{"bootstrap.servers", brokers},
                                                                  {"group.id", "test-reader"},
                                                                  {"enable.auto.commit", "false"},
                                                                  {"enable.partition.eof", "true"},
                                                                  {"auto.offset.reset", "error"},
                                                                  {"isolation.level", isolation}});
  rd_kafka_poll_set_consumer(consumer.get());
  const TopicHandle handle(rd_kafka_topic_new(consumer.get(), topic.c_str(), nullptr));
  const rd_kafka_metadata_t* answer = nullptr;  // without it, the consumer would wait for a second
  Require(rd_kafka_metadata(consumer.get(), 0, handle.get(), &answer, 30'000), "metadata");
  const MetadataHandle metadata(answer);
  const PartitionListHandle list(rd_kafka_topic_partition_list_new(1));
  rd_kafka_topic_partition_list_add(list.get(), topic.c_str(), partition)->offset =
      RD_KAFKA_OFFSET_BEGINNING;
  Require(rd_kafka_assign(consumer.get(), list.get()), "assign");
  std::vector<TestRecord> records;
  while (true) {
    const MessageHandle message(rd_kafka_consumer_poll(consumer.get(), 30'000));
    if (!message) throw std::runtime_error("no end of " + topic + " within 30 s");
    if (message->err == RD_KAFKA_RESP_ERR__PARTITION_EOF) return records;
    Require(message->err, "read " + topic);
    records.push_back(AsRecord(*message));
  }
}

std::vector<std::string> ReadValues(const std::string& brokers, const std::string& topic,
                                    int32_t partition, const std::string& isolation) {
  std::vector<std::string> values;
  for (const TestRecord& record : Read(brokers, topic, partition, isolation)) {
    values.push_back(record.value.value_or("(null)"));
  }
  return values;
}

KafkaOptions FreshOptions(const std::string& brokers) {
  KafkaOptions options;
  options.brokers = brokers;
  options.app = FreshName("app");
  options.topics = {options.app + ".in"};
  return options;
}

Message AsMessage(const TestRecord& record, const Position& position) {
  Message message;
  message.position = position;
  message.timestamp_ms = record.timestamp_ms;
  message.key = record.key;
  message.value = record.value;
  for (const auto& [name, value] : record.headers) {
    message.headers.push_back(
        {name, value ? std::optional<std::string_view>(*value) : std::nullopt});
  }
  return message;
}

}  // namespace neardup
