// Polls and fingerprints the next batches while those before are decided, published or committed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <future>
#include <optional>
#include <vector>

#include "detect/base/task_thread.h"
#include "detect/filter/fingerprint_pool.h"
#include "neardup/filter.h"
#include "neardup/result.h"
#include "neardup/verdict.h"
#include "stream/lane/ports.h"
#include "stream/state/groups.h"
#include "stream/state/route.h"

namespace neardup {

/// Records that were polled together, with what is known of them before they are decided.
struct Batch {
  std::vector<Message> messages;
  /// By message. May be longer: memory for a later batch.
  std::vector<FingerprintedRecord> records;
  /// The rows of the source right after these records.
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
/// calling thread, at once.
///
/// One owner thread. The source and the pool must outlive it. The source belongs to it as long as
/// a batch is being read, or was read and not taken.
class BatchReader {
 public:
  BatchReader(Source& source, FingerprintPool& pool) : source_(source), pool_(pool) {}

  /// A batch is being read, or was read and not taken.
  bool has_begun() const { return is_reading() || !read_.empty(); }
  bool is_reading() const { return reading_.valid(); }
  /// How many records and batches were read and not taken.
  size_t records_ahead() const { return records_ahead_; }
  size_t batches_ahead() const { return read_.size(); }
  /// True if another batch may begin now: none is being read, fewer than kBatchesAheadMax wait, and
  /// the last one is neither an error nor the end of the source.
  bool CanBegin() const;
  /// Begins to read up to `records_max` records. Waits up to `timeout_ms` for the first, in the
  /// thread that reads. CanBegin must be true.
  void Begin(size_t records_max, int timeout_ms);
  /// Waits up to `timeout_ms` for the batch that is being read, if any. Drops the last batch that
  /// was read if it holds no record, no error and not the end of the source.
  void Collect(int timeout_ms);
  /// Swaps `batch` with the oldest batch that was read, and reuses the old memory of `batch`. If no
  /// batch is ready, it waits for the one that is being read. A batch must have begun. If the poll
  /// failed, this returns its error and leaves `batch` empty.
  Result<void> Take(Batch& batch);
  /// Waits for the batch that is being read, if any. Then it drops all batches. The source delivers
  /// their records again only after Source::Assign.
  void Discard();

 private:
  struct ReadBatch {
    Batch batch;
    Result<void> result;

    bool is_empty() const { return result.ok() && batch.messages.empty() && !batch.exhausted; }
  };

  ReadBatch Read(Batch memory, size_t records_max, int timeout_ms);
  /// Waits for the batch that is being read, if any.
  void Await();
  void Keep(ReadBatch read);

  Source& source_;
  FingerprintPool& pool_;
  std::future<ReadBatch> reading_;  ///< valid from Begin until Await, where another thread reads
  std::deque<ReadBatch> read_;
  size_t records_ahead_ = 0;
  std::vector<Batch> spare_;  ///< memory for later batches
  TaskThread<ReadBatch> thread_;
};

// A batch on its way through the lane: polled, then decided, then published.

struct DecidedRecord {
  Verdict verdict;
  uint64_t seq = 0;
  /// Size of key, value and headers.
  size_t bytes = 0;
  /// RoutedRecord::by_reference.
  bool by_reference = false;
  /// It fits into its output only if it is compressed: RoutedRecord::alone.
  bool alone = false;
  Route route = Route::kUnique;
  /// What became of a duplicate in its group, if the lane has groups (RoutingOptions::has_groups).
  std::optional<JoinedGroup> joined{};
};

/// The first records of the batch are decided, and the first of the decided records are published.
struct DecidedBatch {
  Batch batch;
  std::vector<DecidedRecord> decided;
  size_t published = 0;

  size_t size() const { return batch.messages.size(); }
  bool is_decided() const { return decided.size() == size(); }
  /// Drops all records and keeps the memory for the next batch.
  void Clear() {
    batch.messages.clear();
    decided.clear();
    published = 0;
  }
};

}  // namespace neardup
