#include "detect/filter/fingerprint_pool.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <utility>

namespace neardup {
namespace {

// Small enough to balance long and short records, large enough for look-ups to overlap.
constexpr size_t kChunkRecords = 64;

}  // namespace

FingerprintPool::FingerprintPool(const FilterOptions& options, uint32_t threads)
    : options_(options) {
  const size_t count = threads != 0 ? threads : std::max(1U, std::thread::hardware_concurrency());
  for (size_t i = 0; i < count; ++i) fingerprinters_.emplace_back(options);
  buffers_.resize(count);
  threads_.reserve(count - 1);
  try {
    for (size_t i = 1; i < count; ++i) threads_.emplace_back([this, i] { Work(i); });
  } catch (const std::exception&) {  // no more threads available: the existing ones do the work
  }
}

FingerprintPool::~FingerprintPool() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void FingerprintPool::Fingerprint(size_t count, const RecordAt& record_at,
                                  std::vector<FingerprintedRecord>& records) {
  if (records.size() < count) records.resize(count);
  Spread(kFingerprint, count, [&](size_t worker, size_t begin, size_t end) {
    Fingerprinter& fingerprinter = fingerprinters_[worker];
    for (size_t i = begin; i < end; ++i) {
      const RecordView record = record_at(i, buffers_[worker]);
      const bool large = record.value && record.value->size() > kLargeRecordBytes;
      records[i] = large ? ComputeLarge(record) : fingerprinter.Compute(record);
    }
  });
  large_.reset();
}

std::span<const LookedUp> FingerprintPool::LookUp(std::span<const FingerprintedRecord> records,
                                                  const Filter& filter) {
  if (found_.size() < records.size()) found_.resize(records.size());
  const std::span<LookedUp> found = std::span(found_).first(records.size());
  Spread(kLookUp, records.size(), [&](size_t, size_t begin, size_t end) {
    filter.LookUp(records.subspan(begin, end - begin), found.subspan(begin, end - begin));
  });
  return found;
}

void FingerprintPool::Spread(Kind kind, size_t records, const ChunkWork& work) {
  if (threads_.empty() || records <= kChunkRecords) {
    if (records > 0) work(0, 0, records);
    return;
  }
  std::unique_lock lock(mutex_);
  Job& job = jobs_[kind];
  job = {&work, records, 0, records};
  wake_.notify_all();
  while (job.next < job.records) DoChunk(job, 0, lock);
  done_.wait(lock, [&job] { return job.pending == 0; });
  const std::exception_ptr thrown = std::exchange(job, {}).thrown;
  if (thrown) std::rethrow_exception(thrown);
}

void FingerprintPool::Work(size_t worker) {
  std::unique_lock lock(mutex_);
  while (true) {
    wake_.wait(lock, [this] { return stopping_ || FindJob() != nullptr; });
    if (stopping_) return;
    DoChunk(*FindJob(), worker, lock);
  }
}

FingerprintPool::Job* FingerprintPool::FindJob() {
  const auto job =
      std::ranges::find_if(jobs_, [](const Job& each) { return each.next < each.records; });
  return job == jobs_.end() ? nullptr : &*job;
}

void FingerprintPool::DoChunk(Job& job, size_t worker, std::unique_lock<std::mutex>& lock) {
  const size_t begin = job.next;
  const size_t end = std::min(begin + kChunkRecords, job.records);
  const ChunkWork& work = *job.work;
  job.next = end;
  lock.unlock();
  std::exception_ptr thrown;
  try {
    work(worker, begin, end);
  } catch (...) {
    thrown = std::current_exception();
  }
  lock.lock();
  if (thrown) {  // nothing more is begun
    job.thrown = thrown;
    job.pending -= job.records - job.next;
    job.next = job.records;
  }
  job.pending -= end - begin;
  if (job.pending == 0) done_.notify_all();
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

}  // namespace neardup
