// Reads one input partition, and wakes its source when records arrive.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "kafka/client.h"
#include "kafka/errors.h"
#include "kafka/kafka_options.h"
#include "neardup/result.h"
#include "stream/lane/ports.h"
#include "stream/state/route.h"

namespace neardup {

// What the library's statistics say about brokers that do not answer.

/// Reads the library's statistics, because the library reports no event when an idle partition
/// loses its leader. One thread.
class LeaderWatch {
 public:
  /// `statistics`: JSON of the library. Other text is ignored.
  void Take(std::string_view statistics);
  /// True if the partition had no leader that answered in the last two statistics.
  bool IsSilent(const InputPartition& partition) const;

 private:
  /// By partition whose leader does not answer: for how many statistics in a row.
  std::map<InputPartition, uint32_t> silent_for_;
};

/// Whether a broker is connected and has sent something in the last `silent_us` microseconds. The
/// client must have asked for something meanwhile. False if the text is not statistics.
bool AnyBrokerAnswers(std::string_view statistics, int64_t silent_us);

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

/// Records that were taken from the library together. They are copies, because a record of the
/// library keeps the whole answer of the broker that brought it.
class RecordChunk {
 public:
  struct Row {
    int64_t offset = 0;
    int64_t timestamp_ms = -1;
    std::optional<std::string_view> key;
    std::optional<std::string_view> value;
    std::span<const HeaderView> headers;
    /// An error or the end of the partition, instead of a record. Such events are rare.
    MessageHandle event;
  };

  /// Takes the messages. `client`: an event must not outlive it.
  RecordChunk(std::shared_ptr<Client> client, std::span<rd_kafka_message_t* const> messages);
  RecordChunk(const RecordChunk&) = delete;
  RecordChunk& operator=(const RecordChunk&) = delete;

  const std::vector<Row>& rows() const { return rows_; }
  size_t bytes() const { return bytes_; }         ///< of memory
  int64_t taken_ms() const { return taken_ms_; }  ///< when it was made; since 1970

 private:
  std::string_view Copy(std::string_view bytes);

  std::shared_ptr<Client> client_;
  std::vector<Row> rows_;
  std::vector<HeaderView> headers_;
  std::unique_ptr<char[]> memory_;
  size_t used_ = 0;
  size_t bytes_ = 0;
  int64_t taken_ms_;
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
  /// `held_bytes_max`: it leaves records with the library while it holds more bytes than this.
  PartitionReader(std::shared_ptr<Client> client, InputAssignment assignment, size_t held_bytes_max,
                  WakeUp& wake_up);
  ~PartitionReader();
  PartitionReader(const PartitionReader&) = delete;
  PartitionReader& operator=(const PartitionReader&) = delete;

  /// Takes over what the library has fetched, as far as held_bytes_max allows. True if records were
  /// taken since the last call, so that the library may fetch more.
  bool Gather();
  /// True if a record is ready. If none is and the queue has signalled, looks into the queue. An
  /// error that is no InputTrouble stays at the head and is returned again.
  Result<bool> HasRecord();
  /// The time that orders the record among records of other partitions: its timestamp, or -1 if it
  /// has none. A timestamp in the future says nothing about the records after it, so the time of
  /// the earlier record counts instead. HasRecord must be true.
  int64_t order_ms() const { return head_order_ms_; }
  /// Hands the record on. HasRecord must be true.
  void TakeRecord(Message& message);

  /// True while the others should wait, because records of this partition are known to follow, and
  /// may be older than theirs, but none is ready. Gives up after a while.
  bool HoldsOthersBack();

  const InputAssignment& assignment() const { return assignment_; }
  InputStatus Status() const;

 private:
  /// Takes one chunk from the library.
  bool Fetch();
  const RecordChunk::Row& Head() const { return chunks_.front()->rows()[head_]; }
  void PassHead();
  Result<bool> LookAtHead();
  /// kNone for an error that is not about this input alone.
  static InputTrouble TroubleOf(rd_kafka_resp_err_t code);
  Error HeadError(const rd_kafka_message_t& message) const;

  std::shared_ptr<Client> client_;
  InputAssignment assignment_;
  WakeUp& wake_up_;
  QueueHandle queue_;
  std::atomic<bool> signalled_{true};
  size_t held_bytes_max_;
  /// The chunks that still have rows to hand on, and their bytes.
  std::deque<std::shared_ptr<RecordChunk>> chunks_;
  size_t held_bytes_ = 0;
  bool took_ = false;  ///< since the last Gather
  size_t head_ = 0;    ///< row of the first chunk
  bool head_ready_ = false;
  size_t record_bytes_mean_ = 1024;
  bool at_end_ = false;
  InputTrouble trouble_ = InputTrouble::kNone;
  int64_t head_order_ms_ = INT64_MIN;
  std::optional<std::chrono::steady_clock::time_point> starved_since_;
};

}  // namespace neardup
