// What a lane needs from outside. Kafka, files and the tests' broker in memory implement these
// ports. Each port object belongs to one thread, except that a Clock may be called from any thread.
// A port may have threads of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "detect/record/payload_encoding.h"
#include "neardup/fingerprint.h"
#include "neardup/record.h"
#include "neardup/result.h"
#include "neardup/verdict.h"
#include "stream/state/groups.h"
#include "stream/state/route.h"
#include "stream/state/snapshot.h"

namespace neardup {

// A record on its way through the lane, with everything that must come out unchanged.

/// Borrowed views. Message::owner keeps the views of an input record alive.
struct HeaderView {
  std::string_view name;
  std::optional<std::string_view> value;
};

/// One input record. Its views live as long as `owner`.
struct Message {
  Position position;
  /// Milliseconds since 1970; -1 if the record has none.
  int64_t timestamp_ms = -1;
  std::optional<std::string_view> key;
  std::optional<std::string_view> value;
  /// How many bytes of the value the source left out after those in `value`, which are already too
  /// many. Such a record is a dead letter.
  uint64_t bytes_left_out = 0;
  std::vector<HeaderView> headers;
  std::shared_ptr<const void> owner;
  /// How the value is encoded (stream/lane/encoded_source.h); null: it is JSON.
  std::shared_ptr<const PayloadEncoding> encoding;
};

/// The record as it is compared. It borrows from the message and from `buffer`, until the next
/// call with it.
inline RecordView RecordOf(const Message& message, RecordBuffer& buffer) {
  return Decoded({message.position, message.timestamp_ms, message.value}, message.encoding.get(),
                 buffer);
}

/// Size of key, value and headers.
inline size_t BytesOf(const Message& message) {
  size_t bytes = 0;
  if (message.key) bytes += message.key->size();
  if (message.value) bytes += message.value->size();
  for (const HeaderView& header : message.headers) {
    bytes += header.name.size() + (header.value ? header.value->size() : 0);
  }
  return bytes;
}

/// Tells one log from another: a checksum of the key, the value and the timestamp of a record.
uint64_t ChecksumOf(const Message& message);

/// What a lane says of a group of records that repeat one another, in UTF-8 JSON.
struct GroupRecord {
  std::string key;
  std::string value;
};

/// A record with its verdict: what its header states, and where it is written.
struct RoutedRecord {
  const Message& message;
  const InputPartition& input;
  const Verdict& verdict;
  const Fingerprint& fingerprint;  ///< zeros for a record that was not compared
  Route route = Route::kUnique;
  RoutingMode mode = RoutingMode::kRoute;
  uint64_t seq = 0;
  /// Input partition of verdict.match.original; nullptr without a match.
  const InputPartition* original_input = nullptr;
  /// A dead letter by reference goes out without its key, value and headers; our headers name its
  /// origin.
  bool by_reference = false;
  /// Must not share a batch with other records: a refusal of the batch then means this record.
  bool alone = false;
  /// What became of a duplicate in its group; nullptr if the lane has no groups.
  const JoinedGroup* joined = nullptr;
  /// Input partition of joined->newest_before, if the lane keeps the newest.
  const InputPartition* newest_input = nullptr;
  /// Replaces the key of the record, if UniqueKey::kGroup demands it.
  std::optional<std::string_view> group_key{};
  /// Of a duplicate with a group key: the input partition of the group's original. The output
  /// partition of that one takes the record, so that all records of a key are together.
  const InputPartition* group_input = nullptr;
  /// Our headers, which follow the record's own: RouteHeaderWriter makes them of all the above.
  const std::vector<HeaderView>* headers = nullptr;

