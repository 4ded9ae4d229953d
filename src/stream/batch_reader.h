// Polls and fingerprints the next batches while those before are decided, published or committed.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "neardup/filter.h"
#include "neardup/result.h"
#include "stream/fingerprint_pool.h"
#include "stream/message.h"
#include "stream/ports.h"

namespace neardup {

/// Records that were polled together, with what is known of them before they are decided.
struct Batch {
  std::vector<Message> messages;
  /// By message. May be longer: memory for a later batch.
  std::vector<FingerprintedRecord> records;
  /// The rows of the source right behind these records.
  std::vector<InputStatus> inputs;
  /// No record will follow.
  bool exhausted = false;
  double poll_s = 0;
  double fingerprint_s = 0;
};

/// How many batches may wait to be taken.
inline constexpr size_t kBatchesAheadMax = 4;

/// Reads one batch at a time, and holds those that were read and not taken, in order. A batch is
/// read in a thread of its own where the source allows that (Source::polls_beside), else in the
/// calling thread, at once. The thread stays, because the allocator finds the memory of the batches
/// before for it, and would take fresh pages for a new thread.
///
/// One owner thread. The source and the pool must outlive it. The source belongs to it as long as
/// a batch is being read, or was read and not taken.
class BatchReader {
 public:
  BatchReader(Source& source, FingerprintPool& pool) : source_(source), pool_(pool) {}
  ~BatchReader();
  BatchReader(const BatchReader&) = delete;
  BatchReader& operator=(const BatchReader&) = delete;

  /// A batch is being read, or was read and not taken.
  bool has_begun() const { return reading_ || !read_.empty(); }
  bool is_reading() const { return reading_; }
  /// How many records were read and not taken.
  size_t records_ahead() const { return records_ahead_; }
  /// True if another batch may begin now: none is being read, fewer than kBatchesAheadMax wait, and
  /// the last one is neither an error nor the end of the source.
  bool CanBegin();
  /// Begins to read up to `records_max` records. Waits up to `timeout_ms` for the first, in the
  /// thread that reads. CanBegin must be true.
  void Begin(size_t records_max, int timeout_ms);
  /// Waits up to `timeout_ms` while a batch is being read. True when none is. Then the last one is
  /// forgotten if it brought nothing: no record, no error and no end.
  bool IsRead(int timeout_ms);
  /// Swaps the first batch that was read with `batch`, whose memory is used again. Waits for the
  /// one that is being read if there is no other; a batch must have begun. An error is that of the
  /// poll; then `batch` is empty.
  Result<void> Take(Batch& batch);
  /// Waits for the batch that is being read, if any, and forgets all. If they hold records, these
  /// come again only after Source::Assign.
  void Discard();

 private:
  struct ReadBatch {
    Batch batch;
    Result<void> result;

    bool is_empty() const { return result.ok() && batch.messages.empty() && !batch.exhausted; }
  };

  /// What the thread is to read.
  struct Order {
    Batch memory;
    size_t records_max = 0;
    int timeout_ms = 0;
  };

  ReadBatch Read(Order order);
  void ReadOrders();
  /// Waits for the batch that is being read, if any.
  void Await();
  void Keep(ReadBatch read);

  Source& source_;
  FingerprintPool& pool_;
  bool reading_ = false;  ///< another thread reads, or has read what Await has not taken yet
  std::deque<ReadBatch> read_;
  size_t records_ahead_ = 0;
  std::vector<Batch> spare_;  ///< memory for later batches

  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<Order> order_;     ///< guarded by mutex_
  std::optional<ReadBatch> done_;  ///< guarded by mutex_
  bool stopping_ = false;          ///< guarded by mutex_
  std::thread thread_;             ///< runs ReadOrders; begins with the first order
};

}  // namespace neardup
