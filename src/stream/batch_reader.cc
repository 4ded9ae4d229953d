#include "stream/batch_reader.h"

#include <cassert>
#include <chrono>
#include <utility>

namespace neardup {

void BatchReader::Begin(size_t records_max, int timeout_ms) {
  assert(!begun_);
  begun_ = true;
  if (!source_.polls_beside()) {
    read_ = Read(records_max, timeout_ms);
    return;
  }
  reading_ = std::async(std::launch::async,
                        [this, records_max, timeout_ms] { return Read(records_max, timeout_ms); });
}

bool BatchReader::IsRead(int timeout_ms) {
  assert(begun_);
  if (!reading_.valid()) return true;
  const auto status = reading_.wait_for(std::chrono::milliseconds(timeout_ms));
  if (status != std::future_status::ready) return false;
  Await();
  return true;
}

Result<void> BatchReader::Take(Batch& batch) {
  assert(begun_);
  Await();
  begun_ = false;
  std::swap(batch, next_);
  if (!read_.ok()) batch.messages.clear();
  return std::exchange(read_, {});
}

void BatchReader::Discard() {
  Await();
  begun_ = false;
  read_ = {};
  next_.messages.clear();
}

void BatchReader::Await() {
  if (reading_.valid()) read_ = reading_.get();
}

Result<void> BatchReader::Read(size_t records_max, int timeout_ms) {
  using Steady = std::chrono::steady_clock;
  const auto seconds = [](Steady::duration time) {
    return std::chrono::duration<double>(time).count();
  };
  next_.messages.clear();
  const Steady::time_point begun = Steady::now();
  NEARDUP_TRY(source_.Poll(records_max, timeout_ms, next_.messages));
  next_.inputs = source_.Status();
  next_.exhausted = source_.exhausted();
  const Steady::time_point polled = Steady::now();
  pool_.Fingerprint(next_.messages, next_.records);
  next_.poll_s = seconds(polled - begun);
  next_.fingerprint_s = seconds(Steady::now() - polled);
  return {};
}

}  // namespace neardup
