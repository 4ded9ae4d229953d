// What a lane needs from outside. Kafka, files and the simulation implement these; the lane names
// none of them. All calls come from the lane's one thread; a port may have threads of its own.
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

enum class StartAt : uint8_t { kEarliest, kLatest };

struct InputAssignment {
  uint32_t input = 0;  ///< what Message::position.input will be
  InputPartition partition;
  int64_t next_offset = 0;
};

struct InputStatus {
  uint32_t input = 0;
  /// Read to the end that was visible at the last poll.
  bool at_end = false;
  /// Records between the next record to be polled and the end; an upper bound where control
  /// records count as offsets; 0 when at_end.
  int64_t lag_records = 0;
};

/// Where records come from.
class Source {
 public:
  virtual ~Source() = default;
  /// All input partitions that exist now, sorted. kNotFound names a missing topic.
  virtual Result<std::vector<InputPartition>> Partitions() = 0;
  /// The offset to start at in a partition this lane has never read.
  virtual Result<int64_t> StartOffset(const InputPartition& partition, StartAt at) = 0;
  /// Replaces the assignment: records come from exactly these inputs at exactly these offsets.
  /// Records polled before are not seen again unless an offset says so.
  virtual Result<void> Assign(std::span<const InputAssignment> inputs) = 0;
  /// Appends up to `records_max` records to `out`, per input in offset order, waiting `timeout_ms`
  /// at most for the first. Where several inputs hold a backlog, the one lowest in time comes
  /// first. An input whose next offset no longer exists is a fatal kNotFound that names it.
  virtual Result<void> Poll(size_t records_max, int timeout_ms, std::vector<Message>& out) = 0;
  /// One row per assigned input.
  virtual std::vector<InputStatus> Status() = 0;
  /// No record will ever come again (the end of a file). Kafka: always false.
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
  /// Starts, or starts again, at `offset`; at the beginning of the log if that is later.
  virtual Result<void> Open(int64_t offset) = 0;
  /// Calls `visit` for committed records in order, waiting `timeout_ms` at most for the first; an
  /// error of `visit` is returned as it is.
  virtual Result<void> Poll(int timeout_ms,
                            const std::function<Result<void>(const ChangelogRecord&)>& visit) = 0;
  /// Everything below this offset has been visited.
  virtual int64_t next_offset() const = 0;
  /// End of the log now. After Transaction::Fence nothing of another instance can appear behind it.
  virtual Result<int64_t> End() = 0;
  /// Removes all records below this offset, for all readers. An error that is not retriable: it is
  /// not allowed here.
  virtual Result<void> Purge(int64_t offset) = 0;
};

/// The lane's exclusive right to write: outputs, deltas and offsets, all or nothing.
/// Legal order: Fence (Begin Publish* PublishDelta+ (Commit | Abort))*. After an error other than
/// kAborted only Fence is legal. Errors a retry can mend are retried inside, within a deadline.
class Transaction {
 public:
  virtual ~Transaction() = default;
  /// Builds a new producer, locks every other instance out, ends their open transaction.
  virtual Result<void> Fence() = 0;
  virtual Result<void> Begin() = 0;
  /// Takes a copy of, or a share in, what it needs: the record may go away after the call.
  /// Blocks while the bound of records in flight is reached.
  virtual Result<void> Publish(const RoutedRecord& record) = 0;
  virtual Result<void> PublishDelta(std::string_view bytes) = 0;
  /// Waits for all deliveries, adds the offsets, commits. kAborted: call Abort, build it again.
  /// kUnknownOutcome: the changelog's last delta says whether it happened, after a Fence.
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
  /// Offsets last committed for the lane's group; -1 where there is none. Only compared.
  virtual Result<std::vector<int64_t>> CommittedOffsets(std::span<const InputPartition> inputs) = 0;
  /// Largest payload (key, value, headers) an output of this input's topic takes; larger ones go to
  /// dead-letter by reference instead of failing the transaction.
  virtual size_t record_bytes_max(const InputPartition& input) const = 0;
};

/// Who should run the lane. A hint only: Transaction::Fence is the lock.
class Lease {
 public:
  virtual ~Lease() = default;
  /// True while this instance should be active.
  virtual Result<bool> Held() = 0;
  /// Gives the lease up, so that another instance may go on at once.
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
