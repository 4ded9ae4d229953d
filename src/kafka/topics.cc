#include "kafka/topics.h"

#include <algorithm>
#include <charconv>
#include <set>
#include <utility>

#include "kafka/topic_admin.h"

namespace neardup {

namespace {

constexpr int64_t kBrokerDefaultBytes = 1'048'588;
// Framing of a batch with one record: 61 bytes of batch header, lengths and deltas of the record
// and of its headers.
constexpr int64_t kFramingBytes = 512;
constexpr int64_t kBatchBytes = 1'000'000;

}  // namespace

const std::string& OutputTopics::Template(Decision decision) const {
  switch (decision) {
    case Decision::kUnique:
      return options_.unique_topic;
    case Decision::kDuplicate:
      return options_.duplicate_topic;
    case Decision::kDeadLetter:
      break;
  }
  return options_.dead_letter_topic;
}

int64_t OutputTopics::SmallestLimit(const std::string& input_topic) const {
  int64_t smallest = INT64_MAX;
  for (const Decision decision : {Decision::kUnique, Decision::kDuplicate, Decision::kDeadLetter}) {
    const auto found = max_message_bytes_.find(ExpandTopic(Template(decision), input_topic));
    smallest =
        std::min(smallest, found == max_message_bytes_.end() ? kBrokerDefaultBytes : found->second);
  }
  return smallest;
}

size_t OutputTopics::record_bytes_max(const std::string& input_topic) const {
  return static_cast<size_t>(std::max<int64_t>(0, SmallestLimit(input_topic) - kFramingBytes));
}

int64_t OutputTopics::batch_bytes_max() const {
  int64_t smallest = kBatchBytes;
  for (const std::string& topic : options_.topics) {
    smallest = std::min(smallest, SmallestLimit(topic) - kFramingBytes);
  }
  return std::max<int64_t>(1, smallest);
}

std::vector<std::string> OutputTopics::Names() const {
  std::set<std::string> names;
  for (const std::string& topic : options_.topics) {
    for (const std::string* name :
         {&options_.unique_topic, &options_.duplicate_topic, &options_.dead_letter_topic}) {
      names.insert(ExpandTopic(*name, topic));
    }
  }
  return {names.begin(), names.end()};
}

void OutputTopics::Bind(std::shared_ptr<Client> client) {
  Unbind();
  client_ = std::move(client);
}

void OutputTopics::Unbind() {
  outputs_.clear();
  client_.reset();
}

rd_kafka_topic_t* OutputTopics::Find(const std::string& input_topic, Decision decision) {
  const auto index = static_cast<size_t>(decision);
  for (const Outputs& outputs : outputs_) {
    if (outputs.input_topic == input_topic) return outputs.handles[index].get();
  }
  Outputs& added = outputs_.emplace_back();
  added.input_topic = input_topic;
  for (const Decision each : {Decision::kUnique, Decision::kDuplicate, Decision::kDeadLetter}) {
    const std::string name = ExpandTopic(Template(each), input_topic);
    added.handles[static_cast<size_t>(each)].reset(
        rd_kafka_topic_new(client_->get(), name.c_str(), nullptr));
  }
  return added.handles[index].get();
}

namespace {

// What our headers and the record framing may add to the input's largest record.
constexpr int64_t kHeaderRoomBytes = 64 * 1024;
constexpr const char* kTimeAhead = "message.timestamp.after.max.ms";

Result<TopicAdmin> NewAdmin(const KafkaOptions& options, const KafkaLog& log) {
  NEARDUP_ASSIGN(std::shared_ptr<Client> client, Client::New(options, ClientRole::kWatermark, log));
  return TopicAdmin(std::move(client), options);
}

std::optional<int64_t> Number(const Properties& settings, const std::string& name) {
  const auto found = settings.find(name);
  if (found == settings.end()) return std::nullopt;
  int64_t number = 0;
  const char* end = found->second.data() + found->second.size();
  if (std::from_chars(found->second.data(), end, number).ptr != end) return std::nullopt;
  return number;
}

/// Brings the topics of one lane set in order, collecting what it did.
class TopicKeeper {
 public:
  TopicKeeper(const KafkaOptions& options, TopicAdmin admin)
      : options_(options), admin_(std::move(admin)) {}

  Result<void> EnsureOutputs(const std::string& input, int32_t partitions);
  Result<void> EnsureChangelog(int32_t lanes);
  Result<void> EnsureLease(int32_t lanes) { return EnsureSize(LeaseTopic(options_), lanes, {}); }
  TopicReport TakeReport() { return std::move(report_); }

 private:
  Result<void> EnsureSize(const std::string& topic, int32_t partitions, Properties settings);
  Result<void> Create(const std::string& topic, int32_t partitions, Properties settings);
  Result<void> CheckChangelog(const std::string& topic);
  std::optional<Properties> ReadSettings(const std::string& topic);

