// Lets one thread sleep until any of the library's queues has something for it.
#pragma once

#include <condition_variable>
#include <mutex>

#include "kafka/deadline.h"

namespace neardup {

class WakeUp {
 public:
  /// From any thread; short, and never calls the library.
  void Signal() {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      signalled_ = true;
    }
    changed_.notify_one();
  }
  /// Forgets earlier signals. To be called before the queues are looked at.
  void Reset() {
    const std::lock_guard<std::mutex> lock(mutex_);
    signalled_ = false;
  }
  /// Returns at a signal since Reset, or at the deadline.
  void Wait(const Deadline& deadline) {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait_until(lock, deadline.end(), [this] { return signalled_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool signalled_ = false;
};

}  // namespace neardup
