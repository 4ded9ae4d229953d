// How many bytes a transaction may hold.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "lane/lane_options.h"

namespace neardup {

/// LaneOptions::transaction_bytes_max, or less where transactions take too long, such as under a
/// quota or on a slow link. Otherwise each attempt would be as large as the one that timed out.
///
/// If a transaction takes more than a quarter of the time-out, the limit becomes the size that
/// would take an eighth. If a transaction is lost after half of the time-out, the limit becomes a
/// quarter of its size. The limit doubles with each transaction that takes less than an eighth. One
/// owner thread; the options must outlive it.
class TransactionSize {
 public:
  explicit TransactionSize(const LaneOptions& options)
      : options_(options), bytes_max_(options.transaction_bytes_max) {}

  size_t bytes_max() const { return bytes_max_; }
  bool is_limited() const { return bytes_max_ < options_.transaction_bytes_max; }

  /// A transaction of this size was committed after this time.
  void Committed(size_t bytes, int64_t lasted_ms) {
    const int64_t sent_ms = lasted_ms - options_.transaction_interval_ms;
    const int64_t goal_ms = options_.transaction_timeout_ms / 8;
    if (sent_ms > 2 * goal_ms) {
      Set(static_cast<size_t>(static_cast<double>(bytes) * static_cast<double>(goal_ms) /
                              static_cast<double>(sent_ms)));
    } else if (sent_ms < goal_ms) {
      Set(bytes_max_ * 2);
    }
  }
  /// A transaction of this size was aborted or lost after this time.
  void Lost(size_t bytes, int64_t lasted_ms) {
    if (lasted_ms >= options_.transaction_timeout_ms / 2) Set(std::min(bytes, bytes_max_) / 4);
  }

 private:
  static constexpr size_t kBytesMin = size_t{64} << 10;

  void Set(size_t bytes) {
    const size_t most = options_.transaction_bytes_max;
    bytes_max_ = std::clamp(bytes, std::min(kBytesMin, most), most);
  }

  const LaneOptions& options_;
  size_t bytes_max_;
};

}  // namespace neardup
