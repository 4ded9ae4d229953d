// The calls of a transaction: what they may wait for, what the broker refused, why one failed, and
// which requests no broker has answered.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "detect/base/task_thread.h"
#include "kafka/errors.h"
#include "neardup/record.h"
#include "neardup/result.h"
#include "stream/lane/ports.h"

namespace neardup {

/// Finds the record behind a failed delivery by its tag, a number that goes through the library as
/// an opaque pointer. Tags of earlier transactions are recognised and ignored. One thread.
class Refusals {
 public:
  /// True when the broker refuses the content of a batch: sending it again as it was cannot help.
  static bool IsContentRefused(rd_kafka_resp_err_t code);

  /// Forgets the records in flight and the refusals.
  void StartTransaction();
  /// The tag of a record that is to be sent; never null. `alone`: the record goes in a batch of its
  /// own.
  void* Tag(const Position& position, bool alone);
  /// Adds the refusal behind a failed delivery; ignores a failure that is no refusal of content.
  void Report(void* tag, rd_kafka_resp_err_t code);
  /// Adds the refusal of a record that the library itself does not take.
  void ReportTooLarge(const Position& position, const std::string& text);

  bool any() const { return !refused_.empty(); }
  std::vector<Transaction::Refusal> Take();

 private:
  struct InFlight {
    Position position;
    bool alone = false;
  };

  uint64_t transaction_ = 0;
  std::vector<InFlight> in_flight_;
  std::vector<Transaction::Refusal> refused_;
};

// Why the newest transaction of a producer failed, as far as librdkafka logs it.

/// Keeps the reason that the library logged for a failed transaction. Later calls of the library
/// return only an error about the state, which does not name the partition. Any thread.
class TransactionFailure {
 public:
  void TransactionBegins();
  /// Call it with each line that the library logs.
  void Logged(std::string_view facility, std::string_view text);
  /// The reason; it names the partition if one is the cause. Empty if the library has logged no
  /// reason.
  std::string Text() const;

 private:
  mutable std::mutex mutex_;  ///< guards the members below
  std::string of_transaction_;
  std::string of_partition_;
};

// Which requests of a transaction no broker has answered. Such a request may still be on its way:
// its connection broke, and the library has sent it again or given it up. If it arrives late, the
// broker applies it to the transaction that is open then, if the producer is still the same:
//
//   EndTxn              ends the next transaction. A commit makes a part of it visible. An abort
//                       drops its outputs, and what follows is committed without them.
//   TxnOffsetCommit     puts older offsets into the next transaction. After an abort, they may
//                       even lie after the offsets of the records that are decided again.
//   Produce             does no harm after a commit: the broker knows the batch by its sequence
//                       number, and drops it. After an abort, the library reuses the
//                       numbers of records that it has given up. The broker may then take
//                       the late batch, and drop the new one.
//   AddPartitionsToTxn, AddOffsetsToTxn
//                       add a partition to the next transaction, or open one, which the next
//                       commit or the time-out ends. No record becomes visible or gets lost.
//   InitProducerId      fences its own producer, which counts as a lost lane. It is not counted.
//
// A new epoch (Transaction::Fence, or a new TopicTransaction) makes all of them void.

/// The library's threads do the counting; one thread owns the transactions and calls the rest.
class UnansweredRequests {
 public:
  /// Counts the requests of the client that is made from `conf`. This object must outlive it.
  void Watch(rd_kafka_conf_t* conf);

  /// Forgets what happened before.
  void StartTransaction();
  /// Call it when the transaction is committed. Says which of its requests may arrive late and do
  /// harm; empty: none.
  std::string LateAfterCommit() const;
  /// The same when the transaction is aborted.
  std::string LateAfterAbort() const;

 private:
  static constexpr size_t kKinds = 5;
  using Counts = std::array<uint64_t, kKinds>;

  static rd_kafka_resp_err_t Made(rd_kafka_t* client, const rd_kafka_conf_t* conf, void* self,
                                  char* error, size_t error_size);
  void Lose(int16_t api_key);
  bool HasUnanswered(size_t kind) const { return unanswered_[kind] > before_[kind]; }

  /// The library may report a request twice.
  std::array<std::atomic<uint64_t>, kKinds> unanswered_{};
  Counts before_{};  ///< at StartTransaction
};

// Calls of the library that may not return within their time-out, in a thread of their own.

/// One owner thread.
class BoundedCalls {
 public:
  /// A call is abandoned this long after its time-out.
  explicit BoundedCalls(int grace_ms) : grace_ms_(grace_ms) {}
  /// Waits a second for the abandoned calls, then leaves them to themselves.
  ~BoundedCalls();

  /// Its error says that the call cannot succeed any more.
  using Check = std::function<Result<void>()>;

  /// Runs the call and returns its answer. The call must own all that it uses. A call that does not
  /// return in time is abandoned: it goes on, perhaps until the process ends, and the result is
  /// kUnavailable. If `check`, which is asked several times a second, returns an error, the call
  /// is abandoned at once, and the result is that error. A call that is abandoned keeps a producer
  /// with its memory, so that too many of them are a fatal error.
  template <class Call>
  Result<ErrorHandle> Await(Call call, int timeout_ms, const std::string& doing,
                            const Check& check = {}) {
    return AwaitAnswer(thread_->Run(std::move(call)), timeout_ms, doing, check);
  }

 private:
  using Thread = TaskThread<ErrorHandle>;
  struct Abandoned {
    std::future<ErrorHandle> answer;
    std::unique_ptr<Thread> thread;
  };
  Result<ErrorHandle> AwaitAnswer(std::future<ErrorHandle> answer, int timeout_ms,
                                  const std::string& doing, const Check& check);
  void DropFinished();

  int grace_ms_;
  std::unique_ptr<Thread> thread_ = std::make_unique<Thread>();
  std::vector<Abandoned> abandoned_;
};

}  // namespace neardup
