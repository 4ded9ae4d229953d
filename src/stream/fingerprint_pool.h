// Fingerprints a batch and looks it up in the index, on several threads.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <thread>
#include <vector>

#include "neardup/filter.h"
#include "stream/message.h"

namespace neardup {

/// Larger records are computed one at a time, in memory that is freed after the batch: parsing and
/// the tokens of a record take many times its size.
inline constexpr size_t kLargeRecordBytes = size_t{256} << 10;

/// Spreads a batch over a fixed set of threads, one of which is the calling thread, and waits for
/// all of them. Only one thread may call it.
class FingerprintPool {
 public:
  /// With `threads` 0, the pool has one thread per core.
  FingerprintPool(const FilterOptions& options, uint32_t threads);
  ~FingerprintPool();
  FingerprintPool(const FingerprintPool&) = delete;
  FingerprintPool& operator=(const FingerprintPool&) = delete;

  /// What is known of a batch before it is decided, in the order of the batch.
  struct Batch {
    std::span<const FingerprintedRecord> records;
    std::span<const LookedUp> found;
  };
  /// The result is valid until the next call. Reads `filter`, only during the call.
  Batch Compute(std::span<const Message> batch, const Filter& filter);

 private:
  void Work(size_t worker);
  void TakeChunks(Fingerprinter& fingerprinter);
  /// A record for which there is not enough memory is a dead letter.
  FingerprintedRecord ComputeLarge(const RecordView& record);

  FilterOptions options_;
  std::vector<Fingerprinter> fingerprinters_;
  std::mutex large_mutex_;
  std::optional<Fingerprinter> large_;  ///< guarded by large_mutex_; only during a call of Compute
  std::vector<std::thread> threads_;

  std::span<const Message> batch_;
  const Filter* filter_ = nullptr;
  std::vector<FingerprintedRecord> results_;
  std::vector<LookedUp> found_;
  std::atomic<size_t> next_{0};

  std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable done_;
  uint64_t generation_ = 0;
  size_t working_ = 0;
  bool stopping_ = false;
};

}  // namespace neardup
