// Which requests of a transaction no broker has answered. Such a request may still be on its way:
// its connection broke, and the library has sent it again or given it up. If it arrives late, the
// broker applies it to the transaction that is open then, if the producer is still the same:
//
//   EndTxn              ends the next transaction. A commit makes a part of it visible. An abort
//                       drops its outputs, and what follows is committed without them.
//   TxnOffsetCommit     puts older offsets into the next transaction. After an abort, they may
//                       even lie after those of the records that are decided again.
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
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

#include "kafka/handle.h"

namespace neardup {

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

}  // namespace neardup
