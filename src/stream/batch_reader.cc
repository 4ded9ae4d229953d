#include "stream/batch_reader.h"

#include <cassert>
#include <chrono>
#include <utility>

namespace neardup {

BatchReader::~BatchReader() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

bool BatchReader::CanBegin() {
  if (!IsRead(0) || read_.size() >= kBatchesAheadMax) return false;
  return read_.empty() || (read_.back().result.ok() && !read_.back().batch.exhausted);
}

void BatchReader::Begin(size_t records_max, int timeout_ms) {
  assert(CanBegin());
  Order order{{}, records_max, timeout_ms};
  if (!spare_.empty()) {
    order.memory = std::move(spare_.back());
    spare_.pop_back();
  }
  if (!source_.polls_beside()) {
    Keep(Read(std::move(order)));
    return;
  }
  if (!thread_.joinable()) thread_ = std::thread([this] { ReadOrders(); });
  {
    const std::lock_guard lock(mutex_);
    order_ = std::move(order);
  }
  reading_ = true;
  changed_.notify_all();
}

bool BatchReader::IsRead(int timeout_ms) {
  if (reading_) {
    std::unique_lock lock(mutex_);
    const bool done = changed_.wait_for(lock, std::chrono::milliseconds(timeout_ms),
                                        [this] { return done_.has_value(); });
    if (!done) return false;
    lock.unlock();
    Await();
  }
  if (!read_.empty() && read_.back().is_empty()) {
    spare_.push_back(std::move(read_.back().batch));
    read_.pop_back();
  }
  return true;
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
  if (!reading_) return;
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return done_.has_value(); });
  reading_ = false;
  Keep(*std::exchange(done_, std::nullopt));
}

void BatchReader::Keep(ReadBatch read) {
  records_ahead_ += read.batch.messages.size();
  read_.push_back(std::move(read));
}

void BatchReader::ReadOrders() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return stopping_ || order_.has_value(); });
    if (stopping_) return;
    Order order = *std::exchange(order_, std::nullopt);
    lock.unlock();
    ReadBatch read = Read(std::move(order));
    lock.lock();
    done_ = std::move(read);
    changed_.notify_all();
  }
}

BatchReader::ReadBatch BatchReader::Read(Order order) {
  using Steady = std::chrono::steady_clock;
  const auto seconds = [](Steady::duration time) {
    return std::chrono::duration<double>(time).count();
  };
  ReadBatch read{std::move(order.memory), {}};
  Batch& batch = read.batch;
  batch.messages.clear();
  const Steady::time_point begun = Steady::now();
  read.result = source_.Poll(order.records_max, order.timeout_ms, batch.messages);
  if (!read.result.ok()) {
    batch.messages.clear();
    return read;
  }
  batch.inputs = source_.Status();
  batch.exhausted = source_.exhausted();
  const Steady::time_point polled = Steady::now();
  pool_.Fingerprint(batch.messages, batch.records);
  batch.poll_s = seconds(polled - begun);
  batch.fingerprint_s = seconds(Steady::now() - polled);
  return read;
}

}  // namespace neardup