  const KafkaOptions& options_;
  TopicAdmin admin_;
  TopicReport report_;
  bool settings_unanswered_ = false;
};

std::optional<Properties> TopicKeeper::ReadSettings(const std::string& topic) {
  // A cluster that left one such question without an answer leaves them all; each costs a time-out.
  if (settings_unanswered_) return std::nullopt;
  Result<Properties> settings = admin_.Settings(topic);
  if (settings.ok()) return std::move(settings).value();
  settings_unanswered_ = settings.error().code == ErrorCode::kUnavailable;
  report_.warnings.push_back(settings.error().text + "; the topic's settings are not checked");
  return std::nullopt;
}

Result<void> TopicKeeper::Create(const std::string& topic, int32_t partitions,
                                 Properties settings) {
  Result<bool> created = admin_.Create(topic, partitions, settings);
  if (!created.ok() && created.error().code == ErrorCode::kConfig &&
      settings.erase(kTimeAhead) > 0) {
    // Brokers before 3.6 do not know the setting and take any timestamp.
    created = admin_.Create(topic, partitions, settings);
  }
  if (!created.ok()) return created.error();
  if (*created) report_.created.push_back(topic);
  return admin_.AwaitPartitions(topic, partitions);
}

Result<void> TopicKeeper::EnsureSize(const std::string& topic, int32_t partitions,
                                     Properties settings) {
  NEARDUP_ASSIGN(const std::optional<int32_t> existing, admin_.Partitions(topic));
  if (existing && *existing >= partitions) return {};
  const std::string wanted = std::to_string(partitions) + " partition(s)";
  if (!options_.create_topics) {
    if (existing) {
      return Fatal(ErrorCode::kConfig, "topic " + topic + " has " + std::to_string(*existing) +
                                           " partition(s), needs " + wanted +
                                           "; add them: kafka-topics.sh --alter --topic " + topic +
                                           " --partitions " + std::to_string(partitions));
    }
    return Fatal(ErrorCode::kNotFound, "topic " + topic + " does not exist; create it with " +
                                           wanted + ", or let neardup do it (create_topics)");
  }
  if (!existing) return Create(topic, partitions, std::move(settings));
  if (const Result<void> grown = admin_.Grow(topic, partitions); !grown.ok()) {
    NEARDUP_ASSIGN(const std::optional<int32_t> now, admin_.Partitions(topic));
    // Another instance may have been quicker.
    return now && *now >= partitions ? Result<void>() : grown.error();
  }
  report_.grown.push_back(topic);
  return admin_.AwaitPartitions(topic, partitions);
}

Result<void> TopicKeeper::EnsureOutputs(const std::string& input, int32_t partitions) {
  Properties settings = {{kTimeAhead, "9223372036854775807"}};
  if (const std::optional<Properties> of_input = ReadSettings(input)) {
    if (const auto largest = Number(*of_input, "max.message.bytes")) {
      const int64_t room = std::min<int64_t>(*largest, INT32_MAX - kHeaderRoomBytes);
      settings["max.message.bytes"] = std::to_string(room + kHeaderRoomBytes);
    }
    // Records keep their timestamps, so an output that kept them for less than its input would lose
    // what a backfill of old records writes.
    for (const char* kept : {"retention.ms", "retention.bytes"}) {
      if (const auto found = of_input->find(kept); found != of_input->end()) {
        settings[kept] = found->second;
      }
    }
  }
  for (const std::string* name :
       {&options_.unique_topic, &options_.duplicate_topic, &options_.dead_letter_topic}) {
    const std::string topic = ExpandTopic(*name, input);
    NEARDUP_TRY(EnsureSize(topic, partitions, settings));
    if (const std::optional<Properties> found = ReadSettings(topic)) {
      if (const auto largest = Number(*found, "max.message.bytes")) {
        report_.max_message_bytes[topic] = *largest;
      }
    }
  }
  return {};
}

Result<void> TopicKeeper::EnsureChangelog(int32_t lanes) {
  const std::string topic = ChangelogTopic(options_);
  NEARDUP_TRY(EnsureSize(topic, lanes,
                         {{"cleanup.policy", "delete"},
                          {"retention.ms", "-1"},
                          {"retention.bytes", "-1"},
                          // By the records' own stamps a back-fill would be deleted at once.
                          {"message.timestamp.type", "LogAppendTime"}}));
  return CheckChangelog(topic);
}

Result<void> TopicKeeper::CheckChangelog(const std::string& topic) {
  const std::optional<Properties> settings = ReadSettings(topic);
  if (!settings) return {};
  const std::pair<const char*, const char*> vital[] = {
      {"cleanup.policy", "delete"}, {"retention.ms", "-1"}, {"retention.bytes", "-1"}};
  for (const auto& [name, wanted] : vital) {
    const auto found = settings->find(name);
    if (found == settings->end() || found->second == wanted) continue;
    return Fatal(ErrorCode::kConfig,
                 "topic " + topic + " has " + name + "=" + found->second + ", which loses state; " +
                     "it must be " + wanted +
                     ": kafka-configs.sh --alter --entity-type topics --entity-name " + topic +
                     " --add-config " + name + "=" + wanted);
  }
  const auto stamp = settings->find("message.timestamp.type");
  if (stamp != settings->end() && stamp->second != "LogAppendTime") {
    report_.warnings.push_back("topic " + topic + " has message.timestamp.type=" + stamp->second +
                               "; LogAppendTime is recommended");
  }
  return {};
}

}  // namespace

Result<std::vector<InputPartition>> ListPartitions(const KafkaOptions& options,
                                                   const KafkaLog& log) {
  NEARDUP_ASSIGN(const std::shared_ptr<Client> client,
                 Client::New(options, ClientRole::kWatermark, log));
  return InputPartitions(*client, options);
}

Result<TopicReport> EnsureTopics(const KafkaOptions& options,
                                 std::span<const InputPartition> inputs, int32_t lanes,
                                 const KafkaLog& log) {
  NEARDUP_ASSIGN(TopicAdmin admin, NewAdmin(options, log));
  std::map<std::string, int32_t> partitions;
  for (const InputPartition& input : inputs) {
    int32_t& count = partitions[input.topic];
    count = std::max(count, static_cast<int32_t>(input.partition) + 1);
  }
  TopicKeeper keeper(options, std::move(admin));
  for (const auto& [topic, count] : partitions) NEARDUP_TRY(keeper.EnsureOutputs(topic, count));
  NEARDUP_TRY(keeper.EnsureChangelog(lanes));
  NEARDUP_TRY(keeper.EnsureLease(lanes));
  return keeper.TakeReport();
}

}  // namespace neardup
