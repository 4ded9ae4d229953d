// Fingerprints a batch and looks it up in the index, on several threads.
#pragma once

#include <array>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <thread>
#include <vector>

#include "detect/record/payload_encoding.h"
#include "neardup/filter.h"
#include "neardup/fingerprint.h"

namespace neardup {

// The fingerprints of the last records, so that an exact copy of one is not computed again.

/// What is computed from the tokens of a record.
struct KnownFingerprint {
  Fingerprint fingerprint;
  ProbedKeys text_keys;
  uint32_t features = 0;
};
static_assert(sizeof(KnownFingerprint) == 72);

/// Keeps in each slot the fingerprint of the last record whose exact hash has the slot. Logs
/// and events consist of few texts that come again and again; their fingerprints are computed once.
class FingerprintCache {
 public:
  /// 288 KB, which fit into the second-level cache of a core beside other data.
  static constexpr size_t kSlots = 4096;

  /// Returns nullptr if no fingerprint of this hash is kept.
  const KnownFingerprint* Find(uint64_t exact) const {
    const size_t slot = exact % kSlots;
    // Most texts are new. Their tags, which stay in fast memory, show it without a read of the
    // slot.
    if (tags_[slot] != TagOf(exact) || slots_[slot].fingerprint.exact != exact) return nullptr;
    return &slots_[slot];
  }
  void Keep(const KnownFingerprint& known) {
    const uint64_t exact = known.fingerprint.exact;
    tags_[exact % kSlots] = TagOf(exact);
    slots_[exact % kSlots] = known;
  }

 private:
  /// Not 0, which is the tag of a slot that holds nothing.
  static uint16_t TagOf(uint64_t exact) { return static_cast<uint16_t>(exact >> 48 | 1); }

  std::array<uint16_t, kSlots> tags_{};
  std::vector<KnownFingerprint> slots_ = std::vector<KnownFingerprint>(kSlots);
};

/// Larger records are computed one at a time, in memory that is freed after the batch: parsing and
/// the tokens of a record take many times its size.
inline constexpr size_t kLargeRecordBytes = size_t{256} << 10;

/// Gives the record at an index of a batch. It is called on several threads at once, each with a
/// buffer of its own. The record may borrow from it, until the next call with it.
using RecordAt = std::function<RecordView(size_t index, RecordBuffer& buffer)>;

/// Spreads a batch over a fixed set of threads, one of which is the calling thread, and waits for
/// all of them. One thread may call Fingerprint while another calls LookUp. Then the fixed threads
/// do the look-ups first, because the verdicts wait for them. What a call throws on any of the
/// threads reaches the caller when no thread works for the call any more.
class FingerprintPool {
 public:
  /// With `threads` 0, the pool has one thread per core.
  FingerprintPool(const FilterOptions& options, uint32_t threads);
  ~FingerprintPool();
  FingerprintPool(const FingerprintPool&) = delete;
  FingerprintPool& operator=(const FingerprintPool&) = delete;

  /// Writes the fingerprints of the records 0 to `count` - 1 to the beginning of `records`, which
  /// grows where it is shorter and keeps its memory.
  void Fingerprint(size_t count, const RecordAt& record_at,
                   std::vector<FingerprintedRecord>& records);
  /// Looks up all records. The result is valid until the next call. Reads `filter`, only during the
  /// call.
  std::span<const LookedUp> LookUp(std::span<const FingerprintedRecord> records,
                                   const Filter& filter);

 private:
  /// Work on the records [begin, end) of a batch. `worker` is the number of the thread, and 0 for
  /// the calling thread.
  using ChunkWork = std::function<void(size_t worker, size_t begin, size_t end)>;
  struct Job {
    const ChunkWork* work = nullptr;
    size_t records = 0;
    size_t next = 0;     ///< the first record that no thread has taken
    size_t pending = 0;  ///< records that are not done
    std::exception_ptr thrown{};
  };
  /// The most urgent kind first.
  enum Kind { kLookUp, kFingerprint, kKinds };

  /// Spreads `records` over the threads and waits until all of them are done.
  void Spread(Kind kind, size_t records, const ChunkWork& work);
  void Work(size_t worker);
  /// Does one chunk of the job, without the lock.
  void DoChunk(Job& job, size_t worker, std::unique_lock<std::mutex>& lock);
  /// The most urgent job that has a chunk to take; null if no job has one.
  Job* FindJob();
  /// A record for which there is not enough memory is a dead letter.
  FingerprintedRecord ComputeLarge(const RecordView& record);

  FilterOptions options_;
  std::vector<Fingerprinter> fingerprinters_;  ///< by worker
  std::vector<RecordBuffer> buffers_;          ///< by worker
  std::mutex large_mutex_;
  std::optional<Fingerprinter> large_;  ///< guarded by large_mutex_; only during Fingerprint
  std::vector<LookedUp> found_;

  std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable done_;
  std::array<Job, kKinds> jobs_;  ///< guarded by mutex_
  bool stopping_ = false;         ///< guarded by mutex_
  std::vector<std::thread> threads_;
};

}  // namespace neardup
