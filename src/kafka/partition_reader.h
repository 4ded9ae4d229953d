// Which offsets partitions hold now.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "kafka/client.h"
#include "kafka/handle.h"
#include "kafka/kafka_options.h"
#include "neardup/result.h"
#include "state/input.h"
#include "stream/message.h"
#include "stream/ports.h"

namespace neardup {

struct OffsetBounds {
  int64_t begin = 0;
  /// One behind the last record, those of open transactions too; so it may lie behind what a reader
  /// of committed records can reach now.
  int64_t end = 0;
};

/// One row per partition.
Result<std::vector<OffsetBounds>> QueryOffsetBounds(const KafkaOptions& options,
                                                    std::span<const InputPartition> partitions,
                                                    const KafkaLog& log);

// One assigned input partition: its queue in the library, and what was taken out of it and not yet
// handed on.

/// Messages taken from the library together; freed together, before their client.
class MessageChunk {
 public:
  explicit MessageChunk(std::shared_ptr<Client> client) : client_(std::move(client)) {}
  ~MessageChunk();
  MessageChunk(const MessageChunk&) = delete;
  MessageChunk& operator=(const MessageChunk&) = delete;

  std::vector<rd_kafka_message_t*> messages;

 private:
  std::shared_ptr<Client> client_;
};

/// Owned and called by the source's thread; the library's threads only signal.
///
/// Keeps the next offset itself: the library's position moves on errors and end-of-partition
/// events. A record below it is one the library delivers again and is skipped; a gap is legal
/// (transaction markers, aborted records, compaction).
class PartitionReader {
 public:
  /// Takes the partition's queue away from the client's own queue. To be built before the
  /// partition is assigned, so that no record takes the other way.
  PartitionReader(std::shared_ptr<Client> client, InputAssignment assignment, WakeUp& wake_up);
  ~PartitionReader();
  PartitionReader(const PartitionReader&) = delete;
  PartitionReader& operator=(const PartitionReader&) = delete;

  /// True when a record is at hand; looks into the queue when none is and the queue was signalled.
  /// An error stays at the head and is returned again.
  Result<bool> HasRecord();
  /// The record's timestamp; lowest possible if it has none. HasRecord must be true.
  int64_t timestamp_ms() const { return head_timestamp_ms_; }
  /// Hands the record on. HasRecord must be true.
  void TakeRecord(Message& message);

  const InputAssignment& assignment() const { return assignment_; }
  InputStatus Status() const;

 private:
  bool Fetch();
  Result<bool> LookAtHead();
  Error OfHead(const rd_kafka_message_t& message) const;

  std::shared_ptr<Client> client_;
  InputAssignment assignment_;
  WakeUp& wake_up_;
  QueueHandle queue_;
  std::atomic<bool> signalled_{true};
  std::shared_ptr<MessageChunk> chunk_;
  size_t head_ = 0;
  bool head_ready_ = false;
  int64_t head_timestamp_ms_ = 0;
  size_t record_bytes_mean_ = 1024;
  bool at_end_ = false;
};

}  // namespace neardup
