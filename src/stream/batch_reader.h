// Polls and fingerprints the next batch while the one before is decided, published or committed.
#pragma once

#include <cstddef>
#include <future>
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

/// Holds at most one batch that was begun and not taken. It is read in a thread of its own where
/// the source allows that (Source::polls_beside), else in the calling thread, at once.
///
/// One owner thread. The source and the pool must outlive it, and belong to it from Begin until
/// Take or Discard.
class BatchReader {
 public:
  BatchReader(Source& source, FingerprintPool& pool) : source_(source), pool_(pool) {}
  ~BatchReader() { Discard(); }
  BatchReader(const BatchReader&) = delete;
  BatchReader& operator=(const BatchReader&) = delete;

  /// A batch was begun, and neither taken nor discarded.
  bool has_begun() const { return begun_; }
  /// Begins to read up to `records_max` records. Waits up to `timeout_ms` for the first, in the
  /// thread that reads. Nothing may have begun.
  void Begin(size_t records_max, int timeout_ms);
  /// Waits up to `timeout_ms`. True when the batch that was begun is read; it may be empty.
  bool IsRead(int timeout_ms);
  /// True if the batch that is read holds a record, or an error for Take.
  bool HasNews() const { return !read_.ok() || !next_.messages.empty(); }
  /// Waits for the batch that was begun and swaps it with `batch`, whose memory is used again. An
  /// error is that of the poll; then `batch` is empty.
  Result<void> Take(Batch& batch);
  /// Waits for the batch that was begun, if any, and forgets it. If it holds records, they come
  /// again only after Source::Assign.
  void Discard();

 private:
  Result<void> Read(size_t records_max, int timeout_ms);
  void Await();

  Source& source_;
  FingerprintPool& pool_;
  bool begun_ = false;
  std::future<Result<void>> reading_;  ///< valid while another thread reads
  Result<void> read_;                  ///< what the read of next_ ended with
  Batch next_;
};

}  // namespace neardup
