// What a lane needs from outside. Kafka, files and the tests' broker in memory implement these
// ports. All calls come from the lane's thread; a port may have threads of its own.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "neardup/result.h"
#include "state/input.h"
#include "stream/message.h"

namespace neardup {

/// Where reading starts in an input partition that the lane has never read.
enum class StartAt : uint8_t { kEarliest, kLatest };

struct InputAssignment {
  uint32_t input = 0;  ///< Message::position.input of its records
  InputPartition partition;
  int64_t next_offset = 0;
};

struct InputStatus {
  uint32_t input = 0;
  /// It is read to the end that was visible at the last poll.
  bool at_end = false;
  /// Records that are not polled yet; 0 when at_end. An upper bound where control records take up
  /// offsets.
  int64_t lag_records = 0;
};

/// Where records come from.
class Source {
 public:
  virtual ~Source() = default;
  /// All input partitions that exist now, sorted. kNotFound names a topic that does not exist.
  virtual Result<std::vector<InputPartition>> Partitions() = 0;
  /// The offset to start at in a partition this lane has never read.
  virtual Result<int64_t> StartOffset(const InputPartition& partition, StartAt at) = 0;
  /// Replaces the assignment: records now come from exactly these inputs, from exactly these
  /// offsets on.
  virtual Result<void> Assign(std::span<const InputAssignment> inputs) = 0;
  /// Appends up to `records_max` records to `out`, those of each input in offset order. Waits at
  /// most `timeout_ms` for the first. Where several inputs have a backlog, the one with the
  /// earliest time comes first. A fatal kNotFound names an input whose next offset no longer
  /// exists.
  virtual Result<void> Poll(size_t records_max, int timeout_ms, std::vector<Message>& out) = 0;
  /// One row per assigned input.
  virtual std::vector<InputStatus> Status() = 0;
  /// No record will come any more (the end of a file). Always false for Kafka.
  virtual bool exhausted() const { return false; }
};

/// One record of the changelog.
struct ChangelogRecord {
  int64_t offset = 0;
  std::string_view bytes;
};

/// Reads the lane's committed deltas.
class Changelog {
 public:
  virtual ~Changelog() = default;
  /// The next Poll reads from `offset`, or from the beginning of the log if that is later.
  virtual Result<void> Open(int64_t offset) = 0;
  /// Calls `visit` for committed records in order. Waits at most `timeout_ms` for the first.
  /// Returns an error of `visit` unchanged. kNotFound: the next offset was purged.
  virtual Result<void> Poll(int timeout_ms,
                            const std::function<Result<void>(const ChangelogRecord&)>& visit) = 0;
  /// Every record below this offset was visited.
  virtual int64_t next_offset() const = 0;
  /// The end of the log now. After Transaction::Fence, no other instance can append to it.
  virtual Result<int64_t> End() = 0;
  /// Deletes all records below this offset, for all readers. An error that is not retriable means
  /// that this is not allowed.
  virtual Result<void> Purge(int64_t offset) = 0;
};

/// The lane's exclusive right to write: outputs, deltas and offsets, all or nothing.
/// Legal order of calls: Fence (Begin Publish* PublishDelta+ (Commit | Abort))*. After an error
/// other than kAborted, only Fence is legal. The port itself retries what a retry can repair,
/// within a deadline.
class Transaction {
 public:
  virtual ~Transaction() = default;
  /// Makes a new producer, locks every other instance out, and aborts their open transaction.
  virtual Result<void> Fence() = 0;
  virtual Result<void> Begin() = 0;
  /// Copies or shares what it needs, so that the record may go away after the call. Blocks while
  /// the limit of records in flight is reached.
  virtual Result<void> Publish(const RoutedRecord& record) = 0;
  virtual Result<void> PublishDelta(std::string_view bytes) = 0;
  /// Waits for all deliveries, adds the offsets and commits. kAborted: call Abort, then build the
  /// transaction again. kUnknownOutcome: call Fence; then the last delta of the changelog says
  /// whether the commit happened.
  virtual Result<void> Commit(std::span<const InputProgress> inputs) = 0;
  virtual Result<void> Abort() = 0;
  /// A record that its output refused: sending it again as it was cannot help. kTooLarge is only
  /// said of a single record; with another reason, and unless it was published alone, the record
  /// may merely have shared a batch with the one to blame.
  struct Refusal {
    Position position;
    Reason reason = Reason::kUndeliverable;
    std::string text;
  };
  /// The refusals since Begin. RefusedRecords decides what becomes of them.
  virtual std::vector<Refusal> TakeRefusals() = 0;
  /// The offsets of the lane's consumer group; -1 where there is none. Only compared with the
  /// changelog, which counts.
  virtual Result<std::vector<int64_t>> CommittedOffsets(std::span<const InputPartition> inputs) = 0;
  /// The largest record (key, value and headers) that every output of this input takes. The lane
  /// publishes larger ones as dead letters by reference, so that they do not fail the transaction.
  virtual size_t record_bytes_max(const InputPartition& input) const = 0;
};

/// Says which instance should run the lane. Only a hint: Transaction::Fence is the lock.
class Lease {
 public:
  virtual ~Lease() = default;
  /// True while this instance should be active.
  virtual Result<bool> Held() = 0;
  /// Gives the lease up, so that another instance may take over immediately.
  virtual void Release() = 0;
};

class Clock {
 public:
  virtual ~Clock() = default;
  /// Milliseconds since 1970.
  virtual int64_t WallMs() const = 0;
  /// Monotonic milliseconds.
  virtual int64_t SteadyMs() const = 0;
  virtual void SleepMs(int64_t ms) = 0;
};

}  // namespace neardup
