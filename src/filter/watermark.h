// How far event time has come, over all inputs.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "neardup/options.h"

namespace neardup {

/// Smallest of the inputs' largest event times, idle inputs left out; the largest of all where
/// every input that has a time is idle; INT64_MIN before the first time. An input without a time
/// holds nothing back. Never goes back, but for Rollback.
///
/// SetIdle and RestoreTime alone do not fix a new value: only what is observed or committed after
/// them does, so inputs may be set one by one.
class Watermark {
 public:
  /// INT64_MIN counts as no time.
  void Observe(uint32_t input, int64_t time_ms);
  void SetIdle(uint32_t input, bool idle);
  /// A time that is committed already.
  void RestoreTime(uint32_t input, int64_t time_ms);

  void Commit();
  /// Times and value as of the last Commit; who is idle stays as it is.
  void Rollback();

  int64_t value_ms() const;
  /// Largest event time seen on an input; INT64_MIN if none.
  int64_t time_ms(uint32_t input) const;

 private:
  struct Input {
    int64_t time_ms = INT64_MIN;
    int64_t committed_ms = INT64_MIN;
    bool idle = false;
  };

  std::unordered_map<uint32_t, Input> inputs_;
  int64_t value_ms_ = INT64_MIN;
  int64_t committed_ms_ = INT64_MIN;
  /// Something but an observation has changed since value_ms_ was fixed.
  bool stale_ = false;
};

/// Where entries may be forgotten at this watermark: window and lateness before it. INT64_MIN for
/// INT64_MIN, and where the subtraction leaves the range.
int64_t HorizonAt(int64_t watermark_ms, const WindowOptions& options);

}  // namespace neardup
