// The watermark: how far event time has advanced over all inputs.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>

#include "neardup/options.h"

namespace neardup {

/// The smallest of the inputs' times, without idle inputs. If every input that has a time is idle,
/// the largest of all. INT64_MIN before the first time. An input without a time does not count,
/// unless it was made busy and nothing of it was observed since: what it holds may be older than
/// everything else. The value never decreases from one commit to the next, except in Rollback.
///
/// The time of an input is the largest event time of its records, without those of a few wrong
/// clocks: where a commit covers kWitnesses records or more, a record counts only if it is at most
/// `jump_max_ms` later than the time so far, or than a time that kWitnesses of them have reached.
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

/// A record that is this much later than others may have a wrong clock. It costs at most this part
/// of the window.
int64_t JumpMax(const WindowOptions& options);

/// The horizon at a watermark: entries older than it may be forgotten. It lies window and lateness
/// before the watermark. INT64_MIN if the watermark is INT64_MIN or too near to it.
int64_t HorizonAt(int64_t watermark_ms, const WindowOptions& options);

}  // namespace neardup
