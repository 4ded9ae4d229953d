// The three output topics of each input topic: names, largest records and library handles.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kafka/client.h"
#include "kafka/kafka_options.h"
#include "kafka/topic_admin.h"
#include "neardup/result.h"
#include "stream/state/route.h"

namespace neardup {

class OutputTopics {
 public:
  /// `options` must outlive this object. `max_message_bytes` comes from TopicReport.
  OutputTopics(const KafkaOptions& options, std::map<std::string, int64_t> max_message_bytes);

  /// The largest total size of key, value and headers, in bytes, that every output of an input
  /// topic takes. The input topic is one of the options.
  size_t record_bytes_max(const std::string& input_topic) const;
  /// The largest batch, in bytes, that every output of every configured input and the groups topic
  /// take.
  int64_t batch_bytes_max() const;

  /// Asks what the outputs of an input take now, until a question is not answered.
  Result<void> ReadLimits(const std::string& input_topic, TopicAdmin& admin);

  /// Find makes handles of this client from now on.
  void Bind(std::shared_ptr<Client> client);
  /// Frees the handles. Call it before the client is destroyed.
  void Unbind();
  /// The handle of an output topic, which is not kNowhere; owned by this object.
  rd_kafka_topic_t* Find(const std::string& input_topic, Route route);

 private:
  struct Outputs {
    std::string input_topic;
    std::vector<TopicHandle> handles;  ///< by Route
  };
  int64_t SmallestLimit(const std::string& input_topic) const;
  void SetRecordLimits();

  const KafkaOptions& options_;
  std::map<std::string, int64_t> max_message_bytes_;
  std::vector<size_t> record_bytes_max_;  ///< by topic of the options
  std::shared_ptr<Client> client_;
  std::vector<Outputs> outputs_;  ///< few rows, so a linear search finds them
};

/// A record of an output topic with a neardup header.
struct WrittenOutput {
  uint64_t seq = 0;
  std::string place;  ///< topic/partition/offset
};

/// The record with the largest seq among the last committed records of each output partition of the
/// lane; nullopt if there is none. kUnavailable if the partitions cannot be read to their ends
/// within answer_timeout_ms.
Result<std::optional<WrittenOutput>> FindNewestOutput(const KafkaOptions& options,
                                                      const KafkaLog& log);

}  // namespace neardup
