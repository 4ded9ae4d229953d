// Reads one input partition, and wakes its source when records arrive.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "kafka/client.h"
#include "kafka/deadline.h"
#include "kafka/handle.h"
#include "neardup/result.h"
#include "stream/message.h"
#include "stream/ports.h"

namespace neardup {

/// Lets one thread sleep until any of the library's queues has something for it.
class WakeUp {
 public:
  /// From any thread. Short, and never calls the library.
  void Signal() {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      signalled_ = true;
    }
    changed_.notify_one();
  }
  /// Forgets earlier signals. Call it before looking into the queues.
  void Reset() {
    const std::lock_guard<std::mutex> lock(mutex_);
    signalled_ = false;
  }
  /// Returns when a signal has come since Reset, or at the deadline.
  void Wait(const Deadline& deadline) {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait_until(lock, deadline.end(), [this] { return signalled_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool signalled_ = false;
};

/// Messages that were taken from the library together. They are freed together, before their
/// client.
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

/// One assigned input partition: its queue in the library, and the records taken from the queue and
/// not yet handed on. Belongs to the source's thread; the library's threads only signal.
///
/// The reader keeps the next offset itself, because the library's position also moves on errors and
/// end-of-partition events. It skips records below the next offset, which the library delivers
/// again. A gap is legal (transaction markers, aborted records, compaction).
class PartitionReader {
 public:
  /// Separates the partition's queue from the client's own queue. Must happen before the partition
  /// is assigned, so that no record goes to the client's queue.
  PartitionReader(std::shared_ptr<Client> client, InputAssignment assignment, WakeUp& wake_up);
  ~PartitionReader();
  PartitionReader(const PartitionReader&) = delete;
  PartitionReader& operator=(const PartitionReader&) = delete;

  /// True if a record is at hand. Looks into the queue if none is and the queue has signalled. An
  /// error that is no InputTrouble stays at the head and is returned again.
  Result<bool> HasRecord();
  /// The time that orders the record among those of other partitions: its timestamp, or -1 if it
  /// has none. A timestamp in the future says nothing about the records behind it, so that of the
  /// record before counts in its place. HasRecord must be true.
  int64_t order_ms() const { return head_order_ms_; }
  /// Hands the record on. HasRecord must be true.
  void TakeRecord(Message& message);

  const InputAssignment& assignment() const { return assignment_; }
  InputStatus Status() const;

 private:
  bool Fetch();
  Result<bool> LookAtHead();
  /// kNone for an error that is not about this input alone.
  static InputTrouble TroubleOf(rd_kafka_resp_err_t code);
  Error HeadError(const rd_kafka_message_t& message) const;

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
  InputTrouble trouble_ = InputTrouble::kNone;
  int64_t head_order_ms_ = INT64_MIN;
};

}  // namespace neardup