  /// The input partition whose output partition takes the record.
  const InputPartition& target() const { return group_input == nullptr ? input : *group_input; }
};

/// Where reading starts in the partitions of a new topic. A new partition of a known topic is
/// always read from its beginning.
enum class StartAt : uint8_t { kEarliest, kLatest };

/// The offsets that a partition holds now.
struct OffsetBounds {
  int64_t begin = 0;
  /// One past the last record. For a read_uncommitted client, records of open transactions count,
  /// so a reader of committed records may not reach it yet.
  int64_t end = 0;
};

/// The input partitions that exist now, and the input topics that do not exist.
struct FoundInputs {
  std::vector<InputPartition> partitions;  ///< sorted
  std::vector<std::string> missing_topics;
};

struct InputAssignment {
  /// The records of this partition have this number in Message::position.input.
  uint32_t input = 0;
  InputPartition partition;
  int64_t next_offset = 0;
};

/// Why no record of an input comes.
enum class InputTrouble : uint8_t {
  kNone,
  kOffsetGone,  ///< the log does not hold the next offset; nothing is read before the next Assign
  kMissing,     ///< the brokers say that the partition does not exist
  /// The partition has no leader, or its leader does not answer; or what trouble_text says.
  kUnreachable,
};

struct InputStatus {
  uint32_t input = 0;
  /// Every record below it was polled. At the end of the input it also passes offsets that hold no
  /// record, such as Kafka's transaction markers.
  int64_t next_offset = 0;
  /// True if the input was read to the end that was visible at the last poll. False in trouble.
  bool at_end = false;
  /// Number of records that are not polled yet. It counts records of open transactions, which a
  /// reader of committed records cannot see, so it may be positive when at_end. It may be too
  /// large, because Kafka's transaction markers also take up offsets.
  int64_t lag_records = 0;
  InputTrouble trouble = InputTrouble::kNone;
  std::string trouble_text{};
};

/// Where records come from.
class Source {
 public:
  virtual ~Source() = default;
  virtual Result<FoundInputs> Find() = 0;
  /// The partitions of Find. Fails with kNotFound, and names the topic, if a topic does not exist.
  Result<std::vector<InputPartition>> Partitions();
  /// Returns the offsets that a partition holds now.
  virtual Result<OffsetBounds> Bounds(const InputPartition& partition) = 0;
  /// ChecksumOf the committed record at an offset; nullopt if there is none. Reads it anew, so that
  /// this takes a while.
  virtual Result<std::optional<uint64_t>> ChecksumAt(const InputPartition& /*partition*/,
                                                     int64_t /*offset*/) {
    return {std::nullopt};
  }
  /// Returns the offset to start at in a partition that this lane has never read.
  Result<int64_t> StartOffset(const InputPartition& partition, StartAt at);
  /// Replaces the assignment: records now come from exactly these inputs, from exactly these
  /// offsets on. Without inputs, nothing is read ahead.
  virtual Result<void> Assign(std::span<const InputAssignment> inputs) = 0;
  /// Appends up to `records_max` records to `out`, for each input in offset order. Waits at
  /// most `timeout_ms` for the first. Where several inputs have a backlog, the record with the
  /// lowest Kafka timestamp comes first (timestamps, not event times); a timestamp in the future
  /// counts as the timestamp of the record before it. An input in trouble gives no records and does
  /// not hold the others back.
  virtual Result<void> Poll(size_t records_max, int timeout_ms, std::vector<Message>& out) = 0;
  /// Returns one row per assigned input.
  virtual std::vector<InputStatus> Status() = 0;
  /// True if no more records will come, as at the end of a file. Always false for Kafka.
  virtual bool exhausted() const { return false; }
  /// True if another thread may call Poll, Status and exhausted while the owner calls no member of
  /// this source.
  virtual bool polls_beside() const { return false; }
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
  /// What people call it, such as the topic and the partition.
  virtual std::string name() const = 0;
  /// The next Poll reads from `offset`, or from the beginning of the log if that is later.
  virtual Result<void> Open(int64_t offset) = 0;
  /// Reads nothing ahead until the next Open.
  virtual void Close() = 0;
  /// Calls `visit` for committed records in order. Waits at most `timeout_ms` for the first.
  /// Returns an error of `visit` unchanged. Fails with kNotFound if the next offset was purged.
  virtual Result<void> Poll(int timeout_ms,
                            const std::function<Result<void>(const ChangelogRecord&)>& visit) = 0;
  /// The next Poll reads from this offset. Every record between the opened offset and this one was
  /// visited.
  virtual int64_t next_offset() const = 0;
  /// Returns the offset after the last record of the changelog now. After Transaction::Fence, no
  /// other instance can append to it.
  virtual Result<int64_t> End() = 0;
  /// Returns the offset up to which Poll can visit records now. It is below End while the
  /// transaction of some writer is open.
  virtual Result<int64_t> CommittedEnd() = 0;
  /// True if the log holds this record now. Asks the brokers, whatever was read ahead: the log may
  /// have been deleted and created again since.
  virtual Result<bool> Holds(const ChangelogMark& mark) = 0;
  /// The end that came with the records read last; -1 before the first. Asks nobody.
  virtual int64_t known_end() const = 0;
  /// False if nothing is kept: the log is always empty.
  virtual bool keeps_deltas() const { return true; }
  /// Deletes all records below this offset, for all readers, if the log then still holds `held`.
  /// Otherwise it is another log: returns false, and deletes nothing. Fails with kAuth or kConfig
  /// if this user may not delete records.
  virtual Result<bool> Purge(int64_t offset, const ChangelogMark& held) = 0;
};

/// Writes outputs, deltas and offsets of the lane. All writes of one transaction become visible
/// together, or none. Only one instance can write at a time.
///
/// Call Fence first. Any number of transactions may follow; each is Begin, Publish*, PublishDelta+,
/// PublishGroup*, then a commit or Abort. A commit is StartCommit, CommitHasEnded*, FinishCommit.
/// After a kAborted from any of these calls, call Abort. After another error, only Fence is legal.
/// The port itself retries what a retry can repair, within a deadline.
///
/// A request whose connection broke may reach the broker seconds after the port has sent it again
/// and ended the transaction. Fence makes such a late request void. Without Fence, it would act on
/// the next transaction. So must_fence() is true where that would do harm, and Begin then fails.
class Transaction {
 public:
  virtual ~Transaction() = default;
  /// Makes a new producer, locks every other instance out, and aborts a transaction that another
  /// instance left open.
  virtual Result<void> Fence() = 0;
  virtual Result<void> Begin() = 0;
  /// True if a request of the transaction that ended last may arrive late, and would commit, abort
  /// or change the next one. Begin then fails with kUnavailable, and only Fence is legal.
  virtual bool must_fence() const { return false; }
  /// Adds the record to the transaction; one with the route kNowhere is not written. Copies or
  /// shares what it needs, so that the record may go away after the call. Blocks while the limit of
  /// records in flight is reached.
  virtual Result<void> Publish(const RoutedRecord& record) = 0;
  virtual Result<void> PublishDelta(std::string_view bytes) = 0;
  /// Adds what the lane says of a group (RoutingOptions::publish_groups).
  virtual Result<void> PublishGroup(const GroupRecord& group) = 0;
  /// Starts to wait for all deliveries, to add the offsets of `inputs` and to commit. Returns at
  /// once. Until FinishCommit, `inputs` must stay as they are, and only CommitHasEnded,
  /// record_bytes_max and RefreshLimits may be called.
  virtual void StartCommit(std::span<const InputProgress> inputs) = 0;
  /// True if FinishCommit will not wait.
  virtual bool CommitHasEnded() = 0;
  /// Waits for the end of the commit. After kAborted, call Abort and build the transaction again.
  /// After kUnknownOutcome, call Fence; then the last delta of the changelog says whether the
  /// commit happened.
  virtual Result<void> FinishCommit() = 0;
  /// A commit with nothing to do meanwhile.
  Result<void> Commit(std::span<const InputProgress> inputs) {
    StartCommit(inputs);
    return FinishCommit();
  }
  virtual Result<void> Abort() = 0;
  /// Ends the producer, because the lane is lost. If `abort`, an open transaction is aborted
  /// first, unless that takes long: readers of the outputs wait for its end. Afterwards only
  /// Fence is legal.
  virtual void Abandon(bool abort) = 0;
  /// A record that its output topic refused. Sending it again unchanged cannot help. With
  /// kTooLarge, this record is to blame. With another reason the broker refused a whole batch;
  /// unless the record was published alone, another record of the batch may be to blame.
  struct Refusal {
    Position position;
    Reason reason = Reason::kUndeliverable;
    std::string text;
  };
  /// Returns the refusals since Begin and clears them. RefusedRecords decides what becomes of them.
  virtual std::vector<Refusal> TakeRefusals() = 0;
  /// Returns the offsets of the lane's consumer group; -1 for a partition without one. The lane
  /// only compares them with the offsets in the changelog, at which it continues.
  virtual Result<std::vector<int64_t>> CommittedOffsets(std::span<const InputPartition> inputs) = 0;
  /// The largest total size of key, value and headers, in bytes, that every output of this input
  /// takes. The lane
  /// publishes larger ones as dead letters by reference, so that they do not fail the transaction.
  virtual size_t record_bytes_max(const InputPartition& input) const = 0;
  /// A record of this input seems too large. Asks again what its outputs take, but not often.
  virtual void RefreshLimits(const InputPartition& /*input*/) {}
  /// Records are compressed, so that a larger one may fit. The lane publishes such a record alone,
  /// and the broker tells.
  virtual bool compresses() const { return false; }
};

/// Says which instance should run the lane. Only a hint: Transaction::Fence is the lock. At most
/// one candidate holds the lease. Join and Leave return at once, and may be called again without
/// effect.
///
/// A lease that can see processes end also says that the active one has ended, long before its
/// lease expires.
class Lease {
 public:
  virtual ~Lease() = default;
  /// Makes this instance a candidate. It never takes the lease from another holder.
  virtual void Join() = 0;
  /// This instance is no candidate any more. If it holds the lease, another candidate gets it soon.
  virtual void Leave() = 0;
  /// True while this instance should be active. False after Leave, and once after every loss.
  virtual Result<bool> Held() = 0;
  /// False once no broker has answered this candidate for some seconds. Any thread may ask.
  virtual bool brokers_answer() const { return true; }
  /// Leaves for good, and waits until the lease is given up.
  virtual void Release() = 0;

  /// Where other instances can see whether this process runs, for their Watch. No other process
  /// ever has the same text. Empty: nowhere.
  virtual std::string endpoint() const { return {}; }
  /// From now on, watches the process at this endpoint of another lease. Empty: none.
  virtual void Watch(const std::string& /*endpoint*/) {}
  /// True if the watched process seems to have ended. Silence is no sign of it. This may be wrong,
  /// because a network may refuse connections in the name of a process that runs.
  virtual bool WatchedHasEnded() { return false; }
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
