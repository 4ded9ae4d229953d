// How to reach Kafka, and which topics a lane uses there.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "stream/lane/encoded_source.h"
#include "stream/state/pipeline.h"

namespace neardup {

inline constexpr int32_t kLanesMax = 64;

struct KafkaOptions {
  std::string brokers = "localhost:9092";
  /// Names the consumer group, the transactional id, the changelog topic and the lease topic.
  std::string app;
  std::vector<std::string> topics;
  /// How many lanes the app has, and which one this is. Partition p of each topic belongs to lane
  /// p modulo `lanes`. A list of partitions holds only partitions of the lane.
  int32_t lanes = 1;  ///< at most kLanesMax
  int32_t lane = 0;
  /// Output topics; {topic} stands for the input topic.
  std::string unique_topic = "{topic}.unique";
  std::string duplicate_topic = "{topic}.duplicate";
  std::string dead_letter_topic = "{topic}.dead-letter";
  /// Where the lane says how often each record was copied. Empty: nowhere.
  std::string groups_topic;
  /// Create output, groups, changelog and lease topics that do not exist.
  bool create_topics = true;
  /// Of created topics; -1 takes the broker's default.
  int16_t replication_factor = -1;
  int32_t session_timeout_ms = 6000;
  int32_t heartbeat_interval_ms = 500;
  int32_t transaction_timeout_ms = 30'000;
  /// How long a question about topics or offsets waits for an answer.
  int32_t answer_timeout_ms = 10'000;
  /// Bounds of the producer's queue: records and bytes in flight.
  int64_t inflight_records_max = 100'000;
  int64_t inflight_bytes_max = int64_t{256} << 20;
  /// Bounds what is read ahead from all input partitions together; prefetch.h says how.
  int64_t prefetch_bytes_max = int64_t{256} << 20;
  /// How the values of the topics are encoded. Null: all are JSON.
  std::shared_ptr<PayloadEncodings> encodings;
  /// librdkafka properties for all clients, for consumers only, for producers only.
  std::map<std::string, std::string> properties;
  std::map<std::string, std::string> consumer_properties;
  std::map<std::string, std::string> producer_properties;
};

inline std::string ChangelogTopic(const KafkaOptions& options) {
  return options.app + "-changelog";
}
/// Its partition 0 is the lease. Each of several lanes has its own topic, and a consumer group of
/// that name: in a common one, an assignor could give a lane to an instance of another.
inline std::string LeaseTopic(const KafkaOptions& options) {
  const std::string topic = options.app + "-lease";
  return options.lanes == 1 ? topic : topic + "-" + std::to_string(options.lane);
}

/// The unique, duplicate and dead-letter topic of an input topic, by Route.
inline std::vector<std::string> OutputsOf(const KafkaOptions& options, const std::string& input) {
  return {ExpandTopic(options.unique_topic, input), ExpandTopic(options.duplicate_topic, input),
          ExpandTopic(options.dead_letter_topic, input)};
}
/// The output topics of all input topics. Inputs may share some.
inline std::vector<std::string> OutputsOf(const KafkaOptions& options) {
  std::vector<std::string> topics;
  for (const std::string& input : options.topics) {
    for (std::string& topic : OutputsOf(options, input)) topics.push_back(std::move(topic));
  }
  return topics;
}

/// Receives the client library's log lines, from several of its threads at once. It must not call
/// the kafka module. `level` is a syslog level.
using KafkaLog = std::function<void(int level, std::string_view text)>;
inline constexpr int kSyslogError = 3;  ///< and what is worse has lower levels
inline constexpr int kSyslogWarning = 4;
inline constexpr int kSyslogInfo = 6;
inline constexpr int kSyslogDebug = 7;

// A point in time that a wait must not pass.

class Deadline {
 public:
  explicit Deadline(int timeout_ms)
      : end_(std::chrono::steady_clock::now() + std::chrono::milliseconds(timeout_ms)) {}

  std::chrono::steady_clock::time_point end() const { return end_; }
  bool passed() const { return std::chrono::steady_clock::now() >= end_; }
  /// Milliseconds left, at most `most_ms`; 0 when the deadline has passed.
  int left_ms(int most_ms) const {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(end_ - std::chrono::steady_clock::now());
    return static_cast<int>(std::clamp<int64_t>(left.count(), 0, most_ms));
  }

 private:
  std::chrono::steady_clock::time_point end_;
};

}  // namespace neardup
