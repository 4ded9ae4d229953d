// The three topics each input topic leads to: their names, sizes and library handles.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kafka/client.h"
#include "kafka/kafka_options.h"
#include "neardup/result.h"
#include "neardup/verdict.h"
#include "state/input.h"

namespace neardup {

class OutputTopics {
 public:
  OutputTopics(const KafkaOptions& options, std::map<std::string, int64_t> max_message_bytes)
      : options_(options), max_message_bytes_(std::move(max_message_bytes)) {}

  /// Largest key + value + headers that fits every output of an input topic.
  size_t record_bytes_max(const std::string& input_topic) const;
  /// Largest batch that fits every output of every configured input.
  int64_t batch_bytes_max() const;
  /// Names of all outputs, each once.
  std::vector<std::string> Names() const;

  /// The handles below belong to this client from now on.
  void Bind(std::shared_ptr<Client> client);
  /// Frees the handles; to be called before the client goes.
  void Unbind();
  rd_kafka_topic_t* Find(const std::string& input_topic, Decision decision);

 private:
  struct Outputs {
    std::string input_topic;
    std::array<TopicHandle, 3> handles;  ///< by Decision
  };
  const std::string& Template(Decision decision) const;
  int64_t SmallestLimit(const std::string& input_topic) const;

  const KafkaOptions& options_;
  std::map<std::string, int64_t> max_message_bytes_;
  std::shared_ptr<Client> client_;
  std::vector<Outputs> outputs_;  ///< few: searched one by one
};

// The topics a lane works with: what exists, and making what is absent.

/// All partitions of the input topics, sorted. kNotFound names a missing topic, kUnavailable says
/// that no broker answered within answer_timeout_ms, kAuth that we are not let in.
Result<std::vector<InputPartition>> ListPartitions(const KafkaOptions& options,
                                                   const KafkaLog& log);

/// What EnsureTopics found and did.
struct TopicReport {
  /// Largest batch an output topic takes (its max.message.bytes); absent where it may not be read.
  std::map<std::string, int64_t> max_message_bytes;
  std::vector<std::string> created;
  std::vector<std::string> grown;
  std::vector<std::string> warnings;
};

/// Makes the output, changelog and lease topics fit for `inputs` and `lanes` lanes; to be called
/// again when an input topic has grown.
///   outputs    created with the partitions of their input and room for its largest record plus our
///              headers; partitions are added when the input grew
///   changelog  one partition per lane, deleted by nobody; settings that would lose state are a
///              fatal kConfig error with the command that mends them
///   lease      one partition per lane
/// With create_topics off nothing is changed: what is absent is kNotFound, what is too small
/// kConfig. Settings that may not be read are a warning.
Result<TopicReport> EnsureTopics(const KafkaOptions& options,
                                 std::span<const InputPartition> inputs, int32_t lanes,
                                 const KafkaLog& log);

}  // namespace neardup
