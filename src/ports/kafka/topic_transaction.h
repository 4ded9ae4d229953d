// Writes records into any topics, and moves the offsets of a group, in transactions: for the
// commands of an operator.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kafka/consumer_group.h"
#include "kafka/kafka_options.h"
#include "lane/message.h"
#include "neardup/result.h"
#include "state/input.h"

namespace neardup {

class TopicProducer;

/// A partition, and what a group commits for it.
struct GroupProgress {
  InputPartition partition;
  GroupOffset next;
};

/// All writes between Begin and Commit become visible together with the offsets, or none does. An
/// error is final: make a new object, which aborts what is open, and read the group's offsets
/// again; they say what was committed. Also after a commit that left it unusable. One
/// thread.
class TopicTransaction {
 public:
  /// Takes the transactional id: another process that has it cannot write any more.
  static Result<std::unique_ptr<TopicTransaction>> New(const KafkaOptions& options,
                                                       const std::string& transactional_id,
                                                       const KafkaLog& log);
  ~TopicTransaction();
  /// True if a request of the last transaction was not answered. It may reach the broker late, and
  /// would end the next transaction of this object, or change its offsets. So Begin fails; a new
  /// object makes the late request void.
  bool is_spent() const { return !late_request_.empty(); }
  Result<void> Begin();
  /// Takes a copy of the record, without `left_out_count` of its headers from `left_out_first` on.
  Result<void> Write(const InputPartition& to, const Message& message, size_t left_out_first,
                     size_t left_out_count);
  Result<void> Commit(const std::string& group, const std::vector<GroupProgress>& progress);

 private:
  TopicTransaction(std::unique_ptr<TopicProducer> producer, int timeout_ms);

  int timeout_ms_;
  std::unique_ptr<TopicProducer> producer_;
  std::string late_request_;  ///< of the last transaction; empty: none
};

}  // namespace neardup
