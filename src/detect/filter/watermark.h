// The watermark: how far event time has advanced over all inputs.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>

#include "neardup/options.h"

namespace neardup {

/// The smallest of the inputs' times, without idle inputs. If every input that has a time is idle,
/// the largest of the inputs' times. INT64_MIN before the first time. An input without a time does
/// not count, unless it became busy and no record of it was observed since: its records may be
/// older than all others. The value never decreases from one commit to the next, except in
/// Rollback.
///
/// The time of an input is the largest event time of its records, but a few wrong clocks do not
/// count. If a commit covers at least kWitnesses records of the input, a record counts only if its
/// event time is at most `jump_max_ms` later than the input's time before the commit, or later than
/// the event time that kWitnesses records of the commit have reached.
class Watermark {
 public:
  static constexpr size_t kWitnesses = 10;

  /// `jump_max_ms` is not negative.
  explicit Watermark(int64_t jump_max_ms = INT64_MAX) : jump_max_ms_(jump_max_ms) {}

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
  /// The time of an input; INT64_MIN if it has none.
  int64_t time_ms(uint32_t input) const;

 private:
  /// The largest event times of some records, in descending order.
  struct LargestTimes {
    std::array<int64_t, kWitnesses> ms{};
    size_t count = 0;

    void Add(int64_t time_ms);
  };
  struct Input {
    LargestTimes since;           ///< observed since the last BeginCommit
    int64_t time_ms = INT64_MIN;  ///< at the last BeginCommit
    int64_t committed_ms = INT64_MIN;
    bool idle = false;
    bool awaited = false;  ///< busy, without a time, and nothing observed
  };

  int64_t TimeOf(const Input& input) const;

  int64_t jump_max_ms_;
  std::unordered_map<uint32_t, Input> inputs_;
  int64_t value_ms_ = INT64_MIN;  ///< at the last BeginCommit
  bool committing_ = false;       ///< BeginCommit was called since the last Commit
  int64_t committed_ms_ = INT64_MIN;
};

/// The latest event time that a record may have when the clock says `now_ms`. Later event times are
/// set back to it.
int64_t LatestTime(int64_t now_ms, const WindowOptions& options);

/// The clock of a record's producer may be wrong if the record is later than others by more than
/// this part of the window. A wrong clock within it shortens the window by as much.
int64_t JumpMax(const WindowOptions& options);

/// The horizon at a watermark: entries older than it may be forgotten. It lies window and lateness
/// before the watermark. INT64_MIN if the watermark is INT64_MIN or too near to it.
int64_t HorizonAt(int64_t watermark_ms, const WindowOptions& options);

}  // namespace neardup
