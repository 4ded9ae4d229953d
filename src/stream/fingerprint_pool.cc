#include "stream/fingerprint_pool.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>

namespace neardup {

namespace {

// Small enough to balance long and short records, large enough for look-ups to overlap.
constexpr size_t kChunkRecords = 64;

}  // namespace

FingerprintPool::FingerprintPool(const FilterOptions& options, uint32_t threads)
    : options_(options) {
  const size_t count = threads != 0 ? threads : std::max(1U, std::thread::hardware_concurrency());
  for (size_t i = 0; i < count; ++i) fingerprinters_.emplace_back(options);
  for (size_t i = 1; i < count; ++i) threads_.emplace_back([this, i] { Work(i); });
}

FingerprintPool::~FingerprintPool() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void FingerprintPool::Fingerprint(std::span<const Message> batch,
                                  std::vector<FingerprintedRecord>& records) {
  if (records.size() < batch.size()) records.resize(batch.size());
  Spread(batch.size(), [&](Fingerprinter& fingerprinter, size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      const Message& message = batch[i];
      const RecordView record = {message.position, message.timestamp_ms, message.value};
      const bool large = message.value && message.value->size() > kLargeRecordBytes;
      records[i] = large ? ComputeLarge(record) : fingerprinter.Compute(record);
    }
  });
  large_.reset();
}

std::span<const LookedUp> FingerprintPool::LookUp(std::span<const FingerprintedRecord> records,
                                                  const Filter& filter) {
  if (found_.size() < records.size()) found_.resize(records.size());
  const std::span<LookedUp> found = std::span(found_).first(records.size());
  Spread(records.size(), [&](Fingerprinter&, size_t begin, size_t end) {
    filter.LookUp(records.subspan(begin, end - begin), found.subspan(begin, end - begin));
  });
  return found;
}

void FingerprintPool::Spread(size_t records, const ChunkWork& work) {
  work_ = &work;
  records_ = records;
  next_ = 0;
  const bool forked = !threads_.empty() && records > kChunkRecords;
  if (forked) {
    {
      const std::lock_guard lock(mutex_);
      ++generation_;
      working_ = threads_.size();
    }
    wake_.notify_all();
  }
  TakeChunks(fingerprinters_[0]);
  if (forked) {
    std::unique_lock lock(mutex_);
    done_.wait(lock, [this] { return working_ == 0; });
  }
  work_ = nullptr;
}

void FingerprintPool::Work(size_t worker) {
  uint64_t seen = 0;
  while (true) {
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [&] { return stopping_ || generation_ != seen; });
      if (stopping_) return;
      seen = generation_;
    }
    TakeChunks(fingerprinters_[worker]);
    const std::lock_guard lock(mutex_);
    if (--working_ == 0) done_.notify_one();
  }
}

FingerprintedRecord FingerprintPool::ComputeLarge(const RecordView& record) {
  const std::lock_guard lock(large_mutex_);
  try {
    if (!large_) large_.emplace(options_);
    return large_->Compute(record);
  } catch (const std::bad_alloc&) {
    large_.reset();
    FingerprintedRecord result;
    result.position = record.position;
    result.outcome.Fail(Reason::kTooLarge,
                        fmt::format("there is not enough memory to compare its {} bytes; lower "
                                    "record.record_bytes_max, or give the process more memory",
                                    record.value->size()));
    return result;
  }
}

void FingerprintPool::TakeChunks(Fingerprinter& fingerprinter) {
  while (true) {
    const size_t begin = next_.fetch_add(kChunkRecords);
    if (begin >= records_) return;
    (*work_)(fingerprinter, begin, std::min(begin + kChunkRecords, records_));
  }
}

}  // namespace neardup
