// Ports of a lane that shares nothing with other processes: the system clock, a lease that is
// always held, no changelog.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <thread>

#include "lane/ports.h"

namespace neardup {

class SystemClock : public Clock {
 public:
  int64_t WallMs() const override { return Since(std::chrono::system_clock::now()); }
  int64_t SteadyMs() const override { return Since(std::chrono::steady_clock::now()); }
  void SleepMs(int64_t ms) override { std::this_thread::sleep_for(std::chrono::milliseconds(ms)); }

 private:
  template <class TimePoint>
  static int64_t Since(TimePoint now) {
    return std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count();
  }
};

class OwnLease : public Lease {
 public:
  void Join() override {}
  void Leave() override {}
  Result<bool> Held() override { return true; }
  void Release() override {}
};

/// Keeps nothing: the lane starts empty each time.
class EmptyChangelog : public Changelog {
 public:
  std::string name() const override { return "none"; }
  Result<void> Open(int64_t) override { return {}; }
  void Close() override {}
  Result<void> Poll(int, const std::function<Result<void>(const ChangelogRecord&)>&) override {
    return {};
  }
  int64_t next_offset() const override { return 0; }
  Result<int64_t> End() override { return int64_t{0}; }
  bool keeps_deltas() const override { return false; }
  Result<int64_t> CommittedEnd() override { return int64_t{0}; }
  int64_t known_end() const override { return 0; }
  Result<bool> Holds(const ChangelogMark&) override { return true; }
  Result<bool> Purge(int64_t, const ChangelogMark&) override { return true; }
};

}  // namespace neardup
