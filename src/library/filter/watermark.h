// The watermark: how far event time has advanced over all inputs.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "neardup/options.h"

namespace neardup {

/// The smallest of the inputs' largest event times, without idle inputs. If every input that has a
/// time is idle, the largest of all. INT64_MIN before the first time. An input without a time does
/// not count, unless it was made busy and nothing of it was observed since: what it holds may be
/// older than everything else. The value never decreases, except in Rollback.
///
/// SetIdle and RestoreTime alone do not raise the value for good: only an Observe or BeginCommit
/// after them does. Inputs may therefore be set one by one.
class Watermark {
 public:
  /// Records an event time. INT64_MIN: the record has none.
  void Observe(uint32_t input, int64_t time_ms);
  void SetIdle(uint32_t input, bool idle);
  /// Records a time that is committed already.
  void RestoreTime(uint32_t input, int64_t time_ms);

  /// The coming Commit covers what was observed so far, and not what follows. Without this call, it
  /// covers everything before it.
  void BeginCommit();
  void Commit();
  /// Returns to the times and the value of the last Commit. Inputs stay idle or not.
  void Rollback();

  int64_t value_ms() const;
  /// Largest event time seen on an input; INT64_MIN if none.
  int64_t time_ms(uint32_t input) const;

 private:
  struct Input {
    int64_t time_ms = INT64_MIN;
    int64_t committing_ms = INT64_MIN;  ///< at the last BeginCommit
    int64_t committed_ms = INT64_MIN;
    bool idle = false;
    bool awaited = false;  ///< busy, without a time, and nothing observed
  };

  std::unordered_map<uint32_t, Input> inputs_;
  int64_t value_ms_ = INT64_MIN;
  int64_t committing_ms_ = INT64_MIN;  ///< at the last BeginCommit
  bool committing_ = false;            ///< BeginCommit was called since the last Commit
  int64_t committed_ms_ = INT64_MIN;
  /// SetIdle, RestoreTime or Rollback was called since value_ms_ was computed.
  bool stale_ = false;
};

/// The latest event time that a record may have when the clock says `now_ms`. Later event times are
/// set back to it.
int64_t LatestTime(int64_t now_ms, const WindowOptions& options);

/// The horizon at a watermark: entries older than it may be forgotten. It lies window and lateness
/// before the watermark. INT64_MIN if the watermark is INT64_MIN or too near to it.
int64_t HorizonAt(int64_t watermark_ms, const WindowOptions& options);

}  // namespace neardup
