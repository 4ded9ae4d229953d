#include "stream/lane/batch_reader.h"

#include <cassert>
#include <chrono>
#include <utility>

namespace neardup {

bool BatchReader::CanBegin() const {
  if (is_reading() || read_.size() >= kBatchesAheadMax) return false;
  return read_.empty() || (read_.back().result.ok() && !read_.back().batch.exhausted);
}

void BatchReader::Begin(size_t records_max, int timeout_ms) {
  assert(CanBegin());
  Batch memory;
  if (!spare_.empty()) {
    memory = std::move(spare_.back());
    spare_.pop_back();
  }
  if (!source_.polls_beside()) {
    Keep(Read(std::move(memory), records_max, timeout_ms));
    return;
  }
  reading_ = thread_.Run([this, memory = std::move(memory), records_max, timeout_ms]() mutable {
    return Read(std::move(memory), records_max, timeout_ms);
  });
}

void BatchReader::Collect(int timeout_ms) {
  if (is_reading()) {
    const auto status = reading_.wait_for(std::chrono::milliseconds(timeout_ms));
    if (status != std::future_status::ready) return;
    Await();
  }
  if (read_.empty() || !read_.back().is_empty()) return;
  spare_.push_back(std::move(read_.back().batch));
  read_.pop_back();
}

Result<void> BatchReader::Take(Batch& batch) {
  assert(has_begun());
  if (read_.empty()) Await();
  std::swap(batch, read_.front().batch);
  Result<void> result = std::move(read_.front().result);
  spare_.push_back(std::move(read_.front().batch));
  read_.pop_front();
  records_ahead_ -= batch.messages.size();
  return result;
}

void BatchReader::Discard() {
  Await();
  while (!read_.empty()) {
    spare_.push_back(std::move(read_.back().batch));
    read_.pop_back();
  }
  for (Batch& batch : spare_) batch.messages.clear();
  records_ahead_ = 0;
}

void BatchReader::Await() {
  if (is_reading()) Keep(reading_.get());
}

void BatchReader::Keep(ReadBatch read) {
  records_ahead_ += read.batch.messages.size();
  read_.push_back(std::move(read));
}

BatchReader::ReadBatch BatchReader::Read(Batch memory, size_t records_max, int timeout_ms) {
  using Steady = std::chrono::steady_clock;
  const auto seconds = [](Steady::duration time) {
    return std::chrono::duration<double>(time).count();
  };
  ReadBatch read{std::move(memory), {}};
  Batch& batch = read.batch;
  batch.messages.clear();
  const Steady::time_point begun = Steady::now();
  read.result = source_.Poll(records_max, timeout_ms, batch.messages);
  if (!read.result.ok()) {
    batch.messages.clear();
    return read;
  }
  batch.inputs = source_.Status();
  batch.exhausted = source_.exhausted();
  const Steady::time_point polled = Steady::now();
  const auto record_at = [&](size_t i, RecordBuffer& buffer) {
    return RecordOf(batch.messages[i], buffer);
  };
  pool_.Fingerprint(batch.messages.size(), record_at, batch.records);
  batch.poll_s = seconds(polled - begun);
  batch.fingerprint_s = seconds(Steady::now() - polled);
  return read;
}

}  // namespace neardup
